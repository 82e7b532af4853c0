/**
 * Selects the open orders that a halt cancels: those that can enlarge the position of their own owner (rulings, 40), by the broker's books
 * and by our own journal. Where the two do not agree, orders that may protect a position stay.
 */
import {
  type BrokerOrder,
  type BrokerPosition,
  type BrokerTriggerOrder,
  mayWork,
  netsOf,
} from '../../domain/broker-order.ts';
import {
  cover,
  type Cover,
  type CoverOrder,
  type CoverRole,
  sentRole,
  waitingRole,
} from '../../domain/cover.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import { SIDES, signOf, type TriggerWhen } from '../../domain/order.ts';
import { OPERATOR_INDEX, qty, type StrategyIndex } from '../../domain/units.ts';
import type { ReadResult } from '../rest/rest-caller.ts';
import type { BookScan } from '../rest/rest-client.ts';

export type BookRow = BrokerOrder | BrokerTriggerOrder;

/** An order that the broker has named to us, as our own journal knows it. */
export interface OurOrder {
  readonly clientOrderId: ClientOrderId;
  /** `OPERATOR_INDEX`: of another channel. */
  readonly owner: StrategyIndex;
  /** Its terms and fills, as a row of its book. */
  readonly row: BookRow;
  /** No end of it is proven. */
  readonly isOpen: boolean;
  /** Risk found that it can only shrink the position of its owner. */
  readonly isReduction: boolean;
  /** The engine keeps it as the stop of a position. */
  readonly isProtective: boolean;
  /** It brings exits of its own. */
  readonly isBracket: boolean;
  /** A stop that triggered has sent it. */
  readonly isSent: boolean;
}

interface OurPosition {
  readonly owner: StrategyIndex;
  readonly orderCode: OrderCode;
  readonly qty: number;
}

/** The journal's part of the kill path, folded on the main thread: it needs no engine (rulings, 32). */
export interface OurBooks {
  /** Orders that a book of today may show. */
  readonly orders: readonly OurOrder[];
  readonly positions: readonly OurPosition[];
  /** Placements that may have reached the broker, without a number yet. */
  readonly unknown: readonly UnnumberedOrder[];
  /** Entries that count as never arrived: one may turn up all the same. */
  readonly gone: readonly UnnumberedOrder[];
}

/** A book knows it by its reference alone. */
type UnnumberedOrder = Omit<OurOrder, 'row' | 'isOpen'>;

interface KillReads {
  readonly inDay: BookScan<BrokerOrder>;
  readonly waiting: BookScan<BrokerTriggerOrder>;
  readonly positions: ReadResult<readonly BrokerPosition[]>;
  /** Null while the journal is not read. */
  readonly ours: OurBooks | null;
}

export interface KillVerdict {
  /** Orders that may work: those that a book shows, and ours that it should show. */
  readonly open: readonly BookRow[];
  readonly increasing: ReadonlySet<BookRow>;
  /** Names of orders of ours that have not ended, and that no row shows: they are canceled by number. */
  readonly unshown: ReadonlySet<string>;
  /** Names of `increasing` orders that may protect after all: they go when two verdicts agree. */
  readonly doubtful: ReadonlySet<string>;
  /** Contracts by which the orders that stay exceed the positions that they close. */
  readonly excess: number;
  /** Why it is not certain that the orders that stay shrink a position; empty where it is. */
  readonly doubt: string;
}

/** By its key in the trigger book, by its number in the in-day book. */
export const nameOf = (row: BookRow): string => ('kind' in row ? row.orderKey : row.orderNo);

export function killVerdict(reads: KillReads): KillVerdict {
  const books = new KnownBooks(reads);
  const { open } = books;
  const increasing = new Set<BookRow>();
  const doubtful = new Set<string>();
  const doubts: string[] = [];
  let excess = 0;
  for (const code of new Set(open.map(({ orderCode }) => orderCode))) {
    const doubt = books.doubtOf(code);
    if (doubt !== null) doubts.push(doubt);
    for (const covered of books.covers(code)) {
      excess += covered.excess;
      for (const row of covered.increasing) {
        if (doubt !== null && books.mayProtect(row)) continue;
        increasing.add(row);
        if (books.isDoubtful(row)) doubtful.add(nameOf(row));
      }
    }
  }
  const unshown = new Set(books.unshown.map(nameOf));
  return { open, increasing, unshown, doubtful, excess, doubt: doubts.join('; ') };
}

