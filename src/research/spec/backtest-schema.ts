/** Schema of a backtest file, checked as a whole before anything runs. */
import { assertDefined } from '../../domain/assert.ts';
import { parseBarLength } from '../../text/durations.ts';
import { timeZone } from '../../text/dates.ts';
import { z } from 'zod';
import { configSchema } from '../../config/config-schema.ts';
import { phaseSpan, weekday } from '../../config/market-file.ts';
import type { Problem } from '../../config/problem.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import { COLUMN_ROLES } from '../../recording/import/column-map.ts';
import { isSymbol } from '../../recording/import/file-kind.ts';
import { count, date, durationFrom, firstOf, flag, pathText, percent, section } from '../../config/values.ts';

// A schema reads once a run here: to compile it takes longer.
z.config({ jitless: true });

const positive = z.number().positive();
const share = z.number().min(0).max(100).meta({ unit: '%' });
const rate = z.number().min(-100).max(100).meta({ unit: '%' });
const amount = z.number().min(0);
const delay = durationFrom('0s', '10m');

/** A setting that is not written keeps the default of the market or the program. */
const costs = z.strictObject({
  perContract: amount.optional().describe('Fee of one contract, share or lot'),
  valuePercent: share.optional().describe('Fee on the value'),
  takerPercent: rate.optional().describe('The same of orders that take; below zero is paid to us'),
  makerPercent: rate.optional().describe('The same of orders that waited'),
  perOrder: amount.optional().describe('Fee of each order that fills'),
  orderMin: amount.optional().describe('Least fees of an order that fills'),
  orderMaxPercent: share.optional().describe('Most fees of an order, of its value; stronger than `orderMin`'),
  sellTaxPercent: share.optional().describe('Tax on what is sold'),
  marginPercent: percent.optional().describe('Part of the value that is paid. Not set: 100, paid in full.'),
  maintenancePercent: percent
    .optional()
    .describe('Equity below this part of the positions makes the broker close'),
  rounding: z
    .strictObject({
      per: z.enum(['fill', 'order', 'none']).describe('Fees are rounded for each; `none` keeps all that fit'),
      mode: z.enum(['half_even', 'half_up', 'up']).default('half_up').describe('Way of rounding'),
      decimals: z.int().min(0).max(8).optional().describe('Decimals. Not set: those of the currency.'),
    })
    .optional(),
});

const inlineContract = z.strictObject({
  tick: positive.describe('Smallest step of the price'),
  lot: positive.default(1).describe('Smallest quantity; below one it makes fractions'),
  pointValue: positive.default(1).describe('Money of one point of one contract'),
  orderQtyMax: count.default(1_000_000_000).describe('Largest order, in lots'),
  bandPercent: z.number().min(0.01).max(99).optional().describe('Band of the day around the reference price'),
  expiry: date.optional().describe('Last day; needs `hours`'),
  margin: z
    .strictObject({
      initial: positive.describe('Margin of a contract in money'),
      maintenance: amount.optional().describe('Money below which the broker closes'),
    })
    .refine(({ initial, maintenance = 0 }) => maintenance <= initial, {
      error: 'at most initial',
      path: ['maintenance'],
    })
    .optional(),
  costs: costs.optional().describe('Costs of this contract; keys as `market.costs`'),
});

/** A market in the file itself: any futures, shares or coins. */
export const inlineMarket = z.strictObject({
  name: z.string().default('market').describe('Name in reports'),
  currency: z.string().default('USD').describe('Currency of the account'),
  timeZone: z.string().default('UTC').describe('Zone of times that are written without one'),
  hours: z.array(phaseSpan).min(1).optional().describe('Phases of a day. Not set: trading never stops.'),
  weekdays: z
    .array(weekday)
    .prefault(['mon', 'tue', 'wed', 'thu', 'fri'])
    .describe('Days with a session; with `hours`'),
  closures: z.array(date).prefault([]).describe('Days without a session'),
  marketOrders: z.boolean().default(true).describe('`false`: the exchange takes limit orders alone'),
  contracts: z
    .record(z.string(), inlineContract)
    .refine(
      (specs) => Object.keys(specs).every(isSymbol),
      'names of letters, digits, dots and hyphens, like EURUSD for EUR/USD',
    )
    .refine((specs) => Object.keys(specs).length > 0, 'a section with a contract, like ES: { tick: 0.25 }'),
  costs: costs.prefault({}),
});

const columns = z.partialRecord(z.enum(COLUMN_ROLES), z.string());

/** `false` is a word of files too. */
const word = z.union([z.string(), z.boolean(), z.number()]).transform(String);
const words = z.union([word.transform((each) => [each]), z.array(word)]).default([]);

