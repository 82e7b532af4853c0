/** A strategy that does nothing but bring its position to where the test says. */
import type { ClientOrderId } from '../../src/domain/ids.ts';
import { seconds } from '../../src/domain/units.ts';
import { PositionWorker, type WorkerSettings } from '../../src/strategy/position-worker.ts';
import { expect } from 'vitest';
import type { FakeDesk, FakeDeskOptions } from '../support/fake-desk.ts';
import { startStrategy } from './start-strategy.ts';

const SETTINGS: WorkerSettings = { rest: seconds(4), reprice: seconds(1), slipTicks: 3 };

interface Aiming {
  readonly desk: FakeDesk;
  readonly aim: (target: number, urgency?: 'patient' | 'urgent') => void;
  readonly release: () => void;
}

export function startAiming(
  options: FakeDeskOptions & { readonly settings?: Partial<WorkerSettings> } = {},
): Aiming {
  let next: ((worker: PositionWorker) => void) | null = null;
  const desk = startStrategy((ticks, own) => {
    const worker = new PositionWorker(ticks, own, { ...SETTINGS, ...options.settings });
    ticks.trades$.subscribe(() => next?.(worker));
  }, options);
  desk.book(12_999, 13_001);
  const tell = (what: (worker: PositionWorker) => void): void => {
    next = what;
    desk.trade(13_000);
    next = null;
  };
  return {
    desk,
    aim: (target, urgency) => tell((worker) => worker.aim(target, 'test', urgency)),
    release: () => tell((worker) => worker.release()),
  };
}

/** The one order that works. */
export const only = (desk: FakeDesk): ClientOrderId => {
  const [order, ...more] = desk.workingOrders(0);
  expect(more, 'never more than one working order').toEqual([]);
  return order!.clientOrderId;
};
