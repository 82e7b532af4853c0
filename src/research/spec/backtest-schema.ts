/** Schema of a backtest file, checked as a whole before anything runs. */
import { assert } from '../../domain/assert.ts';
import { parseBarLength } from '../../text/durations.ts';
import { z } from 'zod';
import { configSchema } from '../../config/config-schema.ts';
import { phaseSpan, weekday } from '../../config/market-file.ts';
import { COLUMN_ROLES } from '../../recording/import/column-map.ts';
import { isSymbol } from '../../recording/import/file-kind.ts';
import { count, date, durationFrom, pathText } from '../../config/values.ts';

// A schema reads once a run here: to compile it takes longer.
z.config({ jitless: true });

const positive = z.number().positive();
const share = z.number().min(0).max(100);
const delay = durationFrom('0s', '10m');

/** A setting that is not written keeps the default of the market or the program. */
const costs = z.strictObject({
  perContract: z.number().min(0).optional(),
  valuePercent: share.optional(),
  /** Of fills that took, and of those that waited, where they differ; below zero is paid to us. */
  takerPercent: z.number().min(-100).max(100).optional(),
  makerPercent: z.number().min(-100).max(100).optional(),
  perOrder: z.number().min(0).optional(),
  orderMin: z.number().min(0).optional(),
  /** Most of all fees of an order, of its value. */
  orderMaxPercent: share.optional(),
  sellTaxPercent: share.optional(),
  marginPercent: z.number().min(0.01).max(100).optional(),
  /** Below this part of the value of positions the broker closes. */
  maintenancePercent: z.number().min(0.01).max(100).optional(),
  rounding: z
    .strictObject({
      per: z.enum(['fill', 'order', 'none']),
      mode: z.enum(['half_even', 'half_up', 'up']).default('half_up'),
      /** Absent: those of the currency. */
      decimals: z.int().min(0).max(8).optional(),
    })
    .optional(),
});

const inlineContract = z.strictObject({
  tick: positive,
  lot: positive.default(1),
  pointValue: positive.default(1),
  orderQtyMax: count.default(1_000_000_000),
  bandPercent: z.number().min(0.01).max(99).optional(),
  expiry: date.optional(),
  /** Money a contract, whatever its price is. */
  margin: z
    .strictObject({ initial: positive, maintenance: z.number().min(0).optional() })
    .refine(({ initial, maintenance = 0 }) => maintenance <= initial, {
      error: 'at most initial',
      path: ['maintenance'],
    })
    .optional(),
  costs: costs.optional(),
});

