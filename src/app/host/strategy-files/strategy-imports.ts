/**
 * Imports that a strategy may have: the API for strategies and packages without clock, chance, files or network. This keeps honest code
 * repeatable; it is no prison for code that hides what it does.
 */

/** Names as they are written. */
const ALLOWED: readonly RegExp[] = [
  /^tickwright\/(strategy|domain\/[\w-]+)$/,
  /^zod(\/v4)?$/,
  /^rxjs(\/operators)?$/,
  /^trading-signals$/,
  /^node:assert(\/strict)?$/,
];

export const ALLOWED_TEXT =
  'tickwright/strategy, tickwright/domain/..., zod, rxjs, trading-signals, node:assert';

export const mayImport = (name: string): boolean => ALLOWED.some((each) => each.test(name));

/** Comments and plain texts, which are no code. */
const NO_CODE = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

/** Ways to load or make code while a strategy runs. */
const HIDDEN =
  /\bimport\s*\(|\brequire\s*\(|\beval\s*\(|\bFunction\s*\(|\bgetBuiltinModule\b|\bprocess\s*\.\s*binding\b|\bcreateRequire\b/;

/** The first way in which code loads other code out of sight, or null. */
export const hiddenLoading = (code: string): string | null =>
  HIDDEN.exec(code.replaceAll(NO_CODE, ' '))?.[0].replace(/\s*\($/, '()') ?? null;

/** Clocks, timers, chance and surroundings of the machine, as code names them. A date that is made of a number is none. */
const MACHINE = new RegExp(
  [
    String.raw`\bDate\.now\b`,
    String.raw`\bnew\s+Date\b(?!\s*\(\s*[^\s)])`,
    // A text of now, and names that are computed.
    String.raw`(?<![\w.$])(?<!\bnew\s+)Date(?=\s*(?:\(|\[|\?\.))`,
    String.raw`\bMath\.random\b`,
    String.raw`\bperformance\.\w+`,
    String.raw`(?<![\w.$])process\.(?:env|hrtime|uptime|memoryUsage|cpuUsage|nextTick|exit|kill|abort|cwd)\b`,
    String.raw`(?<![\w.$])crypto\.\w+`,
    String.raw`(?<![\w.$])(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch)\b(?=\s*\()`,
    String.raw`\bnew\s+(?:WeakRef|FinalizationRegistry)\b`,
  ].join('|'),
  'g',
);

/**
 * What of RxJS runs on a clock of its own, begins again or goes on after a throw, keeps a past, or takes a stream out of the event: a
 * subscriber that `new Observable` makes is called outside any Subject, where RxJS swallows what it throws.
 */
export const REFUSED_OF_RXJS: ReadonlySet<string> = new Set(
  `
    timer interval delay delayWhen debounceTime throttleTime auditTime sampleTime
    bufferTime windowTime timeout timeoutWith timestamp timeInterval animationFrames
    observeOn subscribeOn scheduled async asap queue animationFrame
    asyncScheduler asapScheduler queueScheduler animationFrameScheduler
    VirtualTimeScheduler VirtualAction Scheduler
    Observable Subscriber Subject BehaviorSubject ReplaySubject AsyncSubject config
    catchError onErrorResumeNext onErrorResumeNextWith retry retryWhen repeat repeatWhen
    shareReplay publishReplay publishBehavior publishLast
    firstValueFrom lastValueFrom fromEvent fromEventPattern bindCallback bindNodeCallback
  `
    .trim()
    .split(/\s+/),
);

/** Names by which a script, as the bundler writes it, calls the modules of RxJS. */
const RXJS = /\bvar (\w+) = (?:__toESM\()?require\(["']rxjs(?:\/operators)?["']/g;

function refusedOfRxjs(script: string): readonly string[] {
  const modules = [...script.matchAll(RXJS)].map(([, name = '']) => name);
  const uses = modules.flatMap((name) => [...script.matchAll(new RegExp(String.raw`\b${name}\.(\w+)`, 'g'))]);
  return uses.flatMap(([, name = '']) => (REFUSED_OF_RXJS.has(name) ? [`${name} of rxjs`] : []));
}

/** What a script reads of the machine that it runs on, each once: a replay of the day would get something else. */
export const machineUses = (script: string): readonly string[] => [
  ...new Set([...(script.replaceAll(NO_CODE, ' ').match(MACHINE) ?? []), ...refusedOfRxjs(script)]),
];
