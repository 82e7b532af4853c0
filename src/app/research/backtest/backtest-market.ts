/** The market of a backtest: a market file of the daemon, or an inline market of the backtest file. */
import type { CarryTerms } from '../../../backtest/backtest-plan.ts';
import { readMarket } from '../../../config/market-file.ts';
import { readNamed } from '../../../config/read-file.ts';
import type { Problem } from '../../../config/problem.ts';
import type { Path, YamlSource } from '../../../config/yaml-source.ts';
import { assert } from '../../../domain/assert.ts';
import { zodProblems } from '../../../config/zod-problems.ts';
import { alwaysOpen, type TradingCalendar } from '../../../domain/calendar.ts';
import { tradingDay, type TradingDay, type Weekday } from '../../../domain/civil-date.ts';
import { type ContractMonth, contractMonthOf, expiryOf } from '../../../domain/contract-code.ts';
import { type ContractSpec, NO_BAND_BPS } from '../../../domain/contract.ts';
import type { CostSchedule } from '../../../domain/costs.ts';
import { quoteCurrency } from '../../../domain/currency.ts';
import { US_PER_DAY, US_PER_MINUTE } from '../../../domain/units.ts';
import { decimalsOf } from '../../../text/decimals.ts';
import { type TimeZone, timeZone } from '../../../text/time-zone.ts';
import { type ChainTerms, type InlineMarket, inlineMarket, type WrittenMarket } from './backtest-schema.ts';
import type { MarketHours } from './market-hours.ts';
import { carryOf } from './market-carry.ts';
import { withChains } from './market-chains.ts';
import { costDecimals, costsOf, feeDecimals, FIRST_DAY } from './market-costs.ts';

export interface BacktestMarket {
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  /** Absent: time costs nothing. */
  readonly carry?: CarryTerms;
  /** Index futures list their months by rule; other markets name their contracts. */
  readonly kind: 'index_futures' | 'own';
  /** Of the account; a contract in another one names it. */
  readonly currency: string;
  readonly moneyScale: number;
  /** Zone of the exchange, for times without a zone. */
  readonly zone: TimeZone;
  /** Its clocks show the same offset all year. */
  readonly isZoneFixed: boolean;
  /** Trading never stops: orders and strategies continue from day to day unless the file says otherwise. */
  readonly isAlwaysOpen: boolean;
  readonly marketOrders: boolean;
  /** Underlyings of a market file, or contracts of an inline market, by name. */
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  /** Undefined for a symbol of another market. */
  specOf(symbol: string): ContractSpec | undefined;
  readonly chains: readonly ChainTerms[];
  expiryOf(symbol: string): TradingDay;
  /** Null where the run has one market, whose calendar is the run's. */
  hoursOf(symbol: string): MarketHours | null;
}

export type ReadBacktestMarket =
  | { readonly ok: true; readonly market: BacktestMarket }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Expiry of a contract without one. */
const NO_EXPIRY = tradingDay('2199-12-31');
const WEEKDAYS: Readonly<Record<string, Weekday>> = {
  sun: 0,
  mon: 1,
  tue: 2,
  wed: 3,
  thu: 4,
  fri: 5,
  sat: 6,
};
const WORK_DAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
/** More digits leave no room for amounts: money is exact up to 2^53 of its smallest unit. */
const MONEY_DECIMALS_MAX = 13;

export function readBacktestMarket(source: YamlSource): ReadBacktestMarket {
  const market = source.at(['market']);
  if (typeof market === 'string') return namedMarket(source, market);
  const expected = 'the name of a market file, or a section with contracts';
  if (typeof market !== 'object' || market === null) {
    const hint = market === undefined ? 'add market: vn30f.yaml' : '';
    return { ok: false, problems: [source.problem(['market'], expected, hint)] };
  }
  const list: readonly unknown[] = Array.isArray(market) ? market : [market];
  const markets: WrittenMarket[] = [];
  const problems: Problem[] = [];
  for (const [i, each] of list.entries()) {
    const read = writtenMarket(source, Array.isArray(market) ? ['market', i] : ['market'], each);
    if ('problems' in read) problems.push(...read.problems);
    else markets.push(read);
  }
  if (list.length === 0) problems.push(source.problem(['market'], expected));
  return problems.length > 0 ? { ok: false, problems } : ownMarketOf(source, markets);
}

