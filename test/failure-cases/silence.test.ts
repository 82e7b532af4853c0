/** A stream that says nothing, and looks as if it lived. Timers of the daemon run ten times as fast. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock, systemTimers } from '../../src/host/system-clock.ts';
import { durationUs } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { HangingEngine } from './support/engine-here.ts';
import type { Step } from './support/scripted.ts';
import { PLACE, running, type Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };
/** The same again at each higher price, for an entry that comes before the book is known. */
const PATIENT = Array.from({ length: 20 }, (_, i): Step => ({ ...RESTING, at: RESTING.at + i }));

/** The next price comes when the entry at the one before was denied. */
async function enter(story: Story): Promise<void> {
  const before = story.denials().length;
  let price = RESTING.at;
  story.print(price);
  await story.until(async () => {
    const denied = story.denials().length - before;
    if (denied > price - RESTING.at) story.print((price += 1));
    return (await story.truth()).orders.length === 1;
  });
}
const FASTER = 10;
const patient = (yaml: string): string =>
  yaml.replace('requestTimeout: 20s', `requestTimeout: ${10 * FASTER}s`);
/** The broker notices a dead connection later than we do, and refuses no second one meanwhile. */
const stream = { ...DEFAULT_OPTIONS.stream, secondConnection: 'allow' } as const;

beforeEach(() => {
  const after = systemTimers.after.bind(systemTimers);
  const timers = vi.spyOn(systemTimers, 'after');
  timers.mockImplementation((span, run) => after(durationUs(Math.ceil(span / FASTER)), run));
  return () => timers.mockRestore();
});

describe('a connection that is open', () => {
  it('case 20: and brings no prices is alerted, and entries wait until they come', async () => {
    const story = await running([{ ...RESTING, at: 12_995, on: 'bid' }, ...PATIENT], patient);
    for (let ticks = 12_950; ticks < 13_000; ticks += 1) story.print(ticks);
    story.fault({ name: 'lose_frame', channel: 'trade' });
    await story.until(() => story.alerts().includes('prices_stale'));
    // The books still come.
    story.offer('buy', 12_995, 1);
    await story.until(() => story.denials().length > 0);
    expect(story.moves).toEqual([]);
    story.simulator.faults.clear();
    await story.until(async () => {
      story.print(13_000);
      return story.mayEnter(await story.view());
    });
    await enter(story);
    expect(story.moves).toEqual([PLACE]);
  });

  it('and brings no prices is no stream that is gone for an engine that comes meanwhile either', async () => {
    const story = await running([], (yaml) =>
      patient(yaml).concat('policies: { after: 1s, streamDead: flatten, staleData: cancel_orders }\n'),
    );
    await story.stop();
    const engines: HangingEngine[] = [];
    await story.start({ startEngine: (data) => (engines[engines.length] = new HangingEngine(data)) });
    const acted = () =>
      story.entries.flatMap((entry) => (entry.kind === 'policy_acted' ? [entry.failure] : []));
    for (let ticks = 12_950; ticks < 13_000; ticks += 1) story.print(ticks);
    story.fault({ name: 'lose_frame', channel: 'trade' });
    await story.until(() => acted().length === 1);
    engines[0]!.end();
    await story.until(() => acted().length === 2);
    expect(acted()).toEqual(['staleData', 'staleData']);
  });

  it('case 22: at our end alone is torn down, and comes back subscribed', async () => {
    const story = await running(PATIENT, patient, { stream });
    story.fault({ name: 'half_open' });
    await story.until(async () => (await story.view())?.stream === 'down');
    await story.until(async () => story.mayEnter(await story.view()));
    await enter(story);
    expect(story.moves).toEqual([PLACE]);
  });
});

describe('a standby of the machine', () => {
  it('case 26: is alerted, and what came meanwhile is decided once', async () => {
    // The clock of the process outlives this file. The last registered runs first: the story is closed before its clock goes back.
    onTestFinished(() => systemClock.restart());
    const story = await running([RESTING], patient, { clock: systemClock });
    const source = { sleptMs: 0 };
    systemClock.restart({
      wallMs: () => Date.now() + source.sleptMs,
      monotonicMs: () => performance.now(),
      uptimeMs: () => performance.now() + source.sleptMs,
    });
    source.sleptMs = 3_600_000;
    await story.until(() => story.alerts().includes('standby'));
    const decided = () => story.entries.filter(({ kind }) => kind === 'proposal').length;
    await story.until(() => {
      story.print(13_001);
      return decided() > 0;
    });
    for (let times = 0; times < 5; times += 1) story.print(13_001);
    await story.until(() => story.entries.some(({ kind }) => kind === 'outcome' || kind === 'denied'));
    expect(decided()).toBe(1);
  });
});
