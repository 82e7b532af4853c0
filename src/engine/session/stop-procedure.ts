/**
 * Clean stop (rulings, 27): a flatten that is under way is let to its end, orders are cancelled or kept, positions held or flattened,
 * by the settings; then `stop_ready`. Every step has a time limit, after which the remainder is alerted and the stop goes on: the process may be killed soon.
 */
import { nextPhaseChange, type SessionPhase } from '../../domain/calendar.ts';
import { type DurationUs, durationUs, seconds, strategyIndex, US_PER_MINUTE } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';
import { Withdrawal } from './flattener.ts';
import type { TargetExecutor } from './target-executor.ts';

/** For the book to show the end of what was cancelled. */
const STOP_CANCELS_MAX = seconds(15);

/** `closing`: a flatten that began before. `waiting` for a phase in which orders can be cancelled or positions closed. */
type Stage = 'idle' | 'closing' | 'waiting' | 'canceling' | 'flattening' | 'ready';

export class StopProcedure {
  readonly #state: EngineState;
  readonly #executor: TargetExecutor;
  #withdrawal: Withdrawal;
  #stage: Stage = 'idle';
  #reason = '';
  #left: readonly string[] = [];

  constructor(state: EngineState, executor: TargetExecutor) {
    this.#state = state;
    this.#executor = executor;
    this.#withdrawal = this.#createWithdrawal();
  }

  get stage(): Stage {
    return this.#stage;
  }

  begin(reason: string): void {
    if (this.#stage !== 'idle') return;
    this.#reason = reason;
    this.#withdrawal = this.#createWithdrawal();
    if (!this.#isClosing) return this.#goOn();
    // Its stops are withdrawn: without its exits the position would be left naked.
    this.#stage = 'closing';
    this.#state.sessionTimers.after(this, this.#flattenMax(), () => this.#goOn());
  }

  /** Outside continuous trading nothing comes of it soon. */
  get #isClosing(): boolean {
    return this.#phase === 'continuous' && this.#state.targets.isClosingAny;
  }

  #goOn(): void {
    this.#state.sessionTimers.stop(this);
    if (this.#phase === 'continuous' || !this.#hasWork()) return this.#cancelOrders();
    this.#waitOrLeave();
  }

  /** Outside continuous trading: the end waits where the settings say so, and nothing else holds it. */
  #waitOrLeave(): void {
    const { settings, calendar, context } = this.#state;
    this.#state.sessionTimers.stop(this);
    const phase = this.#phase;
    const text = `nothing can be cancelled or closed at will in the phase ${phase}`;
    if (!this.#hasWork()) return this.#finish();
    if (settings.stop.inAuction === 'wait' && phase !== 'closed') {
      this.#stage = 'waiting';
      const now = context.nowUs;
      const minutes = Math.ceil((nextPhaseChange(calendar, now) - now) / US_PER_MINUTE);
      const rest = `the end waits for the next phase, in ${minutes} min; a second signal ends at once and leaves them`;
      return context.alert(null, 'warning', 'stop_waits', `${text}: ${rest}`);
    }
    this.#sayLeft(text);
    this.#finish();
  }

  get #phase(): SessionPhase {
    return this.#state.session.phase;
  }

  /** The phase has changed. */
  onPhase(phase: SessionPhase): void {
    if (this.#stage === 'waiting' && phase === 'continuous') return this.#cancelOrders();
    if (this.#stage === 'waiting' && phase === 'closed') {
      this.#sayLeft('the trading day is over');
      return this.#finish();
    }
    this.step();
  }

  step(): void {
    if (this.#stage === 'closing' && !this.#isClosing) this.#goOn();
    if (this.#stage === 'canceling' && this.#withdrawal.isDone) this.#closePositions();
    if (this.#stage === 'flattening' && !this.#state.targets.isBusy) this.#finish();
    if (this.#stage === 'flattening' && this.#phase !== 'continuous') this.#waitOrLeave();
  }

  /** A new process began: the stop concerned the old one. */
  reset(): void {
    if (this.#stage === 'idle') return;
    this.#state.sessionTimers.stop(this);
    this.#stage = 'idle';
    this.#left = [];
    this.#executor.endStop();
  }

  /** A position that stays open keeps its protective orders at the broker, and what they sent when they triggered. */
  #createWithdrawal(): Withdrawal {
    const { settings, entries } = this.#state;
    const isHeld = settings.stop.positions === 'hold';
    return new Withdrawal(
      this.#state,
      ({ isAdopted, isWaiting, purpose, clientOrderId }) =>
        !isAdopted && !(isHeld && ((isWaiting && purpose === 'reduce') || entries.isCover(clientOrderId))),
    );
  }

  #hasWork(): boolean {
    const { settings, portfolio } = this.#state;
    const { orders, positions } = settings.stop;
    const isHolding = portfolio.held().some(({ strategy }) => strategy >= 0);
    return (orders === 'cancel' && !this.#withdrawal.isDone) || (positions === 'flatten' && isHolding);
  }

  #cancelOrders(): void {
    const { settings, sessionTimers } = this.#state;
    if (settings.stop.orders === 'keep' || this.#withdrawal.isDone) return this.#closePositions();
    this.#stage = 'canceling';
    this.#withdrawal.ask();
    sessionTimers.after(this, STOP_CANCELS_MAX, () => {
      this.#sayLeft('their end was not seen in time');
      this.#closePositions();
    });
  }

  #closePositions(): void {
    const { settings, sessionTimers } = this.#state;
    this.#state.sessionTimers.stop(this);
    if (settings.stop.positions === 'hold') return this.#finish();
    if (this.#phase !== 'continuous') return this.#waitOrLeave();
    this.#stage = 'flattening';
    for (let i = 0; i < settings.strategies.length; i += 1)
      this.#executor.flattenOwner(strategyIndex(i), `stop: ${this.#reason}`, 'stop');
    if (!this.#state.targets.isBusy) return this.#finish();
    sessionTimers.after(this, this.#flattenMax(), () => {
      this.#sayLeft('they were not closed in time');
      this.#finish();
    });
  }

  /** A try waits for a read and for a fill; the first needs the cancels too. */
  #flattenMax(): DurationUs {
    const { attempts, retryAfter } = this.#state.settings.flatten;
    return durationUs(STOP_CANCELS_MAX + 2 * (attempts + 2) * retryAfter);
  }

  #sayLeft(why: string): void {
    const { settings, context, portfolio, contracts } = this.#state;
    const names: string[] = [];
    if (settings.stop.orders === 'cancel')
      for (const { clientOrderId } of this.#withdrawal.waiting) names.push(`order ${clientOrderId}`);
    for (const held of portfolio.held())
      if (settings.stop.positions === 'flatten' || this.#state.targets.has(held))
        names.push(`position ${held.qty} of ${contracts.at(held.instrument)?.orderCode ?? held.instrument}`);
    if (names.length === 0) return;
    this.#left = names;
    context.alert(null, 'critical', 'stop_leaves', `left behind, ${why}: ${names.join(', ')}`);
  }

  #finish(): void {
    const { portfolio, context } = this.#state;
    this.#state.sessionTimers.stop(this);
    const isLeft = portfolio.held().some((held) => this.#state.targets.has(held));
    if (isLeft && this.#left.length === 0) this.#sayLeft('its flatten is not done');
    this.#stage = 'ready';
    const rest = this.#left.length === 0 ? '' : `; left behind: ${this.#left.join(', ')}`;
    context.append({ ...context.head(null), kind: 'stop_ready', reason: `${this.#reason}${rest}` });
  }
}
