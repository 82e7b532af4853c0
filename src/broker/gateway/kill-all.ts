/**
 * Kill path: cancels from the broker's own books what can enlarge a position (rulings, 32), and leaves what protects one. It needs
 * neither engine, strategies, journal nor halt, and goes on when parts of it fail.
 */
import {
  type BrokerOrder,
  type BrokerPosition,
  type BrokerTriggerOrder,
  type CallOutcome,
  mayWork,
} from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { BrokerOrderKey, BrokerOrderNo, OrderCode } from '../../domain/ids.ts';
import { cover, type CoverOrder, type CoverRole, waitingRole } from '../../domain/cover.ts';
import { signOf } from '../../domain/order.ts';
import { seconds } from '../../domain/units.ts';
import type { ReadResult } from '../rest/rest-caller.ts';
import type { BookScan, ConditionCalls, OrderCalls, ReadCalls } from '../rest/rest-client.ts';

export interface KillReport<Row> {
  /** Cancels that the broker accepted. */
  readonly canceled: readonly string[];
  /** Cancels that were refused, lost or not sent, of orders not proven gone since; with the last reason. */
  readonly failed: readonly { readonly orderNo: BrokerOrderNo; readonly reason: string }[];
  /** Orders that can enlarge a position and are still open according to the last scan. */
  readonly open: readonly Row[];
  /** Whether the last scan was complete: only then is an empty `open` proof. */
  readonly isProven: boolean;
  readonly reason: string;
}

export interface WholeKill {
  readonly orders: KillReport<BrokerOrder>;
  readonly triggers: KillReport<BrokerTriggerOrder>;
  /** The in-day book, as it was read last. */
  readonly rows: readonly BrokerOrder[];
  /** Open orders that only shrink a position, by number or key: they stay. */
  readonly kept: readonly string[];
  /** Why it is not certain that these shrink a position; empty when it is, and when there are none. */
  readonly keptReason: string;
  /** Contracts by which the orders that stay exceed the position that they close: a stop that is too large is not canceled. */
  readonly excess: number;
}

export type KillEdge = Pick<OrderCalls, 'cancel'> &
  Pick<ReadCalls, 'inDayBook' | 'positions'> & {
    readonly conditions: Pick<ConditionCalls, 'book' | 'cancel'>;
  };

const ROUNDS_MAX = 5;
/** A cancel is confirmed in the book, not in its answer: that takes a moment. */
const BETWEEN_ROUNDS = seconds(1);
const SEND = { priority: 'exit' } as const;
const READ = { priority: 'lookup' } as const;

/** Whether the daemon placed the order, now or before a restart, and risk found that it only shrinks the position of one strategy. */
export type IsOwnReduction = (key: BrokerOrderKey) => boolean;

/**
 * Reads both books and the positions in rounds, until nothing that can enlarge a position is left, or `goesOn` ends it: no cancel
 * leaves afterwards. Books and positions are read side by side, and a fill may fall between: an order that may protect is canceled
 * when two rounds agree that it does not.
 */
