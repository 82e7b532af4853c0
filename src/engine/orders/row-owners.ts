/**
 * Finds the order of a row that has no reference of ours. A row of the in-day book belongs to the order that one of our stops sent, or,
 * where the book has no references at all, to an order of the same contract, side, price and quantity. The trigger book never has one: a
 * row belongs to the order of the same terms, if the row is newer than that order. All other rows are somebody else's.
 */
import type { EngineCore } from '../engine-core.ts';
import { type BrokerOrder, type BrokerTriggerOrder, ScanEvidence } from '../../domain/broker-order.ts';
import type { BrokerOrderNo } from '../../domain/ids.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { TsUs } from '../../domain/units.ts';
import type { ManagedOrder } from './managed-order.ts';
import { isAlike, isPresumedAbsent } from './orders.ts';

interface UndecidedRow {
  readonly row: BrokerOrder;
  /** When the answer of the scan was there that showed it first: the trigger book may have been served ahead of it until then. */
  readonly sinceUs: TsUs;
  /** When the scan began that showed it last. */
  readonly shownUs: TsUs;
  readonly evidence: ScanEvidence;
}

/**
 * The in-day book says of an order that one of our triggers sent only that the broker made it (`SYS`), the trigger book says which
 * order did. Until that has been read, such a row is held rather than taken for somebody else's.
 */
export class RowOwners {
  readonly #core: EngineCore;
  readonly #undecided = new Map<BrokerOrderNo, UndecidedRow>();
  /** Orders that a person has taken for the operator's. */
  readonly #foreign = new Set<BrokerOrderNo>();
  /** Sent by exits whose bracket is in doubt, by the last complete scan of the trigger book: their owner is not known yet. */
  unresolved: ReadonlySet<BrokerOrderNo> = new Set();
  /** The oldest row that is held although the trigger book had time enough to explain it. */
  #overdue: BrokerOrder | null = null;

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** Rows whose owner is not known yet; their fills are not booked. */
  get undecidedCount(): number {
    return this.#undecided.size;
  }

  /** Why positions cannot be proven, or null: an order filled, and its owner is unknown. */
  get unproven(): string | null {
    const row = this.#overdue;
    return row && `${rowLabel(row)} is booked for nobody until the broker's trigger book can be read`;
  }

