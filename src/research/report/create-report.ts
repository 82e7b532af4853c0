/** Turns the result of a backtest into the model of its report. */
import type { BacktestDenial, BacktestResult, StrategyResult } from '../backtest-result.ts';
import { getOrCreate } from '../../domain/lists.ts';
import { denialWords } from '../../engine/ports/denial.ts';
import {
  type MoneyFormat,
  formatAmount,
  formatCount,
  formatNumber,
  formatPercent,
  formatRatio,
  formatSigned,
  formatSignedAmount,
  formatSignedPercent,
  listed,
} from '../../text/numbers.ts';
import {
  METRIC_WORDS,
  type PerformanceMetrics,
  performanceMetrics,
  type RunStatistics,
  costsOf,
  closedTrades,
  runStatistics,
  statisticsOfTrades,
} from '../statistics/run-statistics.ts';
import type {
  ReportCosts,
  ReportFan,
  ReportedRun,
  ReportFigure,
  ReportModel,
  ReportTable,
  ReportYear,
} from './report-model.ts';
import * as pictures from './report-pictures.ts';
import type { RatioBasis } from '../statistics/return-ratios.ts';
import { type MonteCarloResult, type ResampledPaths, monteCarlo } from '../statistics/monte-carlo.ts';

const POINTS_MAX = 6_000;
/** More contracts than this are counted. */
const SYMBOLS_MAX = 4;
const PERCENT = 100;

/** Parts of a report that its caller has already, or wants otherwise. */
interface ReportParts {
  readonly found?: RunStatistics;
  readonly performance?: PerformanceMetrics;
  readonly data?: ReportTable;
  readonly resampled?: ReturnType<typeof resampledTrades>;
  readonly zone?: string;
  /** Rows about the run, next to its settings. */
  readonly facts?: readonly (readonly [string, string])[];
}

export function createReport(
  result: BacktestResult,
  title: string,
  parts: ReportParts = {},
): ReportModel & { readonly run: ReportedRun } {
  const {
    found = runStatistics(result),
    performance = performanceMetrics(result, found),
    resampled = resampledTrades(result),
    zone = result.timeZone,
    facts = [],
  } = parts;
  const { moneyScale, currency, utcOffsetMinutes } = result;
  const moneyDigits = Math.round(Math.log10(moneyScale));
  return {
    title,
    subtitle: `${subtitleOf(result)}, times of ${zone}`,
    moneyDigits,
    headlines: headlineFigures(found, result, performance),
    tables: [
      ...(parts.data === undefined ? [] : [parts.data]),
      ...monteCarloTables(resampled, moneyScale),
      strategyTable(result),
      metricTable(result, found, performance),
      ...denialTables(result),
    ],
    warnings: [...warningsOf(result, found), ...benchmarkWarnings(performance)],
    provenance: [
      ['configuration', result.configDigest],
      ['data', result.dataDigest],
      ['journal', result.journalHash],
      ['rows read', formatNumber(result.counts.rows)],
      ['orders', formatNumber(result.counts.orders)],
      ['fills', formatNumber(result.counts.fills)],
    ],
    run: {
      timeZone: zone,
      years: yearsOf(performance),
      costs: reportCosts(result, found),
      settings: [runTable(result, [...facts, ['times', zone]]), ...result.strategies.map(paramTable)],
      drawn: {
        currency,
        moneyDigits,
        utcOffsetMinutes,
        account: pictures.accountSamples(result, POINTS_MAX),
        worst: worstOf(found, result),
        daily: {
          days: found.daily.map(({ day }) => day),
          profit: found.daily.map(({ profit }) => profit / moneyScale),
        },
        ...pictures.reportTrades(result),
        prices: pictures.picturesOf(result),
        histogram: pictures.profitHistogram(result),
        fans: fansOf(resampled, moneyScale),
      },
    },
  };
}

