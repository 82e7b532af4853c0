/**
 * What is to become of positions: who asks that what an owner holds in a contract be flat, and why. Nobody's end ends what another asks
 * for; a target ends when it is flat, when nobody asks any more, or with its day. Where nobody asks, a position is held with its stops.
 */
import type { InstrumentIndex, StrategyIndex } from '../../domain/units.ts';

/** One owner in one contract. */
export interface Place {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
}

/** A `person_in_auction` has confirmed an order that nobody can take back; `stop` asks for as long as the process lasts. */
export type Asker = 'person' | 'person_in_auction' | 'settings' | 'stop';

/** `resting`: its exits are in an auction, and nothing can be done before that ends. `given_up`: an order may still rest, and a person was alerted; the next stretch of continuous trading tries again. */
type Progress =
  | 'queued'
  | 'checking'
  | 'withdrawing'
  | 'reading'
  | 'pausing'
  | 'working'
  | 'repricing'
  | 'resting'
  | 'given_up'
  | 'done';

/** Nothing is being withdrawn, and no exit is being tried. */
const IS_IDLE: ReadonlySet<Progress> = new Set<Progress>(['queued', 'checking', 'given_up']);

export class Target implements Place {
  readonly strategy;
  readonly instrument;
  /** Why it is closed: of the first that asked. */
  readonly reason: string;
  readonly askers = new Set<Asker>();
  /** Kept by whoever closes it. */
  progress: Progress = 'queued';

  constructor({ strategy, instrument }: Place, reason: string) {
    this.strategy = strategy;
    this.instrument = instrument;
    this.reason = reason;
  }
}

export class Targets {
  #all: readonly Target[] = [];

  /** The list is replaced, never changed. */
  get all(): readonly Target[] {
    return this.#all;
  }

  ask(place: Place, reason: string, asker: Asker): Target {
    let target = this.#find(place);
    if (target === undefined) {
      target = new Target(place, reason);
      this.#all = [...this.#all, target];
    }
    target.askers.add(asker);
    return target;
  }

  /** Of those that are meant; returns those that nobody asks for any more. */
  end(askers: readonly Asker[], isMeant: (target: Target) => boolean): readonly Target[] {
    const meant = this.#all.filter(isMeant);
    for (const target of meant) for (const asker of askers) target.askers.delete(asker);
    return meant.filter((target) => target.askers.size === 0);
  }

  /** It is over. */
  remove(target: Target): void {
    this.#all = this.#all.filter((each) => each !== target);
  }

  has(place: Place): boolean {
    return this.#find(place) !== undefined;
  }

  /** From the first cancel until the owner is flat, also while a person is needed. */
  isFlattening(strategy: StrategyIndex): boolean {
    return this.#all.length > 0 && this.#all.some((target) => target.strategy === strategy);
  }

  /** Its orders there are being withdrawn, or its exit is being tried: a stop would be withdrawn again. */
  isClosing(place: Place): boolean {
    const target = this.#find(place);
    return target !== undefined && !IS_IDLE.has(target.progress);
  }

  /** Some position is being closed: its stops are withdrawn. */
  get isClosingAny(): boolean {
    return this.#all.some(({ progress }) => !IS_IDLE.has(progress));
  }

  /** Something is still being tried. */
  get isBusy(): boolean {
    return this.#all.some(({ progress }) => progress !== 'given_up');
  }

  #find({ strategy, instrument }: Place): Target | undefined {
    return this.#all.find((each) => each.strategy === strategy && each.instrument === instrument);
  }
}
