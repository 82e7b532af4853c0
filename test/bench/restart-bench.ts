/** A restart in mid-session: from the state on disk to an engine that answers, against reading the same bytes and parsing their JSON. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/host/system-clock.ts';
import { prepareSession, TradingSession } from '../../src/daemon/session/trading-session.ts';
import type { Config } from '../../src/config/config.ts';
import { Database } from '../../src/sqlite/database.ts';
import { formatNumber } from '../../src/text/numbers.ts';
import { frameLogPath } from '../../src/recording/frame-log.ts';
import { DAY, marketDay, type MarketDay } from './market-day.ts';
import { busyConfig, contextAt, makeDay } from './restart-day.ts';
import { type Candidate, medianOf } from './rounds.ts';

export interface RestartBench {
  readonly about: string;
  readonly candidates: readonly Candidate[];
  /** Of the restarts so far. */
  readonly result: () => string;
}

/** The limit that is set for a restart: so many rows in under two seconds. */
const ROWS = 100_000;
const FRAMES = 330_000;

interface Restart {
  readonly ms: number;
  /** Of all threads: a busy machine makes it no longer. */
  readonly processorMs: number;
  readonly frames: number;
  /** Calls that the reconciliation begins with. */
  readonly reads: number;
}

/** `part` of a day is enough to show that it runs. */
export async function restartBench(scratch: string, part: (whole: number) => number): Promise<RestartBench> {
  const frames = part(FRAMES);
  const day = marketDay(frames);
  const dir = mkdtempSync(join(scratch, 'restart-'));
  const config = busyConfig(dir);
  await makeDay(dir, config, day, part(ROWS));
  const kinds = rowsByKind(dir);
  const rows = kinds.reduce((sum, { count }) => sum + count, 0);
  const restarts: Restart[] = [];
  const perEvent = (ms: number): number => (ms * 1e6) / (rows + frames);
  const most = kinds.slice(0, 6).map(({ kind, count }) => `${formatNumber(count)} ${kind}`);
  return {
    about: `${formatNumber(rows)} journal rows: ${most.join(', ')}`,
    candidates: [
      { name: 'read and parsed as JSON', run: () => perEvent(parseAll(dir)) },
      {
        name: 'replayed in a new engine thread',
        run: async () => {
          const each = await restart(dir, config, day);
          restarts.push(each);
          return perEvent(each.ms);
        },
      },
    ],
    result: () => {
      const seconds = (of: (each: Restart) => number): string =>
        `${(medianOf(restarts.map(of)) / 1_000).toFixed(2)} s`;
      const { frames = 0, reads = 0 } = restarts[0] ?? {};
      const took = `${seconds(({ ms }) => ms)}, ${seconds(({ processorMs }) => processorMs)} of processor time`;
      return `${formatNumber(rows)} rows and ${formatNumber(frames)} frames took ${took}; ${reads} REST calls begin the reconciliation`;
    },
  };
}

function rowsByKind(dir: string): readonly { readonly kind: string; readonly count: number }[] {
  return fromJournal(dir, (database) =>
    database
      .prepare<[], { kind: string; count: number }>(
        'SELECT kind, count(*) AS count FROM (SELECT kind FROM inputs UNION ALL SELECT kind FROM entries) GROUP BY kind ORDER BY count DESC',
      )
      .all(),
  );
}

const journalRows = (dir: string): readonly { readonly body: string }[] =>
  fromJournal(dir, (database) =>
    database
      .prepare<[], { body: string }>('SELECT body FROM inputs UNION ALL SELECT body FROM entries')
      .all(),
  );

function fromJournal<T>(dir: string, read: (database: Database) => T): T {
  const database = new Database(join(dir, 'journal.db'), { readonly: true });
  try {
    return read(database);
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

/** Until the engine has answered behind the past. */
async function restart(dir: string, config: Config, { frames, contracts }: MarketDay): Promise<Restart> {
  const begun = performance.now();
  const endMs = (frames.at(-1)?.tsUs ?? 0) / 1_000 + 1_000;
  const nowMs = (): number => endMs + performance.now() - begun;
  systemClock.restart({ wallMs: nowMs, monotonicMs: nowMs, uptimeMs: nowMs });
  const { context, edge, journal } = contextAt(dir, config);
  try {
    edge.table.reset(contracts);
    let reads = 0;
    edge.reports.read = () => void (reads += 1);
    const start = performance.now();
    const used = process.cpuUsage();
    const prepared = prepareSession(context);
    const listed = { kind: 'contracts', contracts } as const;
    const session = await TradingSession.open(context, prepared, listed, new Map(), (reason) => {
      throw new Error(reason);
    });
    await session.view();
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(used);
    await session.close();
    return { ms, processorMs: (user + system) / 1_000, frames: session.replayed?.frames ?? 0, reads };
  } finally {
    journal.close();
    systemClock.restart();
  }
}
