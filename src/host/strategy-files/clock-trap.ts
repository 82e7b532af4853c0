/**
 * Replaces clocks, timers, random numbers and surroundings of the machine during a run and notes which strategy uses them: a backtest
 * has virtual time and seeded random numbers, so a strategy that reads the machine's is not repeatable.
 */

export interface TrapOptions {
  /** Part of the path of each strategy's code, by name of the strategy. */
  readonly stackNames: ReadonlyMap<string, string>;
  /** Gives another time, other random numbers and another language than the machine: results that depend on them change. */
  readonly isFalse: boolean;
}

export interface EnvironmentUse {
  readonly strategy: string;
  /** `Date.now`. */
  readonly what: string;
}

/** This file in a stack, and functions of the language that call a callback. */
const NO_CALLER = /[/]clock-trap\.[jt]s:|\(<anonymous>\)$/;
const STACK_FRAMES = 60;
/** Far in the future. */
const FALSE_MS = 123_456_789_012;
const FALSE_CHANCE = 0.123_456_789;

/** Functions of the process with which a strategy could end a run as if all were well, or go on after it. */
const ENDING = 'exit kill abort reallyExit on once addListener prependListener dlopen'.split(' ');

const LANGUAGE_FORMATS = [
  'Collator',
  'DateTimeFormat',
  'ListFormat',
  'NumberFormat',
  'PluralRules',
  'RelativeTimeFormat',
];

type Restore = () => void;

/** Sets the trap for the whole process, until it is released. */
export function setTrap(options: TrapOptions) {
  const changes = watchBuiltins();
  const trap = new ClockTrap(options);
  const restores = [...trap.watched(), ...(options.isFalse ? languages() : [])];
  return {
    uses: trap.uses as readonly EnvironmentUse[],
    /** Returns the names of builtin objects and globals that were changed meanwhile; they are again as they were. */
    release: (): readonly string[] => {
      for (const restore of restores.toReversed()) restore();
      return changes();
    },
  };
}

/** Runs `work`, which must be synchronous, under the trap. */
export function trapped<T>(options: TrapOptions, work: () => T) {
  const trap = setTrap(options);
  let changes: readonly string[] = [];
  let value: T;
  try {
    value = work();
  } finally {
    changes = trap.release();
  }
  return { value, uses: trap.uses, changes };
}

const { hrtime } = process;

const CALLED: readonly (readonly [owner: object, of: string, names: readonly string[]])[] = [
  [globalThis, '', ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'WeakRef', 'FinalizationRegistry']],
  [process, 'process.', ['hrtime', 'uptime', 'memoryUsage', 'cpuUsage', 'getBuiltinModule', 'binding']],
  [crypto, 'crypto.', ['randomUUID', 'getRandomValues']],
];

/** Values of it; of the process and the report a second thread would show the same ones. */
const READ: readonly (readonly [owner: object, of: string, names: readonly string[]])[] = [
  [process, 'process.', ['env', 'pid', 'ppid', 'report']],
  [performance, 'performance.', ['timeOrigin']],
];

/** Prototypes of functions, whose constructors make code of text. */
const FUNCTIONS = [() => undefined, async (): Promise<void> => undefined, function* none() {}].map(
  (each) => Reflect.getPrototypeOf(each) ?? each,
);

class ClockTrap {
  readonly uses: EnvironmentUse[] = [];
  readonly #options: TrapOptions;

  constructor(options: TrapOptions) {
    this.#options = options;
  }