/** A market in the file itself: any futures, shares or coins. */
export const inlineMarket = z.strictObject({
  name: z.string().default('market'),
  currency: z.string().default('USD'),
  timeZone: z.string().default('UTC'),
  /** Absent: trading never stops. */
  hours: z.array(phaseSpan).min(1).optional(),
  weekdays: z.array(weekday).prefault(['mon', 'tue', 'wed', 'thu', 'fri']),
  closures: z.array(date).default([]),
  /** `false`: an exchange that takes limit orders alone. */
  marketOrders: z.boolean().default(true),
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
  file: pathText,
  columns: columns.default({}),
  dateOrder: z.enum(['dmy', 'mdy']).optional(),
  delimiter: z.string().length(1).optional(),
  header: z.boolean().default(true),
  /** Words of the file for the aggressor's side. */
  sides: z.strictObject({ buy: words, sell: words, none: words }).optional(),
  symbol: z.string().optional(),
  /** Prices between two ticks count as the nearest. */
  round: z.boolean().default(false),
  /** Numbers are written `1950,1`. */
  decimalComma: z.boolean().default(false),
};

/** In microseconds. */
const barLength = z
  .string()
  .regex(/^[1-9]\d*(s|m|h|d|w)$/, 'a length like 1m, 4h, 1d or 1w')
  .transform((text) => {
    const us = parseBarLength(text);
    assert(us !== undefined, 'text of this pattern is a length of bars');
    return us;
  });

const barFile = z.strictObject({
  ...table,
  every: barLength.optional(),
  stamp: z.enum(['start', 'end']).default('start'),
});

/** A plain text is short for the first key of a section. */
const shortFor = <T extends z.ZodType>(key: string, section: T) =>
  z.preprocess((value) => (typeof value === 'string' ? { [key]: value } : value), section);

const printFile = shortFor('file', z.strictObject(table));

const data = z.strictObject({
  /** Files of prints, or folders of them. */
  prints: z.array(printFile).default([]),
  /** Files of bid and ask, or folders of them. */
  quotes: z.array(printFile).default([]),
  bars: z.array(barFile).default([]),
  /** The price of a quote, for bars and values; orders meet bid and ask. */
  quotePrice: z.enum(['mid', 'bid', 'ask']).default('mid'),
  /** Directory that `tickwright data import` has filled. */
  catalogue: pathText.optional(),
  /** Length of the bars to take from a catalogue. */
  every: barLength.optional(),
  symbols: z
    .array(z.string(), 'a list, and a run for each stretch (from, to) between its changes')
    .min(1)
    .optional(),
  from: date.optional(),
  to: date.optional(),
  /** Points, by symbol and day, where the data cannot say. */
  references: z.record(z.string(), z.record(z.string(), positive)).default({}),
});

/** `5ms`; `{ min, max }` draws evenly, `{ min, mean }` with an exponential tail, `{ measured }` from a journal. */
const drawn = shortFor(
  'min',
  z
    .strictObject({
      min: delay.optional(),
      max: delay.optional(),
      mean: delay.optional(),
      /** State directory of a daemon. */
      measured: pathText.optional(),
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
  fill: z.enum(['queue', 'touch', 'through', 'next_open', 'close', 'ohlc']).optional(),
  cancels: z.enum(['behind', 'proportional', 'ahead']).default('behind'),
  path: z.enum(['nearest', 'high_first', 'low_first', 'worst_first']).default('nearest'),
  trailingStop: z.enum(['stop', 'worse_of_stop_and_close', 'next_open']).default('stop'),
  exitsFrom: z.enum(['fill', 'next_bar']).default('fill'),
  slippageTicks: z.int().min(0).max(1_000).default(0),
  slippagePercent: share.default(0),
  slippageOn: z.enum(['takers', 'entries']).default('takers'),
  slippageUpTo: z.enum(['limit', 'bar']).default('limit'),
  volumePercent: share.default(0),
  impactPercent: z.number().min(0).max(1_000).default(0),
  latency: z.strictObject({ order: drawn.prefault('0s'), report: drawn.prefault('0s') }).prefault({}),
});

export const PLAIN_MODELS = models.parse({});

export const MODELS_ON_TICKS = ['cancels'] as const;
export const MODELS_ON_BARS = [
  'path',
  'trailingStop',
  'exitsFrom',
  'slippageOn',
  'slippageUpTo',
  'volumePercent',
  'impactPercent',
] as const;

const statistics = z.strictObject({
  deviation: z.enum(['sample', 'population']).default('sample'),
  periodsPerYear: z.number().positive().max(1_000_000).optional(),
  /** A year, compounded. */
  riskFreePercent: z.number().gt(-100).max(1_000).default(0),
  /** A symbol of the run. */
  benchmark: z.string('a contract of the run, whose file is in data').optional(),
  /** Buy and hold begins at its close. */
  holdFrom: date.optional(),
  returnsFrom: z.enum(['capital', 'first_close']).default('capital'),
  openTrades: z.enum(['leave_out', 'count']).default('leave_out'),
});

const { shape } = configSchema;

const usage = z.number().positive().max(1_000);

export const backtestSchema = z.strictObject({
  /** The name of a market file, or a market itself: `inlineMarket`, read by itself so that its mistakes have their own lines. */
  market: z.unknown(),
  data,
  capital: positive,
  seed: z.int().min(0).default(1),
  memory: z.enum(['day', 'run']).optional(),
  warmUpDays: z.int().min(0).default(0),
  /** Absent: a minute, or as long as the bars of the data. */
  sampleEvery: durationFrom('1s', '24h').optional(),
  /** Usage of margin at which the broker takes no new positions, warns, and closes. */
  entryPercent: usage.optional(),
  warnPercent: usage.optional(),
  forceClosePercent: usage.optional(),
  resume: z.enum(['each_day', 'never']).default('each_day'),
  models: models.prefault({}),
  statistics: statistics.prefault({}),
  risk: shape.risk.unwrap().optional(),
  session: shape.session,
  poll: shape.poll,
  flatten: shape.flatten,
  lookUp: shape.lookUp,
  stop: shape.stop,
  /** Columns of imported files are kept here. */
  state: pathText.default('var/backtest'),
  strategies: shape.strategies,
  /** Section of `tickwright sweep`; parsed there, ignored by a single run. */
  sweep: z.unknown().optional(),
});

export type BacktestFile = z.output<typeof backtestSchema>;
export type InlineMarket = z.output<typeof inlineMarket>;

export const ON_BARS: readonly string[] = ['next_open', 'close', 'ohlc'];

/** A catalogue may hold ticks and bars: then the fill model says which are played. */
export const isOnBars = ({ data, models }: BacktestFile): boolean =>
  data.bars.length > 0 || ON_BARS.includes(models.fill ?? '');
