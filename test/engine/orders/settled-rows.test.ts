/** Rows of the in-day book that are skipped, and what has them read again. */
import { describe, expect, it } from 'vitest';
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import { brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks, qty, tsUs } from '../../../src/domain/units.ts';
import { ManagedOrder } from '../../../src/engine/orders/managed-order.ts';
import { Orders } from '../../../src/engine/orders/orders.ts';
import { SettledRows } from '../../../src/engine/orders/settled-rows.ts';
import { DueWork } from '../../../src/engine/state/timer-heap.ts';
import { row } from '../../support/engine-facts.ts';
import { FIRST } from '../../support/engine-rig.ts';
import { FRONT } from '../../support/engine-world.ts';

const canceled = (no: string): BrokerOrder => row({ no, ref: clientOrderId(no), status: 'canceled' });

/** Orders that are over, by the numbers of their rows. */
class Reader {
  readonly orders = new Orders(new DueWork());
  readonly rows = new SettledRows(this.orders);
  read: string[] = [];
  onRead: (no: string) => void = () => undefined;

  constructor(numbers: readonly string[]) {
    for (const no of numbers) {
      const order = new ManagedOrder({
        clientOrderId: clientOrderId(no),
        strategy: FIRST,
        purpose: 'entry',
        instrument: FRONT.index,
        orderCode: FRONT.orderCode,
        side: 'buy',
        qty: qty(1),
        limitPrice: priceTicks(13_000),
        trigger: null,
        isWaiting: false,
        parent: null,
        isAdopted: false,
        isProtective: false,
        createdUs: tsUs(0),
      });
      order.become('canceled');
      this.orders.add(order);
    }
  }

  of(no: string): ManagedOrder {
    return this.orders.get(clientOrderId(no))!;
  }

  /** Numbers of the rows that are read. */
  scan(at: number, ...book: BrokerOrder[]): string[] {
    this.read = [];
    this.rows.scan(book, tsUs(at), ({ orderNo }) => {
      this.read.push(orderNo);
      this.onRead(orderNo);
      const order = this.orders.get(clientOrderId(orderNo));
      if (order !== undefined) order.rowUs = tsUs(Math.max(order.rowUs, at));
      return order ?? null;
    });
    return this.read;
  }
}

describe('rows of orders that are over', () => {
  it('are read once, until a scan is older than the last one', () => {
    const reader = new Reader(['1', '2']);
    const book = [canceled('1'), canceled('2')];
    expect(reader.scan(10, ...book)).toEqual(['1', '2']);
    expect(reader.scan(20, ...book)).toEqual([]);
    expect(reader.scan(15, ...book)).toEqual(['1', '2']);
    expect(reader.of('1').rowUs, 'the row was shown at 20, though it was skipped').toBe(20);
  });

  it('are read again on a new day, whose orders are others', () => {
    const reader = new Reader(['1']);
    reader.scan(10, canceled('1'));
    reader.orders.clear();
    expect(reader.scan(20, canceled('1'))).toEqual(['1']);
  });

  it('are read again when they are forgotten', () => {
    const reader = new Reader(['1']);
    reader.scan(10, canceled('1'));
    reader.rows.forget();
    expect(reader.of('1').isSettled).toBe(false);
    expect(reader.scan(20, canceled('1'))).toEqual(['1']);
  });

  it('that change or vanish say when they were shown last', () => {
    const reader = new Reader(['1', '2', '3']);
    const book = [canceled('1'), canceled('2'), canceled('3')];
    reader.scan(10, ...book);
    reader.scan(20, ...book);
    const seen: [boolean, number][] = [];
    reader.onRead = (no) => seen.push([reader.of(no).isSettled, reader.of(no).rowUs]);
    expect(reader.scan(30, { ...canceled('1'), filledQty: qty(1) }, canceled('2'))).toEqual(['1']);
    expect(seen).toEqual([[false, 20]]);
    expect([reader.of('2').isSettled, reader.of('3').isSettled]).toEqual([true, false]);
    expect(reader.of('3').rowUs).toBe(20);
  });

  it('are read in the scan in which a changed row before them changes who owns which', () => {
    const reader = new Reader(['1', '2']);
    reader.scan(10, row({ no: '9' }), canceled('1'));
    reader.onRead = (no) => {
      if (no === '9') reader.orders.unsettle(reader.of('2'));
    };
    expect(reader.scan(20, row({ no: '9', filled: 1 }), canceled('1'))).toEqual(['9', '1']);
  });

  it('are read again when another order takes a number that theirs was found by', () => {
    const reader = new Reader(['1', '2']);
    const { orders } = reader;
    orders.bind(reader.of('1'), brokerOrderNo('5'), 5);
    // Its key is shown under another number, and its row is found by the first one.
    orders.renumber(reader.of('1'), brokerOrderNo('6'), 6);
    reader.scan(10, canceled('1'));
    expect(reader.of('1').isSettled).toBe(true);
    orders.bind(reader.of('2'), brokerOrderNo('5'), 15);
    expect(reader.scan(20, canceled('1'))).toEqual(['1']);
  });
});