  watched(): readonly Restore[] {
    const { isFalse } = this.#options;
    const later = isFalse ? FALSE_MS : 0;
    return [
      replaced(globalThis, 'Date', this.#date(later)),
      this.#called(performance, 'now', 'performance.now', { answer: (ms) => Number(ms) + later }),
      this.#called(hrtime, 'bigint', 'process.hrtime.bigint', {
        answer: (ns) => (typeof ns === 'bigint' ? ns + BigInt(later) : ns),
      }),
      this.#called(Math, 'random', 'Math.random', { answer: (drawn) => (isFalse ? FALSE_CHANCE : drawn) }),
      ...CALLED.flatMap(([owner, of, names]) => names.map((name) => this.#called(owner, name, of + name))),
      ...READ.flatMap(([owner, of, names]) => names.map((name) => this.#read(owner, name, of + name))),
      this.#formats(),
      // Source maps ask for it wherever a stack is read.
      this.#called(process, 'cwd', 'process.cwd', { isDirect: true }),
      // Parsers of parameters make code of text too.
      ...FUNCTIONS.map((prototype) =>
        this.#called(prototype, 'constructor', 'code made of text', { isDirect: true }),
      ),
      replaced(globalThis, 'Function', Function.prototype.constructor),
      this.#called(globalThis, 'eval', 'eval', { isDirect: true }),
      ...ENDING.map((name) =>
        this.#called(process, name, `process.${name}`, { isDirect: true, isRefused: true }),
      ),
    ];
  }

  #date(later: number): DateConstructor {
    const note = (what: string): boolean => this.#note(what);
    return new Proxy(Date, {
      construct(target, args, self) {
        if (args.length === 0) note('new Date');
        const given: readonly unknown[] = args.length > 0 ? args : [target.now() + later];
        const made: object = Reflect.construct(target, given, self);
        return made;
      },
      apply(target) {
        note('Date');
        return new target(target.now() + later).toString();
      },
      get(target, key) {
        if (key !== 'now') return Reflect.get(target, key) as unknown;
        return () => {
          note('Date.now');
          return target.now() + later;
        };
      },
    });
  }

  /** A format without a date takes the present. */
  #formats(): Restore {
    const { prototype } = Intl.DateTimeFormat;
    const format = Object.getOwnPropertyDescriptor(prototype, 'format');
    const note = (): boolean => this.#note('Intl.DateTimeFormat');
    const get = function get(this: Intl.DateTimeFormat) {
      const real: unknown = format?.get?.call(this);
      return (date?: Date | number) => {
        if (date === undefined) note();
        return typeof real === 'function' ? (Reflect.apply(real, this, [date]) as unknown) : real;
      };
    };
    return defined(prototype, 'format', { get });
  }

  #read(owner: object, name: string, what: string): Restore {
    const value: unknown = Reflect.get(owner, name);
    const get = (): unknown => {
      this.#note(what);
      return value;
    };
    return defined(owner, name, { get });
  }

  /** `isDirect`: only a strategy's own calls count, because the runtime calls it too. */
  #called(
    owner: object,
    name: string,
    what: string,
    { isDirect = false, isRefused = false, answer = (real: unknown): unknown => real } = {},
  ): Restore {
    const before = (): void => {
      if (this.#note(what, isDirect) && isRefused) throw new Error(`a strategy called ${what}`);
    };
    return wrapped(owner, name, {
      apply: (target, self, args) => {
        before();
        return answer(Reflect.apply(target, self, args));
      },
      construct: (target, args, self) => {
        before();
        const made: object = Reflect.construct(target, args, self);
        return made;
      },
    });
  }

  /** Notes each pair of strategy and function once; true where a strategy called. `isDirect`: only its own calls count. */
  #note(what: string, isDirect = false): boolean {
    if (this.#options.stackNames.size === 0) return false;
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = STACK_FRAMES;
    const stack = new Error().stack ?? '';
    Error.stackTraceLimit = limit;
    const frames = stack
      .split('\n')
      .filter((line) => line.trimStart().startsWith('at ') && !NO_CALLER.test(line));
    const searched = isDirect ? (frames[0] ?? '') : stack;
    let isCalled = false;
    for (const [strategy, stackName] of this.#options.stackNames) {
      if (!searched.includes(stackName)) continue;
      isCalled = true;
      if (!this.uses.some((use) => use.strategy === strategy && use.what === what))
        this.uses.push({ strategy, what });
    }
    return isCalled;
  }
}

/** Where a strategy names no language, the machine's would count. */
function languages(): readonly Restore[] {
  const other = new Intl.NumberFormat().resolvedOptions().locale.startsWith('de') ? 'en-US' : 'de-DE';
  const given = ([locales = other, ...rest]: readonly unknown[]): readonly unknown[] => [locales, ...rest];
  const named = (owner: object, key: string): Restore =>
    wrapped(owner, key, {
      apply: (target, self, args) => Reflect.apply(target, self, given(args)) as unknown,
      construct: (target, args) => {
        const made: object = Reflect.construct(target, given(args));
        return made;
      },
    });
  const dates = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'];
  return [
    ...LANGUAGE_FORMATS.map((name) => named(Intl, name)),
    named(Number.prototype, 'toLocaleString'),
    named(BigInt.prototype, 'toLocaleString'),
    ...dates.map((name) => named(Date.prototype, name)),
  ];
}

