/** Rates between the currencies of a run's contracts and that of its account. */
import type { CurrencyRate, RateLeg, RateSource } from '../../../backtest/backtest-plan.ts';
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { addDays, dayAt, momentOf } from '../../../domain/civil-date.ts';
import { tsUs, US_PER_DAY } from '../../../domain/units.ts';
import { formatLocalTime } from '../../../text/dates.ts';
import { decimalsOf, wholeOf } from '../../../text/decimals.ts';
import { placed } from '../../host/strategy-files/strategy-code.ts';
import { type BacktestMarket, wallClock } from './backtest-market.ts';
import type { BacktestFile } from './backtest-schema.ts';
import { readSeries, SERIES_PARTS } from './number-series.ts';
import { longestBar, rowReader, type SourceDays } from './source-days.ts';

/** A price of one currency in another, by the name that says both: `EURUSD`. */
interface Pair {
  readonly name: string;
  readonly source: RateSource;
  /** Its first price. */
  readonly fromUs: number;
}

type Leg = RateLeg & Pick<Pair, 'fromUs'>;

interface Played {
  readonly market: BacktestMarket;
  readonly sources: SourceDays;
}

/** Of a rate for the whole run. */
const ALWAYS = 0;
/** A daily rate is this old at most after the longest holidays. */
const RATE_DAYS_MAX = 10;

interface RatesRead {
  readonly rates: readonly CurrencyRate[];
  readonly problems: readonly Problem[];
  /** Stretches that count an old rate. */
  readonly remarks: readonly string[];
}

export function readRates(source: YamlSource, read: BacktestFile, { market, sources }: Played): RatesRead {
  const problems: Problem[] = [];
  const { currency: own } = market;
  const codes = playedCodes(sources);
  const foreign = codes.filter((code) => market.specOf(code)?.currency !== undefined);
  if (foreign.length === 0) return { rates: [], problems, remarks: [] };
  const firstOf = firstMoments(read, { market, sources });
  const pairs = [
    ...namedPairs(source, read, { market, sources }, problems),
    ...codes.flatMap((code): readonly Pair[] => {
      const isPair = plain(code).endsWith(market.specOf(code)?.currency ?? own);
      const rate: RateSource = { kind: 'contract', code };
      return isPair ? [{ name: plain(code), source: rate, fromUs: firstOf(code).openUs }] : [];
    }),
  ];
  if (problems.length > 0) return { rates: [], problems, remarks: [] };
  const rates = new Map<string, CurrencyRate>();
  for (const code of foreign) {
    const { currency = own } = market.specOf(code) ?? {};
    const written = ['market', 'contracts', code, 'currency'];
    const at = source.at(written) === undefined ? ['market', 'currency'] : written;
    const expected = `a rate from ${currency} to ${own}`;
    const key = `data.rates.${currency}${own}`;
    const legs = legsTo(own, currency, pairs);
    if (legs === undefined) {
      const hint = `write it in ${key}, as a number or as a file of times and rates, or play a contract ${currency}${own}`;
      problems.push(source.problem(at, expected, hint, `${code} in ${currency}, and no rate`));
      continue;
    }
    const [fromUs, neededUs] = [Math.max(...legs.map((leg) => leg.fromUs)), firstOf(code).knownUs];
    if (fromUs > neededUs) {
      const text = (atUs: number): string =>
        formatLocalTime(tsUs(atUs), market.calendar.utcOffsetMinutes)
          .slice(0, 'yyyy-mm-dd hh:mm'.length)
          .replace('T', ' ');
      const hint = `begin later (data.from), or write a rate that is known by then in ${key}`;
      const found = `${code} trades from ${text(neededUs)}, the rate is known from ${text(fromUs)}`;
      problems.push(source.problem(at, `${expected} in time`, hint, found));
    }
    rates.set(currency, {
      currency,
      legs: legs.map(({ source: price, isInverse }) => ({ source: price, isInverse })),
    });
  }
  const used = new Set([...rates.values()].flatMap(({ legs }) => legs.map(({ source: price }) => price)));
  const remarks = pairs
    .filter((pair) => used.has(pair.source))
    .flatMap((pair) => oldRates(pair, market, sources));
  return { rates: [...rates.values()], problems, remarks };
}

