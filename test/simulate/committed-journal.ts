/** The journal as a kill would leave it now: its committed rows, read by a connection of their own, and the orders in them. */
import { readFileSync } from 'node:fs';
import type { StatePaths } from '../../src/host/state/state-paths.ts';
import type { BrokerOrder } from '../../src/domain/broker-order.ts';
import { type OrderStatus, TERMINAL_STATUSES } from '../../src/domain/order.ts';
import type { CancelToSend, ModifyToSend, OrderToSend } from '../../src/engine/ports/approved.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { OrderReport, TriggerReport } from '../../src/venue/venue-event.ts';
import { Database } from '../../src/sqlite/database.ts';
import { OPERATOR, type PlacedOrder } from './broker-truth.ts';

export type Body<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>;

/** `strategy` of an entry is its name here. */
export interface CommittedRow {
  readonly id: number;
  readonly session: string;
  readonly cause: number;
  readonly tsUs: number;
  readonly owner: string | null;
  readonly entry: JournalEntry;
}

/** An order as the committed rows show it, over all sessions. */
export interface JournaledOrder {
  readonly id: string;
  readonly owner: string;
  /** Null for one that was found in a book. */
  place: { readonly terms: OrderToSend; readonly row: CommittedRow; readonly isLost: boolean } | null;
  isProtective: boolean;
  /** As the book showed it when it was taken over. */
  adopted: BrokerOrder | null;
  parent: string | null;
  /** Of the trigger book. */
  waitingKey: string | null;
  status: OrderStatus;
  /** The number that the last row of its status or its first fill names, and the session of that row. */
  numbered: { readonly session: string; readonly orderNo: string } | null;
  /** From fills and corrections. */
  filledQty: number;
  filledValue: number;
  fee: number;
  tax: number;
  quality: string;
}

const EXIT = { purpose: 'reduce', isProtective: false } as const;

interface StoredRow {
  readonly id: number;
  readonly session: string;
  readonly cause: number;
  readonly ts_us: number;
  readonly strategy: string | null;
  readonly kind: string;
  readonly body: string;
}

function committed({
  id,
  session,
  cause,
  ts_us: tsUs,
  strategy: owner,
  kind,
  body,
}: StoredRow): CommittedRow {
  const entry = { kind, ...JSON.parse(body) } as JournalEntry; // oxlint-disable-line typescript/no-unsafe-type-assertion -- as the journal writes it, but for the columns
  return { id, session, cause, tsUs, owner, entry };
}

export class CommittedJournal {
  readonly orders = new Map<string, JournaledOrder>();
  readonly modifies = new Map<string, ModifyToSend>();
  readonly cancels = new Map<string, CancelToSend>();
  readonly #paths: Pick<StatePaths, 'journal' | 'emergency'>;
  readonly #onRow: (row: CommittedRow) => void;
  readonly #protective = new Set<string>();
  /** The file is cleared once the journal is written again. */
  readonly #unjournaled = new Map<string, PlacedOrder>();
  #database: Database | undefined = undefined;
  #readTo = 0;
  #commits = -1;
  /** Of the account; null while entries are allowed. */
  halted: string | null = null;

  constructor(paths: Pick<StatePaths, 'journal' | 'emergency'>, onRow: (row: CommittedRow) => void) {
    this.#paths = paths;
    this.#onRow = onRow;
  }

