/** Reads a backtest file, its market, its strategies and its data; returns a backtest without errors, or every error. */
import { NotFoundError } from '../../domain/failure.ts';
import { wholeOf } from '../../text/decimals.ts';
import { readStrategies, type StrategyCode, type StrategyConfig } from '../../config/config.ts';
import { closingProblems, limitProblems, withKeptPositions } from '../../config/config-rules.ts';
import { type CheckResult, formatProblem, meantHint, type Problem } from '../../config/problem.ts';
import { placed, readFile } from '../../config/read-file.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import { hasMaintenance } from '../../domain/costs.ts';
import { durationUs, US_PER_DAY } from '../../domain/units.ts';
import { listed } from '../../text/numbers.ts';
import { formatDuration, parseDuration } from '../../text/durations.ts';
import { FLAT_BEFORE_MAX } from '../../config/config-schema.ts';
import {
  CATALOG,
  catalogWith,
  type LoadedStrategy,
  loadOwnStrategies,
  runStrategyCode,
} from '../../host/strategy-files/own-strategies.ts';
import { typeNotes } from '../../host/strategy-files/type-errors.ts';
import { type BacktestMarket, readBacktestMarket } from './backtest-market.ts';
import { type BacktestConfig, backtestSchema, modelProblems } from './backtest-schema.ts';
import { importNamedFiles, longestBar, NAMES_SHOWN, type SourceDays, sourceDays } from './source-days.ts';
import type { Latency, LatencyModel } from '../run/virtual-time.ts';

/** A backtest file after reading; `planBacktest` makes a run of it. */
export interface Backtest {
  readonly file: string;
  readonly config: BacktestConfig;
  readonly source: YamlSource;
  readonly market: BacktestMarket;
  readonly strategies: readonly (StrategyConfig & LoadedStrategy)[];
  /** Plain data that may be sent to a thread. */
  readonly sources: SourceDays;
  readonly latency: LatencyModel;
}

/** Text by which a stack trace shows the code of each strategy, by id. */
export const stackNamesOf = ({ strategies }: Backtest): ReadonlyMap<string, string> =>
  new Map(strategies.map(({ id, stackName }) => [id, stackName]));

/** What one reading found, as plain data: another thread or machine makes the same backtest of it, without a file. */
export interface BacktestInputs extends Pick<Backtest, 'file' | 'sources' | 'latency'> {
  /** Of the file and those that it names. */
  readonly texts: ReadonlyMap<string, string>;
  /** Code of the user's own strategies, by file or package. */
  readonly codes: ReadonlyMap<string, StrategyCode>;
}

export const inputsOf = ({ file, sources, latency, source, strategies }: Backtest): BacktestInputs => ({
  file,
  sources,
  latency,
  texts: source.texts,
  codes: new Map(strategies.flatMap(({ strategy, code }) => (code === null ? [] : [[strategy, code]]))),
});

export async function loadAgain(inputs: BacktestInputs): Promise<Backtest> {
  const loaded = await loadBacktest(inputs.file, { inputs });
  if (loaded.ok) return loaded.backtest;
  throw new Error(`no longer what it was at the start: ${loaded.problems.map(formatProblem).join('; ')}`);
}

interface LoadBacktestOptions {
  /** Receives a line for each slow step. */
  readonly note?: (text: string) => void;
  /** Of another thread of the same run. */
  readonly inputs?: BacktestInputs;
  /** Longest time that the code of a strategy may take to load; 20 s when absent. */
  readonly loadMsMax?: number | undefined;
}

