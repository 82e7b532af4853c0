/** The market of a backtest: a market file of the daemon, or an inline market of the backtest file. */
import { readMarket } from '../../config/market-file.ts';
import type { CheckResult, Problem } from '../../config/problem.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import { zodProblems } from '../../config/read-file.ts';
import { alwaysOpen, type TradingCalendar } from '../../domain/calendar.ts';
import { tradingDay, type TradingDay } from '../../domain/civil-date.ts';
import { contractMonthOf, expiryOf, underlyingOf } from '../../domain/contract-code.ts';
import { type ContractSpec, NO_BAND_BPS } from '../../domain/contract.ts';
import type { CostSchedule, DatedValue } from '../../domain/costs.ts';
import { isRecord } from '../../domain/parsed.ts';
import { bpsOf, US_PER_DAY, US_PER_MINUTE } from '../../domain/units.ts';
import { formatUtcOffset, timeZone, type TimeZone } from '../../text/dates.ts';
import { decimalsOf, wholeOf } from '../../text/decimals.ts';
import { inlineMarket, type InlineMarket } from './backtest-schema.ts';

// Currencies: the smallest amount that is paid.

/** ISO 4217 where it is not two; coins as their networks or most exchanges count them. */
const DECIMALS: ReadonlyMap<string, number> = new Map(
  [
    [0, 'BIF CLP ISK JPY KRW PYG UGX VND XAF XOF XPF'] as const,
    [3, 'BHD IQD JOD KWD LYD OMR TND'] as const,
    [8, 'BTC ETH USDC USDT'] as const,
  ].flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits])),
);
const CURRENCIES: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), ...DECIMALS.keys()]);

/** The currency in which a pair like `USDJPY` or `BTC-EUR` is quoted; undefined for a name that is no pair of known ones. */
function quoteCurrency(symbol: string): string | undefined {
  const [, base = '', quote = ''] = /^([A-Z]{3})[.-]?([A-Z]{3})$/.exec(symbol) ?? [];
  return CURRENCIES.has(base) && CURRENCIES.has(quote) ? quote : undefined;
}

export interface BacktestMarket {
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  /** Index futures list their months by rule; other markets name their contracts. */
  readonly kind: 'index_futures' | 'own';
  readonly currency: string;
  readonly moneyScale: number;
  /** Fees on value have more digits than the capital leaves room for. */
  readonly isFeeCut: boolean;
  /** Zone of the exchange, for times without a zone. */
  readonly zone: TimeZone;
  /** Its clocks show the same offset all year. */
  readonly isZoneFixed: boolean;
  /** Trading never stops: orders and strategies continue from day to day unless the file says otherwise. */
  readonly isAlwaysOpen: boolean;
  readonly marketOrders: boolean;
  /** Underlyings of a market file, or contracts of an inline market, by name. */
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  specOf(symbol: string): ContractSpec | undefined;
  expiryOf(symbol: string): TradingDay;
}

type ReadBacktestMarket = CheckResult<{ readonly market: BacktestMarket }>;

const NO_EXPIRY = tradingDay('2199-12-31');
const MARKET = ['market'];
/** More digits leave no room for amounts: money is exact up to 2^53 of its smallest unit. */
const MONEY_DECIMALS_MAX = 13;

export function readBacktestMarket(source: YamlSource): ReadBacktestMarket {
  const market = source.at(['market']);
  if (typeof market === 'string') return namedMarket(source, market);
  const expected = 'the name of a market file, or a section with contracts';
  if (!isRecord(market)) {
    const hint =
      market === undefined ? 'add market: vn30f.yaml' : Array.isArray(market) ? 'one market a run' : '';
    return { ok: false, problems: [source.problem(['market'], expected, hint)] };
  }
  const read = inlineMarket.safeParse(market);
  if (!read.success)
    return { ok: false, problems: zodProblems(source, read.error.issues, inlineMarket, { base: MARKET }) };
  return ownMarketOf(source, withCosts(read.data));
}

/** Index futures, as the daemon trades them: money is whole VND, a code names its month. */
function namedMarket(source: YamlSource, file: string): ReadBacktestMarket {
  const read = readMarket(source, file);
  if (!read.ok) return read;
  const { calendar, contracts, costs } = read;
  const zone = timeZone(calendar.timeZone);
  const of = (symbol: string): ContractSpec | undefined => contracts[underlyingOf(symbol) ?? symbol];
  if (zone === undefined) {
    return { ok: false, problems: [source.problem(['market'], 'a market with a known time zone')] };
  }
  return {
    ok: true,
    market: {
      kind: 'index_futures',
      calendar,
      costs,
      contracts,
      currency: 'VND',
      moneyScale: 1,
      isFeeCut: false,
      zone,
      isZoneFixed: true,
      isAlwaysOpen: false,
      marketOrders: false,
      specOf: of,
      expiryOf: (symbol) => {
        const month = contractMonthOf(symbol);
        return month === undefined ? NO_EXPIRY : expiryOf(calendar, month);
      },
    },
  };
}

