/** Reads of the broker's state, merged: a read that is asked for twice before it answers is sent once. */
import { type DurationUs, durationUs, minutes, seconds } from '../../domain/units.ts';
import type { Contract } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { addNew } from '../../domain/lists.ts';
import type { EngineCore } from '../engine-core.ts';
import type { ReadFailed, ReadKind } from '../ports/engine-event.ts';
import type { Reports } from '../ports/outbound.ts';
import type { EventContext } from '../state/event-context.ts';
import { ENGINE_TIMER } from '../state/timers.ts';

/** A missing answer does not hold a later request for longer than this. */
const ANSWER_US_MAX = 30_000_000;
/** Failed reads of one kind in a row before an alert. */
const ALERT_AFTER_FAILURES = 5;

export class ReadRequests {
  readonly #context: EventContext;
  readonly #reports: Reports;
  /** When the read that waits was asked for. */
  readonly #requested = new Map<ReadKind, number>();
  /** When it was asked for again meanwhile: a read that began earlier does not show that moment. */
  readonly #requestedAgain = new Map<ReadKind, number>();
  /** Failed reads in a row. */
  readonly #failures = new Map<ReadKind, number>();
  #pace: 'fast' | 'slow' | null = null;
  /** Reads that began earlier belong to the engine before this one, which had other orders and another day. */
  #sinceUs = -Infinity;

  constructor(context: EventContext, reports: Reports) {
    this.#context = context;
    this.#reports = reports;
  }

