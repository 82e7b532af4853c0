/** Runs a loaded backtest, verifies it where that is asked for, and writes its files. */
import type { BacktestResult } from '../backtest-result.ts';
import { join } from 'node:path';
import type { BacktestDay } from '../backtest-plan.ts';
import { createReport } from '../report/create-report.ts';
import { runBacktest } from '../run/run-backtest.ts';
import { performanceMetrics, runStatistics } from '../statistics/run-statistics.ts';
import { formatLocalMoment } from '../../text/dates.ts';
import { formatCount, formatNumber, formatSignedAmount } from '../../text/numbers.ts';
import { resultCsv, resultJson, titleOf, writeReport } from './result-files.ts';
import { type BacktestMarket, isWallTime, shownZone } from '../spec/backtest-market.ts';
import { trapped } from '../../host/strategy-files/clock-trap.ts';
import { rowsPlayed, planBacktest } from '../spec/plan-backtest.ts';
import { isOnBars } from '../spec/backtest-schema.ts';
import { type Backtest, memoryOf, stackNamesOf } from '../spec/load-backtest.ts';
import {
  type RunSettings,
  type VerifiedRun,
  type Verification,
  useFindings,
  verifyBacktest,
  type SecondRun,
} from './verify-backtest.ts';
import { DataWatch, pricesTable, doubtsOf } from './data-summary.ts';
import { errorText } from '../../domain/failure.ts';

export interface BacktestRunOptions extends RunSettings {
  /** Absent: next to the imported columns, in a folder with the name of the file. */
  readonly out?: string;
  /** The run to verify against; absent: it is not verified. */
  readonly second?: SecondRun | string | undefined;
}

export type BacktestOutcome = ReturnType<typeof runBacktestFile>;

const MS_PER_SECOND = 1_000;

export function runBacktestFile(backtest: Backtest, options: BacktestRunOptions) {
  const { market, sources, config } = backtest;
  const watch = new DataWatch(market.calendar);
  const watched = { ...options.watched, onDay: (day: BacktestDay): void => watch.take(day) };
  const begunMs = performance.now();
  const played =
    options.second === undefined
      ? runOnce(backtest, { ...options, watched })
      : verifyBacktest(backtest, options.second, { ...options, watched });
  const ranMs = performance.now();
  const { verification } = played;
  const findings = [...played.findings, ...pathFindings(backtest, options, played.result)];
  const reportedMs = performance.now();
  const { contracts } = watch;
  const found = runStatistics(played.result);
  const biased = [
    ...findings,
    ...doubtsOf(contracts, played.result, found),
    ...idleFindings(played.result, backtest),
    ...inferredFindings(backtest, contracts),
    ...(market.isFeeCut ? [cutFeesNote(market, played.result)] : []),
  ].map((text) => ({ tsUs: null, code: 'bias', text }));
  const result = { ...played.result, notices: [...biased, ...played.result.notices] };
  const { utcOffsetMinutes } = result;
  const everyUs = sources.all[0]?.bars?.everyUs ?? null;
  const zone = shownZone(market, everyUs);
  const metrics = performanceMetrics(result, found);
  const model = createReport(result, titleOf(backtest), {
    found,
    performance: metrics,
    data: pricesTable(contracts, utcOffsetMinutes, zone),
    zone,
    facts: [
      ['market', market.calendar.name],
      ['verified', verifiedText(verification)],
    ],
  });
  const json = resultJson(result, model, found, metrics);
  const csv = resultCsv(result, found, (localUs) => {
    const minutes = isWallTime(market, everyUs) ? market.zone.offsetAt(localUs) : utcOffsetMinutes;
    // Clocks skip an hour, which has no offset of its own.
    return Number.isNaN(minutes) ? utcOffsetMinutes : minutes;
  });
  const { out = join(config.state, titleOf(backtest)) } = options;
  return {
    result,
    model,
    verification,
    /** Crashed strategies, a text each: strategy, market time, message, stack. */
    faults: faultTexts(result, backtest),
    json,
    ...writeReport(out, { model, json: ['report.json', json], csv }),
    runSeconds: (ranMs - begunMs) / MS_PER_SECOND,
    reportSeconds: (performance.now() - reportedMs) / MS_PER_SECOND,
  };
}

/** Money is whole units of at most 2^53. */
const cutFeesNote = ({ currency, moneyScale }: BacktestMarket, { capital }: BacktestResult): string =>
  `fees are rounded to ${Math.log10(moneyScale)} digits behind the point: a capital of ${formatNumber(capital / moneyScale)} ${currency} leaves room for no more, a smaller one does`;

function verifiedText(verification: Verification | null): string {
  if (verification === null) return 'no; --verify runs it again, and without the later prices';
  const { findings, checked } = verification;
  return findings.length > 0 ? `NOT: ${findings.join('; ')}` : `yes: ${checked.join('; ')}`;
}

function runOnce(backtest: Backtest, options: BacktestRunOptions): VerifiedRun {
  const { onProgress, watched } = options;
  const { value, ...found } = trapped({ stackNames: stackNamesOf(backtest), isFalse: false }, () =>
    runBacktest(planBacktest(backtest, options), { ...watched, onProgress }),
  );
  return { result: value, findings: useFindings(backtest, found), verification: null };
}