export async function loadBacktest(
  file: string,
  options: LoadBacktestOptions = {},
): Promise<CheckResult<{ readonly backtest: Backtest }>> {
  const { inputs } = options;
  const main = readFile(file, backtestSchema, 'a backtest', inputs && new Map(inputs.texts));
  if ('problems' in main) return { ok: false, problems: main.problems };
  const { source } = main;
  const config = withKeptPositions(main.value);
  const code = await findStrategies(source, config, options);
  const problems = [...code.problems];
  const terms = readBacktestMarket(source);
  if (!terms.ok) return { ok: false, problems: [...problems, ...terms.problems] };
  const { market } = terms;
  problems.push(...FILE_RULES.flatMap((rule) => rule({ source, config, market })));
  problems.push(...closingProblems(source, config));
  if (market.kind === 'index_futures' && config.risk !== undefined)
    problems.push(...limitProblems(source, { ...config, risk: config.risk }, market));
  const latency = inputs?.latency ?? {
    order: await latencyOf(source, config, 'order', problems),
    report: await latencyOf(source, config, 'report', problems),
  };
  if (problems.length > 0) return { ok: false, problems };
  const sources = inputs?.sources ?? (await readSources({ source, config, market }, options));
  if (Array.isArray(sources)) return { ok: false, problems: sources };
  const { strategies } = code;
  const backtest: Backtest = { file, config, source, market, strategies, sources, latency };
  const wrong = sources.days.length === 0 ? [noDays(backtest)] : DATA_RULES.flatMap((rule) => rule(backtest));
  return wrong.length === 0 ? { ok: true, backtest } : { ok: false, problems: wrong };
}

async function readSources(
  { source, config, market }: ReadBacktest,
  { note = () => undefined }: LoadBacktestOptions,
): Promise<SourceDays | Problem[]> {
  const { state } = config;
  const { dirs, remarks, problems } = await importNamedFiles(config.data, { source, market, state, note });
  if (problems.length > 0) return [...problems];
  const { catalogue } = config.data;
  const named = { dir: placed(catalogue ?? '', source.file), at: ['data', 'catalogue'] };
  const found = sourceDays(catalogue === undefined ? dirs : [...dirs, named], market, config);
  return { ...found, remarks: [...remarks, ...found.remarks] };
}

/** What a run with days can still lack. */
const DATA_RULES = [
  splitProblems,
  dayBarProblems,
  closingBarProblems,
  unplayedProblems,
  benchmarkProblems,
  idleProblems,
];

function noDays({ source, sources: { all, remarks } }: Backtest): Problem {
  const [first, last] = [all[0]?.day, all.at(-1)?.day];
  const there = first === undefined ? 'none at all' : `days from ${first} to ${last ?? first}`;
  const hint = remarks[0] ?? 'check from, to and symbols';
  return source.problem(['data'], 'data with a day to be played', hint, there);
}

/** A run on the trades alone would guess the book that the quotes are. */
function splitProblems({ source, sources: { apart } }: Backtest): readonly Problem[] {
  const [first] = apart;
  if (first === undefined) return [];
  const days = listed([...new Set(apart.map(({ day }) => day))], NAMES_SHOWN);
  const expected = `trades and quotes of ${first.code} in one file: another has its ${days} too`;
  const hint =
    'put the levels into the prints as columns bid_1, bid_size_1, ask_1 and so on (data/README.md), or leave one file out';
  return [source.problem(first.at, expected, hint)];
}

/** A run that only warms up would report a strategy that never trades. */
function idleProblems({
  source,
  config: { warmUpDays = 0 },
  sources: { days },
}: Backtest): readonly Problem[] {
  if (warmUpDays < days.length) return [];
  return [source.problem(['warmUpDays'], `fewer days than the ${days.length} of the data`)];
}

/** A strategy without prices would wait for ever. Contracts of index futures are listed by the day. */
function unplayedProblems({ source, config, sources: { all, days }, market }: Backtest): readonly Problem[] {
  if (market.kind !== 'own') return [];
  const played = new Set(days);
  const there = [...new Set(all.filter(({ day }) => played.has(day)).map(({ code }) => code))];
  const expected = `a contract with data in this run (${there.join(', ')})`;
  return symbolsOf(config.strategies)
    .filter(({ symbol }) => !there.includes(symbol))
    .map(({ path }) => source.problem(path, expected, 'name its file in data, or leave it out'));
}

const symbolsOf = (strategies: BacktestConfig['strategies']) =>
  strategies.flatMap(({ symbols }, i) =>
    symbols.map((symbol, j) => ({ symbol, path: ['strategies', i, 'symbols', j] })),
  );

function benchmarkProblems({ source, config, sources: { all } }: Backtest): readonly Problem[] {
  const { benchmark } = config.statistics;
  if (benchmark === undefined || all.some(({ code }) => code === benchmark)) return [];
  const hint = 'name its file in data';
  return [source.problem(['statistics', 'benchmark'], 'a contract with data in this run', hint)];
}

