/**
 * What is to become of positions: who asks that what an owner holds in a contract be flat, and why. Nobody's end ends what another asks
 * for; a target ends when it is flat, when nobody asks any more, or with its day. Where nobody asks, a position is held with its stops.
 */
import type { ClientOrderId } from '../../domain/ids.ts';
import { TERMINAL_STATUSES } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Desk, Place } from './desk.ts';
import { Flattener } from './flattener.ts';
import { type Asker, Target } from './target.ts';

export class Targets {
  readonly #desk: Desk;
  #jobs: readonly Flattener[] = [];
  /** Exits without an answer: one that turns up after it was proven absent could open a position. It gives those who asked no more than they asked for. */
  readonly #lost = new Map<ClientOrderId, Target>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Also restarts one that waits or was given up. */
  ask(place: Place, reason: string, asker: Asker = 'settings'): void {
    let job = this.#find(place);
    if (job === undefined) {
      job = new Flattener(this.#desk, new Target(this.#desk, place, reason), this.#lost);
      this.#jobs = [...this.#jobs, job];
    }
    job.target.askers.add(asker);
    job.start();
  }

  /** For everything the owner holds or has orders for. */
  askAll(strategy: StrategyIndex, reason: string, asker: Asker): void {
    const { portfolio, view } = this.#desk;
    const all = [...portfolio.held(), ...view.openOrders()].filter((each) => each.strategy === strategy);
    for (const instrument of new Set(all.map((each) => each.instrument)))
      this.ask({ strategy, instrument }, reason, asker);
  }

  has(place: Place): boolean {
    return this.#find(place) !== undefined;
  }

  /** From the first cancel until the owner is flat, also while a person is needed. */
  isFlattening(strategy: StrategyIndex): boolean {
    return this.#jobs.length > 0 && this.#jobs.some(({ target }) => target.strategy === strategy);
  }

  /** Its orders there are being withdrawn, or its exit is being tried: a stop would be withdrawn again. */
  isClosing(place: Place): boolean {
    return this.#find(place)?.isClosing === true;
  }

  /** Some position is being closed: its stops are withdrawn. */
  get isClosingAny(): boolean {
    return this.#jobs.some(({ isClosing }) => isClosing);
  }

  /** Something is still being tried. */
  get isBusy(): boolean {
    return this.#jobs.some(({ state }) => state !== 'given_up');
  }

  /** Nobody asks for anything, and no exit is without an answer. */
  get isEmpty(): boolean {
    return this.#jobs.length === 0 && this.#lost.size === 0;
  }

  step(): void {
    for (const [id, target] of this.#lost) this.#followLost(id, target);
    this.#each((job) => job.step());
  }

  /** Positions could not be read. */
  readFailed(): void {
    this.#each((job) => job.readFailed());
  }

  /** Another phase: what waited for it goes on. */
  resume(): void {
    this.#each((job) => job.start());
    this.step();
  }

  /** The trading day is over; order numbers are void. */
  endDay(): void {
    for (const job of this.#jobs) {
      job.tellUnfinished('its day ended');
      job.drop();
    }
    this.#jobs = [];
    this.#lost.clear();
  }

  /** The process that was to stop is gone: what a person or a policy asked for goes on. */
  endStop(): void {
    for (const { askers } of this.#lost.values()) askers.delete('stop');
    this.#end(['stop'], () => true);
  }

  /** Entries are on again: what was given up would close later what is entered from here on. */
  endGivenUp(strategy: StrategyIndex | null): void {
    const ended = this.#end(
      ['person', 'person_in_auction'],
      ({ state, target }) => state === 'given_up' && (strategy === null || target.strategy === strategy),
    );
    for (const job of ended) job.tellUnfinished('a person resumed');
  }

  describe(): readonly string[] {
    return this.#jobs.map((job) => job.describe());
  }

  /** Returns those that nobody asks for any more. */
  #end(askers: readonly Asker[], isMeant: (job: Flattener) => boolean): readonly Flattener[] {
    const ended = this.#jobs.filter((job) => {
      if (isMeant(job)) for (const asker of askers) job.target.askers.delete(asker);
      return isMeant(job) && job.target.askers.size === 0;
    });
    for (const job of ended) job.drop();
    this.#jobs = this.#jobs.filter((job) => !ended.includes(job));
    return ended;
  }

  #followLost(id: ClientOrderId, target: Target): void {
    const status = this.#desk.view.order(id)?.status;
    if (status === 'unknown' || status === 'presumed_absent' || status === 'not_sent') return;
    this.#lost.delete(id);
    if (status === undefined || status === 'rejected') return;
    if (!TERMINAL_STATUSES.has(status)) this.#desk.context.cancel(target.strategy, id);
    for (const asker of target.askers) this.ask(target, `its exit ${id} turned up`, asker);
  }

  #each(go: (job: Flattener) => void): void {
    for (const job of this.#jobs) {
      go(job);
      if (job.state === 'done') this.#jobs = this.#jobs.filter((each) => each !== job);
    }
  }

  #find({ strategy, instrument }: Place): Flattener | undefined {
    return this.#jobs.find(({ target }) => target.strategy === strategy && target.instrument === instrument);
  }
}
