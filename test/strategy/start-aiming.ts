/** A strategy that does nothing but bring its position to where the test says. */
import type { ClientOrderId } from '../../src/domain/ids.ts';
import { seconds } from '../../src/domain/units.ts';
import { PositionWorker, type WorkerSettings } from '../../src/strategy/position-worker.ts';
import { expect } from 'vitest';
import type { FakeTrader, FakeTraderOptions } from '../support/fake-trader.ts';
import { startStrategy } from './start-strategy.ts';

const SETTINGS: WorkerSettings = { rest: seconds(4), reprice: seconds(1), slipTicks: 3 };

interface Aiming {
  readonly trader: FakeTrader;
  readonly aim: (target: number, urgency?: 'patient' | 'urgent') => void;
  readonly release: () => void;
}

export function startAiming(
  options: FakeTraderOptions & { readonly settings?: Partial<WorkerSettings> } = {},
): Aiming {
  let next: ((worker: PositionWorker) => void) | null = null;
  const trader = startStrategy((ticks, own) => {
    const worker = new PositionWorker(ticks, own, { ...SETTINGS, ...options.settings });
    ticks.trades$.subscribe(() => next?.(worker));
  }, options);
  trader.book(12_999, 13_001);
  const onNextTrade = (what: (worker: PositionWorker) => void): void => {
    next = what;
    trader.trade(13_000);
    next = null;
  };
  return {
    trader,
    aim: (target, urgency) => onNextTrade((worker) => worker.aim(target, 'test', urgency)),
    release: () => onNextTrade((worker) => worker.release()),
  };
}

/** The one order that works. */
export const only = (trader: FakeTrader): ClientOrderId => {
  const [order, ...more] = trader.workingOrders(0);
  expect(more, 'never more than one working order').toEqual([]);
  return order!.clientOrderId;
};
