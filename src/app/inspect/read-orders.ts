/** Reads the orders of a session from the journal: one row for each, in the order of their intents. */
import {
  type Contract,
  type ContractSpec,
  formatPoints,
  pointValueOf,
  shownCode,
} from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import type { PriceTicks } from '../../domain/units.ts';
import { formatDenial } from '../../engine/ports/denial.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { NamedEntry } from '../../journal/fold-session.ts';

export interface OrderRow {
  readonly clientOrderId: string;
  readonly orderNo: string | null;
  /** Time of the intent or of the adoption. */
  readonly tsUs: number;
  readonly strategy: string;
  readonly orderCode: string;
  readonly side: Side;
  readonly qty: number;
  /** In points; null for an order without a price. */
  readonly limitPoints: string | null;
  readonly filledQty: number;
  /** Average price of what is filled, in points. */
  readonly avgPoints: number | null;
  /** The order's status, or `denied` when risk said no. */
  readonly status: string;
  /** Reason of the status; empty when there is none. */
  readonly detail: string;
}

interface Terms extends Pick<OrderRow, 'orderCode' | 'side' | 'qty'> {
  readonly limitPrice: PriceTicks | null;
}

/** Average price of contracts with this value. */
export const avgPoints = (spec: ContractSpec, value: number, qty: number): number =>
  value / (Math.abs(qty) * pointValueOf(spec));

type Draft = { -readonly [K in keyof OrderRow]: OrderRow[K] };

export function readOrders(
  entries: Iterable<NamedEntry>,
  contracts: readonly Contract[],
): readonly OrderRow[] {
  const book = new OrderBook(contracts);
  for (const { entry, strategyName } of entries) book.add(entry, strategyName ?? 'operator');
  return book.rows();
}

class OrderBook {
  readonly #contracts: readonly Contract[];
  readonly #rows = new Map<string, Draft>();
  /** Proposed, neither placed nor denied yet: not shown as an order. */
  readonly #asked = new Map<string, Draft>();
  readonly #changes = new Map<string, Pick<OrderRow, 'qty' | 'limitPoints'>>();

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts;
  }

  rows(): readonly OrderRow[] {
    return [...this.#rows.values()];
  }

  add(entry: JournalEntry, strategy: string): void {
    switch (entry.kind) {
      case 'proposal':
        return this.#ask(entry, strategy);
      case 'denied':
        return this.#deny(entry.clientOrderId, formatDenial(entry.denial));
      case 'place':
        return this.#place(entry, strategy);
      case 'order_adopted':
        return this.#adopt(entry, strategy);
      case 'order_waiting':
        return this.#waiting(entry, strategy);
      case 'modify':
        this.#changes.set(entry.modify.clientOrderId, {
          qty: entry.modify.qty,
          limitPoints: this.#points(entry.modify.orderCode, entry.modify.limitPrice),
        });
        return;
      case 'outcome':
        return this.#outcome(entry);
      case 'order_status':
        return this.#status(entry);
      case 'fill':
      case 'fill_correction':
        return this.#fill(entry);
      // Entries of these kinds do not concern single orders.
      case 'cancel':
      case 'position_event':
      case 'position_mismatch':
      case 'position_agreed':
      case 'money_checked':
      case 'phase':
      case 'gap':
      case 'command':
      case 'remote_command':
      case 'halt':
      case 'strategy_started':
      case 'strategy_changed':
      case 'strategy_stopped':
      case 'strategy_fault':
      case 'strategy_note':
      case 'stop_ready':
      case 'equity_peak':
      case 'policy_acted':
      case 'alert':
    }
  }

  #ask(entry: Extract<JournalEntry, { kind: 'proposal' }>, strategy: string): void {
    const { proposal } = entry;
    if (proposal.do !== 'submit') return;
    const { intent, clientOrderId: id } = proposal;
    const orderCode = shownCode(this.#contracts, intent.instrument);
    this.#asked.set(id, this.#row(id, entry, strategy, { ...intent, orderCode }, 'denied'));
  }

  /** A denied modification has the id of its call, not of an order: the order stays as it is. */
  #deny(clientOrderId: string, detail: string): void {
    const asked = this.#asked.get(clientOrderId);
    if (asked !== undefined) this.#rows.set(clientOrderId, { ...asked, detail });
  }

  #place(entry: Extract<JournalEntry, { kind: 'place' }>, strategy: string): void {
    const { order } = entry;
    const id = order.clientOrderId;
    this.#asked.delete(id);
    this.#rows.set(id, this.#row(id, entry, strategy, order, 'submitted'));
  }

  #adopt(entry: Extract<JournalEntry, { kind: 'order_adopted' }>, strategy: string): void {
    const { clientOrderId: id, order, parent } = entry;
    const row = this.#row(id, entry, strategy, order, 'accepted');
    row.orderNo = order.orderNo;
    row.detail = parent === undefined ? 'adopted: not placed by this journal' : `sent by ${parent}`;
    this.#rows.set(id, row);
  }

  /** The broker creates the exits of a bracket, so no `place` entry precedes them. */
  #waiting(entry: Extract<JournalEntry, { kind: 'order_waiting' }>, strategy: string): void {
    const { clientOrderId: id, row: terms, parent } = entry;
    let row = this.#rows.get(id);
    if (row === undefined) {
      row = this.#row(id, entry, strategy, terms, 'pending_trigger');
      row.detail = parent === null ? 'adopted: not placed by this journal' : `brought by ${parent}`;
      this.#rows.set(id, row);
    }
    row.orderNo = terms.orderNo;
  }

  #row(
    clientOrderId: string,
    { tsUs }: JournalEntry,
    strategy: string,
    { orderCode, side, qty, limitPrice }: Terms,
    status: string,
  ): Draft {
    const limitPoints = this.#points(orderCode, limitPrice);
    return { ...EMPTY, clientOrderId, tsUs, strategy, orderCode, side, qty, limitPoints, status };
  }

  #outcome({ clientOrderId, call, outcome }: Extract<JournalEntry, { kind: 'outcome' }>): void {
    const row = this.#rows.get(clientOrderId);
    if (row === undefined) return;
    const change = this.#changes.get(clientOrderId);
    if (call === 'modify' && outcome.status === 'accepted' && change !== undefined)
      Object.assign(row, change);
    if (outcome.status === 'rejected') row.detail = `${call} rejected ${outcome.code}: ${outcome.text}`;
    if (outcome.status === 'accepted') row.orderNo = outcome.orderNo;
  }

  #status(entry: Extract<JournalEntry, { kind: 'order_status' }>): void {
    const row = this.#rows.get(entry.clientOrderId);
    if (row === undefined) return;
    row.status = entry.to;
    row.orderNo = entry.orderNo ?? row.orderNo;
    if (entry.detail !== '') row.detail = entry.detail;
  }

  #fill(entry: Extract<JournalEntry, { kind: 'fill' | 'fill_correction' }>): void {
    const row = this.#rows.get(entry.clientOrderId);
    if (row === undefined) return;
    if (entry.kind === 'fill') row.filledQty = entry.cumQty;
    const spec = this.#contracts[entry.instrument]?.spec;
    if (spec === undefined || row.filledQty === 0) return;
    row.avgPoints = avgPoints(spec, entry.cumValue, row.filledQty);
  }

  #points(orderCode: string, price: PriceTicks | null): string | null {
    const contract = this.#contracts.find((each) => each.orderCode === orderCode);
    return contract === undefined || price === null ? null : formatPoints(contract.spec, price);
  }
}

const EMPTY = { orderNo: null, filledQty: 0, avgPoints: null, detail: '' } as const;
