/** Sends what a script asks for: one order a strategy at a time is named by it, the latest. */
import type { Gateway } from '../../../src/engine/ports/outbound.ts';
import type { Trigger } from '../../../src/domain/order.ts';
import {
  type BrokerOrderKey,
  type BrokerOrderNo,
  clientOrderId,
  orderCode,
} from '../../../src/domain/ids.ts';
import { instrumentIndex, priceTicks, qty, seq, strategyIndex } from '../../../src/domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import type { EngineEvent } from '../../../src/engine/ports/engine-event.ts';
import type { Action } from './rig-script.ts';

const CODE = orderCode('VN30F2603');
const CAUSE = seq(1);

interface Sent {
  readonly id: ReturnType<typeof clientOrderId>;
  qty: number;
  price: number;
}

interface Names {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey | null;
}

export class RigOrders {
  readonly #gateway: Gateway;
  readonly #heard: readonly EngineEvent[];
  readonly #latest = new Map<number, Sent>();
  #calls = 0;

  constructor(gateway: Gateway, heard: readonly EngineEvent[]) {
    this.#gateway = gateway;
    this.#heard = heard;
  }

  act({ who, words }: Action): void {
    const [verb, ...rest] = words;
    if (verb === 'buy' || verb === 'sell') return this.#place(who, verb, rest);
    const order = this.#latest.get(who);
    const names = this.#names(who);
    // Of what was refused nothing can be asked, and only what waits has a trigger.
    if (order === undefined || names === null) return;
    if ((verb === 'move' || verb === 'drop') && names.orderKey === null) return;
    const value = Number(rest[0]);
    if (verb === 'price') order.price = value;
    if (verb === 'qty') order.qty = value;
    const head = {
      callId: this.#id(),
      clientOrderId: order.id,
      strategy: strategyIndex(who),
      orderNo: names.orderNo,
      orderCode: CODE,
      cause: CAUSE,
    };
    const terms = { purpose: 'entry', qty: qty(order.qty), limitPrice: priceTicks(order.price) } as const;
    const { orderKey } = names;
    const none = { orderKey: null, triggerPrice: null } as const;
    if (verb === 'price' || verb === 'qty')
      this.#gateway.modify({ ...head, ...terms, ...none } as ApprovedModify);
    else if (verb === 'cancel') this.#gateway.cancel({ ...head, orderKey: null } as ApprovedCancel);
    else if (verb === 'move') {
      const move = { ...head, ...terms, orderKey, triggerPrice: priceTicks(value) };
      this.#gateway.modify(move as ApprovedModify);
    } else if (verb === 'drop') this.#gateway.cancel({ ...head, orderKey } as ApprovedCancel);
    else throw new Error(`nobody knows what ${words.join(' ')} is`);
  }

  /** What the broker called the latest order of a strategy, as the answer said. */
  #names(who: number): Names | null {
    const id = this.#latest.get(who)?.id;
    for (const event of this.#heard) {
      const answer = event.kind === 'execution_report' ? event.answer : null;
      if (answer === null || answer.clientOrderId !== id || answer.call !== 'place') continue;
      if (answer.outcome.status === 'accepted') return answer.outcome;
    }
    return null;
  }

  #place(who: number, side: 'buy' | 'sell', words: readonly string[]): void {
    const kind = /^\d/.test(words[0]!) ? 'limit' : words[0]!;
    const [quantity, ...terms] = kind === 'limit' ? words : words.slice(1);
    const of = (word: string): number => Number(terms[terms.indexOf(word) + 1]);
    const price = terms.includes('limit') ? of('limit') : of('at');
    const id = this.#id();
    this.#latest.set(who, { id, qty: Number(quantity), price });
    const order = {
      clientOrderId: id,
      strategy: strategyIndex(who),
      purpose: 'entry',
      instrument: instrumentIndex(0),
      orderCode: CODE,
      side,
      qty: qty(Number(quantity)),
      limitPrice: priceTicks(price),
      cause: CAUSE,
    } as const;
    const trigger = kind === 'limit' ? null : triggerOf(kind, terms, of);
    this.#gateway.submit({ ...order, trigger } as unknown as ApprovedOrder);
  }

  #id(): ReturnType<typeof clientOrderId> {
    this.#calls += 1;
    return clientOrderId(`R${this.#calls}`);
  }
}

function triggerOf(kind: string, terms: readonly string[], of: (word: string) => number): Trigger {
  if (kind === 'stop') {
    const isAbove = terms.includes('above');
    const triggerWhen = isAbove ? 'at_or_above' : 'at_or_below';
    return { kind, triggerWhen, triggerPrice: priceTicks(of(isAbove ? 'above' : 'below')) };
  }
  if (kind === 'trail')
    return { kind: 'trailing_stop', activationPrice: priceTicks(of('from')), trailingOffset: of('by') };
  if (kind === 'bracket')
    return { kind, stopLossPrice: priceTicks(of('stop')), takeProfitPrice: priceTicks(of('profit')) };
  throw new Error(`nobody knows what a ${kind} is`);
}
