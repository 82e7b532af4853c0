/** What the sections of a backtest's file must be to each other. */
import { nearest, type Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import type { BacktestMarket } from './backtest-market.ts';
import type { BacktestFile } from './backtest-schema.ts';
import { wholeOf } from './market-units.ts';

const ON_TICKS = ['queue', 'touch', 'through'];
const ON_BARS = ['next_open', 'close', 'ohlc'];

export const fileProblems = (
  source: YamlSource,
  file: BacktestFile,
  market: BacktestMarket,
): readonly Problem[] => [
  ...dataProblems(source, file),
  ...modelProblems(source, file),
  ...memoryProblems(source, file, market),
  ...moneyProblems(source, file, market),
  ...symbolProblems(source, file, market),
];

function dataProblems(source: YamlSource, { data }: BacktestFile): readonly Problem[] {
  const { prints, bars, catalogue, from, to } = data;
  if (prints.length + bars.length === 0 && catalogue === undefined)
    return [source.problem(['data'], 'prints, bars or a catalogue', 'add prints: [../data/sample]')];
  if (bars.length > 0 && (prints.length > 0 || catalogue !== undefined))
    return [source.problem(['data', 'bars'], 'bars alone', 'bars and ticks have different fill models')];
  if (from !== undefined && to !== undefined && to < from)
    return [source.problem(['data', 'to'], `a day from ${from} on`)];
  return [];
}

function modelProblems(source: YamlSource, { data, models }: BacktestFile): readonly Problem[] {
  if (models.fill === undefined) return [];
  const isCatalogue = data.bars.length === 0 && data.prints.length === 0;
  const [fits, what] = data.bars.length > 0 ? [ON_BARS, 'bars'] : [ON_TICKS, 'ticks'];
  if (isCatalogue || fits.includes(models.fill)) return [];
  return [source.problem(['models', 'fill'], `a model on ${what}: ${fits.join(', ')}`)];
}

/** A catalogue may hold both: then the fill model says what is played. */
export const isOnBars = ({ data, models }: BacktestFile): boolean =>
  data.bars.length > 0 || ON_BARS.includes(models.fill ?? '');

function memoryProblems(source: YamlSource, file: BacktestFile, market: BacktestMarket): readonly Problem[] {
  if (file.warmUpDays === 0 || memoryOf(file, market) === 'run') return [];
  const hint = 'add memory: run, or strategies forget the warm-up each morning';
  return [source.problem(['warmUpDays'], '0 where strategies begin anew each day', hint)];
}

/** Where trading never stops there is no morning. */
export const memoryOf = ({ memory }: BacktestFile, { isAlwaysOpen }: BacktestMarket): 'day' | 'run' =>
  memory ?? (isAlwaysOpen ? 'run' : 'day');

function moneyProblems(
  source: YamlSource,
  { capital }: BacktestFile,
  { moneyScale, currency }: BacktestMarket,
): readonly Problem[] {
  const digits = Math.round(Math.log10(moneyScale));
  if (wholeOf(capital, digits) !== undefined) return [];
  return [
    source.problem(['capital'], `an amount of ${currency} with at most ${digits} digits behind the point`),
  ];
}

/** A market file has its own rules for symbols. */
function symbolProblems(
  source: YamlSource,
  { strategies, data }: BacktestFile,
  market: BacktestMarket,
): readonly Problem[] {
  const known = Object.keys(market.contracts);
  const named = [
    ...(data.symbols ?? []).map((symbol, i) => ({ symbol, path: ['data', 'symbols', i] })),
    ...strategies.flatMap(({ symbols }, i) =>
      symbols.map((symbol, j) => ({ symbol, path: ['strategies', i, 'symbols', j] })),
    ),
  ];
  return named
    .filter(({ symbol }) => market.specOf(symbol) === undefined)
    .map(({ symbol, path }) => {
      const meant = nearest(symbol, known);
      const hint = meant === undefined ? '' : `did you mean ${meant}?`;
      return source.problem(path, `a contract of this market (${known.join(', ')})`, hint);
    });
}
