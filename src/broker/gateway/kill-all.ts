/**
 * Kill path: cancels orders in the broker's own books that can enlarge a position (rulings, 32), and by number orders that our journal
 * holds and no book shows; protective orders stay. It needs neither engine, strategies nor halt, and goes on when parts of it fail.
 */
import {
  type BrokerOrder,
  type BrokerTriggerOrder,
  type CallOutcome,
  failureOfCall,
  netsOf,
} from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { BrokerOrderNo } from '../../domain/ids.ts';
import { seconds } from '../../domain/units.ts';
import { endsOrder } from '../../wire/rest/call-reply.ts';
import type { BookScan, ConditionCalls, OrderCalls, ReadCalls } from '../rest/rest-client.ts';
import { killVerdict, type KillVerdict, nameOf, type OurBooks, type BookRow } from './kill-verdict.ts';

export interface KillReport<Each> {
  readonly canceled: readonly string[];
  /** Cancels that were refused, lost or not sent, of orders not proven gone since; with the last reason. */
  readonly failed: readonly { readonly orderNo: BrokerOrderNo; readonly reason: string }[];
  /** Orders that can enlarge a position and are still open according to the last scan, or in no scan at all. */
  readonly open: readonly Each[];
  /** Numbers of open orders of ours that the last scan lacks: such a book proves nothing. */
  readonly unshown: readonly BrokerOrderNo[];
  /** Whether the last scan was complete. */
  readonly isProven: boolean;
  readonly reason: string;
}

export interface WholeKill {
  readonly orders: KillReport<BrokerOrder>;
  readonly triggers: KillReport<BrokerTriggerOrder>;
  readonly rows: readonly BrokerOrder[];
  readonly held: ReadonlyMap<string, number> | null;
  /** Open orders that only shrink a position: they stay. */
  readonly kept: readonly BookRow[];
  /** Why it is not certain that these shrink a position; empty when it is, and when there are none. */
  readonly keptReason: string;
  /** Contracts by which the orders that stay exceed the position that they close: a stop that is too large is not canceled. */
  readonly excess: number;
}

type KillEdge = Pick<OrderCalls, 'cancel'> &
  Pick<ReadCalls, 'inDayBook' | 'positions'> & {
    readonly conditions: Pick<ConditionCalls, 'book' | 'cancel'>;
  };

const ROUNDS_MAX = 5;
/** A cancel is confirmed in the book, not in its answer: that takes a moment. */
const BETWEEN_ROUNDS = seconds(1);
const SEND = { priority: 'exit' } as const;
const READ = { priority: 'lookup' } as const;

/**
 * Reads both books and the positions in rounds, until nothing that can enlarge a position is left, or `goesOn` ends it: no cancel
 * leaves afterwards. Books and positions are read side by side, and a fill may fall between: an order that may protect is canceled
 * when two rounds agree that it does not. `ourBooks` is null while the journal is not read.
 */
