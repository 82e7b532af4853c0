/**
 * Takes positions along when a chain goes on to its next contract: what a strategy still holds in the one before is closed at market, as
 * much is opened in the new one, and its orders in the old one are canceled.
 */
import { type Contract, marketLimit } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { opposite, type Side, TERMINAL_STATUSES } from '../../domain/order.ts';
import { type InstrumentIndex, OPERATOR_INDEX, qty, type StrategyIndex } from '../../domain/units.ts';
import type { SessionActions } from './session-actions.ts';

export class ChainPositions {
  readonly #actions: SessionActions;
  /** Positions of the day have not been looked at. */
  #isDue = false;
  /** Orders of rolls that may still work. */
  #rolling: readonly ClientOrderId[] = [];

  constructor(actions: SessionActions) {
    this.#actions = actions;
  }

  /** Contracts of the day are known, and what was carried over. */
  onSession(): void {
    this.#isDue = this.#actions.view.contracts().some(({ spec }) => spec.chain !== undefined);
    this.step();
  }

  /** Outside continuous trading it waits, for the first read of positions and for a price of the new contract. */
  step(): void {
    if (!this.#isDue || this.#actions.view.phase() !== 'continuous') return;
    this.#isDue = false;
    const { view } = this.#actions;
    const isOpen = (id: ClientOrderId): boolean => {
      const order = view.order(id);
      return order !== undefined && !TERMINAL_STATUSES.has(order.status);
    };
    this.#rolling = this.#rolling.filter(isOpen);
    for (const { strategy, instrument, clientOrderId } of view.openOrders())
      if (!this.#rolling.includes(clientOrderId) && this.#nextOf(strategy, instrument) !== undefined)
        this.#actions.cancel(strategy, clientOrderId);
    for (const { strategy, instrument, qty: held } of this.#actions.heldPositions()) {
      const next = this.#nextOf(strategy, instrument);
      const isWorking = this.#rolling.some((id) => view.order(id)?.instrument === instrument);
      if (next === undefined || isWorking) continue;
      // Both legs go together, when both may.
      if (!this.#mayEnter(next)) this.#isDue = true;
      else this.#roll(strategy, { old: instrument, next, held });
    }
  }

  /** A fresh engine knows no price before the first one of its day. */
  #mayEnter({ index }: Contract): boolean {
    const { view } = this.#actions;
    return view.band(index) !== undefined && view.dataAgeUs(index) < Infinity && view.unproven() === null;
  }

  /** The contract of the chain that the strategy trades instead; undefined where it trades this one, or none of its chain. */
  #nextOf(strategy: StrategyIndex, instrument: InstrumentIndex): Contract | undefined {
    const chain = this.#actions.view.contract(instrument)?.spec.chain;
    if (chain === undefined || strategy === OPERATOR_INDEX) return undefined;
    const legs = this.#actions.legs(strategy);
    if (legs.some(({ index }) => index === instrument)) return undefined;
    return legs.find(({ spec }) => spec.chain === chain);
  }

  #roll(
    strategy: StrategyIndex,
    { old, next, held }: { readonly old: InstrumentIndex; readonly next: Contract; readonly held: number },
  ): void {
    const side: Side = held > 0 ? 'buy' : 'sell';
    const reason = `roll to ${next.orderCode}`;
    const send = (instrument: InstrumentIndex, way: Side): void => {
      const size = qty(Math.abs(held));
      const limitPrice = marketLimit(way);
      const intent = { kind: 'limit', instrument, side: way, qty: size, limitPrice, reason } as const;
      this.#rolling = [...this.#rolling, this.#actions.submitAs(strategy, intent)];
    };
    send(old, opposite(side));
    send(next.index, side);
  }
}