function subtitleOf(result: BacktestResult): string {
  const { days, warmUpDays, strategies, instruments } = result;
  const traded = days.slice(warmUpDays);
  const span = traded.length === 1 ? traded[0] : `${traded[0] ?? ''} to ${traded.at(-1) ?? ''}`;
  const symbols = instruments.filter(pictures.hasPrices).map(({ symbol }) => symbol);
  const sessions = formatCount(traded.length, 'session');
  const contracts =
    symbols.length <= SYMBOLS_MAX
      ? symbols.join(', ')
      : `${symbols.length} contracts from ${symbols[0] ?? ''} to ${symbols.at(-1) ?? ''}`;
  const ids =
    strategies.length <= SYMBOLS_MAX
      ? strategies.map(({ id }) => id).join(', ')
      : `${formatNumber(strategies.length)} strategies`;
  return `${ids} on ${contracts}, ${span ?? ''}, ${sessions}`;
}

function worstOf({ drawdowns }: RunStatistics, { moneyScale, utcOffsetMinutes }: BacktestResult) {
  const seconds = (us: number): number => pictures.sampleSeconds(us, utcOffsetMinutes);
  return drawdowns.worst.map(({ depth, fraction, peakUs, troughUs, recoveredUs }) => ({
    peakSeconds: seconds(peakUs),
    troughSeconds: seconds(troughUs),
    recoveredSeconds: recoveredUs === null ? null : seconds(recoveredUs),
    depth: depth / moneyScale,
    percent: fraction * PERCENT,
  }));
}

const MONTHS = 12;

/** All months of a year compound to its total. */
const yearsOf = ({ aggregate: { month, year } }: PerformanceMetrics): readonly ReportYear[] =>
  [...year].map(([name, total]) => ({
    year: name,
    months: Array.from({ length: MONTHS }, (_, i) => {
      const share = month.get(`${name}-${String(i + 1).padStart(2, '0')}`);
      return share === undefined ? null : share * PERCENT;
    }),
    total: total * PERCENT,
  }));

function benchmarkWarnings({ benchmark }: PerformanceMetrics): readonly string[] {
  if (benchmark === null || benchmark.missing === 0) return [];
  const days = formatCount(benchmark.missing, 'day');
  return [
    `${benchmark.name}, the benchmark, has no price for ${days} of the run: their returns join those of the next day that both have`,
  ];
}

const CHARGES = [
  ['Exchange fee', 'exchangeFee'],
  ['Clearing fee', 'clearingFee'],
  ["Broker's fee", 'brokerFee'],
  ['Fee on order or value, the least one included', 'valueFee'],
  ['Tax', 'tax'],
] as const;

function reportCosts({ strategies, moneyScale }: BacktestResult, found: RunStatistics): ReportCosts {
  const { netProfit, costs, trades, slippage } = found;
  return {
    gross: (netProfit + costs.total) / moneyScale,
    charges: CHARGES.map(([name, kind]): readonly [string, number] => [
      name,
      strategies.reduce((sum, each) => sum + each.costs[kind], 0) / moneyScale,
    ]),
    net: netProfit / moneyScale,
    spread: slippage === undefined ? null : costs.spread / moneyScale,
    trades: trades.count,
  };
}

/** Why orders did not go out, in words; most often first. */
function denialTables({ strategies }: BacktestResult): readonly ReportTable[] {
  const rows = strategies.flatMap(({ id, denials }) =>
    denialKinds(denials).map(({ count, first }) => [id, wordsOf(first), count, first.text]),
  );
  if (rows.length === 0) return [];
  const all = strategies.reduce((sum, { denialCount }) => sum + denialCount, 0);
  const kept = strategies.reduce((sum, { denials }) => sum + denials.length, 0);
  return [
    {
      title: 'Denied and rejected orders',
      note: kept < all ? `counted over the first ${formatNumber(kept)} of ${formatNumber(all)}` : '',
      columns: ['strategy', 'why', 'times', 'the first of them'],
      isText: true,
      rows,
    },
  ];
}

function denialKinds(denials: readonly BacktestDenial[]) {
  const kinds = new Map<string, { count: number; first: BacktestDenial }>();
  for (const denial of denials) {
    const key = denial.by === 'rejected' ? `rejected ${denial.code}` : wordsOf(denial);
    getOrCreate(kinds, key, () => ({ count: 0, first: denial })).count += 1;
  }
  return [...kinds.values()].toSorted((a, b) => b.count - a.count);
}

