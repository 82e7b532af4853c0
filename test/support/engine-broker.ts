/**
 * A broker of a few lines behind the rig: it takes orders, fills them when the tape touches them, answers reads, forgets
 * to answer on command, and outlives every process that trades with it.
 */
import type { ClientOrderId } from '../../src/domain/ids.ts';
import type { RowFacts } from './engine-facts.ts';
import type { EngineRig } from './engine-rig.ts';
import { worth } from './engine-world.ts';

interface Held {
  readonly no: string;
  readonly ref: ClientOrderId;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly price: number;
  filled: number;
  value: number;
  isCanceled: boolean;
}

/** What becomes of the answer to a call: it comes, it never comes, or the call times out with an unknown fate. */
export type AnswerFate = 'comes' | 'lost' | 'unknown';

export class TestBroker {
  readonly orders: Held[] = [];
  /** Takes one fate a call; 'comes' when there are none left. */
  readonly fates: AnswerFate[] = [];
  #taken = 0;

  /** Carries out what the engine sent since the last look, and answers. */
  serve(rig: EngineRig): void {
    for (; this.#taken < rig.sent.length; this.#taken += 1) {
      const sent = rig.sent[this.#taken]!;
      const fate = this.fates.shift() ?? 'comes';
      if (sent.call === 'place') {
        const { clientOrderId: ref, side, qty, limitPrice: price } = sent.order;
        const no = String(this.orders.length + 1);
        this.orders.push({ no, ref, side, qty, price, filled: 0, value: 0, isCanceled: false });
        if (fate === 'comes') rig.accepted(ref, no);
        if (fate === 'unknown') rig.unknown(ref);
      } else if (sent.call === 'cancel') {
        const order = this.orders.find(({ no }) => no === sent.cancel.orderNo)!;
        order.isCanceled ||= order.filled < order.qty;
        const { clientOrderId, callId } = sent.cancel;
        const accepted = { status: 'accepted', orderNo: sent.cancel.orderNo, orderKey: null } as const;
        if (fate === 'comes') rig.outcome('cancel', clientOrderId, callId, accepted);
        if (fate === 'unknown')
          rig.outcome('cancel', clientOrderId, callId, { status: 'unknown', reason: 'timeout' });
      }
    }
  }

  /** A new process begins with nothing sent. */
  forgetProcess(): void {
    this.#taken = 0;
  }

  /** A print fills what it touches, one contract an order. */
  print(price: number): void {
    for (const order of this.orders) {
      const isOpen = !order.isCanceled && order.filled < order.qty;
      const isTouched = order.side === 'buy' ? price <= order.price : price >= order.price;
      if (!isOpen || !isTouched) continue;
      order.filled += 1;
      order.value += worth(order.price);
    }
  }

  answerReads(rig: EngineRig): void {
    for (const what of new Set(rig.reads.splice(0))) {
      if (what === 'book') rig.book(this.rows(), { ago: 0 });
      else if (what === 'positions') rig.positions(this.position(), 0);
      else if (what === 'account') rig.account();
      else if (what === 'reference') rig.reference();
    }
  }

  rows(): RowFacts[] {
    return this.orders.map(({ no, ref, side, qty, price, filled, value, isCanceled }) => {
      const matched = isCanceled ? 'matched_canceled' : 'matched';
      const status = filled > 0 ? matched : isCanceled ? 'canceled' : 'resting';
      return { no, ref, side, qty, price, filled, value, status };
    });
  }

  position(): number {
    return this.orders.reduce((sum, { side, filled }) => sum + (side === 'buy' ? filled : 0 - filled), 0);
  }
}
