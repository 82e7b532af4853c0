/**
 * Clean stop (rulings, 27): a flatten that is under way is let to its end, orders are canceled or kept, positions held or flattened,
 * by the settings; then `stop_ready`. Every step has a time limit, after which the remainder is alerted and the stop goes on: the process may be killed soon.
 */
import { CLOSE_REPORTED_AFTER, dayClose, nextPhaseChange, type SessionPhase } from '../../domain/calendar.ts';
import { type DurationUs, durationUs, seconds, US_PER_MINUTE } from '../../domain/units.ts';
import { type ClientOrderId, shortOrderId } from '../../domain/ids.ts';
import type { EngineState } from '../engine-state.ts';
import { mayEnd, mayFill, type OrderView, whyUnproven } from '../engine-view.ts';

/** Time for the book to show the end of canceled orders. */
const STOP_CANCELS_MAX = seconds(15);

/** Time for the book to show what the last auction of the day made of them. */
const CLOSE_REPORTS_MAX = seconds(30);

/**
 * `closing`: a flatten that began before. `waiting` for a phase in which orders can be canceled or positions closed, or for the reports of
 * the close.
 */
type Stage = 'idle' | 'closing' | 'waiting' | 'canceling' | 'flattening' | 'ready';

export class ShutdownProcedure {
  readonly #state: EngineState;
  /** Changed here alone. */
  stage: Stage = 'idle';
  #reason = '';
  #left: readonly string[] = [];
  /** Once each: the process may be killed soon. */
  readonly #canceled = new Set<ClientOrderId>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  begin(reason: string): void {
    if (this.stage !== 'idle') return;
    this.#reason = reason;
    if (!this.#isClosing) return this.#goOn();
    // Its stops are withdrawn: without its exits the position would be left naked.
    this.#enter('closing', { after: this.#flattenMax, run: () => this.#goOn() });
  }