const wordsOf = ({ by, code, text }: BacktestDenial): string =>
  by === 'rejected' ? `rejected by the exchange: ${text}` : denialWords(code, text);

function runTable(
  { capital, moneyScale, currency, seed, warmUpDays, models }: BacktestResult,
  facts: readonly (readonly [string, string])[],
): ReportTable {
  return {
    title: 'The run',
    note: '',
    columns: ['setting', 'value'],
    isText: true,
    rows: [
      ['capital', `${formatNumber(capital / moneyScale)} ${currency}`],
      ...facts,
      ...models,
      ['warm-up', warmUpDays === 0 ? 'none' : formatCount(warmUpDays, 'session')],
      ['seed', String(seed)],
    ],
  };
}

const paramTable = ({ id, strategy, symbols, params }: StrategyResult): ReportTable => ({
  title: id === strategy ? id : `${id} (${strategy})`,
  note: symbols.join(', '),
  columns: ['parameter', 'value'],
  isText: true,
  rows: Object.entries(params).map(([name, value]) => [name, valueText(value)]),
});

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** More different notes of one kind than this are counted. */
const ALIKE_MAX = 3;

/** By weight: a strategy that was stopped or cheats, denied orders, and then remarks on the data and the market. */
function warningsOf(result: BacktestResult, found: RunStatistics): readonly string[] {
  const { notices, strategies } = result;
  const stopped = strategies.flatMap(({ id, stopped: why }) =>
    why === null ? [] : [`${id} was stopped: ${why}`],
  );
  const biased = notices.filter(({ code }) => code === 'bias').map(({ text }) => text);
  const kinds = new Map<string, Map<string, number>>();
  for (const { code, text } of notices) {
    // A fault is said already, with the strategy that it stopped.
    if (code === 'bias' || code === 'strategy_fault') continue;
    const texts = getOrCreate(kinds, code, () => new Map<string, number>());
    texts.set(text, (texts.get(text) ?? 0) + 1);
  }
  const remarks = [...kinds.values()].flatMap((texts) => {
    const shownTexts = [...texts].slice(0, ALIKE_MAX);
    const more = [...texts.values()].slice(ALIKE_MAX).reduce((sum, count) => sum + count, 0);
    return [
      ...shownTexts.map(([text, count]) => (count === 1 ? text : `${text} (${formatCount(count, 'time')})`)),
      ...(more === 0 ? [] : [`and ${formatNumber(more)} more of this kind`]),
    ];
  });
  return [
    ...stopped,
    ...biased,
    ...strategies.flatMap(denialWarning),
    ...openWarning(result),
    ...chanceWarning(found),
    ...remarks,
  ];
}

/** A ratio that people like to see, and the standard errors below which chance makes it as well. */
const SHARPE_LIKED = 1;
const ERRORS_OF_CHANCE = 2;

function chanceWarning({ sharpe = 0, dailyReturns, basis }: RunStatistics): readonly string[] {
  const errors = sharpe * Math.sqrt(dailyReturns.length / basis.periodsPerYear);
  if (sharpe <= SHARPE_LIKED || errors >= ERRORS_OF_CHANCE) return [];
  const days = formatCount(dailyReturns.length, 'day');
  return [
    `a Sharpe ratio of ${sharpe.toFixed(2)} from ${days} may be chance: it is ${errors.toFixed(1)} standard errors above zero`,
  ];
}

/** Net profit has what is held at the end, and the list of closed trades has not. */
function openWarning({ strategies, ...result }: BacktestResult): readonly string[] {
  const open = strategies.flatMap(({ id, trades }) =>
    trades.filter(({ isOpen }) => isOpen).map((trade) => pictures.tradeOf(result, trade, id)),
  );
  if (open.length === 0) return [];
  const texts = open.map(
    ({ strategy, direction, qty, symbol, profit }) =>
      `${strategy} ${direction} ${formatNumber(qty)} ${symbol} at ${formatSigned(profit)} ${result.currency}`,
  );
  const what = listed(texts, ALIKE_MAX);
  return [`held at the end: ${what}; that is in the net profit, and counts among no trades`];
}

