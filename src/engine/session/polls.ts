/** Periodic reads of the broker's state, by the engine's own timers. */
import { addUs, type DurationUs, durationUs, minutes, seconds } from '../../domain/units.ts';
import type { Contract } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { addNew } from '../../domain/lists.ts';
import type { EngineCore } from '../engine-core.ts';
import { ENGINE_TIMER } from '../state/timers.ts';

/** Pace while the market is closed and nothing is open. */
const IDLE_EVERY: DurationUs = minutes(5);
/** Reference prices are asked for again until they come: entries wait for them. */
const REFERENCE_AGAIN: DurationUs = seconds(5);
/** A list that lacks a contract is read again. */
const LIST_AGAIN: DurationUs = minutes(1);
/** Reads of reference prices have come by then. */
const UNMEASURED_US_MAX = minutes(1);
/** A trigger book without orders of ours is read once in this many slow reads. */
const SELDOM = 6;

const POLLED = ['positions', 'account', 'triggers'] as const;
type Polled = (typeof POLLED)[number];

export class Polls {
  readonly #core: EngineCore;
  /** How often the trigger book is read; null: it holds no order of ours, and seldom is enough for those of others. */
  triggerPace: 'fast' | 'slow' | null = null;
  /** Start of the time in which losses of the day cannot be measured. */
  #unmeasuredUs = Infinity;
  readonly #alerted = new Set<OrderCode>();

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** After a start of the process: reads everything once and goes on from there. */
  start(): void {
    this.triggerPace = null;
    for (const what of ['triggers', 'contracts', 'book', 'positions', 'account'] as const)
      this.#core.reads.request(what);
    const { positions, account } = this.#core.settings.poll;
    this.#pollAfter('positions', positions);
    this.#pollAfter('account', account);
    this.#armTriggers('slow');
  }

  followTriggers(pace: 'fast' | 'slow' | null): void {
    this.triggerPace = pace;
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
    this.#readContractsAfter(REFERENCE_AGAIN);
  }

  /** The list lacks a contract that has not ended, of which no price comes then: it may have been a bad one. */
  onContractMissing(): void {
    this.#readContractsAfter(LIST_AGAIN);
  }

  #readContractsAfter(wait: DurationUs): void {
    const { context, timers, reads, session } = this.#core;
    const dueUs = addUs(context.nowUs, session.phase === 'closed' ? IDLE_EVERY : wait);
    timers.set(ENGINE_TIMER, dueUs, () => reads.request('contracts'), 'contracts');
  }

  #poll(what: Polled): void {
    this.#core.reads.request(what);
    // Orders with a trigger are denied until the trigger book was read once.
    const isUnread = this.#core.session.triggersReadUs === -Infinity;
    if (what === 'triggers') return this.#armTriggers(this.triggerPace ?? (isUnread ? 'slow' : null));
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