  /** `commits`: how many the disk has taken so far. */
  follow(commits: number): void {
    if (commits === this.#commits) return;
    this.#commits = commits;
    for (const stored of this.#rows()) {
      this.#readTo = stored.id;
      const row = committed(stored);
      this.#take(row);
      this.#onRow(row);
    }
  }

  #rows(): readonly StoredRow[] {
    const database = this.#opened();
    if (database === undefined) return [];
    return database
      .prepare<[number], StoredRow>(
        'SELECT id, session, cause, ts_us, strategy, kind, body FROM entries WHERE id > ? ORDER BY id',
      )
      .all(this.#readTo);
  }

  /** Undefined while it has no tables: the first start may meet a full disk. A reader that stays would keep them from being made. */
  #opened(): Database | undefined {
    if (this.#database !== undefined) return this.#database;
    const database = new Database(this.#paths.journal, { readonly: true });
    if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'entries'").get() === undefined)
      return void database.close();
    this.#database = database;
    return database;
  }

  /** Inputs of a kind, oldest first: those that came since this one. */
  inputs(
    session: string,
    kind: string,
    fromSeq = 0,
  ): readonly { readonly seq: number; readonly body: string }[] {
    this.#database ??= new Database(this.#paths.journal, { readonly: true });
    return this.#database
      .prepare<[string, string, number], { seq: number; body: string }>(
        'SELECT seq, body FROM inputs WHERE session = ? AND kind = ? AND seq >= ? ORDER BY seq',
      )
      .all(session, kind, fromSeq);
  }

  /** Rows of a session that moved money or positions, from this input on. */
  moneyRows(session: string, fromSeq: number): readonly CommittedRow[] {
    this.#database ??= new Database(this.#paths.journal, { readonly: true });
    return this.#database
      .prepare<[string, number], StoredRow>(
        `SELECT id, session, cause, ts_us, strategy, kind, body FROM entries WHERE session = ? AND cause >= ?
         AND kind IN ('fill', 'fill_correction', 'position_event', 'money_checked') ORDER BY id`,
      )
      .all(session, fromSeq)
      .map(committed);
  }

  /** What was placed under this id, whether or not it ever left. */
  placed(id: string): PlacedOrder | undefined {
    const order = this.orders.get(id);
    const place = order?.place ?? null;
    if (order !== undefined && place !== null)
      return { owner: order.owner, purpose: place.terms.purpose, isProtective: order.isProtective };
    return this.#onEmergencyFile(id) ?? (order === undefined ? undefined : { ...EXIT, owner: order.owner });
  }

  /** Exits go out on it when the journal takes no row. */
  #onEmergencyFile(id: string): PlacedOrder | undefined {
    const known = this.#unjournaled.get(id);
    if (known !== undefined) return known;
    const found = this.#inEmergencyLines(id);
    if (found !== undefined) this.#unjournaled.set(id, found);
    return found;
  }

  #inEmergencyLines(id: string): PlacedOrder | undefined {
    for (const line of this.emergencyLines()) {
      if (!line.includes(id) || !line.endsWith('}')) continue;
      const { clientOrderId, strategy } = JSON.parse(line) as { clientOrderId?: string; strategy?: string }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a line of `EmergencyRecord`
      if (clientOrderId === id && strategy !== undefined)
        return { ...EXIT, owner: strategy, isProtective: this.#protective.has(id) };
    }
    return undefined;
  }

  emergencyLines(): readonly string[] {
    const bytes = readFileSync(this.#paths.emergency);
    const end = bytes.indexOf(0);
    const text = bytes.subarray(0, end === -1 ? bytes.length : end).toString('utf8');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Shown, whether or not it is committed: a protective stop may leave on the emergency file, which does not say so. */
  add(entry: JournalEntry): void {
    if (entry.kind !== 'proposal' || entry.by !== 'system') return;
    const { proposal } = entry;
    if (proposal.do === 'submit' && proposal.intent.kind === 'stop')
      this.#protective.add(proposal.clientOrderId);
  }

  #take(row: CommittedRow): void {
    const { entry } = row;
    switch (
      entry.kind // oxlint-disable-line typescript/switch-exhaustiveness-check -- the others say nothing of it
    ) {
      case 'proposal':
        return this.add(entry);
      case 'place': {
        const order = this.#order(entry.order.clientOrderId, row);
        order.place = { terms: entry.order, row, isLost: entry.isLost };
        order.isProtective = this.#protective.has(order.id);
        return;
      }
      case 'modify':
        return void this.modifies.set(entry.modify.callId, entry.modify);
      case 'cancel':
        return void this.cancels.set(entry.cancel.callId, entry.cancel);
      case 'order_adopted': {
        const order = this.#order(entry.clientOrderId, row);
        order.adopted = entry.order;
        order.parent = entry.parent ?? null;
        return;
      }
      case 'order_waiting': {
        const order = this.#order(entry.clientOrderId, row);
        order.waitingKey = entry.row.orderKey;
        order.parent = entry.parent;
        return;
      }
      case 'order_status':
        return this.#status(this.#order(entry.clientOrderId, row), entry, row.session);
      case 'fill':
      case 'fill_correction':
        return this.#fill(this.#order(entry.clientOrderId, row), entry, row.session);
      case 'halt':
        if (row.owner === null) this.halted = entry.halted ? entry.reason : null;
        return;
      default:
    }
  }

  #status(order: JournaledOrder, { to, orderNo }: Body<'order_status'>, session: string): void {
    order.status = to;
    if (orderNo !== null) order.numbered = { session, orderNo };
  }

  #fill(order: JournaledOrder, entry: Body<'fill' | 'fill_correction'>, session: string): void {
    order.filledValue += entry.value;
    order.tax += entry.tax;
    order.quality = entry.quality;
    if (entry.kind === 'fill_correction') return;
    // The row that finds an order of unknown fate may show it filled: its number comes with the fill.
    order.numbered ??= { session, orderNo: entry.orderNo };
    order.filledQty += entry.qty;
    order.fee += entry.fee;
  }