function ownMarketOf(source: YamlSource, terms: InlineMarket): ReadBacktestMarket {
  const problems = [hourProblems, pairProblems, expiryProblems].flatMap((problemsOf) =>
    problemsOf(source, terms),
  );
  const zone = timeZone(terms.timeZone);
  if (zone === undefined)
    problems.push(source.problem([...MARKET, 'timeZone'], 'a zone like UTC, +07:00 or America/New_York'));
  const decimals = decimalsFor(source, terms);
  if (decimals > MONEY_DECIMALS_MAX) {
    const hint = 'a tick of a lot would be too small to count money in: take a larger lot';
    const expected = `at most ${MONEY_DECIMALS_MAX} digits in all`;
    problems.push(source.problem([...MARKET, 'contracts'], expected, hint));
  }
  const moneyScale = 10 ** decimals;
  const ratesOf = (each: Pick<ContractTerms, 'costs' | 'margin'>, at: readonly string[]): CostSchedule =>
    costsOf(each, terms.currency, decimals, (path, digits) => {
      const expected = `a number of at most ${digits} digits behind the point`;
      problems.push(source.problem([...MARKET, ...at, ...path], expected));
    });
  const costs = ratesOf({ costs: terms.costs }, []);
  const contracts = Object.fromEntries(
    Object.entries(terms.contracts).map(([symbol, each]) => [
      symbol,
      { ...specOf(symbol, each, moneyScale), costs: ratesOf(each, ['contracts', symbol]) },
    ]),
  );
  if (problems.length > 0 || zone === undefined) return { ok: false, problems };
  const isAlwaysOpen = terms.hours === undefined;
  const bySymbol = new Map(Object.entries(contracts));
  return {
    ok: true,
    market: {
      kind: 'own',
      calendar: calendarOf(terms, zone),
      costs,
      contracts,
      currency: terms.currency,
      moneyScale,
      isFeeCut: Math.max(...Object.values(terms.contracts).map(feeDecimals)) > decimals,
      zone,
      isZoneFixed: isFixed(zone),
      isAlwaysOpen,
      marketOrders: terms.marketOrders,
      specOf: (symbol) => bySymbol.get(symbol),
      expiryOf: (symbol) => (isAlwaysOpen ? undefined : terms.contracts[symbol]?.expiry) ?? NO_EXPIRY,
    },
  };
}

function decimalsFor(source: YamlSource, market: InlineMarket): number {
  const contracts = Object.values(market.contracts);
  return Math.max(
    moneyDecimals(contracts),
    ...contracts.map((each) => costDecimals(each, market.currency)),
    Math.min(Math.max(...contracts.map(feeDecimals)), spareDecimals(source.at(['capital']))),
  );
}

/** The close of its last day settles a contract. */
const expiryProblems = (source: YamlSource, terms: InlineMarket): readonly Problem[] =>
  Object.entries(terms.contracts).flatMap(([symbol, { expiry }]) => {
    if (expiry === undefined || terms.hours !== undefined) return [];
    const path = [...MARKET, 'contracts', symbol, 'expiry'];
    const hint = 'leave it out: a position that is held on counts at the last price';
    return [source.problem(path, 'no expiry where trading never stops', hint)];
  });

/** Yen would count as dollars: 150 times too much. */
const pairProblems = (source: YamlSource, terms: InlineMarket): readonly Problem[] =>
  Object.keys(terms.contracts).flatMap((symbol) => {
    const quote = quoteCurrency(symbol);
    if (quote === undefined || quote === terms.currency) return [];
    const hint = `write currency: ${quote} in the market, one currency a run; or give the contract a name that is no pair`;
    const path = [...MARKET, 'contracts', symbol];
    return [source.problem(path, `a contract in ${terms.currency}`, hint, `a pair in ${quote}`)];
  });

function hourProblems(source: YamlSource, { hours = [] }: InlineMarket): readonly Problem[] {
  const sorted = hours.toSorted((a, b) => a.fromUs - b.fromUs);
  return hours.flatMap((span, i) => {
    const before = sorted[sorted.indexOf(span) - 1];
    if (span.toUs <= span.fromUs) return [source.problem([...MARKET, 'hours', i, 'to'], 'a time after from')];
    const isInside = before !== undefined && span.fromUs < before.toUs;
    return isInside ? [source.problem([...MARKET, 'hours', i, 'from'], 'a time after the span before')] : [];
  });
}