/** A market in the file itself, or in one beside it that a list names. */
function writtenMarket(
  source: YamlSource,
  at: Path,
  market: unknown,
): WrittenMarket | { readonly problems: readonly Problem[] } {
  if (typeof market === 'string') {
    const read = readNamed(source, at, market, inlineMarket, 'a market');
    return 'problems' in read ? read : withChains(read.source, [], read.value);
  }
  const read = inlineMarket.safeParse(market);
  return read.success
    ? withChains(source, at, read.data)
    : { problems: zodProblems(source, read.error.issues, inlineMarket, { base: at }) };
}

const VND = 'VND';

/** Index futures, as the daemon trades them: money is whole VND, a code tells its month. */
function namedMarket(source: YamlSource, file: string): ReadBacktestMarket {
  const read = readMarket(source, file);
  if (!read.ok) return read;
  const { calendar, contracts, costs } = read;
  const zone = timeZone(calendar.timeZone);
  const currency = source.at(['currency']);
  if (currency !== undefined && currency !== VND) {
    const hint = 'leave it out: contracts of this market count in VND';
    return { ok: false, problems: [source.problem(['currency'], VND, hint)] };
  }
  const of = (symbol: string): ContractSpec | undefined => contracts[familyOf(symbol) ?? symbol];
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
      currency: VND,
      moneyScale: 1,
      zone,
      isZoneFixed: true,
      isAlwaysOpen: false,
      marketOrders: false,
      specOf: of,
      chains: [],
      expiryOf: (symbol) => {
        const month = contractMonthOf(symbol);
        return month === undefined ? NO_EXPIRY : expiryOf(calendar, month);
      },
      hoursOf: () => null,
    },
  };
}

/** `VN30` of `VN30F2603`, `41I1G3000` and `VN30F1M`. */
export function familyOf(symbol: string): ContractMonth['underlying'] | undefined {
  const alias = /^(VN30|VN100)F[12][MQ]$/.exec(symbol)?.[1];
  const family = contractMonthOf(symbol)?.underlying ?? alias;
  return family === 'VN30' || family === 'VN100' ? family : undefined;
}

/** One market is the run's; the hours of several are each contract's own, and the run never closes. */
function ownMarketOf(source: YamlSource, markets: readonly WrittenMarket[]): ReadBacktestMarket {
  const problems = [...markets.flatMap(marketProblems), ...listProblems(source, markets)];
  const terms = markets.map((each) => each.terms);
  const [first] = markets;
  assert(first !== undefined, 'a run has a market');
  const zones = terms.map(({ timeZone: name }) => timeZone(name));
  const accountZone = markets.length === 1 ? zones[0] : timeZone(zoneOfAccount(source));
  const decimals = Math.max(...terms.map((market) => decimalsFor(source, market)));
  if (decimals > MONEY_DECIMALS_MAX) {
    const hint = 'a tick of a lot would be too small to count money in: take a larger lot';
    const expected = `at most ${MONEY_DECIMALS_MAX} digits in all`;
    problems.push(first.source.problem([...first.at, 'contracts'], expected, hint));
  }
  const moneyScale = 10 ** decimals;
  const account = source.at(['currency']);
  const currency = typeof account === 'string' ? account : first.terms.currency;
  const costs = costsOf(first, moneyScale, problems);
  const listed = markets.flatMap((market, place) =>
    listedIn(market, { place, moneyScale, currency, problems }),
  );
  const carries = markets.flatMap((market, place) => {
    const zone = zones[place];
    return zone === undefined ? [] : [carryOf(market, zone, moneyScale, problems)];
  });
  if (problems.length > 0 || accountZone === undefined) return { ok: false, problems };
  const hours = terms.map((market, place): MarketHours => {
    const zone = zones[place];
    assert(zone !== undefined, 'a zone without problems is known');
    return { calendar: calendarOf(market, zone), zone };
  });
  const bySymbol = new Map(listed.map((each) => [each.spec.underlying, each]));
  const isSeveral = markets.length > 1;
  const isAlwaysOpen = isSeveral || first.terms.hours === undefined;
  const calendar = hours[0]?.calendar;
  assert(calendar !== undefined, 'a run has a market');
  return {
    ok: true,
    market: {
      kind: 'own',
      calendar: isSeveral ? accountCalendar(accountZone) : calendar,
      costs,
      carry: carryOfAll(carries),
      contracts: Object.fromEntries(listed.map(({ spec }) => [spec.underlying, spec])),
      currency,
      moneyScale,
      zone: accountZone,
      isZoneFixed: isFixed(accountZone),
      isAlwaysOpen,
      marketOrders: first.terms.marketOrders,
      specOf: (symbol) => bySymbol.get(symbol)?.spec,
      chains: markets.flatMap(({ chains }) => chains),
      expiryOf: (symbol) => (isAlwaysOpen ? undefined : bySymbol.get(symbol)?.expiry) ?? NO_EXPIRY,
      hoursOf: (symbol) => (isSeveral ? (hours[bySymbol.get(symbol)?.place ?? -1] ?? null) : null),
    },
  };
}

