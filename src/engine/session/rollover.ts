/** Gives strategies the contracts behind their symbols, and others when a contract is over. */
import type { CancelTimer } from '../../domain/clock.ts';
import type { Contract } from '../../domain/contract.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import { type StrategyIndex, strategyIndex } from '../../domain/units.ts';
import type { SessionParts } from './auction-withdrawal.ts';
import { dayClose, isPassed, lastSession } from './day-plan.ts';
import { resolveSymbol } from './resolve-symbol.ts';

type Legs =
  | { readonly ok: true; readonly legs: readonly Contract[] }
  | { readonly ok: false; readonly why: string };

export class Rollover {
  readonly #parts: SessionParts;
  readonly #told = new Set<string>();
  #cancelTimer: CancelTimer | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Resolves every strategy's symbols against the table of now. */
  apply(): void {
    const { actions, settings } = this.#parts;
    if (actions.view.contracts().length === 0) return;
    settings.strategies.forEach((each, i) => {
      if (!actions.isStopped(strategyIndex(i))) this.#applyTo(strategyIndex(i), each);
    });
    this.#planNext();
  }

  #applyTo(strategy: StrategyIndex, { id, symbols }: StrategySettings): void {
    const { actions } = this.#parts;
    const before = actions.legs(strategy);
    const resolved = this.#resolve(symbols);
    if (!resolved.ok) return this.#unresolved(strategy, before, resolved.why);
    const changes = resolved.legs.filter((contract, leg) => before[leg]?.index !== contract.index);
    if (changes.length === 0 && before.length === resolved.legs.length) return;
    actions.setLegs(strategy, resolved.legs);
    if (before.length === 0) return;
    const codes = changes.map(({ orderCode }) => orderCode).join(', ');
    actions.alert(strategy, 'info', 'rolled_over', `${id} trades ${codes} from now on`);
  }

  #resolve(symbols: readonly string[]): Legs {
    const { actions, calendar } = this.#parts;
    const legs: Contract[] = [];
    for (const symbol of symbols) {
      const found = resolveSymbol(symbol, actions.view.contracts(), calendar, actions.view.nowUs());
      if (!found.ok) {
        const { path, expected, received } = found.issues[0];
        return { ok: false, why: `${path}: expected ${expected}, was ${received}` };
      }
      legs.push(found.value);
    }
    return { ok: true, legs };
  }

  /** A list that has lost a contract which still trades may be a bad list: the strategy keeps what it has. */
  #unresolved(strategy: StrategyIndex, before: readonly Contract[], why: string): void {
    const { actions, calendar } = this.#parts;
    const now = actions.view.nowUs();
    const isUsable = before.length > 0 && before.every((contract) => !isPassed(calendar, contract, now));
    if (!isUsable) return actions.stopStrategy(strategy, why);
    if (this.#told.has(`${strategy} ${why}`)) return;
    this.#told.add(`${strategy} ${why}`);
    actions.alert(strategy, 'warning', 'symbol_unresolved', `${why}; the contracts of before are kept`);
  }

  /** The next moment at which a listed contract is over. */
  #planNext(): void {
    const { actions, calendar, timers } = this.#parts;
    const { view } = actions;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const ends = view
      .contracts()
      .map((contract) => dayClose(calendar, lastSession(calendar, contract)))
      .filter((close) => close !== undefined && close > view.nowUs());
    const [first] = ends.toSorted((a, b) => Number(a) - Number(b));
    if (first !== undefined) this.#cancelTimer = timers.at(first, () => this.apply());
  }
}