/** An order decided on the close of a daily bar would meet a closed market and expire before it opens. */
function dayBarProblems({ source, sources: { all }, market }: Backtest): readonly Problem[] {
  if (market.isAlwaysOpen || !all.some(({ bars }) => bars !== null && bars.everyUs >= US_PER_DAY)) return [];
  const [expected, hint] =
    market.kind === 'own'
      ? ['a market without hours for bars of a day', 'leave market.hours out: orders wait for the next open']
      : ['bars shorter than a day', 'the exchange takes no orders after its close'];
  return [source.problem(['data', 'bars'], expected, hint, 'bars of a day')];
}

/** A flatten while a bar forms knows neither position nor price, and its order waits for the next bar. */
function closingBarProblems({ source, config, sources: { all }, market }: Backtest): readonly Problem[] {
  const { flatBeforeClose: before } = config.session;
  if (market.isAlwaysOpen || before === null) return [];
  return config.strategies.flatMap(({ overnight, symbols }, i) => {
    const own = market.kind === 'own' ? all.filter(({ code }) => symbols.includes(code)) : all;
    const longestUs = longestBar(own);
    if (overnight || longestUs <= before || longestUs >= US_PER_DAY) return [];
    const [every, span] = [formatDuration(durationUs(longestUs)), formatDuration(before)];
    const isEarlier = longestUs <= (parseDuration(FLAT_BEFORE_MAX) ?? 0);
    const hint = `overnight: true keeps it${isEarlier ? `; session.flatBeforeClose: ${every} closes it at the open of a bar` : ''}`;
    const expected = `true on bars of ${every}: none begins in the ${span} before the close in which a position would be closed`;
    return [source.problem(['strategies', i, 'overnight'], expected, hint, 'false')];
  });
}

/** Loads the user's own code again: it keeps nothing of an earlier run in its modules. */
export async function withFreshCode(backtest: Backtest): Promise<Backtest> {
  const fresh = new Map<string, LoadedStrategy>();
  for (const { strategy, code } of backtest.strategies)
    if (code !== null && !fresh.has(strategy)) fresh.set(strategy, await runStrategyCode(strategy, code));
  return {
    ...backtest,
    strategies: backtest.strategies.map((each) => ({ ...each, ...fresh.get(each.strategy) })),
  };
}

/** From the catalogue of the program, or from a file of the user's own. */
async function findStrategies(
  source: YamlSource,
  config: BacktestConfig,
  { inputs, loadMsMax, note = () => undefined }: LoadBacktestOptions,
) {
  const { loaded, problems } = await loadOwnStrategies(source, config.strategies, inputs?.codes, loadMsMax);
  if (problems.length > 0) return { strategies: [], problems };
  // Threads of the same run need not report it again.
  if (inputs === undefined) for (const text of typeNotes(loaded, config.state)) note(text);
  const known = new Map<string, LoadedStrategy>(loaded);
  for (const definition of CATALOG) {
    const stackName = `/strategies/${definition.name}/`;
    known.set(definition.name, { definition, stackName, loadUses: [], inSource: (stack) => stack });
  }
  const { entries, problems: wrong } = readStrategies(source, config, catalogWith(loaded));
  const strategies = entries.flatMap((entry) => {
    const found = known.get(entry.strategy);
    return found === undefined ? [] : [{ ...entry, ...found, code: entry.code }];
  });
  return { strategies, problems: wrong };
}

/** The journal is read where a file asks for it alone: other runs start without the database. */
async function latencyOf(
  source: YamlSource,
  config: BacktestConfig,
  kind: keyof LatencyModel,
  problems: Problem[],
): Promise<Latency> {
  const { min = durationUs(0), max, mean, measured } = config.models.latency[kind];
  if (max !== undefined) return { kind: 'uniform', min, max };
  if (mean !== undefined) return { kind: 'exponential', min, mean: durationUs(mean) };
  if (measured === undefined) return { kind: 'constant', span: min };
  const path = ['models', 'latency', kind, 'measured'];
  const { journalLatencies } = await import('../recorded/session-orders.ts');
  try {
    const { calls, reports } = journalLatencies(measured);
    const spans = (kind === 'order' ? calls : reports).map(durationUs);
    const expected = 'a journal with orders that were answered and filled';
    if (spans.length === 0) problems.push(source.problem(path, expected, '', 'none in it'));
    return { kind: 'measured', spans, source: `the journal in ${measured}` };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const hint = 'the path counts from where the program is started';
    problems.push(source.problem(path, 'a state directory with a journal', hint, error.message));
    return { kind: 'constant', span: min };
  }
}

