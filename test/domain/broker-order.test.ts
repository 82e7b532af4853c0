import { describe, expect, it } from 'vitest';
import { type BrokerOrderStatus, type BrokerTriggerStatus, mayWork } from '../../src/domain/broker-order.ts';
import { qty } from '../../src/domain/units.ts';
import { createBrokerOrder } from '../broker/support/broker-orders.ts';
import { waits } from '../engine/support/trigger-rows.ts';

const WORKS = { ended: false, open: true };
const row = (status: BrokerOrderStatus, filled: number, canCancel: boolean) =>
  createBrokerOrder('1', { status, qty: qty(2), filledQty: qty(filled), canCancel });

describe('an order of the in-day book may still fill', () => {
  it.each<[BrokerOrderStatus, keyof typeof WORKS]>([
    ['queued', 'open'],
    ['resting', 'open'],
    ['modify_pending', 'open'],
    ['modified', 'open'],
    ['cancel_pending', 'open'],
    ['matched', 'open'],
    ['matched_cancel_pending', 'open'],
    ['unrecognized', 'open'],
    ['canceled', 'ended'],
    ['matched_canceled', 'ended'],
  ])('by its letters, %s: %s', (status, letters) => {
    expect(mayWork(row(status, 0, false)), 'nothing matched').toBe(WORKS[letters]);
    expect(mayWork(row(status, 1, false)), 'one of two matched').toBe(WORKS[letters]);
    expect(mayWork(row(status, 0, true)), 'it can be canceled').toBe(true);
    expect(mayWork(row(status, 1, true)), 'the rest can be canceled').toBe(true);
    expect(mayWork(row(status, 2, true)), 'matched volume wins').toBe(false);
    expect(mayWork(row(status, 2, false))).toBe(false);
  });
});

it.each<[BrokerTriggerStatus, boolean]>([
  ['pending', true],
  ['unrecognized', true],
  ['activated', false],
  ['canceled', false],
  ['rejected', false],
])('an order of the trigger book that is %s may trigger: %s', (status, expected) => {
  expect(mayWork(waits({ key: 'k', status }))).toBe(expected);
});
