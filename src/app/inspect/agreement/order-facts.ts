/** What became of the orders of one run, read from its journal: the same reader for a paper session and for a backtest of it. */
import type { Side } from '../../../domain/order.ts';
import type { JournalEntry } from '../../../engine/ports/journal-entry.ts';

export interface OrderFact {
  readonly id: string;
  /** Id in the configuration; `house` for what belongs to no strategy. */
  readonly strategy: string;
  readonly contract: string;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: number;
  readonly decidedUs: number;
  filledQty: number;
  filledValue: number;
}

export interface NamedEntry {
  readonly entry: JournalEntry;
  readonly strategyName: string | null;
}

export class OrderFacts {
  readonly orders: OrderFact[] = [];
  readonly #byId = new Map<string, OrderFact>();

  of(id: string): OrderFact | undefined {
    return this.#byId.get(id);
  }

  add({ entry, strategyName }: NamedEntry): void {
    if (entry.kind === 'place') this.#place(entry, strategyName ?? 'house');
    if (entry.kind !== 'fill') return;
    const order = this.#byId.get(entry.clientOrderId);
    if (order === undefined) return;
    order.filledQty += entry.qty;
    order.filledValue += entry.value;
  }

  #place({ order, tsUs }: Extract<JournalEntry, { kind: 'place' }>, strategy: string): void {
    const { clientOrderId: id, orderCode: contract, side, qty, limitPrice } = order;
    const fact: OrderFact = {
      id,
      strategy,
      contract,
      side,
      qty,
      limitPrice,
      decidedUs: tsUs,
      filledQty: 0,
      filledValue: 0,
    };
    this.orders.push(fact);
    this.#byId.set(id, fact);
  }
}
