/** A session of the journal, open to be read: its configuration as it was run, its journal, its frames. */
import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import { readJournal } from '../../journal/read-journal.ts';
import { frameLogPath } from '../../recording/frame-log.ts';
import { NothingThere } from '../inspect/read-state.ts';
import { runPlan } from '../live/run-options.ts';
import { statePaths } from './state-paths.ts';

export interface SessionQuery {
  /** As the session was run. */
  readonly config: Config;
  /** The recorded day that it traded, or null. */
  readonly tape: string | null;
  readonly stateDir: string | null;
  /** A trading day, or null for the latest one. */
  readonly session: string | null;
}

export interface StoredSession {
  readonly config: Config;
  readonly read: JournalReader;
  readonly session: TradingDay;
  readonly framesPath: string;
  close(): void;
}

/** Throws `NothingThere` without a journal or without this session in it. */
export function openStoredSession({ config: asked, tape, stateDir, session }: SessionQuery): StoredSession {
  const { config } = runPlan({
    config: asked,
    replay: tape,
    stateDir,
    fresh: false,
    speed: null,
    durationMs: null,
    jsonLogs: false,
  });
  const paths = statePaths(config.stateDir);
  if (!existsSync(paths.journal)) throw new NothingThere(`no journal at ${paths.journal}`);
  const opened = readJournal(paths.journal);
  const sessions = opened.read.sessions();
  const found = session === null ? sessions.at(-1) : sessions.find(({ day }) => day === session);
  if (found === undefined) {
    opened.close();
    throw new NothingThere(`no session ${session ?? ''} in ${paths.journal}`);
  }
  return { ...opened, config, session: found.day, framesPath: frameLogPath(paths.frames, found.day) };
}