const table = {
  file: pathText.describe('File, or folder of files'),
  columns: columns.default({}).describe('Column of each role, as `{ time: when, volume: none }`'),
  zone: z
    .string()
    .refine((name) => timeZone(name) !== undefined, 'a zone like UTC, +07:00 or America/New_York')
    .optional()
    .describe("Zone of its times that name none. Not set: the market's."),
  dateOrder: z.enum(['dmy', 'mdy']).optional().describe('Order of day and month'),
  delimiter: z.string().length(1).optional().describe('Character between two columns'),
  header: z.boolean().default(true).describe('The first row has the names'),
  sides: z
    .strictObject({ buy: words, sell: words, none: words })
    .optional()
    .describe('Words for the side that took, as `{ buy: B, sell: S }`'),
  symbol: z.string().optional().describe('Contract, where name and columns do not say it'),
  round: flag.describe('A price between two ticks counts as the nearest'),
  decimalComma: flag.describe('Numbers are written `1950,1`'),
};

const LENGTH = 'a length like 1m, 4h, 1d or 1w';

/** In microseconds. */
const barLength = z
  .string(LENGTH)
  .regex(/^[1-9]\d*(s|m|h|d|w)$/, LENGTH)
  .transform((text) => {
    return assertDefined(parseBarLength(text), 'text of this pattern is a length of bars');
  })
  .meta({ unit: 'like 5m' });

const barFile = z.strictObject({
  ...table,
  every: barLength.optional().describe('Length of a bar'),
  stamp: firstOf('start', 'end').describe('The time of a row is this end of the bar'),
});

/** A plain text is short for the first key of a section. */
const shortFor = <T extends z.ZodType>(key: string, section: T) =>
  z.preprocess((value) => (typeof value === 'string' ? { [key]: value } : value), section);

const printFile = shortFor('file', z.strictObject(table));

const data = z.strictObject({
  prints: z.array(printFile).prefault([]).describe('Files of trades, or folders'),
  quotes: z.array(printFile).prefault([]).describe('Files of bid and ask, as `data.prints`'),
  bars: z.array(barFile).prefault([]).describe('Files of bars, as `data.prints`; without ticks next to them'),
  quotePrice: firstOf('mid', 'bid', 'ask').describe('Price of a quote in bars, values and loss limits'),
  catalogue: pathText.optional().describe('Directory that `data import` or the daemon has filled'),
  every: barLength.optional().describe('Length of the bars to take from it'),
  symbols: z
    .array(z.string(), 'a list, and a run for each stretch (from, to) between its changes')
    .min(1)
    .optional()
    .describe('Contracts. Not set: all.'),
  from: date.optional().describe('First day'),
  to: date.optional().describe('Last day'),
  references: z
    .record(z.string(), z.record(z.string(), positive))
    .default({})
    .describe('Reference prices in points, by contract and day'),
});

/** `5ms`; `{ min, max }` draws evenly, `{ min, mean }` with an exponential tail, `{ measured }` from a journal. */
const drawn = shortFor(
  'min',
  z
    .strictObject({
      min: delay.optional().describe('Delay, or the least one'),
      max: delay.optional().describe('Most; drawn evenly from `min` on'),
      mean: delay.optional().describe('Mean; drawn with an exponential tail'),
      measured: pathText.optional().describe('State of a daemon: delays as its journal has them'),
    })
    .refine(({ min, measured }) => (min === undefined) !== (measured === undefined), 'min or measured')
    .refine(
      ({ max, mean, measured }) => [max, mean, measured].filter((each) => each !== undefined).length <= 1,
      'one of max, mean and measured',
    )
    .refine(({ min, max }) => max === undefined || min === undefined || max >= min, {
      error: 'at least min',
      path: ['max'],
    }),
);

const models = z.strictObject({
  fill: z
    .enum(['queue', 'touch', 'through', 'next_open', 'close', 'ohlc'])
    .optional()
    .describe('Fill model. Not set: `queue` on ticks, `next_open` on bars.'),
  cancels: firstOf('behind', 'proportional', 'ahead').describe(
    'On ticks: place in the queue of what is canceled',
  ),
  path: firstOf('nearest', 'high_first', 'low_first', 'worst_first').describe(
    'On bars: the extreme that comes first',
  ),
  trailingStop: firstOf('stop', 'worse_of_stop_and_close', 'next_open').describe(
    'On bars: price of a trailing stop',
  ),
  exitsFrom: firstOf('fill', 'next_bar').describe('On bars: first moment of the exits of a bracket'),
  slippageTicks: z.int().min(0).max(1_000).default(0).describe('Ticks worse, where an order takes'),
  slippagePercent: share.default(0).describe('Part of the price worse, where an order takes'),
  slippageOn: firstOf('takers', 'entries').describe('On bars: orders that slip'),
  slippageUpTo: firstOf('limit', 'bar').describe('On bars: end of the slippage'),
  volumePercent: share.default(0).describe('On bars: most of the volume that is ours; 0: all'),
  impactPercent: z
    .number()
    .min(0)
    .max(1_000)
    .default(0)
    .describe('On bars: move by an order of the whole volume'),
  latency: section({
    order: drawn.prefault('0s').describe('Time of a call to the exchange'),
    report: drawn.prefault('0s').describe('Time of an answer; keys as `order`'),
  }),
});