class KnownBooks {
  readonly #reads: KillReads;
  readonly #owners: RowOwnership;
  readonly #pairs: ReadonlyMap<BookRow, string>;
  readonly open: readonly BookRow[];
  readonly unshown: readonly BookRow[];

  constructor(reads: KillReads) {
    this.#reads = reads;
    this.#owners = new RowOwnership(reads);
    this.unshown = this.#owners.unshown();
    const shown: readonly BookRow[] = [...reads.waiting.orders, ...reads.inDay.orders];
    this.open = [...shown.filter(mayWork), ...this.unshown];
    this.#pairs = pairsOf(this.open);
  }

  covers(code: OrderCode): readonly Cover<BookRow>[] {
    const byOwner = new Map<StrategyIndex, BookRow[]>();
    const foreign: BookRow[] = [];
    for (const row of this.open) {
      if (row.orderCode !== code) continue;
      const owner = this.#owners.of(row)?.owner ?? OPERATOR_INDEX;
      (owner === OPERATOR_INDEX ? foreign : getOrCreate(byOwner, owner, () => [])).push(row);
    }
    const viewOf = (row: BookRow): CoverOrder => this.#viewOf(row);
    for (const rows of byOwner.values())
      rows.sort((a, b) => this.#owners.indexOf(a) - this.#owners.indexOf(b));
    const covers = [...byOwner].map(([owner, rows]) => cover(this.#heldBy(owner, code), rows, viewOf));
    // Orders of other channels close the operator's position, and may be the only protection of a strategy's.
    for (const side of SIDES) {
      const bare = this.#owners.holders(code).map((owner): number => {
        const held = -signOf(side) * this.#heldBy(owner, code);
        if (held <= 0 || owner === OPERATOR_INDEX) return Math.max(0, held);
        return cover(-signOf(side) * held, byOwner.get(owner) ?? [], viewOf).nakedQty;
      });
      const held = -signOf(side) * bare.reduce((sum, each) => sum + each, 0);
      const rows = foreign.filter((row) => row.side === side);
      covers.push(cover(held, rows, viewOf));
    }
    return covers;
  }

  /** The account's own figure; 0 where it was not read. */
  #netOf(code: OrderCode): number {
    const { positions } = this.#reads;
    return positions.ok ? (netsOf(positions.value).get(code) ?? 0) : 0;
  }

  /** Why the owners of a contract's position are uncertain, or null. */
  doubtOf(code: OrderCode): string | null {
    const { positions, ours } = this.#reads;
    if (!positions.ok) return `positions: ${positions.reason}`;
    if (ours === null) return 'the journal, which says whose the orders are, is not read';
    const net = this.#netOf(code);
    const sum = this.#owners.holders(code).reduce((total, owner) => total + this.#heldBy(owner, code), 0);
    return sum === net
      ? null
      : `orders and fills that we know come to ${sum} of ${code}, the broker shows ${net}`;
  }

