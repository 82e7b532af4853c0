/** Makes a plan of a backtest file, and its days: listed contracts, their reference prices, and their rows. */
import { getOrCreate } from '../../domain/lists.ts';
import { createHash } from 'node:crypto';
import {
  type BacktestData,
  type BacktestPlan,
  type BacktestDay,
  type BacktestNotice,
  type DayTape,
  firstPrice,
} from '../backtest-plan.ts';
import { type FillModel, PPM_PER_PERCENT } from '../../venue/exchange/fill-models.ts';
import { assertDefined } from '../../domain/assert.ts';
import { configSchema } from '../../config/config-schema.ts';
import { engineSettingsOf } from '../../config/config.ts';
import type { EngineSettings, RiskSettings } from '../../domain/settings.ts';
import {
  bpsOf,
  durationUs,
  minutes,
  money,
  type Money,
  qty,
  strategyIndex,
  US_PER_DAY,
  US_PER_MINUTE,
  US_PER_SECOND,
  type PriceHundredths,
  instrumentIndex,
  priceHundredths,
  priceTicks,
} from '../../domain/units.ts';
import type { StrategyInstance } from '../../strategy/index.ts';
import { DEFAULT_MARGIN_RULES, type MarginRules } from '../../venue/account/margin.ts';
import { type Backtest, memoryOf } from './load-backtest.ts';
import { type BacktestConfig, isOnBars } from './backtest-schema.ts';
import { issuesText } from '../../domain/parsed.ts';
import {
  longestBar,
  type SourceDays,
  type DayReader,
  type SourceDay,
  codeOn,
  digestOfSources,
  rowReader,
} from './source-days.ts';
import { sessionOnOrBefore } from '../../domain/calendar.ts';
import { type TradingDay, addDays } from '../../domain/civil-date.ts';
import { legacyCode, listedMonths, underlyingOf } from '../../domain/contract-code.ts';
import { type Contract, NO_BAND_BPS, hundredthsOf } from '../../domain/contract.ts';
import { orderCode, streamCode } from '../../domain/ids.ts';
import type { TickRows } from '../../recording/columns/tick-file.ts';
import { listed } from '../../text/numbers.ts';
import type { BacktestMarket } from './backtest-market.ts';

interface PlanOverrides {
  /** Parameters that replace those of the file, by id of the strategy. */
  readonly params?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly seed?: number | undefined;
  /** Absent: all days of the file. */
  readonly data?: BacktestData;
  /** Absent: those of the file. */
  readonly warmUpDays?: number;
}

export function planBacktest(backtest: Backtest, overrides: PlanOverrides = {}): BacktestPlan {
  const { config, market, sources } = backtest;
  const { params = {}, seed = config.seed, data = new BacktestDays(backtest) } = overrides;
  const { warmUpDays = config.warmUpDays ?? 0 } = overrides;
  const everyUs = lengthOfAll(sources);
  const strategies = backtest.strategies.map(({ id, definition }, index): StrategyInstance => {
    const own = fittedParams(backtest, index, everyUs);
    const over = params[id];
    const parsed = over === undefined ? null : definition.parseParams({ ...own, ...over });
    if (parsed?.ok === false) throw new Error(`parameters of ${id}: ${issuesText(parsed.issues)}`);
    return { index: strategyIndex(index), id, definition, params: parsed?.value ?? own };
  });
  const plan = {
    calendar: market.calendar,
    costs: market.costs,
    settings: engineSettings(backtest),
    capital: money(Math.round(config.capital * market.moneyScale)),
    currency: market.currency,
    moneyScale: market.moneyScale,
    fill: fillModel(config),
    latency: backtest.latency,
    seed,
    memory: memoryOf(config, market),
    warmUpDays: Math.min(warmUpDays, data.days.length),
    sampleEvery:
      config.sampleEvery ??
      durationUs(Math.max(US_PER_MINUTE, Math.min(longestBar(sources.all), US_PER_DAY))),
    margin: marginRules(backtest),
    isMarginRuleOn:
      market.kind === 'index_futures' || backtest.source.at(['risk', 'marginUsePercent']) !== undefined,
    statistics: backtest.config.statistics,
  };
  return { ...plan, configDigest: digestOf(plan, backtest, strategies), data, strategies };
}

/** By convention the length of a strategy's bars, in seconds. */
const BAR_LENGTH = 'barSeconds';

