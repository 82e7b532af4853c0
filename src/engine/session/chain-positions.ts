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
  #rolling: readonly RollOrder[] = [];

  constructor(actions: SessionActions) {
    this.#actions = actions;
  }

  /** Contracts of the day are known, and what was carried over. */
  onSession(): void {
    this.#isDue = this.#actions.view.contracts().some(({ spec }) => spec.chain !== undefined);
    for (const roll of this.#rolling) this.#tell(roll, 'has not been');
    this.step();
  }

  afterEvent(): void {
    if (this.#rolling.length > 0) this.#rolling = this.#rolling.filter((roll) => this.#isUnderWay(roll));
    this.step();
  }

  /** Outside continuous trading it waits, for the first read of positions and for a price of the new contract. */
  step(): void {
    if (!this.#isDue || this.#actions.view.phase() !== 'continuous') return;
    this.#isDue = false;
    const { view } = this.#actions;
    const isOfRoll = (id: ClientOrderId): boolean => this.#rolling.some((roll) => roll.id === id);
    for (const { strategy, instrument, clientOrderId } of view.openOrders())
      if (!isOfRoll(clientOrderId) && this.#nextOf(strategy, instrument) !== undefined)
        this.#actions.cancel(strategy, clientOrderId);
    for (const { strategy, instrument, qty: held } of this.#actions.heldPositions()) {
      const next = this.#nextOf(strategy, instrument);
      const isWorking = this.#rolling.some(
        (roll) => roll.strategy === strategy && roll.instrument === instrument,
      );
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
    const send = (instrument: InstrumentIndex, way: Side, wanted: number): void => {
      const size = qty(wanted);
      const limitPrice = marketLimit(way);
      const intent = { kind: 'limit', instrument, side: way, qty: size, limitPrice, reason } as const;
      const id = this.#actions.submitAs(strategy, intent);
      this.#rolling = [
        ...this.#rolling,
        { id, strategy, instrument, reason, size, isClosing: instrument === old, state: 'asked' },
      ];
    };
    send(old, opposite(side), Math.abs(held));
    const opens = missing(held, this.#heldIn(strategy, next.index));
    if (opens > 0) send(next.index, side, opens);
  }

  #heldIn(strategy: StrategyIndex, instrument: InstrumentIndex): number {
    const held = this.#actions
      .heldPositions()
      .find((each) => each.strategy === strategy && each.instrument === instrument);
    return held?.qty ?? 0;
  }

  #isUnderWay(roll: RollOrder): boolean {
    const order = this.#actions.view.order(roll.id);
    if (order !== undefined) {
      roll.state = 'sent';
      if (!TERMINAL_STATUSES.has(order.status)) return true;
      this.#tell(roll, 'was not');
      return false;
    }
    if (roll.state === 'sent') return false;
    if (roll.state === 'asked') {
      // Calls are carried out after the event.
      roll.state = 'due';
      return true;
    }
    this.#tell(roll, 'was not');
    return false;
  }

  /** Legs of a roll that differ are no position that its strategy asked for. */
  #tell({ id, strategy, instrument, reason, size, isClosing }: RollOrder, missed: string): void {
    const { view } = this.#actions;
    const { filledQty, status } = view.order(id) ?? { filledQty: 0, status: 'denied' };
    if (filledQty === size) return;
    const code = view.contract(instrument)?.orderCode ?? instrument;
    const wanted = isClosing ? 'closed' : 'opened';
    const text = `${reason}: ${size - filledQty} of ${size} ${code} ${missed} ${wanted} (${status}): its legs differ`;
    this.#actions.alert(strategy, 'warning', 'roll_incomplete', text);
  }
}

interface RollOrder {
  readonly id: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly reason: string;
  readonly size: number;
  readonly isClosing: boolean;
  /** `due`: asked for in an event that is over; risk denied what has no order then. */
  state: 'asked' | 'due' | 'sent';
}

/**
 * Contracts to open in the new contract. Where the roll of a day before closed only a part it holds some already: it never gets more than the
 * old one had, and none against a position that its strategy has taken since.
 */
const missing = (old: number, held: number): number =>
  old * held < 0 ? 0 : Math.max(0, Math.abs(old) - Math.abs(held));
