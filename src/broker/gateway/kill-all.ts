/**
 * Kill path: cancels what the broker's own books show (rulings, 32). It needs neither engine, strategies, journal nor halt, and
 * goes on when parts of it fail.
 */
import type {
  BrokerOrder,
  BrokerOrderStatus,
  BrokerTriggerOrder,
  CallOutcome,
} from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { BrokerOrderKey, BrokerOrderNo } from '../../domain/ids.ts';
import { seconds } from '../../domain/units.ts';
import type { BookScan, ConditionCalls, OrderCalls, ReadCalls } from '../rest/rest-client.ts';

export interface KillReport<Row> {
  /** Cancels that the broker accepted. */
  readonly canceled: readonly string[];
  /** Cancels that were refused, lost or not sent, of orders not proven gone since; with the last reason. */
  readonly failed: readonly { readonly orderNo: BrokerOrderNo; readonly reason: string }[];
  /** Orders that are still open according to the last scan. */
  readonly open: readonly Row[];
  /** Whether the last scan was complete: only then is an empty `open` proof. */
  readonly isProven: boolean;
  readonly reason: string;
}

export interface WholeKill {
  readonly orders: KillReport<BrokerOrder>;
  readonly triggers: KillReport<BrokerTriggerOrder>;
}

export type KillEdge = OrderCalls &
  ReadCalls & { readonly conditions: Pick<ConditionCalls, 'book' | 'cancel'> };

/** Empties both books. When a stop triggers between the scans, its order stands in the in-day book, which is scanned again. */
export async function killAll(rest: KillEdge, timers: Timers): Promise<WholeKill> {
  const [orders, { report: triggers, hasTriggered }] = await Promise.all([
    cancelOrders(rest, timers),
    cancelTriggers(rest.conditions, timers),
  ]);
  if (!hasTriggered) return { orders, triggers };
  const again = await cancelOrders(rest, timers);
  return { orders: { ...again, canceled: [...orders.canceled, ...again.canceled] }, triggers };
}

const ROUNDS_MAX = 5;
/** A cancel is confirmed in the book, not in its answer: that takes a moment. */
const BETWEEN_ROUNDS = seconds(1);
const SEND = { priority: 'exit', refuse: () => null } as const;
const READ = { priority: 'lookup' } as const;

interface Book<Row> {
  read(): Promise<BookScan<Row>>;
  isOpen(row: Row): boolean;
  /** The broker takes a cancel of it now. */
  mayCancel(row: Row): boolean;
  cancel(row: Row): Promise<CallOutcome>;
  nameOf(row: Row): string;
}

async function emptyBook<Row extends { readonly orderNo: BrokerOrderNo }>(
  book: Book<Row>,
  timers: Timers,
): Promise<KillReport<Row>> {
  const canceled = new Set<string>();
  const failed = new Map<BrokerOrderNo, string>();
  for (let round = 1; ; round += 1) {
    const { orders, complete, reason } = await book.read();
    const open = orders.filter((row) => book.isOpen(row));
    if ((complete && open.length === 0) || round === ROUNDS_MAX) {
      const left = [...failed].filter(([no]) => !complete || open.some(({ orderNo }) => orderNo === no));
      const failures = left.map(([orderNo, text]) => ({ orderNo, reason: text }));
      return { canceled: [...canceled], failed: failures, open, isProven: complete, reason };
    }
    await Promise.all(
      open
        .filter((row) => book.mayCancel(row))
        .map(async (row) => {
          const outcome = await book.cancel(row);
          if (outcome.status === 'accepted') {
            canceled.add(book.nameOf(row));
            failed.delete(row.orderNo);
          } else failed.set(row.orderNo, reasonOf(outcome));
        }),
    );
    await new Promise<void>((resolve) => timers.after(BETWEEN_ROUNDS, resolve));
  }
}

/** `unrecognized` may work: it is tried. */
const IS_WORKING: Readonly<Record<BrokerOrderStatus, boolean>> = {
  queued: true,
  resting: true,
  modify_pending: true,
  modified: true,
  cancel_pending: true,
  canceled: false,
  matched: true,
  matched_cancel_pending: true,
  matched_canceled: false,
  unrecognized: true,
};

export const cancelOrders = (
  rest: OrderCalls & ReadCalls,
  timers: Timers,
): Promise<KillReport<BrokerOrder>> =>
  emptyBook<BrokerOrder>(
    {
      read: () => rest.inDayBook(READ),
      isOpen: ({ status, filledQty, qty }) => IS_WORKING[status] && filledQty < qty,
      // The broker's flag is obeyed. An order that still stands after a lost cancel is tried again.
      mayCancel: ({ canCancel, status }) =>
        canCancel && status !== 'cancel_pending' && status !== 'matched_cancel_pending',
      cancel: ({ orderNo }) => rest.cancel({ orderNo, callId: null }, SEND),
      nameOf: ({ orderNo }) => orderNo,
    },
    timers,
  );

/** `hasTriggered`: an order triggered while it was being canceled, and its child is in the in-day book. */
export async function cancelTriggers(
  rest: Pick<ConditionCalls, 'book' | 'cancel'>,
  timers: Timers,
): Promise<{ readonly report: KillReport<BrokerTriggerOrder>; readonly hasTriggered: boolean }> {
  const tried = new Set<BrokerOrderKey>();
  let last: readonly BrokerTriggerOrder[] = [];
  const report = await emptyBook<BrokerTriggerOrder>(
    {
      read: async () => {
        const scan = await rest.book(READ);
        last = scan.orders;
        return scan;
      },
      // `unrecognized` may wait: it is tried.
      isOpen: ({ status }) => status === 'pending' || status === 'unrecognized',
      mayCancel: () => true,
      cancel: ({ orderNo, orderKey }) => {
        tried.add(orderKey);
        return rest.cancel({ orderNo, orderKey }, SEND);
      },
      nameOf: ({ orderKey }) => orderKey,
    },
    timers,
  );
  const hasTriggered = last.some(({ orderKey, status }) => tried.has(orderKey) && status === 'activated');
  return { report, hasTriggered };
}

const reasonOf = (outcome: Exclude<CallOutcome, { status: 'accepted' }>): string =>
  outcome.status === 'rejected' ? `${outcome.code} ${outcome.text}` : outcome.reason;
