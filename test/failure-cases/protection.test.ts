/** The stop at the broker that protects a position, and what closes a position: never more of them than there is to close. */
import { describe, expect, it } from 'vitest';
import type { Step } from './support/scripted.ts';
import { running, type Story } from './support/story.ts';

const PLACE_STOP = 'POST /khronos/v1/order/condition/place';
const HELD = 3;
const CROSSING: Step = { at: 13_001, do: 'buy', qty: HELD, price: 13_010 };

const guarded = (yaml: string): string =>
  yaml
    .replace('risk: {', 'risk: { protectiveStop: { distanceTicks: 200 },')
    .replace('positions: 1s', 'positions: 200ms')
    .replace('bookFast: 200ms, bookSlow: 1s', 'bookFast: 50ms, bookSlow: 200ms');

/** The position at the broker and its stop there agree. */
const isCovered = (story: Story, net: number) => async (): Promise<boolean> => {
  const stops = story.stops();
  return (await story.truth()).net === net && stops.length <= 1 && (stops[0] ?? 0) === net;
};

describe('a protective stop', () => {
  it('case 13: has the quantity of the position after each partial fill, and never more', async () => {
    const exit: Step = { at: 13_002, do: 'sell', qty: HELD, price: 13_020 };
    const story = await running([CROSSING, exit], guarded);
    story.offer('sell', 13_010, 1);
    story.print(13_001);
    await story.until(isCovered(story, 1));
    story.offer('sell', 13_010, HELD - 1);
    await story.until(isCovered(story, HELD));
    story.print(13_002);
    await story.until(async () => (await story.truth()).orders.length === 2);
    story.offer('buy', 13_020, 2);
    await story.until(isCovered(story, 1));
    story.offer('buy', 13_020, 1);
    await story.until(isCovered(story, 0));
    expect(story.simulator.triggers().map(({ status, qty }) => [status, qty])).toEqual([
      ['canceled', 1],
      ['canceled', HELD],
      ['canceled', 1],
    ]);
  });

  it('case 14: of a broker that loses answers and shows it late is placed once', async () => {
    const story = await running([CROSSING], guarded);
    story.fault({ name: 'hide_new_order', seconds: 1 });
    story.fault({ name: 'accept_then_drop', operation: 'condition-place', times: 1 });
    story.offer('sell', 13_010, HELD);
    story.print(13_001);
    await story.until(isCovered(story, HELD));
    const looks = story.calls.length;
    await story.until(() => story.calls.length > looks + 12);
    expect(story.stops()).toEqual([HELD]);
    expect(story.moves.filter((call) => call === PLACE_STOP)).toHaveLength(1);
    await story.kill();
    await story.start();
    await story.settled();
    expect(story.stops(), 'after a restart').toEqual([HELD]);
    expect(story.moves).toEqual([]);
  });
});

/** The stop triggers, and the order that it sends finds no buyer. */
async function triggered(story: Story, stop: number): Promise<void> {
  story.print(stop);
  await story.until(() => story.simulator.triggers().some(({ status }) => status === 'activated'));
  await story.until(() => story.entries.some((entry) => entry.kind === 'order_adopted'));
}

describe('a stop whose cancel the broker refused', () => {
  it('sends an order that lives, where a strategy wanted to move it', async () => {
    const story = await running([
      { ...CROSSING, qty: 1 },
      { at: 13_002, do: 'sell', price: 12_890, trigger: 12_900 },
      { at: 13_003, do: 'cancel' },
    ]);
    await story.buys(1);
    story.print(13_002);
    await story.until(async () => (await story.truth()).orders.length === 1);
    story.fault({ name: 'refuse_for_now', operation: 'condition-cancel' });
    story.print(13_003);
    await story.until(() =>
      story.entries.some((entry) => entry.kind === 'outcome' && entry.outcome.status === 'rejected'),
    );
    await story.settled();
    await triggered(story, 12_900);
    await story.settled();
    story.offer('buy', 12_890, 1);
    await story.until(async () => (await story.truth()).net === 0);
    expect(story.moves.filter((call) => call.endsWith('/cancel'))).toEqual([
      'POST /khronos/v1/order/condition/cancel',
    ]);
  });

  it('sends an order that lives, where the engine wanted a larger one', async () => {
    const story = await running([{ ...CROSSING, qty: 2 }], guarded);
    story.offer('sell', 13_010, 1);
    story.print(13_001);
    await story.until(isCovered(story, 1));
    story.fault({ name: 'refuse_for_now', operation: 'condition-cancel' });
    story.offer('sell', 13_010, 1);
    await story.until(async () => (await story.known()).net === 2);
    await story.until(() =>
      story.entries.some((entry) => entry.kind === 'outcome' && entry.outcome.status === 'rejected'),
    );
    await story.settled();
    const [stop] = story.simulator.triggers();
    await triggered(story, Number(stop?.triggerPrice));
    await story.settled();
    expect(story.moves).not.toContain('POST /khronos/v1/order/cancel');
    story.offer('buy', Number(stop?.limitPrice), 1);
    await story.until(async () => (await story.truth()).net === 1);
  });
});

