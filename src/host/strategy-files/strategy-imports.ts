/**
 * Imports that a strategy may have: the API for strategies and packages without clock, chance, files or network. This keeps honest code
 * repeatable; it is no prison for code that hides its actions.
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
    // It goes on after the event, and errors in an operator are lost.
    String.raw`(?<![\w.$])async\b(?=\s*[(*]|\s+function\b|\s+[\w$]+\s*(?:=>|\())`,
    String.raw`(?<=\bnew\s+)(?:WeakRef|FinalizationRegistry)\b`,
  ].join('|'),
  'g',
);

/**
 * Parts of RxJS that run on a separate clock, restart or go on after a throw, keep a past, or take a stream out of the event: a subscriber
 * that `new Observable` makes is called outside any Subject, where RxJS swallows its errors.
 */
export const REFUSED_OF_RXJS: ReadonlySet<string> = new Set(
  `
    timer interval delay delayWhen debounceTime throttleTime auditTime sampleTime
    bufferTime windowTime timeout timeoutWith timestamp timeInterval animationFrames
    observeOn subscribeOn scheduled async asap queue animationFrame
    asyncScheduler asapScheduler queueScheduler animationFrameScheduler
    VirtualTimeScheduler VirtualAction Scheduler
    Observable Subscriber Subject BehaviorSubject ReplaySubject AsyncSubject config
    catchError materialize finalize using
    onErrorResumeNext onErrorResumeNextWith retry retryWhen repeat repeatWhen
    shareReplay publishReplay publishBehavior publishLast
    firstValueFrom lastValueFrom fromEvent fromEventPattern bindCallback bindNodeCallback
  `
    .trim()
    .split(/\s+/),
);

/** Names by which a script, as the bundler writes it, calls the modules of RxJS, and modules that pass on all of it. */
const RXJS =
  /\b(?:var ([\w$]+) = (?:__toESM\()?|__reExport\(([\w$]+), )require\(["']rxjs(?:\/operators)?["']/g;

function refusedOfRxjs(script: string): readonly string[] {
  const modules = [...script.matchAll(RXJS)].map(([, name = '', by = '']) =>
    (name + by).replaceAll('$', '\\$'),
  );
  const uses = modules.flatMap((name) => [
    ...script.matchAll(new RegExp(String.raw`(?<![\w$.])${name}(?:\.default)?\.(\w+)`, 'g')),
    ...script.matchAll(new RegExp(String.raw`\{([^{}]*)\} = ${name}(?![\w$])`, 'g')),
  ]);
  const names = uses.flatMap(([, used = '']) => used.match(/\w+/g) ?? []);
  return names.flatMap((name) => (REFUSED_OF_RXJS.has(name) ? [`${name} of rxjs`] : []));
}

/** A subscriber that handles the errors of its stream hides a throw. */
function errorHandlers(code: string): readonly string[] {
  const takers = [...code.matchAll(/\.subscribe\(\s*(?=\{)/g)].filter(({ 0: { length }, index }) =>
    /[{,]\s*error\b/.test(ownKeys(code.slice(index + length))),
  );
  return takers.map(() => 'error of subscribe');
}

/** The text of the object that `code` begins with, without nested objects. */
function ownKeys(code: string): string {
  let [depth, own] = [0, ''];
  for (const letter of code) {
    if ('({['.includes(letter)) depth += 1;
    if (depth === 1) own += letter;
    if (')}]'.includes(letter)) depth -= 1;
    if (depth === 0) break;
  }
  return own;
}

/** Properties of the machine that a script reads, each once: a replay of the day would get other values. */
export function machineUses(script: string): readonly string[] {
  const code = script.replaceAll(NO_CODE, ' ');
  return [...new Set([...(code.match(MACHINE) ?? []), ...refusedOfRxjs(script), ...errorHandlers(code)])];
}
