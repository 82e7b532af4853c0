/** Halts of entries, for the account or for one strategy, until a person resumes (rulings, 37). */
import type { EngineCore } from '../engine-core.ts';
import type { HaltCode, HaltReason } from '../ports/engine-event.ts';
import { addNew } from '../../domain/lists.ts';
import type { StrategyIndex } from '../../domain/units.ts';

/** The reason while a stop is under way. */
export const STOPPING = 'the daemon is stopping';

/** Cancels the entries of one strategy, or of all. */
interface EntryCanceler {
  withdrawEntries(strategy: StrategyIndex | null): void;
}

export class EntryHalt {
  readonly #core: EngineCore;
  readonly #withdrawal: EntryCanceler;
  #why: HaltReason | null = null;
  /** The account's loss limit, whether or not it was the first reason. */
  #lossReason: string | null = null;
  /** From the stop of the process that was asked for to the start of the next one. */
  isStopping = false;
  #resumedUs = -Infinity;
  /** Limits reached while entries were off for another reason, and alerted. */
  readonly #reached = new Set<HaltCode>();
  readonly #strategies = new Map<StrategyIndex, { readonly reason: string; readonly isLoss: boolean }>();

  constructor(core: EngineCore, withdrawal: EntryCanceler) {
    this.#core = core;
    this.#withdrawal = withdrawal;
  }

  /** The entries of the strategy are off: it is stopped, or a halt holds. */
  isOff(strategy: StrategyIndex): boolean {
    return (
      this.reason !== null ||
      this.strategyReason(strategy) !== null ||
      this.#core.registry.isStopped(strategy)
    );
  }

  /** Why entries are off, or null. */
  get reason(): string | null {
    return this.#why?.reason ?? (this.isStopping ? STOPPING : null);
  }

  /** What the engine found; undefined for a command, and while entries are allowed. */
  get code(): HaltCode | undefined {
    return this.#why?.code;
  }

  /** When a person last resumed; Infinity while entries are off: until then the kill path may have canceled an order. */
  get offUntilUs(): number {
    return this.reason === null ? this.#resumedUs : Infinity;
  }

  /** The account's loss limit is reached, whether or not it was the first reason. */
  get isLossReached(): boolean {
    return this.#lossReason !== null;
  }

  /** The loss is the reason that a person sees, and accepts by resuming. */
  get isLossTheReason(): boolean {
    return this.#lossReason !== null && this.#lossReason === this.#why?.reason;
  }

  /** The first reason stays: a person has to check that one. False where it stayed. */
  halt(reason: string, code: HaltCode): boolean {
    if (this.#why !== null) return false;
    this.#begin(reason, code);
    return true;
  }

  /** Each failure is news, whatever has turned entries off: what happens now is in memory alone. */
  onWriteFailed(reason: string): void {
    if (!this.halt(reason, 'journal_failed')) this.#alertMore(reason, 'journal_failed');
  }

  /** No alert: a person asked, and the main thread reports the cancels. */
  haltByCommand(reason: string, strategy: StrategyIndex | null, code?: HaltCode): void {
    if (strategy !== null) return this.#beginStrategy(strategy, { reason, isLoss: false });
    if (this.#why === null) this.#turnOff({ reason, code });
  }

  onLimitReached(reason: string, code: HaltCode): void {
    // This holds for a tail without journal rows too: losses are measured again there, refusals and rates are not.
    const isDecidedNow = this.#core.context.decisions.policies() === null || this.#isHaltNow(null);
    if (!isDecidedNow) return;
    if (this.#why !== null) {
      if (this.#why.code !== code && addNew(this.#reached, code)) this.#alertMore(reason, code);
      return;
    }
    this.#begin(reason, code);
    this.#withdrawal.withdrawEntries(null);
  }

  /** In a replayed past the journal holds when a limit was reached: it may have been another one then. */
  #isHaltNow(strategy: StrategyIndex | null): boolean {
    const recorded = this.#core.context.decisions.halts();
    if (recorded === null) return true;
    const at = recorded.findIndex((entry) => entry.strategy === strategy);
    if (at !== -1) recorded.splice(at, 1);
    return at !== -1;
  }

  /** A replayed event is over: halts that the journal holds of it, and that no limit of today finds. `hasWithdrawn`: entries were, too. */
  haltAsJournaled(hasWithdrawn: boolean): void {
    const recorded = this.#core.context.decisions.halts() ?? [];
    for (const { strategy, reason, code } of recorded.splice(0))
      if (strategy !== null) this.#beginStrategy(strategy, { reason, isLoss: true });
      else if (this.#why === null) {
        this.#begin(reason, code ?? 'halted');
        if (hasWithdrawn) this.#withdrawal.withdrawEntries(null);
      }
  }

  #begin(reason: string, code: HaltCode): void {
    this.#turnOff({ reason, code });
    this.#core.context.alert(null, 'critical', code, `entries are off until you resume: ${reason}`);
  }

  #alertMore(reason: string, code: HaltCode): void {
    this.#core.context.alert(null, 'critical', code, `${reason}, while entries are off already`);
  }