/** A file that was read, before its data. */
type ReadBacktest = Pick<Backtest, 'source' | 'config' | 'market'>;

const FILE_RULES = [
  dataProblems,
  ({ source, config }: ReadBacktest) => modelProblems(source, config),
  memoryProblems,
  moneyProblems,
  maintenanceProblems,
  symbolProblems,
];

function dataProblems({ source, config }: ReadBacktest): readonly Problem[] {
  const { prints, quotes, bars, catalogue, from, to } = config.data;
  const ticks = prints.length + quotes.length;
  if (ticks + bars.length === 0 && catalogue === undefined)
    return [source.problem(['data'], 'prints, quotes, bars or a catalogue', 'add prints: [../data/sample]')];
  if (bars.length > 0 && (ticks > 0 || catalogue !== undefined))
    return [source.problem(['data', 'bars'], 'bars alone', 'bars and ticks have different fill models')];
  if (from !== undefined && to !== undefined && to < from)
    return [source.problem(['data', 'to'], `a day from ${from} on`)];
  return [];
}

function memoryProblems({ source, config, market }: ReadBacktest): readonly Problem[] {
  if (!config.warmUpDays || memoryOf(config, market) === 'run') return [];
  const hint = 'add memory: run, or strategies forget the warm-up each morning';
  return [source.problem(['warmUpDays'], '0 where strategies restart each day', hint)];
}

/** In the daemon's own market a day is a day of the daemon; no other market has one. */
export const memoryOf = ({ memory }: BacktestConfig, { kind }: BacktestMarket): 'day' | 'run' =>
  memory ?? (kind === 'index_futures' ? 'day' : 'run');

/** A broker closes by its ratios or by maintenance margin. */
function maintenanceProblems({ source, config, market }: ReadBacktest): readonly Problem[] {
  const isMaintained = Object.values(market.contracts).some(
    ({ costs }) => costs !== undefined && hasMaintenance(costs),
  );
  const ratio = (['entryPercent', 'warnPercent', 'forceClosePercent'] as const).find(
    (key) => config[key] !== undefined,
  );
  if (!isMaintained || ratio === undefined) return [];
  const hint = 'leave it out, or leave maintenance margin out of the market';
  return [source.problem([ratio], 'no ratio where contracts have maintenance margin', hint)];
}

/** Values of positions may grow to this many times the capital before money is no longer exact. */
const MONEY_ROOM = 8;

function moneyProblems({ source, config: { capital }, market }: ReadBacktest): readonly Problem[] {
  const { moneyScale, currency } = market;
  const digits = Math.round(Math.log10(moneyScale));
  const most = Number.MAX_SAFE_INTEGER / moneyScale / MONEY_ROOM;
  if (capital > most) {
    const hint = `one tick of one lot needs ${digits} digits behind the point: take less capital, a larger lot or a coarser tick`;
    return [source.problem(['capital'], `at most ${Math.floor(most)} ${currency}`, hint)];
  }
  if (wholeOf(capital, digits) !== undefined) return [];
  const expected = `an amount of ${currency} with at most ${digits} digits behind the point`;
  return [source.problem(['capital'], expected)];
}

/** `limitProblems` has those of strategies that trade index futures within limits. */
function symbolProblems({
  source,
  config: { strategies, data, risk },
  market,
}: ReadBacktest): readonly Problem[] {
  const known = Object.keys(market.contracts);
  const named = [
    ...(data.symbols ?? []).map((symbol, i) => ({ symbol, path: ['data', 'symbols', i] })),
    ...symbolsOf(market.kind === 'own' || risk === undefined ? strategies : []),
  ];
  const expected = `a contract of this market (${known.join(', ')})`;
  return named
    .filter(({ symbol }) => market.specOf(symbol) === undefined)
    .map(({ symbol, path }) => source.problem(path, expected, meantHint(symbol, known)));
}