  /** Outside continuous trading nothing comes of it soon. */
  get #isClosing(): boolean {
    return this.#isOpen && this.#state.targets.isClosingAny;
  }

  get #isOpen(): boolean {
    return this.#state.session.phase === 'continuous';
  }

  #goOn(): void {
    this.#state.targets.isLeaving = true;
    if (this.#isOpen) this.#cancelOrders();
    else this.#waitOrLeave();
  }

  /** The last auction may have filled orders of ours: no later day shows at which price. */
  get #isAwaitingReports(): boolean {
    const { calendar, context, session, orders } = this.#state;
    const closeUs = dayClose(calendar, session.tradingDay()) ?? Infinity;
    const sinceUs = context.nowUs - closeUs;
    const isReporting = sinceUs >= 0 && sinceUs < CLOSE_REPORTED_AFTER;
    return isReporting && orders.open.some((order) => mayFill(order) && !order.isAdopted);
  }

  /** Outside continuous trading: the end waits where the settings say so, and nothing else holds it. */
  #waitOrLeave(): void {
    const { settings, calendar, context, session } = this.#state;
    const { phase } = session;
    const text = `nothing can be canceled or closed at will in the phase ${phase}`;
    if (this.#isAwaitingReports) {
      const onLate = (): void => this.#endWith('their end was not seen in time');
      return this.#enter('waiting', { after: CLOSE_REPORTS_MAX, run: onLate });
    }
    if (!this.#hasWork()) return this.#finish();
    if (settings.stop.inAuction !== 'wait' || phase === 'closed') return this.#endWith(text);
    this.#enter('waiting');
    const now = context.nowUs;
    const minutes = Math.ceil((nextPhaseChange(calendar, now) - now) / US_PER_MINUTE);
    const rest = `the end waits for the next phase, in ${minutes} min; a second signal ends at once and leaves them`;
    context.alert(null, 'warning', 'stop_waits', `${text}: ${rest}`);
  }

  onPhase(phase: SessionPhase): void {
    if (this.stage === 'waiting' && phase === 'continuous') return this.#cancelOrders();
    if (this.stage === 'waiting' && phase === 'closed') return this.#waitOrLeave();
    this.step();
  }

  step(): void {
    if (this.stage === 'closing' && !this.#isClosing) this.#goOn();
    if (this.stage === 'canceling' && this.#leaving.length === 0) this.#closePositions();
    else if (this.stage === 'canceling') this.#cancelLeaving();
    if (this.stage === 'flattening' && !this.#state.targets.isBusy) this.#finish();
    if (this.stage === 'flattening' && !this.#isOpen) this.#waitOrLeave();
    if (this.stage === 'waiting' && this.#state.session.phase === 'closed' && !this.#isAwaitingReports)
      this.#waitOrLeave();
  }

  /** A new process began: the stop concerned the old one. */
  reset(): void {
    if (this.stage === 'idle') return;
    this.#enter('idle');
    this.#state.targets.isLeaving = false;
    this.#left = [];
    this.#canceled.clear();
    this.#state.targetExecutor.endStop();
  }

  /** A position keeps its protective orders at the broker, and the orders that they sent when they triggered: a flatten withdraws them. */
  get #leaving(): readonly OrderView[] {
    const { withdrawal, orders } = this.#state;
    return orders.open.filter((order) => {
      const { isAdopted, isTriggerOrder, purpose, clientOrderId } = order;
      const protects = (isTriggerOrder && purpose === 'reduce') || withdrawal.isCover(clientOrderId);
      return mayEnd(order) && !isAdopted && !protects;
    });
  }

  /** Stops that were placed before their entry filled go last: it may fill before its cancel arrives, or have filled unseen. */
  #cancelLeaving(): void {
    const leaving = this.#leaving;
    const areLast = leaving.every(({ isTriggerOrder }) => isTriggerOrder);
    for (const { isBeingCanceled, isTriggerOrder, strategy, clientOrderId } of leaving) {
      const isLater = isTriggerOrder && (!areLast || this.#state.withdrawal.isUnread(clientOrderId));
      if (isLater || isBeingCanceled || this.#canceled.has(clientOrderId)) continue;
      this.#canceled.add(clientOrderId);
      this.#state.context.cancel(strategy, clientOrderId);
    }
  }

  #hasWork(): boolean {
    const { settings, portfolio } = this.#state;
    const { orders, positions } = settings.stop;
    const isHolding = portfolio.held().some(({ strategy }) => strategy >= 0);
    return (orders === 'cancel' && this.#leaving.length > 0) || (positions === 'flatten' && isHolding);
  }

  #cancelOrders(): void {
    if (this.#state.settings.stop.orders === 'keep' || this.#leaving.length === 0)
      return this.#closePositions();
    this.#cancelLeaving();
    const onLate = (): void => {
      this.#alertLeft('their end was not seen in time');
      this.#closePositions();
    };
    this.#enter('canceling', { after: STOP_CANCELS_MAX, run: onLate });
  }

  #closePositions(): void {
    const { settings, registry, targets } = this.#state;
    if (settings.stop.positions === 'hold') return this.#finish();
    if (!this.#isOpen) return this.#waitOrLeave();
    const onLate = (): void => this.#endWith('they were not closed in time');
    this.#enter('flattening', { after: this.#flattenMax, run: onLate });
    for (const { index } of registry.registered)
      this.#state.targetExecutor.flattenOwner(index, `stop: ${this.#reason}`, 'stop');
    if (!targets.isBusy) this.#finish();
  }

  /** A try waits for a read and for a fill; the first needs the cancels too. */
  get #flattenMax(): DurationUs {
    const { attempts, retryAfter } = this.#state.settings.flatten;
    return durationUs(STOP_CANCELS_MAX + 2 * (attempts + 2) * retryAfter);
  }

  /** Orders of before may have filled. */
  get #mayHoldUnseen(): boolean {
    return this.#state.settings.stop.positions === 'flatten' && whyUnproven(this.#state) !== null;
  }

  #alertLeft(why: string): void {
    const { settings, context, portfolio, contracts, targets } = this.#state;
    const names: string[] = [];
    if (settings.stop.orders === 'cancel')
      for (const { clientOrderId } of this.#leaving) names.push(`order ${shortOrderId(clientOrderId)}`);
    for (const held of portfolio.held())
      if (settings.stop.positions === 'flatten' || targets.has(held))
        names.push(`position ${held.qty} of ${contracts.at(held.instrument)?.orderCode ?? held.instrument}`);
    if (this.#mayHoldUnseen) names.push('what the broker may hold besides');
    if (names.length === 0) return;
    this.#left = names;
    context.alert(null, 'critical', 'stop_leaves', `left behind, ${why}: ${names.join(', ')}`);
  }

  #endWith(why: string): void {
    this.#alertLeft(why);
    this.#finish();
  }

  #finish(): void {
    const { portfolio, context, targets } = this.#state;
    const isLeft = portfolio.held().some((held) => targets.has(held));
    if ((isLeft || this.#mayHoldUnseen) && this.#left.length === 0)
      this.#alertLeft(isLeft ? 'its flatten is not done' : 'positions are not proven');
    this.#enter('ready');
    // Calls that were sent before are answered yet: none of them begins a flatten again.
    for (const { requesters } of targets.all) requesters.delete('stop');
    const rest = this.#left.length === 0 ? '' : `; left behind: ${this.#left.join(', ')}`;
    context.append({ ...context.head(null), kind: 'stop_ready', reason: `${this.#reason}${rest}` });
  }

  /** `late`: runs when the stage takes too long. */
  #enter(stage: Stage, late?: { readonly after: DurationUs; readonly run: () => void }): void {
    this.stage = stage;
    if (late === undefined) this.#state.timers.stop(this);
    else this.#state.timers.after(this, late.after, late.run);
  }
}
