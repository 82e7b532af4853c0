/** Other strategies in a running daemon: nothing is lost, doubled or forgotten, and a restart after it is the same. */
import { describe, expect, it } from 'vitest';
import type { Step } from './support/scripted.ts';
import { running, type Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };
const CROSSING: Step = { at: 13_001, do: 'buy', qty: 2, price: 13_010 };
const WAITING: Step = { at: 13_001, do: 'buy', qty: 1, price: 13_210, trigger: 13_200 };
const BRACKET: Step = { ...CROSSING, stopLoss: 12_800, takeProfit: 13_300 };
const OLD_LATER: Step = { at: 13_006, do: 'buy', price: 12_700 };
const NEW_LATER: Step = { at: 13_005, do: 'sell', price: 13_400 };

const isOrdered = async (story: Story, orders: number, net: number): Promise<boolean> => {
  const [known, truth] = [await story.known(), await story.truth()];
  return (
    truth.orders.length === orders && known.orders.length === orders && known.net === net && truth.net === net
  );
};

const STATES: readonly {
  readonly state: string;
  readonly step: Step;
  readonly orders: number;
  readonly net: number;
  /** At the moment of the change. */
  readonly arrange: (story: Story) => Promise<void>;
}[] = [
  {
    state: 'resting',
    step: RESTING,
    orders: 1,
    net: 0,
    arrange: (story) => story.until(() => isOrdered(story, 1, 0)),
  },
  {
    state: 'in flight',
    step: RESTING,
    orders: 1,
    net: 0,
    arrange: (story) => story.until(async () => (await story.truth()).orders.length === 1),
  },
  {
    state: 'partly filled',
    step: RESTING,
    orders: 1,
    net: 1,
    arrange: async (story) => {
      await story.until(() => isOrdered(story, 1, 0));
      story.offer('sell', 12_900, 1);
      await story.until(() => isOrdered(story, 1, 1));
    },
  },
  {
    state: 'waiting for its trigger',
    step: WAITING,
    orders: 1,
    net: 0,
    arrange: (story) => story.until(() => isOrdered(story, 1, 0)),
  },
  {
    state: 'exits of a bracket',
    step: BRACKET,
    orders: 2,
    net: 2,
    arrange: async (story) => {
      story.offer('sell', 13_010, 2);
      await story.until(() => isOrdered(story, 2, 2));
    },
  },
];

const assumed = (yaml: string): string =>
  `${yaml}live: { assume: [entry-with-exits, order-after-order, conditional-change] }\n`;

describe('new parameters in a running daemon', () => {
  it.each(STATES)('case 39: $state', async ({ state, step, orders, net, arrange }) => {
    const story = await running([step, OLD_LATER], assumed);
    if (state === 'in flight') story.fault({ name: 'late_answer', times: 1, delayMs: 700 });
    story.print(13_001);
    await arrange(story);
    const before = (await story.truth()).orders;
    const answer = await story.reload([NEW_LATER]);
    expect(answer).toMatchObject({ ok: true, changes: [expect.stringContaining('script: steps')] });
    await story.until(() => isOrdered(story, orders, net));
    expect((await story.truth()).orders).toEqual(before);
    story.print(13_006);
    story.print(13_005);
    await story.until(() => isOrdered(story, orders + 1, net));
    expect(story.moves, 'the old steps are gone, the new ones decide').toHaveLength(2);
    expect(story.entries.filter(({ kind }) => kind === 'strategy_changed')).toHaveLength(1);
    const after = await story.truth();
    await story.kill();
    await story.start();
    await story.until(() => isOrdered(story, orders + 1, net));
    expect(await story.truth()).toEqual(after);
    expect([story.moves, story.alerts().filter((code) => /diverged|fault/.test(code))]).toEqual([[], []]);
  });
});
