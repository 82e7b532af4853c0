/**
 * The kill path: cancels from the broker's book, not from anybody's memory (rulings, 32). It asks nothing of engine,
 * strategies, journal or latch, and goes on when parts of it fail.
 */
import type { BrokerOrder, BrokerOrderStatus, CallOutcome } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { BrokerOrderNo } from '../../domain/ids.ts';
import { seconds } from '../../domain/units.ts';
import type { OrderCalls, ReadCalls } from '../rest/broker-calls.ts';

export interface KillReport {
  /** Cancels the broker accepted. */
  readonly canceled: readonly BrokerOrderNo[];
  /** Cancels that were refused, lost or never left, of orders not proven gone since; with the last reason. */
  readonly failed: readonly { readonly orderNo: BrokerOrderNo; readonly reason: string }[];
  /** What still works according to the last look. */
  readonly working: readonly BrokerOrder[];
  /** Whether the last look was at the whole book: only then is an empty `working` proof. */
  readonly isProven: boolean;
  readonly reason: string;
}

const ROUNDS_MAX = 5;
/** A cancel is confirmed in the book, not in its answer: that takes a moment. */
const BETWEEN_ROUNDS = seconds(1);

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

const isWorking = (order: BrokerOrder): boolean => IS_WORKING[order.status] && order.filledQty < order.qty;

export async function killAll(rest: OrderCalls & ReadCalls, timers: Timers): Promise<KillReport> {
  const canceled = new Set<BrokerOrderNo>();
  const failed = new Map<BrokerOrderNo, string>();
  for (let round = 1; ; round += 1) {
    const walk = await rest.inDayBook({ priority: 'lookup' });
    const working = walk.orders.filter(isWorking);
    const isDone = walk.complete && working.length === 0;
    if (isDone || round === ROUNDS_MAX) {
      return {
        canceled: [...canceled],
        failed: [...failed]
          .filter(([orderNo]) => !walk.complete || working.some((order) => order.orderNo === orderNo))
          .map(([orderNo, reason]) => ({ orderNo, reason })),
        working,
        isProven: walk.complete,
        reason: walk.reason,
      };
    }
    await Promise.all(
      working.filter(mayCancel).map(async ({ orderNo }) => {
        const outcome = await cancel(rest, orderNo);
        if (outcome.status === 'accepted') canceled.add(orderNo);
        if (outcome.status === 'accepted') failed.delete(orderNo);
        else failed.set(orderNo, reasonOf(outcome));
      }),
    );
    await new Promise<void>((resolve) => timers.after(BETWEEN_ROUNDS, resolve));
  }
}

/** The broker's flag is obeyed. A lost cancel is decided anew from the book: what still stands there is tried again. */
const mayCancel = ({ canCancel, status }: BrokerOrder): boolean =>
  canCancel && status !== 'cancel_pending' && status !== 'matched_cancel_pending';

const cancel = (rest: OrderCalls, orderNo: BrokerOrderNo): Promise<CallOutcome> =>
  rest.cancel({ orderNo, callId: null }, { priority: 'exit', refuse: () => null });

const reasonOf = (outcome: Exclude<CallOutcome, { status: 'accepted' }>): string =>
  outcome.status === 'rejected' ? `${outcome.code} ${outcome.text}` : outcome.reason;