/** Denied orders are the commonest reason of an empty report. */
function denialWarning({ id, denials, denialCount, orders }: StrategyResult): readonly string[] {
  const [kind] = denialKinds(denials);
  if (kind === undefined) return [];
  const { first, count } = kind;
  return [
    `${id}: ${formatCount(denialCount, 'call')} denied or rejected against ${formatCount(orders, 'order')}; most often (${formatNumber(count)}) ${wordsOf(first)}`,
  ];
}

function headlineFigures(
  found: RunStatistics,
  format: MoneyFormat,
  { metrics }: PerformanceMetrics,
): readonly ReportFigure[] {
  const { trades, drawdowns, costs } = found;
  const held = metrics.get('benchmarkReturn');
  return [
    [
      `Net profit, ${format.currency}`,
      formatSignedAmount(found.netProfit, format),
      'equity at the end - capital, after all costs',
    ],
    ['Return', formatSignedPercent(found.totalReturn), 'last / first - 1'],
    ...(held === undefined ? [] : [['Buy and hold', formatSignedPercent(held), BUY_AND_HOLD] as const]),
    [
      'CAGR',
      formatSignedPercent(found.annualReturn),
      'annual return: (last / first)^(sessions of a year / sessions) - 1',
    ],
    ['Sharpe ratio', formatRatio(found.sharpe), sharpeMeaning(found.basis)],
    ['Deepest drawdown', formatPercent(-drawdowns.fractionMax), 'largest fall from a peak, as a part of it'],
    [
      'Trades',
      String(trades.count),
      `from flat to flat, or to the turn over zero: ${trades.wins} won, ${trades.losses} lost`,
    ],
    ['Win rate', formatPercent(trades.winRate), 'trades with a net gain / all trades'],
    ['Profit factor', formatRatio(trades.profitFactor), 'sum of gains / sum of losses'],
    ['Fees and tax', formatAmount(costs.fees + costs.tax, format), 'all that was charged for fills'],
  ];
}

const BUY_AND_HOLD = 'last / first - 1 of the price, from the end of the first day';

const sharpeMeaning = ({ deviation, riskFree }: RatioBasis): string =>
  `mean / ${deviation} deviation of the daily returns x sqrt(sessions of a year); ${riskFree === 0 ? 'risk-free rate 0' : 'above the risk-free rate'} (Sharpe, 1994)`;

/** Figures of the trades that neither the headlines nor another section shows. */
function moreFigures(found: RunStatistics, format: MoneyFormat): readonly ReportFigure[] {
  const { trades } = found;
  const amount = (value: number | undefined): string =>
    value === undefined ? '–' : formatAmount(Math.round(value), format);
  return [
    ['Expectancy', amount(trades.expectancy), 'mean net profit of a trade'],
    ['Average win', amount(trades.averageWin), 'mean of the gains'],
    ['Average loss', amount(trades.averageLoss), 'mean of the losses, as a positive number'],
    ['Largest win', amount(trades.largestWin), ''],
    ['Largest loss', amount(trades.largestLoss), 'as a positive number'],
    ['SQN', formatRatio(trades.sqn), 'sqrt(n) x mean / deviation of the trades (Van Tharp, 2008)'],
    ['Wins in a row', String(trades.winsInARowMax), 'longest run'],
    ['Losses in a row', String(trades.lossesInARowMax), 'longest run'],
    [
      'Slippage',
      amount(found.slippage),
      'fills against the middle of the book when their orders were decided, where the data have a book; below zero is gained. That of models.slippage is in the prices of fills.',
    ],
    [
      'Exposure',
      formatPercent(found.exposure),
      'time with each position, added up / time after the warm-up, nights included',
    ],
    ['Turnover', `${found.turnover.toFixed(1)} x`, 'value of all fills / capital'],
  ];
}