const PLAIN_MODELS = models.parse({});

const MODELS_ON_TICKS = ['cancels'] as const;
const MODELS_ON_BARS = [
  'path',
  'trailingStop',
  'exitsFrom',
  'slippageOn',
  'slippageUpTo',
  'volumePercent',
  'impactPercent',
] as const;

const statistics = z.strictObject({
  deviation: firstOf('sample', 'population').describe('Squares are divided by n - 1, or by n'),
  periodsPerYear: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Days of a year. Not set: 252; with weekends 365; bars of a week 52, of a month 12.'),
  riskFreePercent: z.number().gt(-100).max(1_000).default(0).describe('Return of a year without risk'),
  benchmark: z
    .string('a contract of the run, whose file is in data')
    .optional()
    .describe('Contract for alpha, beta and capture'),
  returnsFrom: firstOf('capital', 'first_close').describe('Begin of the first return'),
});

const { shape } = configSchema;

const usage = z.number().positive().max(1_000);

export const backtestSchema = z.strictObject({
  // The name of a market file, or `inlineMarket`, read by itself so that its mistakes have their own lines.
  market: z.unknown().describe('A market file, or a market written here'),
  data,
  capital: positive.describe('Money at the beginning, in the currency'),
  seed: z.int().min(0).default(1).describe('Seed of drawn latencies'),
  memory: z
    .enum(['day', 'run'])
    .optional()
    .describe(
      'Strategies begin again each `day`, or remember for the `run`. Not set: `run`; `day` with a market file of the daemon.',
    ),
  warmUpDays: z
    .int()
    .min(0)
    .optional()
    .describe(
      'First days, in which strategies only see; with `memory: run`. Not set: 0, and all days in sample before the days out of sample of a walk-forward window. Else walk-forward needs at least the length of your slowest indicator.',
    ),
  sampleEvery: durationFrom('1s', '24h')
    .optional()
    .describe('Samples of equity. Not set: `1m`, or the length of the bars.'),
  entryPercent: usage.optional().describe('Use of margin at which entries are refused. Not set: 80'),
  warnPercent: usage.optional().describe('Use down to which the broker closes. Not set: 90'),
  forceClosePercent: usage.optional().describe('Use at which the broker closes. Not set: 100'),
  models: models.prefault({}),
  statistics: statistics.prefault({}),
  risk: shape.risk.unwrap().optional(),
  session: shape.session,
  poll: shape.poll,
  flatten: shape.flatten,
  lookUp: shape.lookUp,
  stop: shape.stop,
  state: pathText.default('var/backtest').describe('Directory of imported columns and reports'),
  strategies: shape.strategies,
  // Parsed by `tickwright sweep`, ignored by a single run.
  sweep: z.unknown().optional(),
});

export type BacktestConfig = z.output<typeof backtestSchema>;
export type InlineMarket = z.output<typeof inlineMarket>;

const ON_TICKS: readonly string[] = ['queue', 'touch', 'through'];
const ON_BARS: readonly string[] = ['next_open', 'close', 'ohlc'];

/** A catalogue may hold ticks and bars: then the fill model says which are played. */
export const isOnBars = ({ data, models }: BacktestConfig): boolean =>
  data.bars.length > 0 || ON_BARS.includes(models.fill ?? '');

/** A model that the data cannot have, and settings of the other kind of data. */
export function modelProblems(source: YamlSource, config: BacktestConfig): readonly Problem[] {
  const { data, models } = config;
  const isCatalogue = data.bars.length + data.prints.length + data.quotes.length === 0;
  const [fits, what] = data.bars.length > 0 ? [ON_BARS, 'bars'] : [ON_TICKS, 'ticks'];
  if (models.fill !== undefined && !isCatalogue && !fits.includes(models.fill))
    return [source.problem(['models', 'fill'], `a model on ${what}: ${fits.join(', ')}`)];
  const [idle, other] = isOnBars(config) ? [MODELS_ON_TICKS, 'ticks'] : [MODELS_ON_BARS, 'bars'];
  return idle
    .filter((key) => models[key] !== PLAIN_MODELS[key])
    .map((key) => source.problem(['models', key], `no such key here: it has an effect on ${other} alone`));
}