/** A function or a class behind a proxy; a release of Node.js may lack it. */
function wrapped(owner: object, name: string, handler: ProxyHandler<Function>): Restore {
  const real: unknown = Reflect.get(owner, name);
  return typeof real === 'function' ? replaced(owner, name, new Proxy(real, handler)) : () => undefined;
}

const replaced = (owner: object, key: string, value: unknown): Restore =>
  defined(owner, key, { value, writable: true });

/** Replaces a property; returns how to restore it. */
function defined(owner: object, key: string, property: PropertyDescriptor): Restore {
  const before = Object.getOwnPropertyDescriptor(owner, key);
  const enumerable = before?.enumerable ?? false;
  Object.defineProperty(owner, key, { ...property, configurable: true, enumerable });
  return () => {
    if (before === undefined) Reflect.deleteProperty(owner, key);
    else Object.defineProperty(owner, key, before);
  };
}

// Notices and undoes changes of objects that all code of a thread shares: builtin objects, their prototypes, and globals.

const NAMES = (
  'Object Function Array String Number Boolean BigInt Symbol Math JSON Reflect Proxy Promise Map Set WeakMap WeakSet RegExp Error ' +
  'TypeError RangeError ArrayBuffer DataView Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array Float32Array ' +
  'Float64Array BigInt64Array Uint8ClampedArray BigUint64Array SharedArrayBuffer Atomics Intl Date WeakRef FinalizationRegistry'
).split(' ');

type Descriptors = ReadonlyMap<PropertyKey, PropertyDescriptor>;

interface SharedObject {
  readonly name: string;
  readonly object: object;
  readonly before: Descriptors;
}

/** Ends with the changes since the beginning, by name, and undoes them. */
function watchBuiltins(): () => readonly string[] {
  const all = sharedObjects();
  const globals = new Set(Reflect.ownKeys(globalThis));
  return () => [...all.flatMap(undone), ...undoneGlobals(globals)];
}

function sharedObjects(): readonly SharedObject[] {
  const found = NAMES.flatMap((name) => {
    const object: unknown = Reflect.get(globalThis, name);
    if (!isObject(object)) return [];
    const prototype: unknown = Reflect.get(object, 'prototype');
    return [
      { name, object },
      ...(isObject(prototype) ? [{ name: `${name}.prototype`, object: prototype }] : []),
    ];
  });
  const iterator: unknown = Object.getPrototypeOf([][Symbol.iterator]());
  const typed: unknown = Object.getPrototypeOf(Int32Array.prototype);
  if (isObject(iterator)) found.push({ name: 'the iterator of arrays', object: iterator });
  if (isObject(typed)) found.push({ name: 'TypedArray.prototype', object: typed });
  return found.map((each) => ({ ...each, before: descriptorsOf(each.object) }));
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

const descriptorsOf = (object: object): Descriptors =>
  new Map(Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key) ?? {}]));

function undone({ name, object, before }: SharedObject): readonly string[] {
  const after = descriptorsOf(object);
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was !== undefined && is !== undefined && isSame(was, is)) return [];
    if (was === undefined) Reflect.deleteProperty(object, key);
    else Reflect.defineProperty(object, key, was);
    return [`${name}.${String(key)}`];
  });
}

const isSame = (a: PropertyDescriptor, b: PropertyDescriptor): boolean =>
  Object.is(a.value, b.value) && a.get === b.get && a.set === b.set;

/** The runtime fills in some globals when they are first used: values are not compared. */
function undoneGlobals(before: ReadonlySet<PropertyKey>): readonly string[] {
  return Reflect.ownKeys(globalThis).flatMap((key) => {
    if (before.has(key)) return [];
    Reflect.deleteProperty(globalThis, key);
    return [`globalThis.${String(key)}`];
  });
}