interface ListedContract {
  readonly spec: ContractSpec;
  readonly expiry: TradingDay | undefined;
  /** Of its market in the list. */
  readonly place: number;
}

function listedIn(
  market: WrittenMarket,
  {
    place,
    moneyScale,
    currency: own,
    problems,
  }: { place: number; moneyScale: number; currency: string; problems: Problem[] },
): readonly ListedContract[] {
  const { contracts, currency: usual } = market.terms;
  const chainOf = (symbol: string): ChainTerms | undefined =>
    market.chains.find((chain) => chain.contracts.some(({ code }) => code === symbol));
  return Object.entries(contracts).map(([symbol, each]) => {
    const { currency = usual, expiry } = each;
    const costs = costsOf(market, moneyScale, problems, symbol);
    const chain = chainOf(symbol)?.name;
    const spec = {
      ...specOf(symbol, each, moneyScale),
      costs,
      ...(currency !== own && { currency }),
      ...(chain !== undefined && { chain }),
    };
    return { spec, expiry, place };
  });
}

const decimalsFor = (source: YamlSource, market: InlineMarket): number =>
  Math.max(
    moneyDecimals(Object.values(market.contracts)),
    costDecimals(market),
    Math.min(feeDecimals(market, valueDecimals), spareDecimals(source.at(['capital']))),
  );

/** Interest belongs to the account: the terms of the market that has some. */
function carryOfAll(carries: readonly CarryTerms[]): CarryTerms {
  const paying = carries.find(({ interest, loan }) => interest.length + loan.length > 0) ?? carries[0];
  assert(paying !== undefined, 'a run has a market');
  return { ...paying, contracts: carries.flatMap(({ contracts }) => contracts) };
}

function marketProblems(market: WrittenMarket): readonly Problem[] {
  const { source, at, terms } = market;
  const isKnown = timeZone(terms.timeZone) !== undefined;
  return [
    ...hourProblems(market),
    ...pairProblems(market),
    ...expiryProblems(market),
    ...(isKnown ? [] : [source.problem([...at, 'timeZone'], 'a zone like UTC, +07:00 or America/New_York')]),
  ];
}

/** The close of its last day settles a contract. */
const expiryProblems = ({ source, at, terms, chains }: WrittenMarket): readonly Problem[] =>
  Object.entries(terms.contracts).flatMap(([symbol, { expiry }]) => {
    const isOfChain = chains.some(({ contracts }) => contracts.some(({ code }) => code === symbol));
    if (expiry === undefined || terms.hours !== undefined || isOfChain) return [];
    const hint = 'leave it out: a position that is held on counts at the last price';
    return [
      source.problem([...at, 'contracts', symbol, 'expiry'], 'no expiry where trading never stops', hint),
    ];
  });

/** Yen would count as dollars: 150 times too much. */
const pairProblems = ({ source, at, terms }: WrittenMarket): readonly Problem[] =>
  Object.entries(terms.contracts).flatMap(([symbol, { currency }]) => {
    const quote = quoteCurrency(symbol);
    if (currency !== undefined || quote === undefined || quote === terms.currency) return [];
    const hint = `add currency: ${quote}, in which its name says that it is quoted, or currency: ${terms.currency} where that is meant`;
    return [
      source.problem([...at, 'contracts', symbol], 'a currency', hint, `${terms.currency} of the market`),
    ];
  });

