/** What the operator sees of the outcome of cancel-all and flatten. */
import { describe, expect, it } from 'vitest';
import {
  cancelProgress,
  CommandOutcomes,
  flattenProgress,
  silentProgress,
} from '../../src/daemon/command-outcomes.ts';
import type { EngineSnapshot } from '../../src/engine/engine-snapshot.ts';

type View = Pick<EngineSnapshot, 'orders' | 'strategies' | 'flattens' | 'phase' | 'tradingDay'>;
type Progress = View['flattens'][number]['progress'];

const view = (
  orders: readonly string[],
  held: Readonly<Record<string, number>> = {},
  progress?: Progress,
): View =>
  ({
    orders: orders.map((id) => ({ clientOrderId: `H.${id}`, status: 'pending_cancel' })),
    strategies: Object.entries(held).map(([id, qty]) => ({
      id,
      openOrders: 0,
      positions: [{ orderCode: 'VN30F2603', qty }],
    })),
    flattens: progress === undefined ? [] : [{ progress, text: 'flattening VN30F2603' }],
    phase: 'continuous',
    tradingDay: '2026-03-04',
  }) as unknown as View;

describe('cancel-all', () => {
  it('is done when all that was open has ended, and shows what was placed since', () => {
    expect(cancelProgress(view([]))(view([]), false).state).toBe('done');
    const now = view(['3']);
    const since = { ...now, orders: now.orders.map((order) => ({ ...order, status: 'accepted' as const })) };
    expect(cancelProgress(view(['1', '2']))(since, false)).toMatchObject({
      state: 'done',
      text: expect.stringMatching(/2 open orders ended.*1 more since/),
    });
  });

  it('names what has not ended, and gives up when it is late', () => {
    const progressOf = cancelProgress(view(['1', '2']));
    expect(progressOf(view(['2']), false)).toMatchObject({
      state: 'working',
      text: expect.stringContaining('1 of 2 open orders not ended yet'),
    });
    expect(progressOf(view(['2']), true).state).toBe('left');
  });

  it('counts an order that it cancels though the view before it is too old to have it', () => {
    const progressOf = cancelProgress(view([]));
    expect(progressOf(view(['1']), false)).toMatchObject({
      state: 'working',
      text: expect.stringContaining('1 of 1 open order not ended yet'),
    });
    expect(progressOf(view(['2']), false).text).toMatch(/^1 open order ended.*1 more since/);
  });
});

describe('flatten', () => {
  it('is not done by a day or a resume that ended it before it was flat', () => {
    const alerts: string[] = [];
    const outcomes = new CommandOutcomes((...alert) => alerts.push(alert.join(' ')));
    outcomes.watch({ code: 'flatten_ended', progressOf: flattenProgress(null) });
    outcomes.observe(view([], { a: 2 }, 'working'));
    outcomes.observe(view([], { a: 1 }, 'queued'));
    outcomes.observe(view([], { a: 1 }));
    expect(alerts).toEqual([expect.stringMatching(/^warning .*still held: a 1 of VN30F2603/)]);
  });

  it('of one strategy is not done while an entry of it may still fill', () => {
    const withdrawing = view(['1'], { a: 0, b: 2 }, 'withdrawing');
    const strategies = withdrawing.strategies.map((each) => ({
      ...each,
      openOrders: each.id === 'a' ? 1 : 0,
    }));
    expect(flattenProgress('a')({ ...withdrawing, strategies }).state).toBe('working');
    expect(flattenProgress('b')({ ...withdrawing, strategies }).state).toBe('working');
  });

  it.each([
    ['nothing is held', view([], { a: 0 }), null, 'done'],
    ['it closes', view([], { a: 2 }, 'working'), null, 'working'],
    ['entries are withdrawn first', view([], { a: 0 }, 'withdrawing'), null, 'working'],
    ['it was given up', view([], { a: 2 }, 'given_up'), null, 'waits'],
    ['it waits for a phase', view([], { a: 2 }, 'queued'), null, 'waits'],
    ['its orders are in an auction', view([], { a: 2 }, 'resting'), null, 'waits'],
    ['nothing closes it', view([], { a: 2 }), null, 'left'],
    ['another strategy holds', view([], { a: 0, b: 2 }), 'a', 'done'],
  ] as const)('%s', (_, now, strategy, state) => {
    expect(flattenProgress(strategy)(now).state).toBe(state);
  });

  it('that was given up asks for a person, and one that waits for a phase does not', () => {
    const asks = (['given_up', 'queued'] as const).map((progress) =>
      flattenProgress(null)(view([], { a: 2 }, progress)).text.includes('broker’s own program'),
    );
    expect(asks).toEqual([true, false]);
  });
});

it('takes figures of an engine that does not answer for no outcome', () => {
  expect(silentProgress(false).state).toBe('working');
  expect(silentProgress(true).state).toBe('left');
});

it('alerts the end once, also of a flatten that waited for the market', () => {
  const alerts: string[] = [];
  const outcomes = new CommandOutcomes((severity, code, text) => alerts.push(`${severity} ${code}: ${text}`));
  outcomes.watch({ code: 'flatten_ended', progressOf: flattenProgress('a') });
  outcomes.observe(view([], { a: 2 }, 'queued'));
  outcomes.observe(view([], { a: 2 }, 'working'));
  expect(alerts).toEqual([]);
  outcomes.observe(view([], { a: 0 }));
  outcomes.observe(view([], { a: 0 }));
  expect(alerts).toEqual(['info flatten_ended: flat: a holds nothing']);
  outcomes.watch({ code: 'flatten_ended', progressOf: flattenProgress(null) });
  outcomes.observe(view([], { b: 2 }));
  expect(alerts[1]).toMatch(/^warning flatten_ended: still held: b 2 of VN30F2603/);
});