  /** While the owners of positions are uncertain. */
  mayProtect(row: BookRow): boolean {
    const order = this.#owners.of(row);
    if (order === undefined || order.owner === OPERATOR_INDEX) return this.#isStopLike(row);
    return order.isReduction || (this.#isStopLike(row) && this.#owners.mayHaveFilled(order.owner, row));
  }

  /** Another read may show that it protects: books and positions are read at the same time, and a fill may fall between. */
  isDoubtful(row: BookRow): boolean {
    const order = this.#owners.of(row);
    if (this.#isStopLike(row) || order?.isReduction === true) return true;
    const isForeign = order === undefined || order.owner === OPERATOR_INDEX;
    return isForeign && signOf(row.side) === -Math.sign(this.#netOf(row.orderCode));
  }

  /** It waits for a price, or was sent by an order that did. */
  #isStopLike(row: BookRow): boolean {
    if ('kind' in row) return row.kind !== 'arbitrage' && row.kind !== 'unrecognized';
    return row.source === 'system' || this.#owners.isSent(row);
  }

  #heldBy(owner: StrategyIndex, code: OrderCode): number {
    // Without the journal only the account holds positions.
    return this.#reads.ours === null ? this.#netOf(code) : this.#owners.heldBy(owner, code);
  }

  #viewOf(row: BookRow): CoverOrder {
    const group = this.#pairs.get(row) ?? null;
    const isProtective = this.#owners.of(row)?.isProtective === true;
    return { side: row.side, qty: leavesOf(row), role: this.#roleOf(row), group, isProtective };
  }

  /** Where a row does not say which way it triggers, it may be a stop. */
  #roleOf(row: BookRow): CoverRole {
    if (this.#owners.of(row)?.isBracket === true) return 'entry';
    if (!this.#isStopLike(row)) return 'exit';
    if (!('kind' in row)) return sentRole(row.side, this.#sentWhen(row));
    return row.triggerWhen === null ? 'stop' : waitingRole(row.side, row.triggerWhen);
  }

  /** Trigger direction of the order that sent this one; null where no row shows it, or two differ: numbers restart each day. */
  #sentWhen({ orderNo, orderCode, side }: BrokerOrder): TriggerWhen | null {
    const senders = this.#reads.waiting.orders.filter(
      (row) => row.orderCode === orderCode && row.side === side && row.children.includes(orderNo),
    );
    const [when = null, ...others] = new Set(
      senders.map(({ kind, triggerWhen }) => (kind === 'trailing_stop' ? null : triggerWhen)),
    );
    return others.length === 0 ? when : null;
  }
}

class RowOwnership {
  readonly #reads: KillReads;
  readonly #byId = new Map<ClientOrderId, OurOrder>();
  readonly #byKey = new Map<BrokerOrderKey, OurOrder>();
  /** Of two orders with one number the later: numbers restart each day. */
  readonly #byNo = new Map<BrokerOrderNo, OurOrder>();
  readonly #children = new Map<BrokerOrderNo, OurOrder>();
  readonly #unnumbered = new Map<string, UnnumberedOrder>();

  constructor(reads: KillReads) {
    this.#reads = reads;
    for (const order of reads.ours?.orders ?? []) {
      this.#byId.set(order.clientOrderId, order);
      if ('kind' in order.row) this.#byKey.set(order.row.orderKey, order);
      else this.#byNo.set(order.row.orderNo, order);
    }
    for (const order of [...(reads.ours?.unknown ?? []), ...(reads.ours?.gone ?? [])])
      this.#unnumbered.set(order.clientOrderId, order);
    for (const { orderKey, children } of reads.waiting.orders) {
      const sender = this.#byKey.get(orderKey);
      if (sender !== undefined) for (const child of children) this.#children.set(child, sender);
    }
  }

  /** Our order that the row shows, or the one that sent or brought it. */
  of(row: BookRow): OurOrder | undefined {
    if ('kind' in row) {
      const bracket = row.parent === null ? undefined : this.#byNo.get(row.parent);
      return (
        this.#byKey.get(row.orderKey) ?? (bracket?.isBracket === true ? exitOf(bracket, row) : undefined)
      );
    }
    return this.#shownBy(row) ?? this.#senderOf(row) ?? this.#unnumberedOf(row);
  }

  /** Of two exits the engine keeps the older: another choice here would leave neither. One that the journal does not know is younger. */
  indexOf(row: BookRow): number {
    const order = this.of(row);
    const index = this.#reads.ours?.orders.findIndex((each) => each === order) ?? -1;
    return index === -1 ? Infinity : index;
  }

  isSent(row: BrokerOrder): boolean {
    return this.#shownBy(row)?.isSent ?? this.#senderOf(row) !== undefined;
  }