export async function killAll(
  rest: KillEdge,
  timers: Timers,
  goesOn: () => boolean,
  isOwnReduction: IsOwnReduction,
): Promise<WholeKill> {
  const orders = new CancelTally<BrokerOrder>();
  const triggers = new CancelTally<BrokerTriggerOrder>();
  const send = { ...SEND, refuse: () => (goesOn() ? null : 'the halt is over') };
  let doubted: ReadonlySet<string> = new Set();
  let before = '';
  for (let round = 1; ; round += 1) {
    const [inDay, waiting, positions] = await Promise.all([
      rest.inDayBook(READ),
      rest.conditions.book(READ),
      rest.positions(READ),
    ]);
    const working = inDay.orders.filter(mayWork);
    const pending = waiting.orders.filter(mayWork);
    const ownStops = waiting.orders.filter(({ orderKey }) => isOwnReduction(orderKey));
    const sent = new Set(ownStops.flatMap(({ children }) => children));
    const isOwn = (row: Row): boolean =>
      'kind' in row ? isOwnReduction(row.orderKey) : sent.has(row.orderNo);
    const { increasing, excess } = judge(working, pending, positions, isOwn);
    orders.saw(
      inDay,
      working.filter((row) => increasing.has(row)),
    );
    triggers.saw(
      waiting,
      pending.filter((row) => increasing.has(row)),
    );
    const kept = [...working, ...pending].filter((row) => !increasing.has(row)).map(nameOf);
    const now = positions.ok ? fingerprint(working, pending, positions.value) : '';
    const hasTriggered = triggers.hasNewlyTriggered(waiting);
    // An exit may fill between two reads: what stays is proven when two rounds show the same.
    const isSettled = kept.length === 0 || (positions.ok && now === before);
    before = now;
    const isDone = orders.isClean && triggers.isClean && !hasTriggered && isSettled;
    if (isDone || round === ROUNDS_MAX || !goesOn()) {
      const why = positions.ok
        ? 'positions and orders changed between two reads'
        : `positions: ${positions.reason}`;
      return {
        orders: orders.report,
        triggers: triggers.report,
        rows: inDay.orders,
        kept,
        keptReason: isSettled ? '' : why,
        excess,
      };
    }
    const doubtful = positions.ok ? mayProtect(increasing, positions.value) : new Set<string>();
    const isSure = (row: Row): boolean => !doubtful.has(nameOf(row)) || doubted.has(nameOf(row));
    await Promise.all([
      orders.cancel(
        (row) => mayCancel(row) && isSure(row),
        ({ orderNo }) => rest.cancel({ orderNo, callId: null }, send),
      ),
      triggers.cancel(isSure, ({ orderNo, orderKey }) => rest.conditions.cancel({ orderNo, orderKey }, send)),
    ]);
    doubted = doubtful;
    await new Promise<void>((resolve) => timers.after(BETWEEN_ROUNDS, resolve));
  }
}

/** The broker's flag is obeyed. An order that still stands after a lost cancel is tried again. */
const mayCancel = ({ canCancel, status }: BrokerOrder): boolean =>
  canCancel && status !== 'cancel_pending' && status !== 'matched_cancel_pending';

type Row = BrokerOrder | BrokerTriggerOrder;

const nameOf = (row: Row): string => ('kind' in row ? row.orderKey : row.orderNo);

/** While positions cannot be read, stops stay: one that protects a position must not go for one that may open one. */
function judge(
  working: readonly BrokerOrder[],
  pending: readonly BrokerTriggerOrder[],
  positions: ReadResult<readonly BrokerPosition[]>,
  isOwn: (row: Row) => boolean,
): { readonly increasing: ReadonlySet<Row>; readonly excess: number } {
  if (!positions.ok) {
    const entries = working.filter(({ source }) => source === 'user' || source === 'unstated');
    return { increasing: new Set(entries), excess: 0 };
  }
  const held = new Map<OrderCode, number>();
  for (const { orderCode, qty } of positions.value) held.set(orderCode, qty);
  const rows = new Map<OrderCode, Row[]>();
  for (const row of [...pending, ...working])
    rows.set(row.orderCode, [...(rows.get(row.orderCode) ?? []), row]);
  const pairs = pairsOf(pending);
  const viewOf = (row: Row): CoverOrder => ({
    side: row.side,
    qty: 'kind' in row ? row.qty : row.qty - row.filledQty,
    role: roleOf(row),
    group: pairs.get(row) ?? null,
  });
  const increasing = new Set<Row>();
  let excess = 0;
  for (const [code, list] of rows) {
    const net = held.get(code) ?? 0;
    const own = list.filter(isOwn);
    const isOpposed = isOnBothSides(own) && closedBy(own, pairs) === net;
    const judged = isOpposed ? list.filter((row) => !own.includes(row)) : list;
    for (const row of cover(isOpposed ? 0 : net, judged, viewOf).increasing) increasing.add(row);
    if (isOpposed) continue;
    const kept = list.filter((row) => !increasing.has(row));
    excess += Math.max(0, Math.abs(closedBy(kept, pairs)) - Math.abs(net));
  }
  return { increasing, excess };
}

/**
 * Two strategies oppose each other when the stops of each cover what it holds, waiting or at work: the broker shows the difference
 * alone, which the stops of both sides together come to. Nothing is left for other exits then.
 */
const isOnBothSides = (own: readonly Row[]): boolean =>
  own.some(({ side }) => side === 'buy') && own.some(({ side }) => side === 'sell');

/** The position that these orders close, each pair counted once. */
function closedBy(rows: readonly Row[], pairs: ReadonlyMap<Row, string>): number {
  let closed = 0;
  const counted = new Set<string>();
  for (const row of rows) {
    const pair = pairs.get(row);
    if (pair !== undefined && counted.has(pair)) continue;
    if (pair !== undefined) counted.add(pair);
    closed -= signOf(row.side) * ('kind' in row ? row.qty : row.qty - row.filledQty);
  }
  return closed;
}

