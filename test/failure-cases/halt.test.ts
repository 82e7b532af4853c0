/** A halt and protection over the real wire: what a halt leaves protects a position, also after a restart. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StartEngine } from '../../src/host/engine-thread.ts';
import { engineHere } from './support/engine-here.ts';
import type { Step } from './support/scripted.ts';
import { running, Story, withSecond } from './support/story.ts';

const HELD = 2;

it('leaves the stops of two opposed strategies, whose net position is flat, after a kill too', async () => {
  const long: readonly Step[] = [
    { at: 13_001, do: 'buy', qty: HELD, price: 13_010 },
    { at: 13_003, do: 'sell', qty: HELD, price: 12_890, trigger: 12_900 },
  ];
  const short: readonly Step[] = [
    { at: 13_002, do: 'sell', qty: HELD, price: 12_990 },
    { at: 13_003, do: 'buy', qty: HELD, price: 13_110, trigger: 13_100 },
  ];
  const story = await running(long, withSecond(short));
  const held = async () =>
    (await story.view())?.strategies
      .map(({ positions }) => positions.map(({ qty }) => qty).join())
      .toSorted();
  const stops = () => story.simulator.triggers().filter(({ status }) => status === 'pending').length;
  story.offer('sell', 13_010, HELD);
  story.print(13_001);
  await story.until(async () => (await held())?.includes('2') === true);
  story.offer('buy', 12_990, HELD);
  story.print(13_002);
  await story.until(async () => (await held())?.includes('-2') === true);
  await story.until(() => story.hasReadPositions());
  story.print(13_003);
  await story.until(() => stops() === 2);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => story.daemon.haltEnforcer.progress.status === 'proven');
  expect(stops(), story.daemon.haltEnforcer.progress.text).toBe(2);
  await story.kill();
  await story.start();
  await story.until(() => story.daemon.haltEnforcer.progress.status === 'proven');
  expect(stops(), story.daemon.haltEnforcer.progress.text).toBe(2);
});

it('is in the next view that is asked for, as any command is', async () => {
  const story = await running([]);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  expect((await story.view())?.halted).toBe('the story');
});

const RESTING: Step = { at: 13_001, do: 'buy', qty: 1, price: 12_990 };
const sweptOf = (story: Story) => story.daemon.haltEnforcer.progress;

/** An order at the broker, or in its trigger book, which the broker has accepted. */
async function withEntry(step: Step): Promise<Story> {
  const story = await running([step]);
  story.print(13_001);
  await story.until(async () => (await story.view())?.orders[0]?.orderNo !== null);
  await story.until(async () => (await story.truth()).orders.length === 1);
  await story.until(() => story.entries.some(({ kind }) => kind === 'outcome'));
  return story;
}

const WAITING: Step = { at: 13_001, do: 'buy', qty: 1, price: 13_110, trigger: 13_100 };

it.each([
  ['the in-day book', RESTING, { name: 'empty_book', book: 'in-day' }],
  ['the trigger book', WAITING, { name: 'empty_book', book: 'conditions' }],
] as const)(
  'cancels by its number what %s does not show, and proves nothing by it',
  async (_, step, fault) => {
    const story = await withEntry(step);
    story.fault(fault);
    story.daemon.command({ name: 'halt', reason: 'the story' });
    await story.until(async () => (await story.truth()).orders.length === 0 || isProven(story));
    expect((await story.truth()).orders, sweptOf(story).text).toEqual([]);
    expect(sweptOf(story).status, 'no row has shown its end').not.toBe('proven');
    story.simulator.faults.clear(fault.name);
    await story.until(() => isProven(story));
  },
);

const isProven = (story: Story): boolean => sweptOf(story).status === 'proven';

it('is not proven while the row of a canceled order says that it can be canceled', async () => {
  const story = await withEntry(RESTING);
  story.fault({ name: 'contradict_status', status: 'PWX' });
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(async () => (await story.truth()).orders.length === 0 || isProven(story));
  expect((await story.truth()).orders, sweptOf(story).text).toEqual([]);
});

const isAlerted = (story: Story, code: string): boolean => story.alerts().includes(code);

const NOT_NOW = ['refuse_for_now', 'http_429', 'http_500'] as const;

it.each(NOT_NOW)('is proven by no refusal that says not now (%s): the order fills', async (name) => {
  const story = await withEntry(RESTING);
  story.fault({ name: 'empty_book', book: 'in-day' });
  story.fault({ name, operation: 'cancel' });
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => story.moves.some((call) => call.endsWith('/cancel')));
  const { length } = story.calls;
  await story.until(() => story.calls.length > length + 20);
  story.take('sell', 12_990, 1);
  await story.until(async () => (await story.truth()).net === 1);
  expect(sweptOf(story).status).not.toBe('proven');
  expect(isAlerted(story, 'halt_proven')).toBe(false);
  story.simulator.faults.clear('empty_book');
  await story.until(() => isProven(story));
});