  #turnOff(why: HaltReason): void {
    this.#why = why;
    this.#append(true, null, why);
  }

  /** The account's loss of the day has reached its limit: an alert, whether or not entries are off already. */
  onLossReached(reason: string): void {
    if (this.#lossReason !== null || !this.#isHaltNow(null)) return;
    this.#lossReason = reason;
    if (this.#why === null) this.#begin(reason, 'entries_halted');
    else {
      this.#append(true, null, { reason, code: 'entries_halted' });
      this.#alertMore(reason, 'entries_halted');
    }
    this.#withdrawal.withdrawEntries(null);
  }

  onStrategyLossReached(strategy: StrategyIndex, reason: string): void {
    if (!this.#strategies.has(strategy) && this.#isHaltNow(strategy))
      this.#beginStrategy(strategy, { reason, isLoss: true });
  }

  /** Only a loss is alerted: a person who asked for the halt knows of it. */
  #beginStrategy(strategy: StrategyIndex, why: { readonly reason: string; readonly isLoss: boolean }): void {
    if (this.#strategies.has(strategy)) return;
    this.#strategies.set(strategy, why);
    const { reason, isLoss } = why;
    this.#append(true, strategy, { reason });
    const text = `its entries are off until you resume this strategy: ${reason}`;
    if (isLoss) this.#core.context.alert(strategy, 'critical', 'strategy_halted', text);
    this.#withdrawal.withdrawEntries(strategy);
  }

  strategyReason(strategy: StrategyIndex): string | null {
    return this.#strategies.size === 0 ? null : (this.#strategies.get(strategy)?.reason ?? null);
  }

  isStrategyLossTheReason(strategy: StrategyIndex): boolean {
    return this.#strategies.get(strategy)?.isLoss === true;
  }

  /** Carried over from an earlier session; `strategy` is null for the account. */
  carryOver(strategy: StrategyIndex | null, why: HaltReason): void {
    if (strategy === null) this.#why ??= why;
    else this.#strategies.set(strategy, { reason: why.reason, isLoss: false });
    this.#append(true, strategy, why);
  }

  /** Reached in an earlier session, during a halt: it is shown when that halt ends, which may have been in the night. */
  carryOverLoss(reason: string): void {
    this.#lossReason = reason;
    if (!this.halt(reason, 'entries_halted')) this.#append(true, null, { reason, code: 'entries_halted' });
  }

  /** Ends and returns the code of what a person was shown. A loss limit reached meanwhile is shown then, and takes a resume of its own. */
  resume(reason: string): HaltCode | undefined {
    const ended = this.#why;
    if (ended !== null) {
      this.#append(false, null, { reason });
      this.#resumedUs = this.#core.context.nowUs;
    }
    this.#why = null;
    this.#reached.clear();
    if (this.#lossReason === ended?.reason) this.#lossReason = null;
    else if (this.#lossReason !== null) this.halt(this.#lossReason, 'entries_halted');
    return ended?.code;
  }

  /** Ends the halt of one strategy, or of each that has one. */
  resumeStrategies(reason: string, only?: StrategyIndex): void {
    for (const strategy of this.#strategies.keys()) {
      if (only !== undefined && only !== strategy) continue;
      this.#append(false, strategy, { reason });
      this.#strategies.delete(strategy);
    }
  }

  #append(halted: boolean, strategy: StrategyIndex | null, { reason, code }: HaltReason): void {
    this.#core.context.append({ kind: 'halt', ...this.#core.context.head(strategy), halted, reason, code });
  }
}