/** Stops, and orders against the side of their position: they protect it, unless it is smaller than they are. */
function mayProtect(rows: ReadonlySet<Row>, positions: readonly BrokerPosition[]): ReadonlySet<string> {
  const against = (row: Row): boolean =>
    positions.some(
      ({ orderCode, qty }) => orderCode === row.orderCode && signOf(row.side) === -Math.sign(qty),
    );
  return new Set([...rows].filter((row) => isStop(row) || against(row)).map(nameOf));
}

const isStop = (row: Row): boolean =>
  'kind' in row ? row.kind !== 'arbitrage' && row.kind !== 'unrecognized' : row.source === 'system';

/** Where a row does not say which way it triggers, it may be a stop. */
function roleOf(row: Row): CoverRole {
  if (!isStop(row)) return 'exit';
  if (!('kind' in row) || row.triggerWhen === null) return 'stop';
  return waitingRole(row.side, row.triggerWhen);
}

/** Exits of one bracket and size on both sides of the market are halves of each other: one cancels the other. */
function pairsOf(pending: readonly BrokerTriggerOrder[]): ReadonlyMap<Row, string> {
  const pairs = new Map<Row, string>();
  const counts = new Map<string, number>();
  for (const row of pending) {
    const { kind, parent, orderCode, side, qty, triggerWhen } = row;
    if (kind !== 'exit' || triggerWhen === null) continue;
    const bracket = `${parent} ${orderCode} ${side} ${qty}`;
    const half = `${bracket} ${triggerWhen}`;
    const place = (counts.get(half) ?? 0) + 1;
    counts.set(half, place);
    pairs.set(row, `${bracket} ${place}`);
  }
  return pairs;
}

const fingerprint = (
  working: readonly BrokerOrder[],
  pending: readonly BrokerTriggerOrder[],
  positions: readonly BrokerPosition[],
): string =>
  [
    ...working.map(({ orderNo, filledQty }) => `${orderNo} ${filledQty}`),
    ...pending.map(({ orderKey }) => orderKey),
    ...positions.map(({ orderCode, qty }) => `${orderCode} ${qty}`),
  ].join('|');

/** The cancels of one book. */
class CancelTally<Each extends Row> {
  readonly #canceled = new Set<string>();
  readonly #failed = new Map<BrokerOrderNo, string>();
  readonly #seen = new Set<string>();
  readonly #triggered = new Set<string>();
  #open: readonly Each[] = [];
  #complete = false;
  #reason = '';

  get isClean(): boolean {
    return this.#complete && this.#open.length === 0;
  }

  get report(): KillReport<Each> {
    const left = [...this.#failed].filter(
      ([no]) => !this.#complete || this.#open.some(({ orderNo }) => orderNo === no),
    );
    return {
      canceled: [...this.#canceled],
      failed: left.map(([orderNo, reason]) => ({ orderNo, reason })),
      open: this.#open,
      isProven: this.#complete,
      reason: this.#reason,
    };
  }

  saw({ complete, reason }: BookScan<Each>, open: readonly Each[]): void {
    this.#complete = complete;
    this.#reason = reason;
    this.#open = open;
    for (const row of open) this.#seen.add(nameOf(row));
  }

  /** An order triggered before it was canceled: its child is in the in-day book, which was read beside this one. */
  hasNewlyTriggered({ orders }: BookScan<BrokerTriggerOrder>): boolean {
    const before = this.#triggered.size;
    for (const { orderKey, status } of orders)
      if (status === 'activated' && this.#seen.has(orderKey)) this.#triggered.add(orderKey);
    return this.#triggered.size > before;
  }

  async cancel(isAllowed: (row: Each) => boolean, send: (row: Each) => Promise<CallOutcome>): Promise<void> {
    await Promise.all(
      this.#open.filter(isAllowed).map(async (row) => {
        const name = nameOf(row);
        const outcome = await send(row);
        if (outcome.status === 'accepted') {
          this.#canceled.add(name);
          this.#failed.delete(row.orderNo);
        } else this.#failed.set(row.orderNo, reasonOf(outcome));
      }),
    );
  }
}

const reasonOf = (outcome: Exclude<CallOutcome, { status: 'accepted' }>): string =>
  outcome.status === 'rejected' ? `${outcome.code} ${outcome.text}` : outcome.reason;