function calendarOf(market: InlineMarket, zone: TimeZone): TradingCalendar {
  const { hours, weekdays, closures, name } = market;
  const base: TradingCalendar = {
    name,
    timeZone: market.timeZone,
    utcOffsetMinutes: fixedOffset(zone),
    weekdays,
    phases: (hours ?? []).toSorted((a, b) => a.fromUs - b.fromUs),
    closures: new Set(closures),
    validFrom: FIRST_DAY,
    validTo: NO_EXPIRY,
  };
  return hours === undefined ? { ...alwaysOpen(base), name, validTo: NO_EXPIRY } : base;
}

/** Winter time on either half of the world, as it was in 2020. */
const fixedOffset = (zone: TimeZone): number =>
  Math.min(...[0, 6].map((month) => zone.offsetAtMoment(Date.UTC(2020, month, 1) * 1_000)));

/** Adds to a moment so that the run's one offset shows local wall time; zero where clocks never change. */
const wallShift = (zone: TimeZone, atUs: number): number =>
  (zone.offsetAtMoment(atUs) - fixedOffset(zone)) * US_PER_MINUTE;

/** In the middle of a winter and of a summer, on either half of the world. */
const isFixed = (zone: TimeZone): boolean =>
  [Date.UTC(2024, 0, 15), Date.UTC(2024, 6, 15)].every((ms) => wallShift(zone, ms * 1_000) === 0);

/** In decimals. They become whole numbers: money has so many digits that one tick of one lot is whole and nothing is rounded. */
type ContractTerms = InlineMarket['contracts'][string];

/** Profits of partly closed positions need at least a ten-thousandth of the currency. */
const MONEY_DECIMALS_MIN = 4;
const PRICE_DECIMALS_MIN = 2;

/** Digits of money behind the point that all of `contracts` need. */
export const moneyDecimals = (contracts: readonly ContractTerms[]): number =>
  Math.max(MONEY_DECIMALS_MIN, ...contracts.map(valueDecimals));

/** Digits of the value of one tick of one lot. */
const valueDecimals = ({ tick, lot, pointValue }: ContractTerms): number =>
  Math.max(PRICE_DECIMALS_MIN, decimalsOf(tick)) + decimalsOf(lot) + decimalsOf(pointValue);

/** Capital in its smallest digit that leaves room for values a thousand times as large. */
const MONEY_DIGITS = 12;

/** Digits that money may have for exactness alone. */
const spareDecimals = (capital: unknown): number =>
  typeof capital === 'number' && capital > 0
    ? Math.min(MONEY_DECIMALS_MAX, MONEY_DIGITS - Math.ceil(Math.log10(capital)))
    : 0;

export function specOf(symbol: string, terms: ContractTerms, moneyScale: number): ContractSpec {
  const priceDecimals = Math.max(PRICE_DECIMALS_MIN, decimalsOf(terms.tick));
  const partsPerPoint = 10 ** priceDecimals;
  const money = terms.pointValue * terms.lot * moneyScale;
  return {
    underlying: symbol,
    hundredthsPerTick: Math.round(terms.tick * partsPerPoint),
    moneyPerHundredth: Math.round(money / partsPerPoint),
    orderQtyMax: terms.orderQtyMax,
    bandBps: terms.bandPercent === undefined ? NO_BAND_BPS : bpsOf(terms.bandPercent),
    partsPerPoint,
    lotSize: terms.lot,
  };
}

/**
 * A run has one offset all year. Where clocks change, moments move to wall-clock time, so that hours and days stay where people see
 * them. Trading that never stops is not moved, unless its bars are whole days.
 */
export const isWallTime = ({ isZoneFixed, isAlwaysOpen }: BacktestMarket, everyUs: number | null): boolean =>
  !isZoneFixed && (!isAlwaysOpen || (everyUs !== null && everyUs >= US_PER_DAY));

/** Returns the shift to add to a moment, in microseconds. */
export function wallShiftOf(market: BacktestMarket, everyUs: number | null): (atUs: number) => number {
  if (!isWallTime(market, everyUs)) return () => 0;
  const { zone } = market;
  // Clocks change at night: one check a day is enough.
  let known = NaN;
  let shift = 0;
  return (atUs) => {
    const day = Math.floor(atUs / US_PER_DAY);
    if (day !== known) shift = wallShift(zone, atUs);
    known = day;
    return shift;
  };
}

export function shownZone(market: BacktestMarket, everyUs: number | null): string {
  const { zone, isZoneFixed, calendar } = market;
  return isZoneFixed || isWallTime(market, everyUs)
    ? zone.name
    : `${formatUtcOffset(calendar.utcOffsetMinutes)} all year, without the summer time of ${zone.name}`;
}

