/**
 * Restarts in every state of a position and an order, after a clean stop and after a kill: no phantom position, no wrong sign,
 * every working order the same under the same number, and a second restart that moves nothing.
 */
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { Story } from './support/story.ts';
import type { Step } from './support/scripted.ts';

const ENTER = 13_001;
const ORDER = 13_002;

const POSITIONS = {
  flat: [],
  long: [{ at: ENTER, do: 'buy', qty: 2, price: 13_004 }],
  short: [{ at: ENTER, do: 'sell', qty: 2, price: 12_996 }],
} satisfies Record<string, readonly Step[]>;

const ORDERS = {
  'no order': [],
  resting: [{ at: ORDER, do: 'buy', qty: 2, price: 12_900 }],
  'partly filled': [{ at: ORDER, do: 'buy', qty: 3, price: 12_990 }],
  'waiting trigger': [{ at: ORDER, do: 'sell', qty: 1, price: 12_890, trigger: 12_900 }],
} satisfies Record<string, readonly Step[]>;

type PositionName = keyof typeof POSITIONS;
type OrderName = keyof typeof ORDERS;
const names = <T extends object>(of: T) => Object.keys(of) as (keyof T)[]; // oxlint-disable-line typescript/no-unsafe-type-assertion -- keys of a literal

const CELLS = names(POSITIONS).flatMap((position) =>
  names(ORDERS).flatMap((order) =>
    (['clean stop', 'SIGKILL'] as const).map((end) => ({ position, order, end })),
  ),
);

const NET: Readonly<Record<PositionName, number>> = { flat: 0, long: 2, short: -2 };

/** Brings the daemon into the state of a cell. */
async function enter(story: Story, position: PositionName, order: OrderName): Promise<void> {
  story.print(13_000);
  if (position !== 'flat') {
    story.offer(position === 'long' ? 'sell' : 'buy', position === 'long' ? 13_004 : 12_996, 2);
    story.print(ENTER);
    await story.until(async () => (await story.known()).net === NET[position]);
  }
  if (order === 'no order') return;
  story.print(ORDER);
  await story.until(async () => (await story.truth()).orders.length === 1);
  if (order === 'partly filled') story.offer('sell', 12_990, 1);
  await story.until(async () => {
    const { orders } = await story.known();
    const isSeen = orders[0] !== undefined && orders[0].orderNo !== 'none';
    return isSeen && (order !== 'partly filled' || orders[0]?.filledQty === 1);
  });
}

/** Restarts by the REST calls that their reconciliation took. */
const restCalls = new Map<string, string[]>();

afterAll(() => {
  const lines = [...restCalls].map(([calls, restarts]) => `${restarts.length} restarts: ${calls}`);
  process.stdout.write(`REST calls of the reconciliation\n${lines.join('\n')}\n`);
});

describe('a restart', () => {
  it.each(CELLS)('$position, $order, $end', async ({ position, order, end }) => {
    const story = await Story.open([...POSITIONS[position], ...ORDERS[order]]);
    onTestFinished(() => story.close());
    await story.start();
    await enter(story, position, order);
    const before = await story.truth();
    expect(before.net).toBe(NET[position] + (order === 'partly filled' ? 1 : 0));
    for (const restart of ['first', 'second']) {
      await (end === 'clean stop' ? story.stop() : story.kill());
      expect(await story.truth(), `${restart}: nothing moves while it is down`).toEqual(before);
      await story.start();
      expect(await story.known(), `${restart}: it knows what the broker holds`).toEqual(before);
      expect(await story.truth(), `${restart}: the broker holds what it held`).toEqual(before);
      expect(story.moves, `${restart}: it sends nothing`).toEqual([]);
      const entries = story.entries.map(({ kind }) => kind);
      expect(entries).not.toContain('order_adopted');
      expect(entries).not.toContain('strategy_fault');
      // A kill takes the rows of the last 50 ms: the fill among them is read again from the book.
      story.daemon.journal.flush();
      const lostMax = end === 'SIGKILL' && restart === 'first' ? 1 : 0;
      expect(entries.filter((kind) => kind === 'fill').length).toBeLessThanOrEqual(lostMax);
      const calls = tally(story.calls);
      restCalls.set(calls, [...(restCalls.get(calls) ?? []), `${position}, ${order}, ${end}, ${restart}`]);
    }
  });
});

const tally = (calls: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const call of calls.toSorted()) counts.set(call, (counts.get(call) ?? 0) + 1);
  return `${calls.length} REST calls (${[...counts].map(([call, count]) => `${count} ${call}`).join(', ')})`;
};

describe('a restart without the frames of its day, as from a copy of the journal alone', () => {
  it.each(CELLS.filter(({ end }) => end === 'clean stop'))(
    '$position, $order: it knows what the journal says, and sends nothing but cancels of a strategy that it stops',
    async ({ position, order }) => {
      const steps = [...POSITIONS[position], ...ORDERS[order]];
      const story = await Story.open(steps);
      onTestFinished(() => story.close());
      await story.start();
      await enter(story, position, order);
      const before = await story.truth();
      await story.stop();
      rmSync(story.paths.frames, { recursive: true });
      await story.start();
      expect((await story.known()).net).toBe(before.net);
      expect((await story.truth()).net).toBe(before.net);
      expect(story.moves.filter((call) => !call.includes('cancel'))).toEqual([]);
      if (steps.length === 0) return;
      const stopped = (await story.view())?.strategies.find(({ id }) => id === 'script')?.stopped;
      expect(stopped).toBe('replay_diverged');
      expect(story.alerts()).toContain('frames_missing');
    },
  );
});
