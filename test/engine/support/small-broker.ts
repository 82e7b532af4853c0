/** A broker with one contract: it answers what an engine under test sends, fills on demand, triggers, and shows its books. */
import type { BrokerTriggerStatus } from '../../../src/domain/broker-order.ts';
import { brokerOrderKey, brokerOrderNo, type ClientOrderId } from '../../../src/domain/ids.ts';
import { type Side, signOf } from '../../../src/domain/order.ts';
import type { FailurePolicy } from '../../../src/domain/settings.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { worth } from '../../support/engine-world.ts';
import { waits } from './trigger-rows.ts';

export interface SmallOrder {
  readonly no: string;
  readonly ref: ClientOrderId | null;
  readonly side: Side;
  readonly qty: number;
  readonly price: number;
  readonly source: 'user' | 'system';
  filled: number;
  isCanceled: boolean;
}

export interface SmallStop {
  readonly key: string;
  readonly side: Side;
  readonly qty: number;
  readonly trigger: number;
  readonly limit: number;
  status: BrokerTriggerStatus;
  child: string | null;
}

export class SmallBroker {
  readonly rig: EngineRig;
  readonly orders: SmallOrder[] = [];
  readonly stops: SmallStop[] = [];
  /** What the next calls are answered with; accepted when there is none. */
  readonly refusals: ('rejected' | 'unknown' | 'not_sent')[] = [];
  /** Contracts that it took from a long position, without an order in its book. */
  closed = 0;
  #number = 0;
  #sent = 0;
  #waiting = 0;

  constructor(rig: EngineRig) {
    this.rig = rig;
  }

  get position(): number {
    let net = -this.closed;
    for (const { side, filled } of this.orders) net += signOf(side) * filled;
    return net;
  }

  get working(): readonly SmallStop[] {
    return this.stops.filter(({ status }) => status === 'pending');
  }

  /** Contracts that would be closed on this side. */
  covered(side: Side): number {
    return this.working.reduce((sum, stop) => sum + (stop.side === side ? stop.qty : 0), 0);
  }

  /** An order that no call of the engine placed. */
  foreignFill(side: Side, qty: number, price = 13_000): void {
    this.#add({ ref: null, side, qty, price, source: 'user' }).filled = qty;
  }

  foreignStop(side: Side, qty: number, trigger: number): SmallStop {
    const stop: SmallStop = {
      key: this.#next(),
      side,
      qty,
      trigger,
      limit: trigger,
      status: 'pending',
      child: null,
    };
    this.stops.push(stop);
    return stop;
  }

  fill(order: SmallOrder, most = Infinity): void {
    if (order.isCanceled) return;
    order.filled = Math.min(order.qty, order.filled + most);
  }