it('a protective stop that closes the position takes the exit of its strategy with it', async () => {
  const exit: Step = { at: 13_002, do: 'sell', qty: HELD, price: 13_050 };
  const story = await running([CROSSING, exit], guarded);
  story.offer('sell', 13_010, HELD);
  story.print(13_001);
  await story.until(isCovered(story, HELD));
  await story.until(() => story.hasReadPositions());
  story.print(13_002);
  await story.until(async () => (await story.truth()).orders.length === 2);
  const [stop] = story.simulator.triggers();
  story.offer('buy', Number(stop?.triggerPrice), HELD + 1);
  story.take('sell', Number(stop?.triggerPrice), 1);
  await story.until(async () => (await story.known()).net === 0);
  await story.until(async () => (await story.truth()).orders.length === 0);
  expect(await story.truth()).toEqual({ orders: [], net: 0 });
  expect(story.alerts()).toContain('exit_too_large');
});

it.each([
  ['the stop', { at: 13_002, do: 'sell', qty: HELD, price: 12_890, trigger: 12_900 }],
  ['the exit', { at: 13_002, do: 'sell', qty: HELD, price: 13_050 }],
] as const)('a position that a person closes by hand takes %s of its strategy with it', async (_, exit) => {
  const story = await running([CROSSING, exit]);
  await story.buys(HELD);
  await story.until(() => story.hasReadPositions());
  story.print(13_002);
  await story.until(async () => (await story.truth()).orders.length === 1);
  await story.settled();
  story.offer('buy', 12_990, HELD);
  story.fault({ name: 'inject_order', symbol: 'front', side: 'sell', points: 1_299, volume: HELD });
  await story.until(async () => (await story.truth()).net === 0);
  await story.until(async () => (await story.truth()).orders.length === 0);
  expect(story.alerts()).toContain('exit_too_large');
});

describe('an alert about a position without a strategy', () => {
  const stop: Step = { at: 13_002, do: 'sell', qty: 1, price: 12_890, trigger: 12_900 };
  const target: Step = {
    at: 13_002,
    do: 'sell',
    qty: 2,
    price: 13_100,
    trigger: 13_100,
    when: 'at_or_above',
  };
  it.each([
    ['a take-profit is no stop', [target], 'without a stop at the broker'],
    ['two stops of one are two', [stop, stop], 'with stops for 2 at the broker'],
    ['a stop for a part of it', [stop, target], 'with stops for 1 of 2 at the broker'],
  ] as const)('says what protects it: %s', async (_, exits, words) => {
    const story = await running([{ ...CROSSING, qty: 2 }, ...exits]);
    await story.buys(2);
    await story.until(() => story.hasReadPositions());
    story.print(13_002);
    await story.until(
      () => story.entries.filter(({ kind }) => kind === 'order_waiting').length === exits.length,
    );
    const strategy = story.daemon.names.indexOf('script');
    story.daemon.command({ name: 'stop_strategy', strategy, reason: 'the story' });
    await story.until(() => story.alerts().includes('orphan_position'));
    expect(story.texts('orphan_position')).toEqual([expect.stringContaining(words)]);
  });

  it.each([
    ['hold', 1],
    ['flatten', 0],
  ] as const)(
    'comes after a start without the strategy, in the middle of its day: %s',
    async (policy, left) => {
      const orphaned = (yaml: string) => yaml.replace('risk: {', `risk: { onOrphan: ${policy},`);
      const story = await running([{ ...CROSSING, qty: 1 }], orphaned);
      await story.buys(1);
      await story.until(() => story.hasReadPositions());
      await story.kill();
      story.offer('buy', 13_000, 1);
      story.edit([], (yaml) => orphaned(yaml).replace('id: script', 'id: renamed'));
      await story.start();
      await story.until(() => story.alerts().includes('orphan_position'));
      await story.until(async () => (await story.truth()).net === left);
      expect((await story.view())?.unproven).toBeNull();
    },
  );
});

describe('the close of a position', () => {
  it('case 12: sends what is left when the exit that it cancels fills meanwhile', async () => {
    const story = await running([CROSSING, { at: 13_002, do: 'sell', qty: HELD, price: 13_020 }]);
    await story.buys(HELD);
    story.print(13_002);
    await story.until(
      async () =>
        (await story.known()).orders[0]?.orderNo !== undefined && (await story.truth()).orders.length === 1,
    );
    story.daemon.command({ name: 'flatten', strategy: null, reason: 'the story' });
    story.offer('buy', 13_020, 1);
    story.offer('buy', 13_000, HELD);
    await story.until(async () => (await story.known()).net === 0);
    const sold = story.simulator
      .orders()
      .reduce((sum, { side, filledQty }) => sum + (side === 'sell' ? filledQty : 0), 0);
    expect(sold).toBe(HELD);
  });
});