const zoneOfAccount = (source: YamlSource): string => {
  const name = source.at(['timeZone']);
  return typeof name === 'string' ? name : 'UTC';
};

/** Of a list of markets alone. */
function listProblems(source: YamlSource, markets: readonly WrittenMarket[]): readonly Problem[] {
  const name = source.at(['timeZone']);
  if (markets.length === 1)
    return name === undefined
      ? []
      : [source.problem(['timeZone'], 'no zone beside one market', 'write it in the market')];
  const problems: Problem[] = [];
  const zone = timeZone(zoneOfAccount(source));
  if (zone === undefined || !isFixed(zone))
    problems.push(source.problem(['timeZone'], 'a zone without summer time, like UTC or +07:00'));
  const known = new Set<string>();
  const paying: WrittenMarket[] = [];
  for (const market of markets) {
    const { at, terms, source: written } = market;
    const wrong = (path: Path, expected: string, hint = ''): void =>
      void problems.push(written.problem([...at, ...path], expected, hint));
    for (const symbol of Object.keys(terms.contracts)) {
      if (known.has(symbol)) wrong(['contracts', symbol], 'each contract in one market');
      known.add(symbol);
      const { funding } = terms.contracts[symbol] ?? {};
      const own = timeZone(terms.timeZone);
      if (funding?.percent !== undefined && own !== undefined && !isSameOffset(own, zone))
        wrong(
          ['contracts', symbol, 'funding'],
          'a file of times and rates',
          'times of day are those of the account',
        );
      if (terms.contracts[symbol]?.bandPercent !== undefined)
        wrong(['contracts', symbol, 'bandPercent'], 'no price band in a run of several markets');
    }
    const auction = (terms.hours ?? []).findIndex(({ phase }) => phase.endsWith('auction'));
    if (auction !== -1) wrong(['hours', auction, 'phase'], 'no auction in a run of several markets');
    if (terms.marketOrders !== markets[0]?.terms.marketOrders)
      wrong(['marketOrders'], 'the same in all markets of a run');
    if (terms.costs.interestPercentYear !== undefined || terms.costs.loanPercentYear !== undefined)
      paying.push(market);
    if (paying.length === 2 && paying[1] === market)
      wrong(['costs'], 'interest in one market', 'it is paid on the cash of the account');
  }
  return problems;
}

const isSameOffset = (one: TimeZone, other: TimeZone | undefined): boolean =>
  SEASONS.every((at) => one.offsetAtMoment(at) === other?.offsetAtMoment(at));

function hourProblems({ source, at, terms: { hours = [] } }: WrittenMarket): readonly Problem[] {
  const sorted = hours.toSorted((a, b) => a.from - b.from);
  return hours.flatMap((span, i) => {
    const before = sorted[sorted.indexOf(span) - 1];
    if (span.to <= span.from) return [source.problem([...at, 'hours', i, 'to'], 'a time after from')];
    const isInside = before !== undefined && span.from < before.to;
    return isInside ? [source.problem([...at, 'hours', i, 'from'], 'a time after the span before')] : [];
  });
}

/**
 * Times of a run are wall-clock times of the exchange at one offset all year, so that hours and days stay where people see
 * them; summer time moves them against the rest of the world.
 */
function calendarOf(market: InlineMarket, zone: TimeZone): TradingCalendar {
  const { hours, weekdays, closures, name } = market;
  const base: TradingCalendar = {
    name,
    timeZone: market.timeZone,
    utcOffsetMinutes: fixedOffset(zone),
    weekdays: (weekdays ?? WORK_DAYS).map((day) => WEEKDAYS[day] ?? 0),
    phases: (hours ?? [])
      .map(({ phase, from, to }) => ({ phase, fromUs: from, toUs: to }))
      .toSorted((a, b) => a.fromUs - b.fromUs),
    closures: new Set(closures),
    validFrom: FIRST_DAY,
    validTo: NO_EXPIRY,
  };
  return hours === undefined ? { ...alwaysOpen(base), name, validTo: NO_EXPIRY } : base;
}

