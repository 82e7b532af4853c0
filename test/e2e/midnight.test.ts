/** A process that runs through midnight: each engine of it makes order ids of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { type RunningDaemon, startDaemon, type Workplace, workplace } from './daemon-process.ts';
import { programWith } from './program-with.ts';

/** Leaves one stop at the broker in each engine that it runs in; nothing touches it. */
const WAITER = `
const added = defineStrategy({
  name: 'waiter',
  summary: 'leaves a stop at the broker',
  params: z.strictObject({}),
  legs: ['contract'],
  connect(ticks, trader) {
    let stop = null;
    ticks.trades$.subscribe(({ price: last }) => {
      if (stop !== null || trader.phase() !== 'continuous' || trader.band() === undefined) return;
      stop = trader.submit({ kind: 'stop', side: 'buy', qty: 1, trigger: last + 300, price: last + 305, reason: 'test' });
    });
    ticks.orders$.subscribe(({ clientOrderId, denial }) => {
      // Risk may not be ready when the first price comes.
      if (denial !== null && clientOrderId === stop) stop = null;
    });
  },
});
`;

const CONFIG = `
mode: paper
state: $STATE
market: vn30f.yaml
simulator: { seed: 7 }
broker: { requestsPerSecond: 50 }
risk: { dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s }
poll: { bookFast: 200ms, bookSlow: 1s, positions: 2s, account: 2s }
lookUp: { scans: 3, spread: 1s }
strategies:
  - id: waiter
    strategy: waiter
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 9 }
    params: {}
`;

const DAY_MS = 86_400_000;
/** The calendar's midnight, at +07:00, in UTC. */
const MIDNIGHT_MS = 17 * 3_600_000;
/** For a start and a stop order before midnight; on a machine too busy for the first, the second is tried. */
const LEADS_MS = [15_000, 75_000];

/** Moves the clock of the program and of its simulator: midnight comes in `leadMs`. */
function shiftClock({ dir }: Workplace, leadMs: number): void {
  const now = Date.now();
  const today = Math.floor(now / DAY_MS) * DAY_MS + MIDNIGHT_MS;
  const shift = today + DAY_MS - leadMs - now;
  const file = join(dir, 'shift-clock.cjs');
  writeFileSync(
    file,
    `const Real = Date;
globalThis.Date = class extends Real {
  constructor(...given) { super(...(given.length === 0 ? [Real.now() + ${shift}] : given)); }
  static now() { return Real.now() + ${shift}; }
};
`,
  );
  vi.stubEnv('NODE_OPTIONS', `--require ${file}`);
}

interface Journaled {
  readonly entries: readonly JournalEntry[];
  readonly inputs: readonly EngineEvent[];
}

/** All sessions of the journal, oldest first. */
function sessionsOf({ state }: Workplace): readonly Journaled[] {
  const journal = readJournal(join(state, 'journal.db'));
  try {
    return journal.read.sessions().map(({ day: session }) => ({
      entries: journal.read.entries({ session }).map(({ entry }) => entry),
      inputs: [...journal.read.inputs(session)],
    }));
  } finally {
    journal.close();
  }
}

const placedIn = ({ entries }: Journaled) =>
  entries.flatMap((entry) => (entry.kind === 'place' ? [entry.order.clientOrderId] : []));
const bootsIn = ({ inputs }: Journaled) =>
  inputs.flatMap((input) => (input.kind === 'booted' ? [input.boot] : []));
const waitsIn = ({ entries }: Journaled) =>
  entries.flatMap((entry) => (entry.kind === 'order_waiting' ? [entry.clientOrderId] : []));

const TAKEN = / waiter +waits .*at the broker/;

/** A daemon whose stop waits at the broker with midnight still to come. */
async function startBeforeMidnight(): Promise<{ place: Workplace; daemon: RunningDaemon }> {
  const main = programWith(WAITER);
  for (const leadMs of LEADS_MS) {
    const place = workplace(CONFIG);
    shiftClock(place, leadMs);
    const daemon = startDaemon(place, [], main);
    const isLate = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), leadMs - 2_000));
    if (!(await Promise.race([daemon.line(TAKEN).then(() => false), isLate]))) return { place, daemon };
    await daemon.end('SIGINT');
  }
  throw new Error(`no stop waited at the broker after ${LEADS_MS.join(' ms or ')} ms`);
}

test('the new day takes the waiting stop over, and its own stop has another id', async () => {
  const { place, daemon } = await startBeforeMidnight();
  const taken = daemon.output().length;
  await daemon.line(/waiter +placed/, taken);
  await daemon.line(TAKEN, taken);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  const [before, after] = sessionsOf(place);
  expect([bootsIn(before!), bootsIn(after!)]).toEqual([[1], [2]]);
  const [first, second] = [placedIn(before!), placedIn(after!)];
  expect([first.length, second.length]).toEqual([1, 1]);
  expect(second).not.toEqual(first);
  expect(waitsIn(after!)).toEqual([...first, ...second]);
});