it('is taken back when a position grows that no order explains', async () => {
  const story = await running([]);
  story.fault({ name: 'empty_book', book: 'in-day' });
  story.fault({ name: 'inject_order', symbol: 'front', side: 'buy', points: 1_299, volume: 1 });
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => isProven(story));
  story.take('sell', 12_990, 1);
  await story.until(() => isAlerted(story, 'halt_unproven'));
  expect(story.texts()).toContainEqual(expect.stringContaining('from 0 to 1'));
});

it('waits for the answer to a call that was on its way, and cancels what it says', async () => {
  const story = await running([RESTING]);
  story.fault({ name: 'empty_book', book: 'in-day' });
  story.fault({ name: 'late_answer', operation: 'place', delayMs: 2_000, times: 1 });
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(async () => (await story.truth()).orders.length === 0 || isProven(story));
  expect((await story.truth()).orders, sweptOf(story).text).toEqual([]);
});

it('needs no engine: an answer that none has read gives the number', async () => {
  const engine = freezable();
  const story = await Story.open([RESTING]);
  onTestFinished(() => story.close());
  await story.start({ startEngine: engine.start });
  story.print(13_000);
  story.fault({ name: 'late_answer', operation: 'place', delayMs: 500, times: 1 });
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  engine.freeze();
  story.fault({ name: 'empty_book', book: 'in-day' });
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(async () => (await story.truth()).orders.length === 0 || isProven(story));
  expect((await story.truth()).orders, sweptOf(story).text).toEqual([]);
});

it('says what the broker shows, where the engine has not read the last fill', async () => {
  const engine = freezable();
  const story = await Story.open([RESTING]);
  onTestFinished(() => story.close());
  await story.start({ startEngine: engine.start });
  story.print(13_000);
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  await story.until(() => story.entries.some(({ kind }) => kind === 'outcome'));
  engine.freeze();
  story.take('sell', 12_990, 1);
  await story.until(async () => (await story.truth()).net === 1);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => isAlerted(story, 'halt_proven'));
  expect(story.texts()).toContainEqual(
    expect.stringMatching(/the broker shows \+1 \w+ at .* our fills until .* come to 0/),
  );
});

it('says what is held after a fill that nobody has looked at, and corrects it after the next one', async () => {
  const exit: Step = { at: 13_002, do: 'sell', qty: 1, price: 13_050 };
  const story = await running([{ at: 13_001, do: 'buy', qty: 1, price: 13_010 }, exit]);
  await story.view();
  story.offer('sell', 13_010, 1);
  story.print(13_001);
  await story.until(() => story.entries.some(({ kind }) => kind === 'fill'));
  story.print(13_002);
  await story.until(async () => (await story.truth()).orders.length === 1);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => story.texts('halt_proven').length === 1);
  expect(story.texts('halt_proven')[0]).toMatch(/held: script \+1 /);
  expect(story.texts('halt_proven')[0]).not.toContain('the broker shows');
  story.take('buy', 13_050, 1);
  await story.until(() => story.texts('halt_proven').length === 2);
  expect(story.texts('halt_proven')[1]).toMatch(/corrected after a fill .*nothing is held$/);
});

/** An engine that takes nothing in any more, from a moment on. */
function freezable(): { readonly start: StartEngine; readonly freeze: () => void } {
  let isFrozen = false;
  return {
    start: (data) => {
      const line = engineHere(data);
      const take = line.postMessage.bind(line);
      return {
        ...line,
        postMessage: (message) => {
          if (!isFrozen) take(message);
        },
      };
    },
    freeze: () => {
      isFrozen = true;
    },
  };
}

describe('of strategies that oppose each other', () => {
  const long: readonly Step[] = [
    { at: 13_001, do: 'buy', qty: 1, price: 13_010 },
    { at: 13_003, do: 'sell', qty: 1, price: 12_890, trigger: 12_900 },
  ];
  const short: readonly Step[] = [
    { at: 13_002, do: 'sell', qty: 1, price: 12_990 },
    { at: 13_004, do: 'buy', qty: 1, price: 12_950 },
    { at: 13_005, do: 'cancel' },
    { at: 13_006, do: 'buy', qty: 1, price: 12_940 },
  ];

  it('leaves the stop of one and the working exit of the other, also one that comes during the halt', async () => {
    const story = await running(long, withSecond(short));
    const workingOrders = async () => (await story.truth()).orders.length;
    await story.buys(1);
    story.offer('buy', 12_990, 1);
    story.print(13_002);
    await story.until(async () => (await story.known()).net === 0);
    await story.until(() => story.hasReadPositions());
    story.print(13_003);
    story.print(13_004);
    await story.until(async () => (await workingOrders()) === 2);
    story.daemon.command({ name: 'halt', reason: 'the story' });
    await story.until(() => isProven(story));
    expect(await workingOrders(), sweptOf(story).text).toBe(2);
    story.print(13_005);
    await story.until(() =>
      story.entries.some((each) => each.kind === 'order_status' && each.to === 'canceled'),
    );
    story.print(13_006);
    await story.until(async () => (await workingOrders()) === 2);
    await story.until(() => isProven(story));
    await story.settled();
    expect(await workingOrders(), sweptOf(story).text).toBe(2);
    expect(story.alerts()).not.toContain('halt_late_order');
    expect(story.alerts()).not.toContain('halt_unproven');
  });
});

