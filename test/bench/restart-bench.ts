/** A restart in mid-session: from the state on disk to an engine that answers, against reading the same bytes and parsing their JSON. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/app/host/system-clock.ts';
import { prepareSession, TradingSession } from '../../src/app/live/trading-session.ts';
import type { Config } from '../../src/config/config.ts';
import { Database } from '../../src/sqlite/database.ts';
import { formatNumber } from '../../src/text/numbers.ts';
import { frameLogPath } from '../../src/recording/frame-log.ts';
import { DAY, type MarketDay } from './market-day.ts';
import { busyConfig, contextAt, makeDay } from './restart-day.ts';
import type { Candidate } from './rounds.ts';

export interface RestartBench {
  readonly about: string;
  readonly candidates: readonly Candidate[];
}

export async function restartBench(day: MarketDay, scratch: string): Promise<RestartBench> {
  const dir = mkdtempSync(join(scratch, 'restart-'));
  const config = busyConfig(dir);
  await makeDay(dir, config, day, 100_000);
  const rows = journalRows(dir).length;
  const events = rows + day.frames.length;
  const perEvent = (ms: number): number => (ms * 1e6) / events;
  return {
    about: `${formatNumber(rows)} journal rows and ${formatNumber(day.frames.length)} frames`,
    candidates: [
      { name: 'read and parsed as JSON', run: () => perEvent(parseAll(dir)) },
      { name: 'replayed in a new engine thread', run: async () => perEvent(await restart(dir, config, day)) },
    ],
  };
}

function journalRows(dir: string): readonly { readonly body: string }[] {
  const database = new Database(join(dir, 'journal.db'), { readonly: true });
  try {
    return database
      .prepare<[], { body: string }>('SELECT body FROM inputs UNION ALL SELECT body FROM entries')
      .all();
  } finally {
    database.close();
  }
}

/** Milliseconds. */
function parseAll(dir: string): number {
  const start = performance.now();
  for (const { body } of journalRows(dir)) JSON.parse(body);
  const texts = readFileSync(frameLogPath(join(dir, 'frames'), DAY), 'utf8').split('\n');
  for (const text of texts) if (text.startsWith('s|')) JSON.parse(text.slice(text.indexOf('{')));
  return performance.now() - start;
}

/** Milliseconds until the engine has answered behind the past. */
async function restart(dir: string, config: Config, { frames, contracts }: MarketDay): Promise<number> {
  const begun = performance.now();
  const endMs = (frames.at(-1)?.tsUs ?? 0) / 1_000 + 1_000;
  const nowMs = (): number => endMs + performance.now() - begun;
  systemClock.restart({ wallMs: nowMs, monotonicMs: nowMs, uptimeMs: nowMs });
  const { context, edge, journal } = contextAt(dir, config);
  try {
    edge.table.reset(contracts);
    const start = performance.now();
    const prepared = prepareSession(context);
    const listed = { kind: 'contracts', contracts } as const;
    const session = await TradingSession.open(context, prepared, listed, new Map(), (reason) => {
      throw new Error(reason);
    });
    await session.view();
    const took = performance.now() - start;
    await session.close();
    return took;
  } finally {
    journal.close();
    systemClock.restart();
  }
}