/** The longest stretch of the run without a new rate, where it is longer than a holiday. */
function oldRates(
  { name, source }: Pair,
  { calendar: { utcOffsetMinutes } }: BacktestMarket,
  { days }: SourceDays,
): readonly string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (source.kind !== 'series' || source.tsUs[0] === ALWAYS || first === undefined || last === undefined)
    return [];
  const fromUs = momentOf(first, 0, utcOffsetMinutes);
  const toUs = momentOf(addDays(last, 1), 0, utcOffsetMinutes);
  let [longest, sinceUs] = [0, 0];
  source.tsUs.forEach((atUs, i) => {
    const span = Math.min(source.tsUs[i + 1] ?? toUs, toUs) - Math.max(atUs, fromUs);
    if (span > longest) [longest, sinceUs] = [span, atUs];
  });
  if (longest <= RATE_DAYS_MAX * US_PER_DAY) return [];
  const since = dayAt(tsUs(sinceUs), utcOffsetMinutes);
  return [`${name} has no new rate for ${Math.floor(longest / US_PER_DAY)} days: that of ${since} counts on`];
}

function playedCodes({ all, days }: SourceDays): readonly string[] {
  const played = new Set(days);
  return [...new Set(all.filter(({ day }) => played.has(day)).map(({ code }) => code))];
}

/** Of a contract: when it trades first, and when that is known. A day before the run has told its price. */
function firstMoments(
  read: BacktestFile,
  { market, sources: { all, days } }: Played,
): (code: string) => { readonly openUs: number; readonly knownUs: number } {
  const readRows = rowReader(read);
  const played = new Set(days);
  return (code) => {
    const own = all.filter((each) => each.code === code);
    const first = own.find(({ day }) => played.has(day));
    const startUs = first === undefined ? Infinity : (readRows(first).tsUs[0] ?? Infinity);
    const everyUs = first?.bars?.everyUs ?? 0;
    const openUs = startUs + wallClock(market, first?.bars?.everyUs ?? null, code)(startUs);
    return { openUs: own[0] === first ? openUs : ALWAYS, knownUs: openUs + everyUs };
  };
}

/** The rates of the file. */
function namedPairs(
  source: YamlSource,
  { data }: BacktestFile,
  { market, sources }: Played,
  problems: Problem[],
): readonly Pair[] {
  const shiftAt = wallClock(market, longestBar(sources.all) || null);
  const keys = Object.keys(data.rates);
  return Object.entries(data.rates).flatMap(([key, rate], place): readonly Pair[] => {
    const at = ['data', 'rates', key];
    const name = plain(key);
    const other = keys.slice(0, place).find((each) => isSamePair(plain(each), name));
    if (other !== undefined)
      problems.push(source.problem(at, 'one rate between two currencies', `${other} tells it too`));
    if (typeof rate === 'number') {
      const parts = 10 ** decimalsOf(rate);
      const price = wholeOf(rate, decimalsOf(rate));
      if (price === undefined) problems.push(source.problem(at, 'a rate of at most 15 digits'));
      return price === undefined
        ? []
        : [{ name, source: { kind: 'series', tsUs: [ALWAYS], prices: [price], parts }, fromUs: ALWAYS }];
    }
    const found = readSeries(placed(rate, source.file), market.zone, true);
    const wrong =
      'wrong' in found
        ? found.wrong
        : found.values.some((value) => value <= 0)
          ? 'a rate of 0 or less'
          : null;
    if ('wrong' in found || wrong !== null) {
      const hint =
        'two columns: the time from which it is known, or a date whose end that is, and a number of at most ten digits like 1.0853';
      problems.push(source.problem(at, 'a file of rates', hint, wrong ?? ''));
      return [];
    }
    const times = found.tsUs.map((atUs) => atUs + shiftAt(atUs));
    const series: RateSource = { kind: 'series', tsUs: times, prices: found.values, parts: SERIES_PARTS };
    return [{ name, source: series, fromUs: times[0] ?? Infinity }];
  });
}

/** Straight, or over one other currency; the first of several ways in the order of the file. */
function legsTo(own: string, currency: string, pairs: readonly Pair[]): readonly Leg[] | undefined {
  const straight = legBetween(currency, own, pairs);
  if (straight !== undefined) return [straight];
  for (const { name } of pairs) {
    const over = name.startsWith(currency)
      ? name.slice(currency.length)
      : name.endsWith(currency)
        ? name.slice(0, -currency.length)
        : '';
    const [first, second] = [legBetween(currency, over, pairs), legBetween(over, own, pairs)];
    if (first !== undefined && second !== undefined) return [first, second];
  }
  return undefined;
}

function legBetween(from: string, to: string, pairs: readonly Pair[]): Leg | undefined {
  const found = pairs.find(({ name }) => name === from + to) ?? pairs.find(({ name }) => name === to + from);
  if (found === undefined || from === '' || to === '') return undefined;
  return { source: found.source, isInverse: found.name !== from + to, fromUs: found.fromUs };
}

/** `EURUSD` and `USDEUR` name the same two. */
const isSamePair = (one: string, other: string): boolean =>
  one.length === other.length && `${one}${one}`.includes(other);

/** `EUR/USD` is `EURUSD`. */
const plain = (symbol: string): string => symbol.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