  #order(id: string, { owner }: CommittedRow): JournaledOrder {
    const known = this.orders.get(id);
    if (known !== undefined) return known;
    const order: JournaledOrder = {
      id,
      owner: owner ?? OPERATOR,
      place: null,
      isProtective: false,
      adopted: null,
      parent: null,
      waitingKey: null,
      status: 'submitted',
      numbered: null,
      filledQty: 0,
      filledValue: 0,
      fee: 0,
      tax: 0,
      quality: 'exact',
    };
    this.orders.set(id, order);
    return order;
  }

  /** By its place, or by a row of a book; `sender`: the stop or exit that sent it. */
  hasHeardOf({ refId, day, orderNo }: OrderReport, sender: TriggerReport | undefined): boolean {
    const id = sender === undefined ? refId : sender.refId;
    if (id !== null) return this.orders.get(id)?.place?.isLost === false;
    if (sender === undefined) return this.isNumbered({ day, orderNo });
    return [...this.orders.values()].some(({ waitingKey }) => waitingKey === sender.orderKey);
  }

  /** A row names it: an answer, or a row of the in-day book that has an owner. The trigger book has numbers of its own. */
  isNumbered({ day, orderNo }: Pick<OrderReport, 'day' | 'orderNo'>): boolean {
    return [...this.orders.values()].some(
      ({ numbered, waitingKey }) =>
        waitingKey === null && numbered?.session === day && numbered.orderNo === orderNo,
    );
  }

  /** Other orders of unknown fate with the terms of this stop: a row of the trigger book, which names no order, is a row of each. */
  unknownTwins(id: string): readonly string[] {
    const terms = stopTerms(this.orders.get(id));
    if (terms === null) return [];
    return [...this.orders.values()]
      .filter((each) => each.id !== id && each.status === 'unknown' && stopTerms(each) === terms)
      .map((each) => each.id);
  }

  forgetFinished(): void {
    for (const [id, { status }] of this.orders) if (TERMINAL_STATUSES.has(status)) this.orders.delete(id);
    this.modifies.clear();
    this.cancels.clear();
  }

  close(): void {
    this.#database?.close();
  }
}

function stopTerms(order: JournaledOrder | undefined): string | null {
  const terms = order?.place?.terms;
  if (terms === undefined || terms.trigger === null || terms.trigger.kind === 'bracket') return null;
  const { orderCode, side, qty, limitPrice, trigger } = terms;
  return JSON.stringify([orderCode, side, qty, limitPrice, trigger]);
}