  /** The stop sends its order, and as much of it fills. */
  trigger(stop: SmallStop, filled = stop.qty): void {
    if (stop.status !== 'pending') return;
    const child = this.#add({
      ref: null,
      side: stop.side,
      qty: stop.qty,
      price: stop.limit,
      source: 'system',
    });
    child.filled = filled;
    stop.status = 'activated';
    stop.child = child.no;
  }

  /** The calls of a replayed past were answered then; numbers go on. */
  skipCalls(): this {
    this.#sent = this.rig.sent.length;
    this.#waiting = this.rig.waiting.length;
    this.#number = this.orders.length + this.stops.length;
    return this;
  }

  /** Answers every call that was sent since. */
  answer(): this {
    while (this.#sent < this.rig.sent.length || this.#waiting < this.rig.waiting.length) {
      const isWaiting = this.#sent >= this.rig.sent.length;
      const call = isWaiting ? this.rig.waiting[this.#waiting]! : this.rig.sent[this.#sent]!;
      if (isWaiting) this.#waiting += 1;
      else this.#sent += 1;
      if (call.call === 'place') this.#place(call.order);
      else if (call.call === 'cancel') this.#cancel(call.cancel);
    }
    return this;
  }

  /** All reads, as often as an engine needs them to settle. */
  settle(rounds = 6): this {
    for (let round = 0; round < rounds; round += 1) {
      this.answer().rig.pass(1);
      this.show();
    }
    return this.answer();
  }

  show(): this {
    this.showBook();
    this.showStops();
    this.rig.positions(this.position);
    return this.showBook();
  }

  showBook(): this {
    this.rig.book(
      this.orders.map(({ no, ref, side, qty, price, source, filled, isCanceled }) => {
        const done = isCanceled ? (filled > 0 ? 'matched_canceled' : 'canceled') : null;
        const status = done ?? (filled > 0 ? 'matched' : 'resting');
        return { no, ref, side, qty, price, source, filled, value: worth(price, filled), status };
      }),
    );
    return this;
  }

  showStops(): this {
    this.rig.conditions(
      this.stops.map(({ key, side, qty, trigger, limit, status, child }) =>
        waits({
          key,
          side,
          qty,
          trigger,
          limit,
          status,
          when: side === 'sell' ? 'at_or_below' : 'at_or_above',
          children: child === null ? [] : [child],
        }),
      ),
    );
    return this;
  }

  #place(order: Extract<EngineRig['sent'][number], { call: 'place' }>['order']): void {
    const { clientOrderId: id, side, qty, limitPrice, trigger } = order;
    const refusal = this.refusals.shift();
    if (refusal === 'rejected') {
      this.rig.answered(id, { status: 'rejected', code: '-6019', text: 'refused' });
      return;
    }
    if (trigger?.kind === 'stop') {
      const stop = this.foreignStop(side, qty, trigger.triggerPrice);
      Object.assign(stop, { limit: limitPrice });
      const number = { orderNo: brokerOrderNo(`n${stop.key}`), orderKey: brokerOrderKey(stop.key) };
      if (refusal === 'unknown') this.rig.unknown(id);
      else this.rig.answered(id, { status: 'accepted', ...number });
      return;
    }
    const { no } = this.#add({ ref: id, side, qty, price: limitPrice, source: 'user' });
    if (refusal === 'unknown') this.rig.unknown(id);
    else this.rig.accepted(id, no);
  }

  #cancel({ callId, clientOrderId, orderNo, orderKey }: ReturnType<EngineRig['cancels']>[number]): void {
    const refusal = this.refusals.shift();
    const stop = this.stops.find(({ key, status }) => key === orderKey && status === 'pending');
    const order = this.orders.find(
      ({ no, qty, filled }) => orderKey === null && no === orderNo && filled < qty,
    );
    if (refusal === 'not_sent') {
      this.rig.outcome('cancel', clientOrderId, callId, { status: 'not_sent', reason: 'ECONNREFUSED' });
      return;
    }
    if (refusal === 'rejected' || (stop === undefined && order === undefined)) {
      this.rig.outcome('cancel', clientOrderId, callId, {
        status: 'rejected',
        code: '-6014',
        text: 'refused',
      });
      return;
    }
    if (stop !== undefined) stop.status = 'canceled';
    if (order !== undefined) order.isCanceled = true;
    const outcome =
      refusal === 'unknown'
        ? ({ status: 'unknown', reason: 'timeout' } as const)
        : ({ status: 'accepted', orderNo, orderKey } as const);
    this.rig.outcome('cancel', clientOrderId, callId, outcome);
  }

  #add(terms: Omit<SmallOrder, 'no' | 'filled' | 'isCanceled'>): SmallOrder {
    const order = { ...terms, no: this.#next(), filled: 0, isCanceled: false };
    this.orders.push(order);
    return order;
  }

  #next(): string {
    this.#number += 1;
    return String(this.#number);
  }
}

/** An engine that keeps a stop for each position. */
export const guarded = (nakedPosition: FailurePolicy = 'hold'): SmallBroker => {
  const risk = { protectiveStop: { distanceTicks: 100, slipTicks: 20 }, nakedSecondsMax: 30 };
  const rig = new EngineRig({ isReal: true, canWait: true, risk, policies: { nakedPosition } }).start();
  rig.account().conditions().trade(13_000);
  return new SmallBroker(rig);
};

/** The first strategy trades, all of it fills, and everything is read. */
export function trades(broker: SmallBroker, side: 'buy' | 'sell', qty: number, strategy = FIRST): void {
  broker.rig.account().submit(strategy, side, qty, 13_000);
  broker.answer();
  const order = broker.orders.at(-1)!;
  broker.fill(order);
  broker.settle();
}

export const stopsOf = (broker: SmallBroker) =>
  broker.working.map(({ side, qty, trigger, limit }) => [side, qty, trigger, limit]);
