/** Stops that the broker does not keep over a weekend: nothing of ours takes them for protection, and new ones go out at once. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/host/system-clock.ts';
import { readiness } from '../../src/daemon/program/daemon-control.ts';
import type { Step } from './support/scripted.ts';
import { running, type Story } from './support/story.ts';

const FRIDAY = '2026-11-20T10:00:00+07:00';
const MONDAY = '2026-11-23T10:00:00+07:00';

/** The time of daemon and broker. */
function leapTo(moment: string): void {
  const aheadMs = Date.parse(moment) - Date.now();
  systemClock.restart({
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    uptimeMs: () => performance.now(),
  });
}

const STEPS: readonly Step[] = [
  { at: 13_001, do: 'buy', qty: 1, price: 13_010 },
  { at: 13_002, do: 'sell', price: 12_890, trigger: 12_900 },
];

/** Long 1 with a stop on Friday; Monday begins. */
async function overTheWeekend(triggerLife: 'day' | 'contract'): Promise<Story> {
  onTestFinished(() => systemClock.restart());
  leapTo(FRIDAY);
  const story = await running(
    STEPS,
    (yaml) => yaml.replace('cash: 5000000000', 'cash: 5000000000, hours: exchange'),
    { clock: systemClock, rules: { triggerLife } },
  );
  await story.buys(1);
  story.print(13_002);
  await story.until(async () => (await story.known()).orders.length === 1);
  await story.stop();
  leapTo(MONDAY);
  return story;
}

async function ready(story: Story) {
  story.print(13_005);
  await story.view();
  return readiness(story.daemon);
}

const waiting = async (story: Story) => (await story.known()).orders.length;

/** Long 1 with a stop on Friday, which lasts over the night. */
async function holdingOnFriday(): Promise<Story> {
  onTestFinished(() => systemClock.restart());
  leapTo(FRIDAY);
  const story = await running(
    STEPS,
    (yaml) => yaml.replace('cash: 5000000000', 'cash: 5000000000, hours: exchange'),
    { clock: systemClock, rules: { triggerLife: 'contract' } },
  );
  await story.buys(1);
  story.print(13_002);
  await story.until(async () => (await story.known()).orders.length === 1);
  return story;
}

it('a flatten that Friday cut off has taken the stop, and is alerted as dropped on Monday', async () => {
  const story = await holdingOnFriday();
  story.daemon.command({ name: 'halt', reason: 'the story' });
  story.daemon.command({ name: 'flatten', strategy: null, reason: 'the story' });
  // Of the entry, the stop, its cancel and the exit, which rests.
  await story.until(() => story.entries.filter(({ kind }) => kind === 'outcome').length === 4);
  story.daemon.journal.flush();
  await story.kill();
  leapTo(MONDAY);
  await story.start();
  expect(await story.truth()).toMatchObject({ net: 1, orders: [] });
  expect(story.alerts()).toContain('flatten_dropped');
});

describe('a stop of Friday', () => {
  it('that ended with its day counts for nothing on Monday, and its strategy places another one at once', async () => {
    const story = await overTheWeekend('day');
    await story.start();
    // It is kept until the first complete read of the trigger book.
    await story.until(async () => (await waiting(story)) === 0);
    expect((await story.truth()).orders).toEqual([]);
    // Two reads of positions, some seconds apart, show that the stop has not filled.
    await story.until(() => story.alerts().includes('exits_missing'));
    story.print(13_002);
    await story.until(async () => (await story.truth()).orders.length === 1);
    expect([story.denials(), await waiting(story)]).toEqual([[], 1]);
  });

  it('that lasts as long as its contract protects on Monday, and nobody is alerted otherwise', async () => {
    const story = await overTheWeekend('contract');
    story.fault({ name: 'http_500', operation: 'conditions' });
    await story.start();
    await story.settled();
    const reason = expect.stringContaining('the trigger book was not read');
    expect(await ready(story), 'its stop may be gone').toEqual({ ready: false, reason });
    story.simulator.faults.clear();
    await story.until(async () => (await ready(story)).ready);
    expect([await waiting(story), (await story.truth()).orders.length]).toEqual([1, 1]);
    expect(story.alerts()).toEqual([]);
  });
});

describe('a bracket of Friday', () => {
  const bracket: Step = {
    at: 13_001,
    do: 'buy',
    qty: 2,
    price: 12_950,
    stopLoss: 12_900,
    takeProfit: 13_100,
  };

  async function bracketOnFriday(triggerLife: 'day' | 'contract'): Promise<Story> {
    onTestFinished(() => systemClock.restart());
    leapTo(FRIDAY);
    const story = await running(
      [bracket],
      (yaml) => yaml.replace('cash: 5000000000', 'cash: 5000000000, hours: exchange'),
      { clock: systemClock, rules: { triggerLife } },
    );
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 1);
    await story.settled();
    return story;
  }

  it('keeps both exits on Monday: one cancels the other', async () => {
    const story = await bracketOnFriday('contract');
    story.offer('sell', 12_950, 2);
    await story.until(async () => (await story.known()).net === 2 && (await waiting(story)) === 2);
    await story.stop();
    leapTo(MONDAY);
    await story.start();
    await story.settled();
    expect([await waiting(story), (await story.truth()).orders.length]).toEqual([2, 2]);
    expect(story.alerts()).toEqual([]);
  });

  it('that filled unseen, and whose exits have ended, is without exits: a person is alerted', async () => {
    const story = await bracketOnFriday('day');
    await story.kill();
    story.offer('sell', 12_950, 2);
    await story.until(async () => (await story.truth()).net === 2);
    leapTo(MONDAY);
    await story.start();
    await story.until(() => story.alerts().includes('exits_missing'));
    expect((await story.known()).net).toBe(2);
  });
});
