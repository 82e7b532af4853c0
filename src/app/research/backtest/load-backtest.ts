/** Reads the file of a backtest, its market, its strategies and its data: everything is right, or every problem is told. */
import type { StrategyConfig } from '../../../config/config.ts';
import { limitProblems } from '../../../config/limit-rules.ts';
import type { Problem } from '../../../config/problem.ts';
import { readFile } from '../../../config/read-file.ts';
import { readStrategies } from '../../../config/strategy-entries.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { US_PER_DAY } from '../../../domain/units.ts';
import { CATALOG } from '../../host/catalog.ts';
import { type BacktestMarket, readBacktestMarket } from './backtest-market.ts';
import { type BacktestFile, backtestSchema } from './backtest-schema.ts';
import { barLengthUs } from './bar-length.ts';
import { fileProblems, isOnBars } from './backtest-rules.ts';
import { type JournalLatencies, readJournalLatencies } from './journal-latency.ts';
import { importNamedFiles, placed } from './import-named-files.ts';
import { type SourceDays, sourceDays } from './source-days.ts';
import { isStrategyFile, type LoadedStrategy, loadStrategyFile, StrategyFileError } from './strategy-file.ts';

/** One strategy of the file. */
export interface BacktestStrategy extends StrategyConfig, LoadedStrategy {}

/** A file of a backtest as it was read; `planBacktest` makes a run of it. */
export interface Backtest {
  readonly file: string;
  readonly read: BacktestFile;
  readonly source: YamlSource;
  readonly market: BacktestMarket;
  readonly strategies: readonly BacktestStrategy[];
  /** What the columns hold: plain data, that may be sent to a thread. */
  readonly sources: SourceDays;
  readonly latencies: JournalLatencies;
}

export type LoadedBacktest =
  | { readonly ok: true; readonly backtest: Backtest }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface LoadOptions {
  /** Told of what takes a while. */
  readonly note?: (text: string) => void;
}

export async function loadBacktest(
  file: string,
  { note = () => undefined }: LoadOptions = {},
): Promise<LoadedBacktest> {
  const main = readFile(file, backtestSchema, 'a backtest');
  if ('problems' in main) return { ok: false, problems: main.problems };
  const { source, value: read } = main;
  const found = await findStrategies(source, read);
  const problems = [...found.problems];
  const market = readBacktestMarket(source);
  if (!market.ok) return { ok: false, problems: [...problems, ...market.problems] };
  problems.push(...fileProblems(source, read, market.market));
  if (market.market.kind === 'index_futures' && read.risk !== undefined)
    problems.push(...limitProblems(source, { ...read, risk: read.risk }, market.market));
  const { latencies, problems: unmeasured } = readJournalLatencies(source, read);
  problems.push(...unmeasured);
  if (problems.length > 0) return { ok: false, problems };
  const imported = await importNamedFiles(read.data, {
    source,
    market: market.market,
    state: read.state,
    note,
  });
  if (imported.problems.length > 0) return { ok: false, problems: imported.problems };
  const { catalogue, symbols = null, from = null, to = null, every } = read.data;
  const dirs = catalogue === undefined ? imported.dirs : [...imported.dirs, placed(catalogue, source)];
  const sources = sourceDays(dirs, market.market, {
    symbols,
    from,
    to,
    kind: isOnBars(read) ? 'bars' : 'ticks',
    everyUs: every === undefined ? null : barLengthUs(every),
  });
  const { strategies } = found;
  const backtest: Backtest = { file, read, source, market: market.market, strategies, sources, latencies };
  const wrong = sources.days.length === 0 ? [noDays(backtest)] : dayBarProblems(backtest);
  return wrong.length === 0 ? { ok: true, backtest } : { ok: false, problems: wrong };
}

function noDays({ source, sources: { all, remarks } }: Backtest): Problem {
  const [first, last] = [all[0]?.day, all.at(-1)?.day];
  const there = first === undefined ? 'none at all' : `days from ${first} to ${last ?? first}`;
  const hint = remarks[0] ?? 'look at from, to and symbols';
  return source.problem(['data'], 'data with a day to be played', hint, there);
}

/** What is decided on the close of a day would find the market closed, and be gone before it opens. */
function dayBarProblems({ source, sources: { all }, market }: Backtest): readonly Problem[] {
  if (market.isAlwaysOpen || !all.some(({ bars }) => bars !== null && bars.everyUs >= US_PER_DAY)) return [];
  const [expected, hint] =
    market.kind === 'own'
      ? ['a market without hours for bars of a day', 'leave market.hours out: orders wait for the next open']
      : ['bars shorter than a day', 'the exchange takes no orders after its close'];
  return [source.problem(['data', 'bars'], expected, hint, 'bars of a day')];
}

interface FoundStrategies {
  readonly strategies: readonly BacktestStrategy[];
  readonly problems: readonly Problem[];
}

/** From the catalogue of the program, or from a file of the user's own. */
async function findStrategies(source: YamlSource, read: BacktestFile): Promise<FoundStrategies> {
  const problems: Problem[] = [];
  const known = new Map<string, LoadedStrategy>(
    CATALOG.map((definition) => [definition.name, { definition, place: `/strategies/${definition.name}/` }]),
  );
  for (const [i, { strategy }] of read.strategies.entries()) {
    if (!isStrategyFile(strategy) || known.has(strategy)) continue;
    try {
      known.set(strategy, await loadStrategyFile(strategy, source.file, read.state));
    } catch (error) {
      if (!(error instanceof StrategyFileError)) throw error;
      problems.push(
        source.problem(['strategies', i, 'strategy'], error.expected, error.hint, error.received),
      );
    }
  }
  if (problems.length > 0) return { strategies: [], problems };
  const catalog = [...known].map(([name, { definition }]) => ({ ...definition, name }));
  const { entries, problems: wrong } = readStrategies(source, read, catalog);
  const strategies = entries.flatMap((entry) => {
    const loaded = known.get(entry.strategy);
    return loaded === undefined ? [] : [{ ...entry, ...loaded }];
  });
  return { strategies, problems: wrong };
}