/** Each figure with its formula; long, so that the page folds it. */
const metricTable = (
  format: MoneyFormat,
  found: RunStatistics,
  { metrics, benchmark }: PerformanceMetrics,
): ReportTable => ({
  title: 'Metrics',
  note: [basisText(found.basis), ...(benchmark === null ? [] : [`against ${benchmark.name}`])].join('; '),
  columns: ['metric', 'value', 'formula'],
  isText: true,
  rows: [
    ...moreFigures(found, format),
    ...Array.from(metrics, ([key, value]): ReportFigure => {
      const [name, meaning, unit] = METRIC_WORDS[key];
      return [name, unit === '%' ? formatPercent(value) : formatRatio(value), meaning];
    }),
  ],
});

const basisText = ({ deviation, periodsPerYear, riskFree }: RatioBasis): string =>
  `${deviation} deviation, ${periodsPerYear} days a year, risk-free ${formatPercent((1 + riskFree) ** periodsPerYear - 1)} a year`;

function strategyTable(result: BacktestResult): ReportTable {
  const { strategies, moneyScale } = result;
  const rows = strategies.map((each) => {
    const found = statisticsOfTrades(result, [each]);
    return {
      strategy: each.id,
      'net profit': (each.profit.values.at(-1) ?? 0) / moneyScale,
      trades: found.count,
      'win rate': formatPercent(found.winRate),
      'profit factor': formatRatio(found.profitFactor),
      orders: each.orders,
      denied: each.denialCount,
      'fees and tax': costsOf([each]).total / moneyScale,
    };
  });
  const columns = Object.keys(rows[0] ?? {});
  return { title: 'By strategy', note: '', columns, rows: rows.map((row) => Object.values(row)) };
}

const PATHS = 1_000;
const PATHS_MIN = 100;
/** Over all paths of one kind: a run with very many trades has fewer paths, so that its report is there at once. */
const STEPS = 2_000_000;

/** Undefined for fewer than two closed trades. */
export function resampledTrades(result: BacktestResult): MonteCarloResult | undefined {
  const profits = closedTrades(result.strategies).map(({ netProfit }) => netProfit);
  const runs = Math.max(PATHS_MIN, Math.min(PATHS, Math.floor(STEPS / Math.max(1, profits.length))));
  return monteCarlo(profits, result.capital, { runs, seed: result.seed });
}

const BANDS = [
  ['5 %', 'p5'],
  ['25 %', 'p25'],
  ['50 %', 'p50'],
  ['75 %', 'p75'],
  ['95 %', 'p95'],
] as const;

function fansOf(found: MonteCarloResult | undefined, moneyScale: number): readonly ReportFan[] {
  if (found === undefined) return [];
  const fan = (title: string, { equity }: ResampledPaths): ReportFan => ({
    title,
    xName: 'trades',
    x: equity.after,
    bands: BANDS.map(([name, part]) => [name, equity.bands.map((band) => band[part] / moneyScale)]),
  });
  return [
    fan('Equity if trades were drawn again in blocks', found.bootstrapped),
    fan('Equity if trades came in another order', found.shuffled),
  ];
}

export function monteCarloTables(
  found: MonteCarloResult | undefined,
  moneyScale: number,
): readonly ReportTable[] {
  if (found === undefined) return [];
  const { runs, seed, trades, blockTrades, shuffled, bootstrapped } = found;
  const row = (name: string, band: ResampledPaths['netProfit']): ReportTable['rows'][number] => [
    name,
    ...BANDS.map(([, part]) => Math.round(band[part]) / moneyScale),
  ];
  const shares = `${formatPercent(bootstrapped.lossShare)} of the bootstrapped paths end below the capital; ${formatPercent(bootstrapped.ruinShare)} touch zero on the way, and are drawn on as if nobody had ended them`;
  return [
    {
      title: 'Monte Carlo',
      note: `${formatNumber(trades)} trades, ${formatNumber(runs)} paths each; blocks of ${blockTrades}, seed ${seed}. ${shares}. It knows only what happened: a market that was not in the data is not in here.`,
      columns: ['', ...BANDS.map(([name]) => name)],
      rows: [
        row('net profit, bootstrap', bootstrapped.netProfit),
        row('drawdown, bootstrap', bootstrapped.drawdownMax),
        row('drawdown, shuffled', shuffled.drawdownMax),
      ],
    },
  ];
}