/** Targets and stops that fill on the way through a bar: which comes first is assumed, so both orders are played. */
function pathFindings(backtest: Backtest, { seed }: BacktestRunOptions, { strategies }: BacktestResult) {
  const { config, market, sources } = backtest;
  const everyUs = sources.all[0]?.bars?.everyUs;
  const clauses = new Set(strategies.flatMap(({ fills }) => Array.from(fills, ({ clause }) => clause)));
  if (everyUs === undefined || !clauses.has('bar_stop') || !clauses.has('bar_path')) return [];
  const [high, low] = (['high_first', 'low_first'] as const).map((path) => {
    const models = { ...config.models, path };
    const { result } = runOnce({ ...backtest, config: { ...config, models } }, { seed });
    const trades = result.strategies.flatMap((each) => each.trades.filter(({ isOpen }) => !isOpen));
    const exits = trades.map(({ strategy, instrument, entryValue, exitValue, exitUs }) =>
      [strategy, instrument, entryValue, exitValue, Math.floor(exitUs / everyUs)].join(' '),
    );
    return { exits, net: formatSignedAmount(runStatistics(result).netProfit, market) };
  });
  if (high === undefined || low === undefined) return [];
  const same = new Set(low.exits);
  const count = high.exits.filter((each) => !same.has(each)).length;
  return count === 0
    ? []
    : [
        `the order of the extremes within a bar, which the data do not say, decides ${formatCount(count, 'exit')} of ${formatNumber(high.exits.length)}: net profit ${low.net} with the low first, ${high.net} with the high first (models.path: ${config.models.path})`,
      ];
}

function faultTexts({ strategies, utcOffsetMinutes }: BacktestResult, backtest: Backtest): string[] {
  return strategies.flatMap(({ id, fault }, index) => {
    if (fault === null) return [];
    const at = formatLocalMoment(fault.tsUs, utcOffsetMinutes);
    const head = `${id} crashed at ${at} in ${fault.where}, and was stopped: ${fault.message}`;
    return [`${head}\n${framesInSource(backtest, index, fault.stack ?? '')}`.trimEnd()];
  });
}

/** Strategies that placed no order, with what they were given and the likely reason. */
function idleFindings({ strategies, days }: BacktestResult, backtest: Backtest): readonly string[] {
  const { market, config, sources } = backtest;
  const forgets =
    memoryOf(config, market) === 'day' && days.length > 1
      ? '; with memory: day strategies begin again each morning, and an average of more than a day has no value'
      : '';
  const codes = [...new Set(sources.all.map(({ code }) => code))].join(', ');
  const why = (symbols: readonly string[], index: number): string => {
    const rows = symbols.map((symbol) => ({ symbol, count: rowsPlayed(market, sources, symbol) }));
    const missing = rows.flatMap(({ symbol, count }) => (count === 0 ? [symbol] : []));
    if (missing.length > 0)
      return `no price of ${missing.join(', ')} is in the data (${codes}) on any day of the run`;
    const [what, waits] = isOnBars(config) ? ['bar', readsBook(backtest, index)] : ['tick', false];
    const given = rows.map(({ symbol, count }) => `${formatCount(count, what)} of ${symbol}`).join(', ');
    return `it was given ${given}${waits ? ', and reads bid and ask, which bars do not have' : ''}${forgets}`;
  };
  return strategies.flatMap(({ id, orders, denialCount, stopped, symbols }, index) =>
    orders === 0 && denialCount === 0 && stopped === null
      ? [`${id} placed no order: ${why(symbols, index)}`]
      : [],
  );
}

/** The user's own code; a worker of the program's goes without a book. */
const readsBook = ({ strategies }: Backtest, index: number): boolean =>
  /\.(?:lastBook\b|books\$)/.test(strategies[index]?.code?.script ?? '');

function inferredFindings(backtest: Backtest, data: DataWatch['contracts']): readonly string[] {
  const codes = data.flatMap(({ symbol, hasBook, everyUs }) => (hasBook || everyUs !== null ? [] : [symbol]));
  const readers = backtest.strategies.filter((_, index) => codes.length > 0 && readsBook(backtest, index));
  return readers.map(
    ({ id }) => `${id} reads a book: of ${codes.join(', ')} no book was recorded, it is inferred from prints`,
  );
}

// Faults of strategies in promises and timers of the machine. They come up when a run, which is synchronous, is over.

/** Frames of the program before and behind the strategy's own say nothing to its author. */
const FRAMES_MAX = 6;

/** The frames of a stack from the innermost one in the files of the strategy's author. */
function framesInSource({ strategies }: Backtest, index: number, stack: string): string {
  const own = strategies[index];
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const first = Math.max(
    0,
    lines.findIndex((line) => own !== undefined && line.includes(own.stackName)),
  );
  const frames = lines.slice(first, first + FRAMES_MAX).join('\n');
  return own?.inSource(frames) ?? frames;
}

/** Runs `work` and waits for the promises that it left. */
export async function withStrays<T>(work: () => Promise<T>) {
  const strays: unknown[] = [];
  const note = (error: unknown): void => void strays.push(error);
  process.on('unhandledRejection', note).on('uncaughtException', note);
  try {
    const value = await work();
    // Timers without a delay that were set before ring before this one; RxJS throws in such a timer.
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 1);
    });
    return { value, strays };
  } finally {
    process.off('unhandledRejection', note).off('uncaughtException', note);
  }
}

/** The first one of each strategy: the others follow from it, and the runs of a verification fail alike. */
export function strayTexts(backtest: Backtest, strays: readonly unknown[]): readonly string[] {
  const texts = new Map<string, string>();
  for (const error of strays) {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const index = backtest.strategies.findIndex((each) => stack.includes(each.stackName));
    const id = backtest.strategies[index]?.id ?? 'a strategy';
    const head = `${id} failed in a promise or a timer of the machine, after the event was over: ${errorText(error)}`;
    if (!texts.has(id)) texts.set(id, `${head}\n${framesInSource(backtest, index, stack)}`.trimEnd());
  }
  return [...texts.values()];
}