/** A strategy whose own length of bars does not fit those of the data takes theirs, unless the file says one. */
function fittedParams({ source, strategies }: Backtest, index: number, everyUs: number | null) {
  const { definition, params } = assertDefined(strategies[index], 'a strategy has its place in the file');
  const seconds = Number(params[BAR_LENGTH]);
  if (everyUs === null || source.at(['strategies', index, 'params', BAR_LENGTH]) !== undefined) return params;
  if (Number.isNaN(seconds) || (seconds * US_PER_SECOND) % everyUs === 0) return params;
  const read = definition.parseParams({ ...params, [BAR_LENGTH]: everyUs / US_PER_SECOND });
  return read.ok ? read.value : params;
}

/** The length of the bars where all data are bars of one length. */
function lengthOfAll({ all }: SourceDays): number | null {
  const everyUs = all[0]?.bars?.everyUs ?? null;
  return all.every(({ bars }) => bars?.everyUs === everyUs) ? everyUs : null;
}

function digestOf(plan: object, { strategies, market }: Backtest, instances: readonly StrategyInstance[]) {
  const named = strategies.map(({ strategy, definition }, i) => [
    strategy,
    definition.name,
    instances[i]?.id,
    instances[i]?.params,
  ]);
  const text = JSON.stringify([plan, named, market.contracts], (_key, value: unknown) =>
    value instanceof Set ? [...value] : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

function fillModel(config: BacktestConfig): FillModel {
  const {
    fill,
    cancels,
    slippagePercent,
    impactPercent,
    volumePercent,
    latency: _,
    ...onBars
  } = config.models;
  const slippagePpm = Math.round(slippagePercent * PPM_PER_PERCENT);
  if (!isOnBars(config)) {
    const queue = fill === 'touch' || fill === 'through' ? fill : 'queue';
    return { on: 'ticks', queue, cancels, slippageTicks: onBars.slippageTicks, slippagePpm };
  }
  const bar = fill === 'close' || fill === 'ohlc' ? fill : 'next_open';
  const impactPpm = Math.round(impactPercent * PPM_PER_PERCENT);
  return { on: 'bars', bar, ...onBars, slippagePpm, impactPpm, volumeBps: Math.round(volumePercent * 100) };
}

/** The broker of the index futures as the simulator has it. Another market has such a broker when the file names a ratio. */
function marginRules({ config, market }: Backtest): MarginRules | 'cash' {
  const isOwn = market.kind === 'own';
  const { entryPercent, warnPercent, forceClosePercent } = config;
  if (isOwn && (entryPercent ?? warnPercent ?? forceClosePercent) === undefined) return 'cash';
  return {
    ...DEFAULT_MARGIN_RULES,
    ...(entryPercent !== undefined && { entryBps: bpsOf(entryPercent) }),
    ...(warnPercent !== undefined && { warnBps: bpsOf(warnPercent) }),
    ...(forceClosePercent !== undefined && { forceBps: bpsOf(forceClosePercent) }),
    ...(isOwn && { positionMax: WIDE_COUNT }),
  };
}

const WIDE_COUNT = 1_000_000_000;
const WIDE_MONEY = money(Number.MAX_SAFE_INTEGER);
const WIDE_AGE = durationUs(400 * US_PER_DAY);

const WIDE_RISK: RiskSettings = {
  orderQtyMax: qty(WIDE_COUNT),
  collarPercent: 100,
  positionMax: qty(WIDE_COUNT),
  openOrdersMax: WIDE_COUNT,
  ordersPerSecondMax: WIDE_COUNT,
  ordersPerMinuteMax: WIDE_COUNT,
  dataAgeMax: WIDE_AGE,
  dailyLossMax: WIDE_MONEY,
  accountAgeMax: WIDE_AGE,
  marginUsePercent: 100,
  sameRejectionsMax: WIDE_COUNT,
  clockSkewMax: durationUs(US_PER_DAY),
  auctionEntries: true,
  selfTradePrevention: false,
};

/** Limits in money: another one does not compile until it is scaled below. */
type MoneyLimit = {
  [Key in keyof RiskSettings]-?: NonNullable<RiskSettings[Key]> extends Money ? Key : never;
}[keyof RiskSettings];

/**
 * A market of the file's own has no daemon whose limits could apply: limits that are not written are wide. On bars prices are as old as a
 * bar is long, so no age limits anything unless the file says so, and an attempt to close a position lasts until the next bar.
 */
function engineSettings({ config, source, market, sources }: Backtest): EngineSettings {
  const risk = config.risk ?? configSchema.shape.risk.parse(undefined);
  const isBars = isOnBars(config);
  const longestUs = longestBar(sources.all);
  const { flatten, ...engine } = engineSettingsOf({ ...config, risk });
  const retryAfter = durationUs(Math.max(flatten.retryAfter, isBars ? longestUs : 0));
  const settings = { ...engine, flatten: { ...flatten, retryAfter } };
  const isOwn = market.kind === 'own';
  if (!isOwn && !isBars) return settings;
  const isWritten = (path: readonly PropertyKey[]): boolean => source.at(path) !== undefined;
  // Money changes with prices, no more often than bars come: reading it more often costs more than the rest of a run.
  const account = durationUs(Math.max(minutes(60), longestUs));
  const isRunning = memoryOf(config, market) === 'run';
  const scaled = (amount: Money): Money => money(Math.min(amount * market.moneyScale, WIDE_MONEY));
  const kept = <T extends object>(path: readonly PropertyKey[], written: T, wide: T): T => ({
    ...wide,
    ...Object.fromEntries(Object.entries(written).filter(([key]) => isWritten([...path, key]))),
  });
  const { dailyLossMax, drawdownMax } = settings.risk;
  const ofMoney = {
    dailyLossMax: scaled(dailyLossMax),
    drawdownMax: drawdownMax && scaled(drawdownMax),
  } satisfies Record<MoneyLimit, Money | undefined>;
  const limits = { ...settings.risk, ...ofMoney };
  const ofOwn = {
    marketOrders: market.marketOrders,
    orders: market.isAlwaysOpen && isRunning ? ('until_canceled' as const) : ('day' as const),
    gtcOrders: !market.isAlwaysOpen && isRunning,
    strategies: settings.strategies.map((each, i) => {
      const risk = { ...each.risk, dailyLossMax: scaled(each.risk.dailyLossMax) };
      const { positionMax, dailyLossMax, openOrdersMax } = WIDE_RISK;
      const wide = { positionMax, dailyLossMax, openOrdersMax };
      return { ...each, risk: kept(['strategies', i, 'risk'], risk, wide) };
    }),
  };
  return {
    ...settings,
    poll: isWritten(['poll', 'account']) ? settings.poll : { ...settings.poll, account },
    isOnBars: isBars,
    risk: kept(
      ['risk'],
      limits,
      isOwn ? WIDE_RISK : { ...limits, dataAgeMax: WIDE_AGE, accountAgeMax: WIDE_AGE },
    ),
    ...(isOwn && ofOwn),
  };
}

// The days.

const GUESSES_SHOWN = 6;

export class BacktestDays implements BacktestData {
  readonly digest: string;
  readonly days: readonly TradingDay[];
  readonly rows: number;
  readonly #backtest: Backtest;
  readonly #readRows: DayReader;
  readonly #contracts = new Map<string, Contract>();
  readonly #byDay = new Map<TradingDay, SourceDay[]>();
  /** Codes that have data on some day. */
  readonly #codes: ReadonlySet<string>;
  /** Last price of each source that was read. */
  readonly #closes = new Map<SourceDay, number>();
  /** The latest day before with data of the same contract, by day and code. */
  readonly #before = new Map<string, SourceDay>();

  /** `readRows`: columns of a day from its file, or from memory that several threads share. */
  constructor(
    backtest: Backtest,
    days: readonly TradingDay[] = backtest.sources.days,
    readRows: DayReader = rowReader(backtest.config, backtest.market),
  ) {
    this.#backtest = backtest;
    this.#readRows = readRows;
    const { all } = backtest.sources;
    const isPlayed = new Set(days);
    const played = all.filter(({ day }) => isPlayed.has(day));
    this.days = days;
    this.rows = played.reduce((sum, { rows }) => sum + rows, 0);
    this.digest = digestOfSources(played, backtest.config.data.references);
    this.#codes = new Set(all.map(({ code }) => code));
    const latest = new Map<string, SourceDay>();
    for (const source of all) {
      const before = latest.get(source.code);
      if (before !== undefined) this.#before.set(`${source.day} ${source.code}`, before);
      latest.set(source.code, source);
      getOrCreate(this.#byDay, source.day, () => []).push(source);
    }
    for (const day of days) this.#tableOf(day);
  }

  open(day: TradingDay): BacktestDay {
    const { sources } = this.#backtest;
    const notices: BacktestNotice[] = [];
    const note = (code: string, text: string): void => void notices.push({ tsUs: null, code, text });
    if (day === this.days[0]) {
      for (const remark of sources.remarks) note('data_left_out', remark);
      for (const text of this.#quoteNotes()) note('quotes', text);
      const guesses = this.#guesses();
      if (guesses !== null) note('reference_guessed', guesses);
    }
    const today = this.#byDay.get(day) ?? [];
    const tapes = today.map((source): DayTape => {
      const contract = this.#contractOf(source.code);
      const rows = this.#read(source);
      const known = this.#reference(source, contract);
      if (source.missed > 0)
        note('trades_missing', `${source.code} on ${day}: ${source.missed} stretches with missing trades`);
      const reference = known ?? hundredthsOf(contract.spec, priceTicks(firstPrice(contract, rows).price));
      return { contract, rows, reference, isGuessed: known === null };
    });
    return { day, contracts: this.#tableOf(day), tapes, notices };
  }

  /** Listed contracts of the day. Each keeps its index through the run. */
  #tableOf(day: TradingDay): readonly Contract[] {
    const { market, strategies } = this.#backtest;
    const today = (this.#byDay.get(day) ?? []).map(({ code }) => code);
    if (market.kind === 'own') {
      const known = Object.keys(market.contracts).filter((code) => this.#codes.has(code));
      return known.filter((code) => market.expiryOf(code) >= day).map((code) => this.#contractOf(code));
    }
    const families = new Set(
      [...strategies.flatMap(({ symbols }) => symbols), ...today]
        .map(underlyingOf)
        .filter((each) => each !== undefined),
    );
    const listed = [...families].flatMap((family) =>
      listedMonths(market.calendar, family, day).map(legacyCode),
    );
    return [...new Set([...listed, ...today])].map((code) => this.#contractOf(code));
  }

  #contractOf(code: string): Contract {
    const { market } = this.#backtest;
    return getOrCreate(this.#contracts, code, () => ({
      index: instrumentIndex(this.#contracts.size),
      orderCode: orderCode(code),
      streamCode: streamCode(code),
      expiry: market.expiryOf(code),
      spec: assertDefined(market.specOf(code), 'the data has only contracts of the market'),
    }));
  }

  /** From the file, else the close of the session before; null where it is unknown before the first trade. */
  #reference(source: SourceDay, { spec }: Contract): PriceHundredths | null {
    const { references } = this.#backtest.config.data;
    const points = references[source.code]?.[source.day];
    if (points !== undefined) return priceHundredths(Math.round(points * (spec.partsPerPoint ?? 100)));
    const before = this.#sessionBefore(source);
    const close = before === undefined ? 0 : this.#closeOf(before);
    return close <= 0 ? null : hundredthsOf(spec, priceTicks(close));
  }

  /** Where a price has a band the exchange's own session counts, else the latest day with data. */
  #sessionBefore({ code, day }: SourceDay): SourceDay | undefined {
    const { market } = this.#backtest;
    if ((market.specOf(code)?.bandBps ?? NO_BAND_BPS) >= NO_BAND_BPS)
      return this.#before.get(`${day} ${code}`);
    const before = sessionOnOrBefore(market.calendar, addDays(day, -1));
    return this.#byDay.get(before)?.find((source) => source.code === code);
  }

  /** Where the data are quotes: the sizes of fills, and the price that serves as trades. */
  #quoteNotes(): readonly string[] {
    const { sources, config } = this.#backtest;
    const played = new Set(this.days);
    const sizes = { sized: 'up to the sizes quoted', unsized: 'of any size, because the data have no sizes' };
    return (['sized', 'unsized'] as const).flatMap((kind) => {
      const found = sources.all.filter(({ day, quotes }) => quotes === kind && played.has(day));
      const codes = [...new Set(found.map(({ code }) => code))].join(', ');
      const text = `${codes}: fills are at bid and ask, ${sizes[kind]}; bars and values count at the ${config.data.quotePrice}`;
      return codes === '' ? [] : [text];
    });
  }

  /** Notice of the days whose price band comes from a guessed reference price; null without one. */
  #guesses(): string | null {
    const { references } = this.#backtest.config.data;
    const guessed = this.days.flatMap((day) =>
      (this.#byDay.get(day) ?? [])
        .filter(({ code }) => this.#contractOf(code).spec.bandBps < NO_BAND_BPS)
        .filter(({ code }) => references[code]?.[day] === undefined)
        .filter((source) => this.#sessionBefore(source) === undefined)
        .map(({ code }) => `${code} on ${day}`),
    );
    if (guessed.length === 0) return null;
    return `no close of the session before for ${listed(guessed, GUESSES_SHOWN)}: the first price is the reference price, and nothing is entered before it (data.references can say it)`;
  }

  #closeOf(source: SourceDay): number {
    return this.#closes.get(source) ?? (this.#read(source), this.#closes.get(source) ?? 0);
  }

  #read(source: SourceDay): TickRows {
    const rows = this.#readRows(source);
    this.#closes.set(source, rows.priceTicks[rows.rows - 1] ?? 0);
    return rows;
  }
}

/** Rows of the run with the contract that `symbol` names on their day. */
export function rowsPlayed(market: BacktestMarket, { all, days }: SourceDays, symbol: string): number {
  const played = new Set(days);
  const own = all.filter(({ day, code }) => played.has(day) && code === codeOn(market, symbol, day));
  return own.reduce((sum, { rows, bars }) => sum + (bars === null ? rows : bars.to - bars.from), 0);
}