  request(what: ReadKind): void {
    const now = this.#context.nowUs;
    if (now - (this.#requested.get(what) ?? -Infinity) < ANSWER_US_MAX) {
      this.#requestedAgain.set(what, now);
      return;
    }
    this.#requested.set(what, now);
    this.#reports.read(what);
  }

  /**
   * A request that was made since the read began is carried out now. `startedUs` absent: the read began no earlier than it was asked for.
   * False for a read that began before this engine.
   */
  onArrived(what: ReadKind, startedUs = this.#requested.get(what) ?? Infinity): boolean {
    if (startedUs < this.#sinceUs) return false;
    if (this.#failures.size > 0) this.#failures.delete(what);
    const again = this.#requestedAgain.get(what) ?? -Infinity;
    this.#requested.delete(what);
    this.#requestedAgain.delete(what);
    if (startedUs < again) this.request(what);
    return true;
  }

  /** Alerts when reads keep failing. */
  onFailed({ what, reason }: ReadFailed): void {
    this.#requested.delete(what);
    this.#requestedAgain.delete(what);
    const count = (this.#failures.get(what) ?? 0) + 1;
    this.#failures.set(what, count);
    if (count !== ALERT_AFTER_FAILURES) return;
    const text = `${what} could not be read ${count} times in a row: ${reason}`;
    this.#context.alert(null, 'warning', 'reads_failing', text);
  }

  setPace(pace: 'fast' | 'slow'): void {
    if (this.#pace === pace) return;
    this.#pace = pace;
    this.#reports.pollPace(pace);
  }

  /** Earlier requests get no answer that counts. */
  restart(sinceUs = this.#sinceUs): void {
    this.#sinceUs = sinceUs;
    this.#requested.clear();
    this.#requestedAgain.clear();
    this.#failures.clear();
    this.#pace = null;
  }
}

/** Pace while the market is closed and nothing is open. */
const IDLE_EVERY: DurationUs = minutes(5);
/** Reference prices are asked for again until they come: entries wait for them. */
const REFERENCE_AGAIN: DurationUs = seconds(5);
/** Reads of reference prices have come by then. */
const UNMEASURED_US_MAX = minutes(1);
/** A trigger book without orders of ours is read once in this many slow reads. */
const SELDOM = 6;

const POLLED = ['positions', 'account', 'triggers'] as const;
type Polled = (typeof POLLED)[number];

/** Periodic reads by the engine's own timers. */
export class Polls {
  readonly #core: EngineCore;
  #triggerPace: 'fast' | 'slow' | null = null;
  /** Start of the time in which losses of the day cannot be measured. */
  #unmeasuredUs = Infinity;
  readonly #alerted = new Set<OrderCode>();

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** After a start of the process: reads everything once and goes on from there. */
  start(): void {
    this.#triggerPace = null;
    for (const what of ['triggers', 'contracts', 'book', 'positions', 'account'] as const)
      this.#core.reads.request(what);
    const { positions, account } = this.#core.settings.poll;
    this.#pollAfter('positions', positions);
    this.#pollAfter('account', account);
    this.#armTriggers('slow');
  }

  /** How often the trigger book is read; null: it holds no order of ours, and seldom is enough for those of others. */
  followTriggers(pace: 'fast' | 'slow' | null): void {
    if (pace === this.#triggerPace) return;
    this.#triggerPace = pace;
    if (pace === 'fast') this.#core.reads.request('triggers');
    this.#armTriggers(pace);
  }

  awaitReference(): void {
    const { isLive, isReferenceFresh } = this.#core.market;
    if (!isLive || isReferenceFresh) return;
    this.#core.reads.request('reference');
    const dueUs = this.#core.context.nowUs + REFERENCE_AGAIN;
    this.#core.timers.set(ENGINE_TIMER, dueUs, () => this.awaitReference());
  }

  /** The market opens: reads at the pace of the night would come minutes late, and list and bands may be those of the day before. */
  onOpen(): void {
    this.#core.reads.request('contracts');
    for (const what of POLLED) if (this.#core.timers.has(what)) this.#poll(what);
  }

  /** Contracts of the day before count as fresh until the list comes. */
  onContractsFailed(): void {
    const { context, session, timers, reads } = this.#core;
    const dueUs = context.nowUs + (session.phase === 'closed' ? IDLE_EVERY : REFERENCE_AGAIN);
    timers.set(ENGINE_TIMER, dueUs, () => reads.request('contracts'), 'contracts');
  }

  #poll(what: Polled): void {
    this.#core.reads.request(what);
    // Orders with a trigger are denied until the trigger book was read once.
    const isUnread = this.#core.session.triggersReadUs === -Infinity;
    if (what === 'triggers') return this.#armTriggers(this.#triggerPace ?? (isUnread ? 'slow' : null));
    if (what === 'account') this.#checkReference();
    this.#pollAfter(what, this.#core.settings.poll[what]);
  }

  /** Losses of what was carried over are measured from the reference price of the day. */
  #checkReference(): void {
    const { session, contracts, portfolio, context, reads } = this.#core;
    const unmeasured = contracts.all.filter(
      ({ index }) =>
        !contracts.isEnded(index) && portfolio.pricedQty(null, index) !== portfolio.accountQty(index),
    );
    if (unmeasured.length > 0 || this.#isReferenceOld()) reads.request('reference');
    const isJudged = session.phase === 'continuous' && session.isSurelyToday(context.nowUs);
    this.#unmeasuredUs =
      isJudged && unmeasured.length > 0 ? Math.min(this.#unmeasuredUs, context.nowUs) : Infinity;
    if (context.nowUs - this.#unmeasuredUs < UNMEASURED_US_MAX) return;
    for (const { orderCode } of unmeasured) {
      const text = `${orderCode}: the broker shows no reference price of the day, so what was carried over counts for no limit on losses until it does`;
      if (addNew(this.#alerted, orderCode)) context.alert(null, 'critical', 'loss_unmeasured', text);
    }
  }

  /** Read when the broker had perhaps not begun this day, or without a listed contract: profit counts from another price by now. */
  #isReferenceOld(): boolean {
    const { session, market, context, contracts } = this.#core;
    const isOld = !session.isSurelyToday(market.referenceUs) && session.isSurelyToday(context.nowUs);
    const isMissing = ({ index }: Contract): boolean =>
      market.of(index).bandUs > -Infinity && market.of(index).bandUs < market.referenceUs;
    return isOld || contracts.all.some((each) => isMissing(each) && !contracts.isEnded(each.index));
  }

  #armTriggers(pace: 'fast' | 'slow' | null): void {
    const { bookFast, bookSlow } = this.#core.settings.poll;
    const every = pace === 'fast' ? bookFast : pace === 'slow' ? bookSlow : durationUs(SELDOM * bookSlow);
    this.#pollAfter('triggers', every);
  }

  #pollAfter(what: Polled, every: DurationUs): void {
    const { context, session, orders } = this.#core;
    const isIdle = session.phase === 'closed' && orders.open.length === 0;
    const dueUs = context.nowUs + (isIdle ? Math.max(every, IDLE_EVERY) : every);
    this.#core.timers.set(ENGINE_TIMER, dueUs, () => this.#poll(what), what);
  }
}