export async function killAll(
  rest: KillEdge,
  timers: Timers,
  goesOn: () => boolean,
  ourBooks: () => OurBooks | null,
): Promise<WholeKill> {
  const orders = new CancelTally<BrokerOrder>();
  const triggers = new CancelTally<BrokerTriggerOrder>();
  const send = { ...SEND, refuse: () => (goesOn() ? null : 'the halt is over') };
  let doubted: ReadonlySet<string> = new Set();
  let before = '';
  for (let round = 1; ; round += 1) {
    const ours = ourBooks();
    const [inDay, waiting, positions] = await Promise.all([
      rest.inDayBook(READ),
      rest.conditions.book(READ),
      rest.positions(READ),
    ]);
    const verdict = killVerdict({ inDay, waiting, positions, ours });
    orders.observe(inDay, verdict, (row): row is BrokerOrder => !('kind' in row));
    triggers.observe(waiting, verdict, (row): row is BrokerTriggerOrder => 'kind' in row);
    const kept = verdict.open.filter((row) => !verdict.increasing.has(row));
    const held = positions.ok ? netsOf(positions.value) : null;
    const now = held === null ? '' : fingerprint(verdict.open, held);
    const hasTriggered = triggers.hasNewlyTriggered(waiting);
    // An exit may fill between two reads: remaining orders are proven when two rounds show the same.
    const isSettled = kept.length === 0 || (now !== '' && now === before && verdict.doubt === '');
    before = now;
    const isDone = orders.isClean && triggers.isClean && !hasTriggered && isSettled;
    if (isDone || round === ROUNDS_MAX || !goesOn()) {
      const why = verdict.doubt === '' ? 'positions and orders changed between two reads' : verdict.doubt;
      return {
        orders: orders.report,
        triggers: triggers.report,
        rows: inDay.orders,
        held,
        kept,
        keptReason: isSettled ? '' : why,
        excess: verdict.excess,
      };
    }
    const { doubtful } = verdict;
    const isSure = (row: BookRow): boolean => !doubtful.has(nameOf(row)) || doubted.has(nameOf(row));
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

/** The broker's flag is obeyed. An order that still works after a lost cancel is tried again. */
const mayCancel = ({ canCancel, status }: BrokerOrder): boolean =>
  canCancel && status !== 'cancel_pending' && status !== 'matched_cancel_pending';

const fingerprint = (open: readonly BookRow[], held: ReadonlyMap<string, number>): string =>
  [
    ...open.map((row) => ('kind' in row ? row.orderKey : `${row.orderNo} ${row.filledQty}`)),
    ...[...held].map(([code, qty]) => `${code} ${qty}`),
  ].join('|');

class CancelTally<Each extends BookRow> {
  readonly #canceled = new Set<string>();
  readonly #failed = new Map<BrokerOrderNo, string>();
  readonly #shown = new Set<string>();
  readonly #triggered = new Set<string>();
  /** Refused with an answer that names the order and says that it is over. */
  readonly #ended = new Set<string>();
  #open: readonly Each[] = [];
  #unshown: ReadonlySet<string> = new Set();
  #unshownNos: readonly BrokerOrderNo[] = [];
  #complete = false;
  #reason = '';

  get isClean(): boolean {
    return this.#complete && this.#open.length === 0 && this.#unshownNos.length === 0;
  }

  get report(): KillReport<Each> {
    const left = [...this.#failed].filter(
      ([no]) => !this.#complete || this.#open.some(({ orderNo }) => orderNo === no),
    );
    return {
      canceled: [...this.#canceled],
      failed: left.map(([orderNo, reason]) => ({ orderNo, reason })),
      open: this.#open,
      unshown: this.#unshownNos,
      isProven: this.#complete,
      reason: this.#reason,
    };
  }

  observe(
    { complete, reason }: BookScan<Each>,
    { open, increasing, unshown }: KillVerdict,
    isOfBook: (row: BookRow) => row is Each,
  ): void {
    const isEnded = (row: BookRow): boolean => unshown.has(nameOf(row)) && this.#ended.has(nameOf(row));
    const left = open.filter(isOfBook).filter((row) => !isEnded(row));
    this.#complete = complete;
    this.#reason = reason;
    this.#open = left.filter((row) => increasing.has(row));
    this.#unshown = unshown;
    this.#unshownNos = left.filter((row) => unshown.has(nameOf(row))).map(({ orderNo }) => orderNo);
    for (const row of this.#open) this.#shown.add(nameOf(row));
  }

  /** An order triggered before it was canceled: its child is in the in-day book, which was read at the same time. */
  hasNewlyTriggered({ orders }: BookScan<BrokerTriggerOrder>): boolean {
    const before = this.#triggered.size;
    for (const { orderKey, status } of orders)
      if (status === 'activated' && this.#shown.has(orderKey)) this.#triggered.add(orderKey);
    return this.#triggered.size > before;
  }

  async cancel(isAllowed: (row: Each) => boolean, send: (row: Each) => Promise<CallOutcome>): Promise<void> {
    // One that no row shows may be on its way out: asking again proves nothing.
    const isAsked = (row: Each): boolean => this.#unshown.has(nameOf(row)) && this.#canceled.has(nameOf(row));
    await Promise.all(
      this.#open
        .filter((row) => isAllowed(row) && !isAsked(row))
        .map(async (row) => {
          const name = nameOf(row);
          const outcome = await send(row);
          if (outcome.status === 'accepted') {
            this.#canceled.add(name);
            this.#failed.delete(row.orderNo);
          } else this.#failed.set(row.orderNo, failureOfCall(outcome));
          if (outcome.status === 'rejected' && endsOrder(outcome)) this.#ended.add(name);
        }),
    );
  }
}
