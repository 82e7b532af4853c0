/** Reads the orders of a session from the journal: one row for each, in the order of their intents. */
import { type Contract, formatPoints } from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import type { InstrumentIndex, PriceTicks } from '../../domain/units.ts';
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
        return this.#knowCondition(entry, strategy);
      case 'modify':
        this.#changes.set(entry.modify.clientOrderId, {
          qty: entry.modify.qty,
          limitPoints: this.#pointsOfCode(entry.modify.orderCode, entry.modify.limitPrice),
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
      case 'phase':
      case 'gap':
      case 'command':
      case 'halt':
      case 'strategy_started':
      case 'strategy_stopped':
      case 'strategy_fault':
      case 'strategy_note':
      case 'stop_ready':
      case 'alert':
    }
  }

  #ask({ proposal, tsUs }: Extract<JournalEntry, { kind: 'proposal' }>, strategy: string): void {
    if (proposal.do !== 'submit') return;
    const { intent, clientOrderId } = proposal;
    this.#asked.set(clientOrderId, {
      ...EMPTY,
      clientOrderId,
      tsUs,
      strategy,
      orderCode: this.#contracts[intent.instrument]?.orderCode ?? `instrument ${intent.instrument}`,
      side: intent.side,
      qty: intent.qty,
      limitPoints: this.#points(intent.instrument, intent.limitPrice),
      status: 'denied',
    });
  }

  /** A denied modification has the id of its call, not of an order: the order stays as it is. */
  #deny(clientOrderId: string, detail: string): void {
    const asked = this.#asked.get(clientOrderId);
    if (asked !== undefined) this.#rows.set(clientOrderId, { ...asked, detail });
  }

  #place({ order, tsUs }: Extract<JournalEntry, { kind: 'place' }>, strategy: string): void {
    this.#asked.delete(order.clientOrderId);
    this.#rows.set(order.clientOrderId, {
      ...EMPTY,
      clientOrderId: order.clientOrderId,
      tsUs,
      strategy,
      orderCode: order.orderCode,
      side: order.side,
      qty: order.qty,
      limitPoints: this.#points(order.instrument, order.limitPrice),
      status: 'submitted',
    });
  }

  #adopt(entry: Extract<JournalEntry, { kind: 'order_adopted' }>, strategy: string): void {
    const { clientOrderId, order, tsUs } = entry;
    this.#rows.set(clientOrderId, {
      ...EMPTY,
      clientOrderId,
      orderNo: order.orderNo,
      tsUs,
      strategy,
      orderCode: order.orderCode,
      side: order.side,
      qty: order.qty,
      limitPoints: this.#pointsOfCode(order.orderCode, order.limitPrice),
      status: 'accepted',
      detail: entry.parent === undefined ? 'adopted: not placed by this journal' : `sent by ${entry.parent}`,
    });
  }

  /** The broker creates the exits of a bracket, so no `place` entry precedes them. */
  #knowCondition(entry: Extract<JournalEntry, { kind: 'order_waiting' }>, strategy: string): void {
    const { clientOrderId, row, tsUs, parent } = entry;
    const known = this.#rows.get(clientOrderId);
    if (known !== undefined) {
      this.#rows.set(clientOrderId, { ...known, orderNo: row.orderNo });
      return;
    }
    this.#rows.set(clientOrderId, {
      ...EMPTY,
      clientOrderId,
      orderNo: row.orderNo,
      tsUs,
      strategy,
      orderCode: row.orderCode,
      side: row.side,
      qty: row.qty,
      limitPoints: this.#pointsOfCode(row.orderCode, row.limitPrice),
      status: 'pending_trigger',
      detail: parent === null ? 'adopted: not placed by this journal' : `brought by ${parent}`,
    });
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
    row.avgPoints = entry.cumValue / row.filledQty / spec.moneyPerHundredth / 100;
  }

  #points(instrument: InstrumentIndex, price: PriceTicks): string | null {
    const contract = this.#contracts[instrument];
    return contract === undefined ? null : formatPoints(contract.spec, price);
  }

  #pointsOfCode(orderCode: string, price: PriceTicks | null): string | null {
    const contract = this.#contracts.find((each) => each.orderCode === orderCode);
    return contract === undefined || price === null ? null : formatPoints(contract.spec, price);
  }
}

const EMPTY = { orderNo: null, filledQty: 0, avgPoints: null, detail: '' } as const;