/** Days of the account; each contract trades in the hours of its own market. */
const accountCalendar = (zone: TimeZone): TradingCalendar => ({
  ...alwaysOpen({
    name: 'account',
    timeZone: zone.name,
    utcOffsetMinutes: fixedOffset(zone),
    weekdays: [],
    phases: [],
    closures: new Set(),
    validFrom: FIRST_DAY,
    validTo: NO_EXPIRY,
  }),
  name: 'account',
  validTo: NO_EXPIRY,
});

/** The middle of a winter and of a summer, on either half of the world. */
const SEASONS = [Date.UTC(2024, 0, 15) * 1_000, Date.UTC(2024, 6, 15) * 1_000] as const;

/** Winter time, as it was at the beginning of 2020. */
const fixedOffset = (zone: TimeZone): number => zone.offsetAtMoment(Date.UTC(2020, 0, 1) * 1_000);

/** Adds to a moment so that the run's one offset shows what the clocks on the wall did; zero where they never change. */
const wallShift = (zone: TimeZone, atUs: number): number =>
  (zone.offsetAtMoment(atUs) - fixedOffset(zone)) * US_PER_MINUTE;

const isFixed = (zone: TimeZone): boolean => SEASONS.every((at) => wallShift(zone, at) === 0);

/**
 * Terms of one contract in decimals. They become whole numbers: ticks of any size, lots below one, and money with so many digits
 * that one tick of one lot is whole and nothing is rounded.
 */
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

/** `moneyScale` units of money make one of the currency. */
export function specOf(symbol: string, terms: ContractTerms, moneyScale: number): ContractSpec {
  const priceDecimals = Math.max(PRICE_DECIMALS_MIN, decimalsOf(terms.tick));
  const partsPerPoint = 10 ** priceDecimals;
  const money = terms.pointValue * terms.lot * moneyScale;
  return {
    underlying: symbol,
    hundredthsPerTick: Math.round(terms.tick * partsPerPoint),
    moneyPerHundredth: Math.round(money / partsPerPoint),
    orderQtyMax: terms.orderQtyMax,
    bandBps: terms.bandPercent === undefined ? NO_BAND_BPS : Math.round(terms.bandPercent * 100),
    partsPerPoint,
    lotSize: terms.lot,
  };
}

/**
 * A run has one offset all year. Where clocks change, moments move to wall-clock time, so that hours and days stay where people see
 * them. Trading that never stops is not moved, unless its bars are whole days.
 */
export const isMoved = ({ isZoneFixed, isAlwaysOpen }: BacktestMarket, everyUs: number | null): boolean =>
  !isZoneFixed && (!isAlwaysOpen || (everyUs !== null && everyUs >= US_PER_DAY));

/** Returns the shift to add to a moment, in microseconds. */
export function wallClock(
  market: BacktestMarket,
  everyUs: number | null,
  symbol?: string,
): (atUs: number) => number {
  const hours = symbol === undefined ? null : market.hoursOf(symbol);
  // Among several markets a bar of a day is that day of the account.
  if (hours !== null && everyUs !== null && everyUs >= US_PER_DAY)
    return (atUs) => (hours.zone.offsetAtMoment(atUs) - market.calendar.utcOffsetMinutes) * US_PER_MINUTE;
  if (!isMoved(market, everyUs)) return () => 0;
  const { zone } = market;
  // Clocks change at night: one look a day is enough.
  let known = NaN;
  let shift = 0;
  return (atUs) => {
    const day = Math.floor(atUs / US_PER_DAY);
    if (day !== known) shift = wallShift(zone, atUs);
    known = day;
    return shift;
  };
}

const MINUTES_PER_HOUR = 60;

/**
 * A zone that shows moved moments as the clocks on the wall did: its name has the sign the other way round. Undefined for half
 * hours, which have no such name.
 */
export function fixedZoneName(utcOffsetMinutes: number): string | undefined {
  const hours = utcOffsetMinutes / MINUTES_PER_HOUR;
  if (!Number.isInteger(hours)) return undefined;
  return hours === 0 ? 'UTC' : `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;
}
