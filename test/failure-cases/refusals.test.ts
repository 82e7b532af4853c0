/** What the broker or its token refuses: it is asked slowly, and alerted. */
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import type { FromEngine } from '../../src/host/worker-protocol.ts';
import { HangingEngine } from './support/engine-here.ts';
import type { Step } from './support/scripted.ts';
import { PLACE, running, type Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 5, price: 12_900 };
/** The broker's margin is far above the one that the daemon reckons with: it takes no order. */
const DEAR = {
  ...DEFAULT_OPTIONS.costs,
  marginBps: [{ from: tradingDay('2017-08-10'), value: 1_000_000 }],
};

const few = (yaml: string): string => yaml.replace('risk: {', 'risk: { rejectionsPerMinuteMax: 1,');

const rejections = ({ entries }: Story): number =>
  entries.filter((entry) => entry.kind === 'outcome' && entry.outcome.status === 'rejected').length;

describe('the broker refuses', () => {
  it('case 32: the same order three times, and is not asked again within the minute', async () => {
    const prices = [13_001, 13_002, 13_003, 13_004, 13_005];
    const steps = prices.map((at) => ({ ...RESTING, at }));
    const story = await running(steps, undefined, { costs: DEAR });
    for (const [at, price] of prices.entries()) {
      story.print(price);
      await story.until(() => rejections(story) + story.denials().length > at);
    }
    expect(story.denials()).toEqual(['same_rejection', 'same_rejection']);
    expect(story.moves).toEqual([PLACE, PLACE, PLACE]);
  });

  it('so many orders that entries end, also where the engine is lost before it has read that', async () => {
    const story = await running([RESTING], few, { costs: DEAR });
    await story.stop();
    const engines: HangingEngine[] = [];
    await story.start({
      startEngine: (data) => {
        const next = new HangingEngine(data);
        if (engines.push(next) === 1)
          next.on('message', (message: FromEngine) => {
            if (message.kind === 'outbox' && message.calls.length > 0) next.hang();
          });
        return next;
      },
    });
    const { daemon } = story;
    story.print(13_001);
    await story.until(() => story.moves.length === 1 && daemon.edge.gateway.inFlight === 0);
    engines[0]!.end();
    await story.until(() => rejections(story) === 1);
    expect((await story.view())?.halted).toContain('risk.rejectionsPerMinuteMax');
    expect(daemon.halt.reason).toContain('risk.rejectionsPerMinuteMax');
  });

  it('case 30: a dead token at once, which is alerted, connects nothing more and moves no order', async () => {
    const story = await running([RESTING, { ...RESTING, after: 8 }]);
    story.print(13_001);
    await story.until(async () => (await story.known()).orders[0]?.orderNo === '5');
    story.fault({ name: 'expire_token' });
    await story.until(() => story.alerts().includes('token_rejected'));
    expect(story.alerts()).toContain('stream_awaits_token');
    await story.until(() => story.simulator.connections === 0);
    await story.until(() => story.denials().length > 0);
    expect(story.denials()).toEqual(['stream_down']);
    expect(await story.known()).toEqual(await story.truth());
    expect(story.moves).toEqual([PLACE]);
  });

  it('case 29: entries wait while the clock of the broker is far from ours', async () => {
    const story = await running([RESTING]);
    story.fault({ name: 'clock_skew', seconds: 120 });
    const before = story.calls.length;
    await story.until(() => story.calls.length > before + 3);
    story.print(13_001);
    await story.until(() => story.denials().length > 0);
    expect(story.denials()).toEqual(['clock_skew']);
    expect(story.moves).toEqual([]);
  });
});