  /** Open orders of ours that no row shows, with the orders that triggered ones have sent. */
  unshown(): readonly BookRow[] {
    const { inDay, waiting, ours } = this.#reads;
    const keys = new Map(waiting.orders.map((row) => [row.orderKey, row]));
    const numbers = new Set(inDay.orders.map(({ orderNo }) => orderNo));
    const shown = new Set(inDay.orders.map((row) => this.#shownBy(row)));
    return (ours?.orders ?? []).flatMap((order): readonly BookRow[] => {
      if (!order.isOpen) return [];
      const { row } = order;
      if (!('kind' in row)) {
        // No call may name it by a number that is another order's.
        const isNamed = this.#byNo.get(row.orderNo) === order && !numbers.has(row.orderNo);
        return shown.has(order) ? [] : [{ ...row, canCancel: row.canCancel && isNamed }];
      }
      const now = keys.get(row.orderKey);
      if (now === undefined) return [row];
      if (now.status !== 'activated') return [];
      // A row that names nothing that it has sent leaves that open.
      if (now.children.length === 0) return [row];
      return now.children.filter((no) => !numbers.has(no)).map((no) => sentBy(now, no));
    });
  }

  holders(code: OrderCode): readonly StrategyIndex[] {
    const { ours, inDay } = this.#reads;
    if (ours === null) return [OPERATOR_INDEX];
    const owners = new Set([OPERATOR_INDEX]);
    for (const row of inDay.orders)
      if (row.orderCode === code) owners.add(this.of(row)?.owner ?? OPERATOR_INDEX);
    for (const { owner, orderCode } of ours.positions) if (orderCode === code) owners.add(owner);
    for (const { owner, row } of ours.orders) if (row.orderCode === code) owners.add(owner);
    return [...owners];
  }

  /** By the journal, and by the fills that a book shows and the journal does not have yet. */
  heldBy(owner: StrategyIndex, code: OrderCode): number {
    const { ours, inDay } = this.#reads;
    let held = 0;
    for (const position of ours?.positions ?? [])
      if (position.owner === owner && position.orderCode === code) held += position.qty;
    for (const row of inDay.orders) {
      const order = this.of(row);
      if (order?.owner !== owner || row.orderCode !== code) continue;
      const booked = this.#shownBy(row) === order && !('kind' in order.row) ? order.row.filledQty : 0;
      held += signOf(row.side) * Math.max(0, row.filledQty - booked);
    }
    return held;
  }

  mayHaveFilled(owner: StrategyIndex, except: BookRow): boolean {
    const { ours } = this.#reads;
    if (ours?.unknown.some((each) => each.owner === owner) === true) return true;
    return this.unshown().some((row) => row !== except && this.of(row)?.owner === owner);
  }

  /** A row without a reference is known by its number, unless keys deny it. */
  #shownBy({ refId, orderNo, orderKey }: BrokerOrder): OurOrder | undefined {
    const named = refId === null ? undefined : this.#byId.get(refId);
    if (named !== undefined && !('kind' in named.row)) return named;
    const numbered = this.#byNo.get(orderNo);
    if (numbered === undefined || 'kind' in numbered.row) return undefined;
    const { refId: ownRef, orderKey: ownKey } = numbered.row;
    return isOther(refId, ownRef) || isOther(orderKey, ownKey) ? undefined : numbered;
  }

  /** No answer has given it a number. */
  #unnumberedOf(row: BrokerOrder): OurOrder | undefined {
    const order = row.refId === null ? undefined : this.#unnumbered.get(row.refId);
    return order === undefined ? undefined : { ...order, row, isOpen: true };
  }

  /** An order that a stop sends may bear its reference. */
  #senderOf({ refId, orderNo }: BrokerOrder): OurOrder | undefined {
    const named = refId === null ? undefined : this.#byId.get(refId);
    return named ?? this.#children.get(orderNo);
  }
}

const isOther = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b;

const leavesOf = (row: BookRow): number => ('kind' in row ? row.qty : row.qty - row.filledQty);

const exitOf = (bracket: OurOrder, row: BrokerTriggerOrder): OurOrder => ({
  ...bracket,
  row,
  isReduction: true,
  isBracket: false,
});

/** The order of a trigger that the in-day book does not show. */
const sentBy = (
  { orderCode, side, qty: size, limitPrice, statusText }: BrokerTriggerOrder,
  orderNo: BrokerOrderNo,
): BrokerOrder => ({
  orderNo,
  orderKey: null,
  refId: null,
  orderCode,
  side,
  qty: size,
  limitPrice,
  filledQty: qty(0),
  filledValue: null,
  status: 'unrecognized',
  statusText,
  canCancel: true,
  canModify: false,
  source: 'system',
  reason: '',
});

/** Exits of one bracket and size on both sides of the market are halves of each other: one cancels the other. */
function pairsOf(open: readonly BookRow[]): ReadonlyMap<BookRow, string> {
  const pairs = new Map<BookRow, string>();
  const counts = new Map<string, number>();
  for (const row of open) {
    if (!('kind' in row) || row.kind !== 'exit' || row.triggerWhen === null) continue;
    const { parent, orderCode, side, triggerWhen } = row;
    const bracket = `${parent} ${orderCode} ${side} ${row.qty}`;
    const half = `${bracket} ${triggerWhen}`;
    const nth = (counts.get(half) ?? 0) + 1;
    counts.set(half, nth);
    pairs.set(row, `${bracket} ${nth}`);
  }
  return pairs;
}
