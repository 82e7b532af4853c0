/**
 * Replaces clocks, timers, random numbers and surroundings of the machine during a run and notes which strategy uses them: a backtest
 * has virtual time and seeded random numbers, so a strategy that reads the machine's is not repeatable.
 */

export interface TrapOptions {
  /** Part of the path of each strategy's code, by name of the strategy. */
  readonly places: ReadonlyMap<string, string>;
  /** Gives another time and other random numbers than the machine: results that depend on them change. */
  readonly isFalse: boolean;
}

/** A strategy and the function of the machine that it called. */
export interface MachineUse {
  readonly strategy: string;
  /** `Date.now`. */
  readonly what: string;
}

const STACK_FRAMES = 60;
/** Some years and some hours ahead. */
const FALSE_MS = 123_456_789_012;
const FALSE_CHANCE = 0.123_456_789;

type Restore = () => void;

/** Sets the trap for the whole process, until it is released. */
export function setTrap(options: TrapOptions): { readonly uses: readonly MachineUse[]; release(): void } {
  const trap = new ClockTrap(options);
  const restores = [...trap.clocks(), ...trap.dice(), ...trap.timers(), ...trap.surroundings()];
  return {
    uses: trap.uses,
    release: () => {
      for (const restore of restores) restore();
    },
  };
}

/** Runs `work`, which must be synchronous, under the trap. */
export function trapped<T>(
  options: TrapOptions,
  work: () => T,
): { readonly value: T; readonly uses: readonly MachineUse[] } {
  const trap = setTrap(options);
  try {
    return { value: work(), uses: trap.uses };
  } finally {
    trap.release();
  }
}

class ClockTrap {
  readonly uses: MachineUse[] = [];
  readonly #options: TrapOptions;

  constructor(options: TrapOptions) {
    this.#options = options;
  }

  clocks(): readonly Restore[] {
    const shiftMs = this.#options.isFalse ? FALSE_MS : 0;
    const note = (what: string): void => this.#note(what);
    const RealDate = Date;
    const TrappedDate = new Proxy(RealDate, {
      construct(target, args, self) {
        if (args.length === 0) note('new Date');
        const given: readonly unknown[] = args.length > 0 ? args : [target.now() + shiftMs];
        const made: object = Reflect.construct(target, given, self);
        return made;
      },
      apply(target) {
        note('Date');
        return new target(target.now() + shiftMs).toString();
      },
      get(target, key) {
        if (key !== 'now') return Reflect.get(target, key) as unknown;
        return () => {
          note('Date.now');
          return target.now() + shiftMs;
        };
      },
    });
    const monotonic = performance.now.bind(performance);
    const hrtime = process.hrtime;
    const bigint = hrtime.bigint.bind(hrtime);
    const trappedHrtime = Object.assign(
      (since?: [number, number]) => {
        note('process.hrtime');
        return hrtime(since);
      },
      {
        bigint: () => {
          note('process.hrtime.bigint');
          return bigint() + BigInt(shiftMs);
        },
      },
    );
    return [
      replaced(globalThis, 'Date', TrappedDate),
      replaced(performance, 'now', () => {
        note('performance.now');
        return monotonic() + shiftMs;
      }),
      replaced(process, 'hrtime', trappedHrtime),
    ];
  }

  dice(): readonly Restore[] {
    const { isFalse } = this.#options;
    const { random } = Math;
    const draw = crypto.getRandomValues.bind(crypto);
    return [
      replaced(Math, 'random', () => {
        this.#note('Math.random');
        return isFalse ? FALSE_CHANCE : random();
      }),
      replaced(crypto, 'getRandomValues', (array: Uint8Array) => {
        this.#note('crypto.getRandomValues');
        return draw(array);
      }),
    ];
  }

  timers(): readonly Restore[] {
    return ['setTimeout', 'setInterval', 'setImmediate'].map((name) => this.#watched(globalThis, name, name));
  }

  /** Files, network, environment and identity of the process. */
  surroundings(): readonly Restore[] {
    const { env } = process;
    const watchedEnv = new Proxy(env, {
      get: (target, key) => {
        this.#note('process.env');
        return Reflect.get(target, key) as unknown;
      },
      has: (target, key) => {
        this.#note('process.env');
        return Reflect.has(target, key);
      },
      ownKeys: (target) => {
        this.#note('process.env');
        return Reflect.ownKeys(target);
      },
    });
    const ofProcess = ['cwd', 'uptime', 'memoryUsage', 'cpuUsage', 'getBuiltinModule', 'binding'];
    return [
      replaced(process, 'env', watchedEnv),
      this.#watched(globalThis, 'fetch', 'fetch'),
      this.#watched(crypto, 'randomUUID', 'crypto.randomUUID'),
      ...ofProcess.map((name) => this.#watched(process, name, `process.${name}`)),
    ];
  }

  #watched(owner: object, name: string, what: string): Restore {
    const real: unknown = Reflect.get(owner, name);
    if (typeof real !== 'function') return () => undefined;
    const watched = (...args: readonly unknown[]): unknown => {
      this.#note(what);
      return Reflect.apply(real, owner, args);
    };
    return replaced(owner, name, Object.assign(watched, real));
  }

  /** Notes each pair of strategy and function once. */
  #note(what: string): void {
    if (this.#options.places.size === 0) return;
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = STACK_FRAMES;
    const stack = new Error().stack ?? '';
    Error.stackTraceLimit = limit;
    for (const [strategy, place] of this.#options.places) {
      if (!stack.includes(place)) continue;
      if (!this.uses.some((use) => use.strategy === strategy && use.what === what))
        this.uses.push({ strategy, what });
    }
  }
}

/** Replaces a property; returns how to restore it. */
function replaced(owner: object, key: string, value: unknown): Restore {
  const before = Object.getOwnPropertyDescriptor(owner, key);
  Object.defineProperty(owner, key, {
    value,
    configurable: true,
    writable: true,
    enumerable: before?.enumerable ?? false,
  });
  return () => {
    if (before === undefined) Reflect.deleteProperty(owner, key);
    else Object.defineProperty(owner, key, before);
  };
}
