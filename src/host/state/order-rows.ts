/** Orders of a session from the journal: one row for each, in the order of their intents. */
import {
  type Contract,
  type ContractSpec,
  formatPoints,
  pointValueOf,
  shownCode,
} from '../../domain/contract.ts';
import { keptIn } from '../../domain/lists.ts';
import type { Side } from '../../domain/order.ts';
import { OPERATOR } from '../../domain/strategy-names.ts';
import type { PriceTicks } from '../../domain/units.ts';
import { denialText } from '../../engine/ports/denial.ts';
import type { EntryOf, JournalEntry } from '../../engine/ports/journal-entry.ts';
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
  /** Average price of the filled quantity, in points. */
  readonly avgPoints: number | null;
  /** The order's status, or `denied` when risk said no. */
  readonly status: string;
  /** Reason of the status; empty when there is none. */
  readonly detail: string;
}

interface DraftTerms extends Pick<OrderRow, 'orderCode' | 'side' | 'qty'> {
  readonly limitPrice: PriceTicks | null;
}

/** Average price of contracts with this value. */
export const avgPoints = (spec: ContractSpec, value: number, qty: number): number =>
  value / (Math.abs(qty) * pointValueOf(spec));

type OrderDraft = { -readonly [K in keyof OrderRow]: OrderRow[K] };

export function readOrders(
  entries: Iterable<NamedEntry>,
  contracts: readonly Contract[],
): readonly OrderRow[] {
  const book = new OrderRows(contracts);
  for (const { entry, strategyName } of entries) book.add(entry, strategyName ?? OPERATOR);
  return book.rows();
}

class OrderRows {
  readonly #contracts: readonly Contract[];
  readonly #rows = new Map<string, OrderDraft>();
  /** Proposed, neither placed nor denied yet: not shown as an order. */
  readonly #asked = new Map<string, OrderDraft>();
  readonly #changes = new Map<string, Pick<OrderRow, 'qty' | 'limitPoints'>>();

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts;
  }

  rows(): readonly OrderRow[] {
    return [...this.#rows.values()];
  }

  add(entry: JournalEntry, strategy: string): void {
    const { kind } = entry;
    if (kind === 'proposal') this.#ask(entry, strategy);
    else if (kind === 'denied') this.#deny(entry.clientOrderId, denialText(entry.denial));
    else if (kind === 'place') this.#place(entry, strategy);
    else if (kind === 'order_adopted') this.#adopt(entry, strategy);
    else if (kind === 'order_waiting') this.#waiting(entry, strategy);
    else if (kind === 'modify') {
      const { clientOrderId, orderCode, qty, limitPrice } = entry.modify;
      this.#changes.set(clientOrderId, { qty, limitPoints: this.#points(orderCode, limitPrice) });
    } else if (kind === 'outcome') this.#outcome(entry);
    else if (kind === 'order_status') this.#status(entry);
    else if (kind === 'fill' || kind === 'fill_correction') this.#fill(entry);
  }

  #ask(entry: EntryOf<'proposal'>, strategy: string): void {
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

  #place(entry: EntryOf<'place'>, strategy: string): void {
    const { order } = entry;
    const id = order.clientOrderId;
    this.#asked.delete(id);
    this.#rows.set(id, this.#row(id, entry, strategy, order, 'submitted'));
  }

  #adopt(entry: EntryOf<'order_adopted'>, strategy: string): void {
    const { clientOrderId: id, order, parent } = entry;
    const row = this.#row(id, entry, strategy, order, 'accepted');
    row.orderNo = order.orderNo;
    row.detail = parent === undefined ? 'adopted: not placed by this journal' : `sent by ${parent}`;
    this.#rows.set(id, row);
  }

  /** The broker creates the exits of a bracket, so no `place` entry precedes them. */
  #waiting(entry: EntryOf<'order_waiting'>, strategy: string): void {
    const { clientOrderId: id, row: terms, parent } = entry;
    const detail = parent === null ? 'adopted: not placed by this journal' : `brought by ${parent}`;
    const row = keptIn(this.#rows, id, () => ({
      ...this.#row(id, entry, strategy, terms, 'pending_trigger'),
      detail,
    }));
    row.orderNo = terms.orderNo;
  }

  #row(
    clientOrderId: string,
    { tsUs }: JournalEntry,
    strategy: string,
    { orderCode, side, qty, limitPrice }: DraftTerms,
    status: string,
  ): OrderDraft {
    const limitPoints = this.#points(orderCode, limitPrice);
    return { ...EMPTY, clientOrderId, tsUs, strategy, orderCode, side, qty, limitPoints, status };
  }

  #outcome({ clientOrderId, call, outcome }: EntryOf<'outcome'>): void {
    const row = this.#rows.get(clientOrderId);
    if (row === undefined) return;
    const change = this.#changes.get(clientOrderId);
    if (call === 'modify' && outcome.status === 'accepted' && change !== undefined)
      Object.assign(row, change);
    if (outcome.status === 'rejected') row.detail = `${call} rejected ${outcome.code}: ${outcome.text}`;
    if (outcome.status === 'accepted') row.orderNo = outcome.orderNo;
  }

  #status(entry: EntryOf<'order_status'>): void {
    const row = this.#rows.get(entry.clientOrderId);
    if (row === undefined) return;
    row.status = entry.to;
    row.orderNo = entry.orderNo ?? row.orderNo;
    if (entry.detail !== '') row.detail = entry.detail;
  }

  #fill(entry: EntryOf<'fill' | 'fill_correction'>): void {
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
