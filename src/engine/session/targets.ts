/**
 * Targets of positions: who asks that an owner be flat in a contract, and why. A requester that ends leaves the targets of the others; a
 * target ends when it is flat, when it has no requester, or with its day. Without a target, a position is held with its stops.
 */
import type { EngineCore } from '../engine-core.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { InstrumentIndex, StrategyIndex } from '../../domain/units.ts';
import type { AlertSeverity } from '../ports/journal-entry.ts';

/** One owner in one contract. */
export interface PositionKey {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
}

export const isSamePosition = (a: PositionKey, b: PositionKey): boolean =>
  a.strategy === b.strategy && a.instrument === b.instrument;

/** `person_in_auction` has confirmed an order that cannot be taken back; `stop` asks for as long as the process runs. */
export type Requester = 'person' | 'person_in_auction' | 'settings' | 'stop';

/**
 * `resting`: its exits are in an auction, and nothing can be done before that ends. `given_up`: an order may still rest, and a person was
 * alerted; it tries again in the next stretch of continuous trading, with the first trade of a day that begins late, and once the order of
 * another owner is out of its way.
 */
type FlattenStep =
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
const IS_IDLE: ReadonlySet<FlattenStep> = new Set<FlattenStep>(['queued', 'checking', 'given_up']);

export abstract class Target implements PositionKey {
  readonly strategy;
  readonly instrument;
  /** Why it is closed: of the first that asked. */
  readonly reason: string;
  readonly requesters = new Set<Requester>();
  progress: FlattenStep = 'queued';
  readonly #core: EngineCore;
  readonly #alerted = new Set<string>();

  constructor(core: EngineCore, position: PositionKey, reason: string) {
    this.#core = core;
    this.strategy = position.strategy;
    this.instrument = position.instrument;
    this.reason = reason;
  }

  get orderCode(): string {
    return this.#core.contracts.codeOf(this.instrument);
  }

  alert(severity: AlertSeverity, code: string, text: string): void {
    const what = `flatten ${this.orderCode} (${this.reason})`;
    this.#core.context.alert(this.strategy, severity, code, `${what}: ${text}`);
  }

  alertOnce(matter: string, severity: AlertSeverity, code: string, text: string): void {
    if (this.hasAlerted(matter)) return;
    this.#alerted.add(matter);
    this.alert(severity, code, text);
  }

  hasAlerted(matter: string): boolean {
    return this.#alerted.has(matter);
  }

  /** The order of another owner for which its exit waits. */
  abstract get inWay(): PositionKey | undefined;
  /** Its exit would trade with an order on this side at this price. */
  abstract meets(side: Side, limitPrice: number): boolean;
  abstract start(): void;
  abstract step(): void;
  abstract drop(): void;
  abstract abandon(): void;
  abstract restart(): void;
  abstract readFailed(): void;
  abstract describe(): Pick<Target, 'progress'> & { readonly text: string };
}

export class Targets {
  /** The list is replaced, never changed. */
  all: readonly Target[] = [];
  /** Exits without an answer: one that turns up after it was proven absent could open a position. Its requesters get what they asked for. */
  readonly lostExits = new Map<ClientOrderId, Target>();
  /** The process leaves: a position keeps its stops, unless the end asks for it to be flat. */
  isLeaving = false;

  has(position: PositionKey): boolean {
    return this.of(position) !== undefined;
  }

  /** From the first cancel until the owner is flat, also while a person is needed. */
  isFlattening(strategy: StrategyIndex): boolean {
    return this.all.length > 0 && this.all.some((target) => target.strategy === strategy);
  }

  /** Its orders there are being withdrawn, or its exit is being tried: a stop would be withdrawn again. */
  isClosing(position: PositionKey): boolean {
    const target = this.of(position);
    return target !== undefined && !IS_IDLE.has(target.progress);
  }

  /** Some position is being closed: its stops are withdrawn. */
  get isClosingAny(): boolean {
    return this.all.some(({ progress }) => !IS_IDLE.has(progress));
  }

  /** Something is still being tried. */
  get isBusy(): boolean {
    return this.all.some(({ progress }) => progress !== 'given_up');
  }

  of(position: PositionKey): Target | undefined {
    return this.all.find((target) => isSamePosition(target, position));
  }
}