type CostTerms = InlineMarket['costs'];

const FIRST_DAY: TradingDay = tradingDay('1970-01-01');
/** A percentage to the part of 10^10. */
const VALUE_DIGITS = 8;
const PERCENT_DECIMALS = 2;

/** Digits behind the point that amounts of costs and margin need. */
const costDecimals = ({ costs = {}, margin }: ContractTerms, currency: string): number => {
  const { perContract = 0, perOrder = 0, orderMin = 0, rounding } = costs;
  const amounts = [perContract, perOrder, orderMin, margin?.initial ?? 0, margin?.maintenance ?? 0];
  return Math.max(
    ...amounts.map(decimalsOf),
    rounding === undefined ? 0 : roundingDecimals(currency, rounding),
  );
};

/** Digits behind the point of a fee on value that nothing rounds. */
function feeDecimals(terms: ContractTerms): number {
  const { rounding, valuePercent, takerPercent, makerPercent, orderMaxPercent, sellTaxPercent } =
    terms.costs ?? {};
  if (rounding !== undefined && rounding.per !== 'none') return 0;
  const rates = [valuePercent, takerPercent, makerPercent, orderMaxPercent, sellTaxPercent];
  const digits = rates.flatMap((rate) => (rate === undefined ? [] : [decimalsOf(rate)]));
  return digits.length === 0 ? 0 : valueDecimals(terms) + PERCENT_DECIMALS + Math.max(...digits);
}

/** Those of the smallest amount of the currency unless the file says others: 2 for USD, 0 for VND, 8 for BTC. */
const roundingDecimals = (currency: string, { decimals }: NonNullable<CostTerms['rounding']>): number =>
  decimals ?? DECIMALS.get(currency) ?? 2;

/** Costs that a contract does not name are those of the market. */
const withCosts = (market: InlineMarket): InlineMarket => ({
  ...market,
  contracts: Object.fromEntries(
    Object.entries(market.contracts).map(([symbol, terms]) => [
      symbol,
      { ...terms, costs: { ...market.costs, ...terms.costs } },
    ]),
  ),
});

/** Rates of a market or of one of its contracts; `refuse` hears of an amount with more digits than are counted. */
function costsOf(
  { costs = {}, margin }: Pick<ContractTerms, 'costs' | 'margin'>,
  currency: string,
  moneyDigits: number,
  refuse: (path: readonly string[], digits: number) => void,
): CostSchedule {
  const whole = (path: readonly string[], value: number | undefined, digits: number): number => {
    const found = wholeOf(value ?? 0, digits);
    if (found === undefined) refuse(path, digits);
    return found ?? 0;
  };
  const amount = (key: 'perContract' | 'perOrder' | 'orderMin'): number =>
    whole(['costs', key], costs[key], moneyDigits);
  const { valuePercent = 0, marginPercent = 100, maintenancePercent, rounding } = costs;
  const percent = (key: 'takerPercent' | 'makerPercent' | 'orderMaxPercent' | 'sellTaxPercent', usual = 0) =>
    whole(['costs', key], costs[key] ?? usual, VALUE_DIGITS);
  const taker = percent('takerPercent', valuePercent);
  const maker = percent('makerPercent', valuePercent);
  return {
    exchangeFee: since(0),
    clearingFee: since(0),
    brokerFee: since(amount('perContract')),
    taxPpm: since(0),
    marginBps: since(bpsOf(marginPercent)),
    valueFee: since({ taker, maker }),
    orderFee: since(amount('perOrder')),
    orderFeeMin: since(amount('orderMin')),
    ...(costs.orderMaxPercent !== undefined && { orderFeeMax: since(percent('orderMaxPercent')) }),
    sellTax: since(percent('sellTaxPercent')),
    ...roundingOf(rounding, currency, moneyDigits),
    ...(maintenancePercent !== undefined && { maintenanceBps: since(bpsOf(maintenancePercent)) }),
    ...(margin !== undefined && {
      contractMargin: since({
        initial: whole(['margin', 'initial'], margin.initial, moneyDigits),
        maintenance: whole(['margin', 'maintenance'], margin.maintenance ?? 0, moneyDigits),
      }),
    }),
  };
}

function roundingOf(rounding: CostTerms['rounding'], currency: string, moneyDigits: number) {
  if (rounding === undefined || rounding.per === 'none') return {};
  const { per, mode } = rounding;
  return { rounding: { per, mode, step: 10 ** (moneyDigits - roundingDecimals(currency, rounding)) } };
}

const since = <T>(value: T): readonly DatedValue<T>[] => [{ from: FIRST_DAY, value }];