const guarded = (yaml: string): string =>
  yaml.replace('risk: {', 'risk: { protectiveStop: { distanceTicks: 200 },');

it('leaves the working exit of a strategy next to the stop that the engine keeps', async () => {
  const steps: readonly Step[] = [
    { at: 13_001, do: 'buy', qty: HELD, price: 13_010 },
    { at: 13_002, do: 'sell', qty: HELD, price: 13_050 },
  ];
  const story = await running(steps, guarded);
  story.offer('sell', 13_010, HELD);
  story.print(13_001);
  await story.until(() => story.simulator.triggers().length === 1);
  await story.until(() => story.hasReadPositions());
  story.print(13_002);
  await story.until(async () => (await story.known()).orders.length === 2);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => isProven(story));
  expect((await story.truth()).orders, sweptOf(story).text).toHaveLength(2);
  expect(sweptOf(story).text).toContain(`could close ${HELD} more than is held`);
  story.offer('buy', 13_050, HELD);
  await story.until(async () => (await story.truth()).orders.length === 0);
  expect(await story.truth()).toEqual({ orders: [], net: 0 });
});

/** A halt has canceled the stop of an entry that rests, and cannot cancel the entry now. */
async function withoutItsStop() {
  const stop: Step = { at: 13_001, do: 'sell', qty: 1, price: 12_890, trigger: 12_900 };
  const story = await running([RESTING, stop]);
  const stops = () => story.simulator.triggers().filter(({ status }) => status === 'pending');
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 2);
  await story.until(() => story.entries.some(({ kind }) => kind === 'order_waiting'));
  story.fault({ name: 'refuse_for_now', operation: 'cancel' });
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => stops().length === 0);
  return { story, stops };
}

it('puts a stop back that it canceled, when the entry of that stop turns out to have filled', async () => {
  const { story, stops } = await withoutItsStop();
  await story.until(() =>
    story.entries.some((each) => each.kind === 'order_status' && each.to === 'canceled'),
  );
  story.take('sell', 12_990, 1);
  await story.until(async () => (await story.known()).net === 1);
  await story.until(() => stops().length === 1);
  expect(stops()).toMatchObject([{ side: 'sell', qty: 1, triggerPrice: 12_900 }]);
  expect(isAlerted(story, 'exits_missing')).toBe(true);
  story.simulator.faults.clear('refuse_for_now');
  await story.until(() => isProven(story));
  story.daemon.command({ name: 'resume', strategy: null, reason: 'the story' });
  await story.settled();
  expect(stops(), 'also when entries are allowed again').toHaveLength(1);
});

it('takes its word back when an entry that no scan showed has filled, also where the net position is smaller for it', async () => {
  const long: Step = { at: 13_001, do: 'buy', qty: HELD, price: 13_010 };
  const story = await running([long], withSecond([{ at: 13_002, do: 'sell', qty: HELD, price: 13_015 }]));
  await story.buys(HELD);
  story.fault({ name: 'hide_new_order', seconds: 7, times: 1 });
  story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
  story.print(13_002);
  await story.until(() => story.simulator.orders().some(({ limitPrice }) => limitPrice === 13_015));
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => isProven(story));
  story.offer('buy', 13_015, HELD);
  await story.until(() => isAlerted(story, 'halt_unproven'));
  await story.until(async () => (await story.known()).net === 0);
  expect(await story.truth()).toEqual({ orders: [], net: 0 });
});

it('puts a stop back that it canceled, where a person resumes before the engine has read that', async () => {
  const { story, stops } = await withoutItsStop();
  story.daemon.command({ name: 'resume', strategy: null, reason: 'the story' });
  await story.until(() =>
    story.entries.some((each) => each.kind === 'order_status' && each.to === 'canceled'),
  );
  story.take('sell', 12_990, 1);
  await story.until(async () => (await story.known()).net === 1);
  await story.until(() => stops().length === 1);
  expect(isAlerted(story, 'exits_missing')).toBe(true);
});

it('takes its word back when a stop that no scan showed has sent an order that filled', async () => {
  const long: Step = { at: 13_001, do: 'buy', qty: HELD, price: 13_010 };
  const short: Step = { at: 13_002, do: 'sell', qty: HELD, price: 12_790, trigger: 12_800 };
  const story = await running([long], withSecond([short]));
  await story.buys(HELD);
  story.fault({ name: 'hide_new_order', seconds: 9, times: 1 });
  story.fault({ name: 'accept_then_drop', operation: 'condition-place', times: 1 });
  story.print(13_002);
  await story.until(() => story.simulator.triggers().length === 1);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => isProven(story));
  story.offer('buy', 12_800, HELD + 1);
  story.take('sell', 12_800, 1);
  await story.until(() => isAlerted(story, 'halt_unproven'));
  expect(await story.truth()).toEqual({ orders: [], net: 0 });
});
