/** Functions of the program that run between two moments, by V8's precise coverage of its modules. */
import { type Profiler, Session } from 'node:inspector';

/**
 * Names of functions, as `engine/market/market.ts 1480`: a file below `src` and a place in its compiled form. A package whose code ran is
 * one name, as `node_modules/rxjs`.
 */
export type Executed = ReadonlySet<string>;

const BELOW_SRC = /\/dist\/src\/(.+)\.js$/;
const PACKAGE = /\/(node_modules\/(?:@[^/]+\/)?[^/.]+)\/[^:]+$/;

/** Bundled by the build into files without their names: left out, also where nothing was bundled. */
const BUNDLED = /\/(?:apache-arrow|commander|trading-signals|yaml|zod)$/;

export const isPackage = (name: string): boolean => name.startsWith('node_modules/');

export const fileOf = (name: string): string => name.split(' ', 1)[0] ?? name;

class Coverage {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** What ran since the last call. */
  take(): Executed {
    const names = new Set<string>();
    this.#session.post('Profiler.takePreciseCoverage', (failure, { result }) => {
      if (failure !== null) throw failure;
      for (const script of result) addTo(names, script);
    });
    return names;
  }
}

function addTo(names: Set<string>, { url, functions }: Profiler.ScriptCoverage): void {
  const [, file] = BELOW_SRC.exec(url) ?? [];
  const [, ofPackage] = PACKAGE.exec(url) ?? [];
  for (const { ranges } of functions) {
    const [whole] = ranges;
    if (whole === undefined || whole.count === 0) continue;
    if (file !== undefined) names.add(`${file}.ts ${whole.startOffset}`);
    else if (ofPackage !== undefined && !BUNDLED.test(ofPackage)) names.add(ofPackage);
  }
}

export interface SamplesWanted {
  readonly ticks: number;
  readonly orders: number;
}

export const MANY: SamplesWanted = { ticks: 1_000, orders: 100 };
/** A take costs milliseconds: the lists come from the first of them, which a check takes alone. */
export const FEW: SamplesWanted = { ticks: 100, orders: 10 };

/** Ticks without an order, and orders from the call of the strategy to the update that says filled. */
export class Samples {
  readonly ticks: Executed[] = [];
  readonly orders: Executed[] = [];
  readonly #wanted: SamplesWanted;
  readonly #coverage = new Coverage();
  #run = new Set<string>();
  #order: Set<string> | null = null;
  /** What ran since the last tick belongs to an order that is over, or to a start. */
  #isDirty = true;

  constructor(wanted: SamplesWanted) {
    this.#wanted = wanted;
  }

  get isFull(): boolean {
    return this.ticks.length >= this.#wanted.ticks && this.orders.length >= this.#wanted.orders;
  }

  get isInOrder(): boolean {
    return this.#order !== null;
  }

  /** Keeps what ran since the last call. */
  keep(): void {
    if (this.isFull) return;
    for (const name of this.#coverage.take()) this.#run.add(name);
  }

  /** Forgets it: work that is none of the program's, as that of a simulated broker in the same process. */
  forget(): void {
    this.#coverage.take();
  }

  /** The strategy hears of a tick: each ends where the next one begins. */
  tick(): void {
    this.keep();
    if (this.#order !== null) this.#moveTo(this.#order);
    else if (!this.#isDirty && this.ticks.length < this.#wanted.ticks) this.ticks.push(this.#run);
    this.#isDirty = false;
    this.#run = new Set();
  }

  ordered(): void {
    this.#order = new Set();
  }

  filled(): void {
    if (this.#order === null) return;
    this.keep();
    this.#moveTo(this.#order);
    if (this.orders.length < this.#wanted.orders) this.orders.push(this.#order);
    this.dropped();
  }

  /** The order was refused: it is none of the samples. */
  dropped(): void {
    this.#order = null;
    this.#isDirty = true;
  }

  #moveTo(order: Set<string>): void {
    for (const name of this.#run) order.add(name);
    this.#run = new Set();
  }
}

/**
 * Where many events of a program lead to a tick: a sample ends with the event in which the strategy hears of one or several. Before the
 * first of them nothing is taken.
 */
export class SamplesOfEvents extends Samples {
  #hears = false;
  #hasHeard = false;

  override tick(): void {
    this.#hears = true;
    this.#hasHeard = true;
  }

  /** An event of the program begins. */
  began(): void {
    if (this.#hasHeard) this.forget();
  }

  /** It is over. */
  ended(): void {
    if (this.#hasHeard) this.keep();
    if (this.#hears) super.tick();
    this.#hears = false;
  }
}

/** Functions that run in at least half of the samples. */
export function usual(samples: readonly Executed[]): Executed {
  const times = new Map<string, number>();
  for (const sample of samples) for (const name of sample) times.set(name, (times.get(name) ?? 0) + 1);
  return new Set([...times].filter(([, count]) => 2 * count >= samples.length).map(([name]) => name));
}