  /** Restarts the count of scans. */
  setClockBack(at: TsUs): void {
    for (const [orderNo, { row }] of this.#undecided)
      this.#undecided.set(orderNo, { row, sinceUs: at, shownUs: at, evidence: new ScanEvidence(at) });
  }

  /** A person takes an order that is held for the operator's. False when none with this number is held. */
  assignToOperator(number: BrokerOrderNo): boolean {
    if (!this.#undecided.has(number)) return false;
    this.#foreign.add(number);
    return true;
  }

  /** The order that sent it; `undecided`: asked again with the next scan; null: none of our orders. */
  senderOf(row: BrokerOrder, startedUs: TsUs): ManagedOrder | 'undecided' | null {
    const sender = this.#core.orders.brokerIds.senderOf(row.orderNo);
    if (sender !== undefined && maySendMore(sender, row)) return this.#decide(row, sender);
    const named = this.#core.orders.get(row.refId);
    if (named !== undefined && mayHaveSent(named, row)) return this.#decide(row, named);
    if (row.source !== 'system') return null;
    if (this.#foreign.has(row.orderNo)) return this.#decide(row, null);
    const undecided = this.#undecided.get(row.orderNo);
    if (this.unresolved.has(row.orderNo)) return this.#defer(row, startedUs);
    if (undecided === undefined || this.#core.session.triggersReadUs < undecided.sinceUs)
      return this.#defer(row, startedUs);
    const alike = this.#core.orders.open.filter((order) => mayHaveSent(order, row));
    const triggered = alike.find(({ status }) => status === 'triggering');
    if (triggered !== undefined) return this.#decide(row, triggered);
    // A stop or a bracket in doubt has no row of its own yet, and the two books may show one trigger at different times.
    const { open, bracketsMissingExits } = this.#core.orders;
    if (alike.some(isUnanswered) || open.some((order) => isUnanswered(order) && mayExitHaveSent(order, row)))
      return this.#defer(row, startedUs);
    const mayBeOurs =
      alike.length > 0 || [...bracketsMissingExits].some((bracket) => mayExitHaveSent(bracket, row));
    if (mayBeOurs && !undecided.evidence.isEnough(this.#core.settings.lookUp))
      return this.#defer(row, startedUs);
    return this.#decide(row, null);
  }

  /** After a complete scan of the in-day book: a row that is gone, or has found another owner, is held no more; the next may be overdue. */
  endScan(startedUs: TsUs): void {
    for (const { row, shownUs } of this.#undecided.values()) if (shownUs < startedUs) this.#decide(row, null);
    this.#noteOverdue();
  }

  nextDay(): void {
    this.#undecided.clear();
    this.#foreign.clear();
    this.unresolved = new Set();
    this.#overdue = null;
  }

  #defer(row: BrokerOrder, startedUs: TsUs): 'undecided' {
    const { sinceUs, evidence } = this.#undecided.get(row.orderNo) ?? {
      sinceUs: this.#core.context.nowUs,
      evidence: new ScanEvidence(startedUs),
    };
    evidence.add(startedUs, this.#core.settings.lookUp);
    this.#undecided.set(row.orderNo, { row, sinceUs, shownUs: startedUs, evidence });
    this.#core.reads.request('triggers');
    return 'undecided';
  }

  /** One is alerted at a time: entries wait for each of them in turn. */
  #noteOverdue(): void {
    if (this.#overdue !== null) return;
    for (const { row, evidence } of this.#undecided.values()) {
      if (!evidence.isEnough(this.#core.settings.lookUp)) continue;
      this.#overdue = row;
      const text = `the owner of ${rowLabel(row)} is not known: one of our stops may have sent it, and the trigger book, which says so, cannot be read. Its fills are not booked and entries are blocked until it can be read; tickwright orders resolve ${row.orderNo} live gives the order to the operator`;
      return this.#core.context.alert(null, 'critical', 'order_held', text);
    }
  }

  #decide<Sender>({ orderNo }: BrokerOrder, sender: Sender): Sender {
    this.#undecided.delete(orderNo);
    if (this.#overdue?.orderNo === orderNo) this.#overdue = null;
    return sender;
  }
}

const rowLabel = ({ orderNo, side, qty: size, orderCode, filledQty }: BrokerOrder): string =>
  `order no. ${orderNo} (${side} ${size} ${orderCode}, ${filledQty} filled)`;

/** A number of an earlier day may name a sender that has sent all of it. */
const maySendMore = (order: ManagedOrder, row: BrokerOrder): boolean =>
  order.orderCode === row.orderCode &&
  order.side === row.side &&
  order.triggerState.sentQty + row.qty <= order.qty;

const isUnanswered = ({ status }: ManagedOrder): boolean => status === 'submitted' || status === 'unknown';

/** An exit of this bracket that the trigger book has not shown yet. */
const mayExitHaveSent = ({ trigger, orderCode, side, qty: size }: ManagedOrder, row: BrokerOrder): boolean =>
  trigger?.kind === 'bracket' && orderCode === row.orderCode && side !== row.side && row.qty <= size;

/** A stop sends all of it at once, an arbitrage order as much as its leg has filled. */
function mayHaveSent(order: ManagedOrder, row: BrokerOrder): boolean {
  if (!order.isTriggerOrder || order.orderCode !== row.orderCode || order.side !== row.side) return false;
  if (row.limitPrice !== null && row.limitPrice !== order.limitPrice) return false;
  return order.triggerState.kind === 'arbitrage' ? row.qty <= order.leavesQty : row.qty === order.leavesQty;
}

export interface RowMatches<Row> {
  readonly pairs: readonly { readonly order: ManagedOrder; readonly row: Row }[];
  /** Rows of other owners, without those that may yet turn out to be an order whose answer is under way. */
  readonly foreign: readonly Row[];
  /** More rows than orders fit: somebody else placed the very same. */
  readonly ambiguous: readonly ManagedOrder[];
  /** A row of the scan may be theirs, and is given to nobody yet: it shows no absence of them. */
  readonly reserved: readonly ManagedOrder[];
}

/** `rows` are those that no order owns by number or `refId`; `orders` those without a number that are not final. */
export function matchOrders(
  rows: readonly BrokerOrder[],
  orders: readonly ManagedOrder[],
  bookHasRefIds: boolean,
): RowMatches<BrokerOrder> {
  if (bookHasRefIds || orders.length === 0) return { pairs: [], foreign: rows, ambiguous: [], reserved: [] };
  const pairs: { order: ManagedOrder; row: BrokerOrder }[] = [];
  const foreign: BrokerOrder[] = [];
  const ambiguous: ManagedOrder[] = [];
  const reserved: ManagedOrder[] = [];
  for (const [, group] of groupByTerms(rows)) {
    const [first] = group;
    const alike = first === undefined ? [] : orders.filter((order) => isAlike(order, first));
    if (alike.some(({ status }) => status === 'submitted')) {
      reserved.push(...alike);
      continue;
    }
    const inOrder = group.toSorted((a, b) => byNumber(a.orderNo, b.orderNo));
    inOrder.forEach((row, index) => {
      const order = alike[index];
      if (order === undefined) foreign.push(row);
      else pairs.push({ order, row });
    });
    if (alike.length > 0 && group.length > alike.length) ambiguous.push(...alike);
  }
  return { pairs, foreign, ambiguous, reserved };
}

function groupByTerms(rows: readonly BrokerOrder[]): Map<string, BrokerOrder[]> {
  const groups = new Map<string, BrokerOrder[]>();
  for (const row of rows) {
    const key = `${row.orderCode}|${row.side}|${row.qty}|${row.limitPrice}`;
    getOrCreate(groups, key, () => []).push(row);
  }
  return groups;
}

/** Numbers count up through the day; shorter is earlier. */
function byNumber(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/**
 * Two candidates for one order need a person: none is bound. A row that was there before some of them were sent is one of the others. Where
 * orders of several owners have the same terms and the book shows too few rows, these wait until enough scans lack the rest. Equal rows are
 * interchangeable: wanted orders get them before orders to be canceled, so that canceling an order that may never have arrived cannot take
 * another owner's order.
 */
export function matchTriggers(
  rows: readonly BrokerTriggerOrder[],
  orders: readonly ManagedOrder[],
  isNewFor: (row: BrokerTriggerOrder, order: ManagedOrder) => boolean,
): RowMatches<BrokerTriggerOrder> {
  if (orders.length === 0) return { pairs: [], foreign: rows, ambiguous: [], reserved: [] };
  const pairs: { order: ManagedOrder; row: BrokerTriggerOrder }[] = [];
  const ambiguous: ManagedOrder[] = [];
  const reserved: ManagedOrder[] = [];
  const taken = new Set<BrokerTriggerOrder>();
  const seen = new Set<ManagedOrder>();
  for (const order of orders) {
    if (seen.has(order)) continue;
    const alike = orders
      .filter((other) => haveEqualTerms(order, other))
      .toSorted((a, b) => Number(isPresumedAbsent(a)) - Number(isPresumedAbsent(b)));
    for (const each of alike) seen.add(each);
    const ableOf = (row: BrokerTriggerOrder) => alike.filter((each) => isNewFor(row, each));
    const found = rows
      .filter((row) => mayShow(order, row) && ableOf(row).length > 0)
      .toSorted((a, b) => ableOf(a).length - ableOf(b).length);
    // The pending answer will name it.
    const isOpen = alike.some(({ status }) => status === 'submitted');
    if (!isOpen && found.some((row, index) => ableOf(row).length <= index)) {
      ambiguous.push(...alike);
      continue;
    }
    if (isOpen && found.length > 0) reserved.push(...alike);
    const isShort = found.length < alike.filter((each) => !isPresumedAbsent(each)).length;
    const given = new Set<ManagedOrder>();
    for (const row of found) {
      taken.add(row);
      const able = ableOf(row).filter((each) => !given.has(each));
      const [owner] = isShort ? able.toSorted((a, b) => claimRank(a) - claimRank(b)) : able;
      if (isOpen || owner === undefined) continue;
      given.add(owner);
      const isEarly =
        isShort && able.some((each) => !isPresumedAbsent(each) && each.strategy !== owner.strategy);
      if (isEarly) reserved.push(owner);
      else pairs.push({ order: owner, row });
    }
  }
  return { pairs, foreign: rows.filter((row) => !taken.has(row)), ambiguous, reserved };
}

/** Wanted orders come first, and orders that count as absent last. */
const claimRank = (order: ManagedOrder): number =>
  isPresumedAbsent(order) ? 2 : Number(isBeingWithdrawn(order));

const isBeingWithdrawn = ({ extras }: ManagedOrder): boolean =>
  extras.isCancelRequested || extras.isWithdrawn;

function mayShow(order: ManagedOrder, row: BrokerTriggerOrder): boolean {
  const isSameKind = row.kind === order.triggerState.kind || row.kind === 'unrecognized';
  const limitPrice = row.limitPrice ?? order.limitPrice;
  if (!isSameKind || !isAlike(order, { ...row, limitPrice })) return false;
  // A trailing stop may have begun to follow; an arbitrage order has no trigger.
  return order.triggerState.kind !== 'stop' || row.triggerPrice === order.triggerPrice;
}

const haveEqualTerms = (one: ManagedOrder, other: ManagedOrder): boolean =>
  isAlike(one, other) &&
  one.triggerState.kind === other.triggerState.kind &&
  (one.triggerState.kind !== 'stop' || one.triggerPrice === other.triggerPrice);
