/** Summary of the prices of a run: first and last, gaps, the largest jumps, and figures that cannot be true. */
import type { BacktestResult } from '../backtest-result.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { BacktestDay } from '../backtest-plan.ts';
import type { ReportTable } from '../report/report-model.ts';
import type { RunStatistics } from '../statistics/run-statistics.ts';
import { isSession, phaseAt, type TradingCalendar } from '../../domain/calendar.ts';
import { dayAt, weekdayOf } from '../../domain/civil-date.ts';
import { type Contract, type ContractSpec, pointsOf } from '../../domain/contract.ts';
import { priceTicks, tsUs, US_PER_DAY } from '../../domain/units.ts';
import type { TickRows } from '../../recording/columns/tick-file.ts';
import { formatLocalMoment } from '../../text/dates.ts';
import { decimalText } from '../../text/decimals.ts';
import { formatBarLength } from '../../text/durations.ts';
import { formatCount, formatNumber } from '../../text/numbers.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';

const JUMPS_SHOWN = 3;
/** Factors from 0.1 % on: smaller changes are no news. */
const JUMP_SHOWN = 1.001;
/** A price that grows or falls by this factor from one to the next is doubted. */
const JUMP_DOUBTED = 1.5;
/** A year's ratio, and how many standard errors of its days it has to be above zero: few days make any ratio. */
const SHARPE_DOUBTED = 5;
const ERRORS_DOUBTED = 5;
/** From the first to the last of some days without a price. */
const STRETCH_DOUBTED = 3 * US_PER_DAY;
/** Days without a price, as a share of all: holidays are 3 to 4 in a hundred. */
const DAYS_DOUBTED = 0.05;
const WEEKDAYS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5]);

type Jump = Readonly<Record<'atUs' | 'from' | 'to', number>>;

type DataStretch = Readonly<Record<'fromUs' | 'toUs', number> & { isOfDays: boolean }>;

/** One contract over all days of the run. */
class ContractData {
  readonly symbol: string;
  readonly spec: ContractSpec;
  /** Length of its bars; null where its rows are ticks. */
  everyUs: number | null = null;
  hasBook = false;
  count = 0;
  firstUs = NaN;
  lastUs = NaN;
  /** Bars within a session, and weekdays without a price. */
  missing = { bars: 0, days: 0 };
  longest: DataStretch | null = null;
  jumps: readonly Jump[] = [];
  readonly #calendar: TradingCalendar;
  #last = 0;

  constructor({ orderCode, spec }: Contract, calendar: TradingCalendar) {
    this.symbol = orderCode;
    this.spec = spec;
    this.#calendar = calendar;
  }

  take({ rows, tsUs: times, priceTicks: prices, bars, book }: TickRows): void {
    this.everyUs = bars?.everyUs ?? null;
    this.hasBook ||= book !== null;
    const step = bars === null ? 1 : ROWS_PER_BAR;
    for (let row = 0; row < rows; row += 1) {
      // Within a bar, the moments of its path are in no file.
      const atUs = times[row - (row % step)] ?? 0;
      if (row % step === 0) this.#next(atUs);
      const price = prices[row] ?? 0;
      if (price > 0 && price !== this.#last) this.#jump(atUs, price);
    }
  }

  /** The first price of a bar, or a tick. */
  #next(atUs: number): void {
    if (this.count === 0) this.firstUs = atUs;
    else if (atUs - this.lastUs >= (this.everyUs === null ? US_PER_DAY : 2 * this.everyUs))
      this.#gap(this.lastUs, atUs);
    this.lastUs = atUs;
    this.count += 1;
  }

  /** Of days, those from Monday to Friday that the calendar opens: a plain market may have a weekend that it does not name. */
  #gap(beforeUs: number, atUs: number): void {
    const { everyUs, missing } = this;
    if (everyUs !== null && everyUs > US_PER_DAY) return;
    const isWithin = everyUs !== null && everyUs < US_PER_DAY && this.#isOneSession(beforeUs, atUs);
    let [fromUs, toUs] = [NaN, NaN];
    const step = isWithin ? everyUs : US_PER_DAY;
    for (let due = beforeUs + step; due < atUs; due += step) {
      // Within an auction nothing trades before its cross.
      if (isWithin ? phaseAt(this.#calendar, tsUs(due)) !== 'continuous' : !this.#isWeekday(due, atUs))
        continue;
      if (isWithin) missing.bars += 1;
      else missing.days += 1;
      if (Number.isNaN(fromUs)) fromUs = due;
      toUs = due;
    }
    if (toUs - fromUs > spanOf(this.longest)) this.longest = { fromUs, toUs, isOfDays: !isWithin };
  }

  #isWeekday(due: number, beforeUs: number): boolean {
    const { utcOffsetMinutes } = this.#calendar;
    const day = dayAt(tsUs(due), utcOffsetMinutes);
    const isBefore = day < dayAt(tsUs(beforeUs), utcOffsetMinutes);
    return isBefore && isSession(this.#calendar, day) && WEEKDAYS.has(weekdayOf(day));
  }

  /** A night between two days of a market with hours is no gap. */
  #isOneSession(beforeUs: number, atUs: number): boolean {
    const { phases, utcOffsetMinutes } = this.#calendar;
    const isOpenAllDay = phases.some(({ fromUs, toUs }) => fromUs === 0 && toUs >= US_PER_DAY);
    return isOpenAllDay || dayAt(tsUs(beforeUs), utcOffsetMinutes) === dayAt(tsUs(atUs), utcOffsetMinutes);
  }

  #jump(atUs: number, price: number): void {
    const from = this.#last;
    this.#last = price;
    if (from === 0) return;
    const jump = { atUs, from, to: price };
    const least = this.jumps.at(-1);
    if (this.jumps.length === JUMPS_SHOWN && least !== undefined && sizeOf(jump) <= sizeOf(least)) return;
    this.jumps = [...this.jumps, jump].toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, JUMPS_SHOWN);
  }
}

const spanOf = (stretch: DataStretch | null): number =>
  stretch === null ? -1 : stretch.toUs - stretch.fromUs;

const sizeOf = ({ from, to }: Jump): number => (to > from ? to / from : from / to);

export class DataWatch {
  readonly #calendar: TradingCalendar;
  readonly #contracts = new Map<string, ContractData>();
  readonly #days = new Set<string>();

  constructor(calendar: TradingCalendar) {
    this.#calendar = calendar;
  }

  get contracts(): readonly ContractData[] {
    return [...this.#contracts.values()].filter(({ count }) => count > 0);
  }

  take({ day, tapes }: BacktestDay): void {
    // A verification plays days again.
    if (this.#days.has(day)) return;
    this.#days.add(day);
    for (const { contract, rows } of tapes) {
      const make = (): ContractData => new ContractData(contract, this.#calendar);
      getOrCreate<string, ContractData>(this.#contracts, contract.orderCode, make).take(rows);
    }
  }
}

const DATE = 'YYYY-MM-DD'.length;

const momentText = (us: number, utcOffsetMinutes: number): string =>
  formatLocalMoment(us, utcOffsetMinutes).slice(0, 'YYYY-MM-DD HH:MM'.length);

const pricesText = ({ count, everyUs }: ContractData): string =>
  everyUs === null
    ? formatCount(count, 'tick')
    : `${formatNumber(count)} bars of ${formatBarLength(everyUs)}`;

/** `none`, or `12 bars and 3 days, the longest stretch from ...`. */
function missingText({ missing: { bars, days }, longest }: ContractData, offset: number): string {
  const counts = [
    ...(bars > 0 ? [formatCount(bars, 'bar')] : []),
    ...(days > 0 ? [formatCount(days, 'day')] : []),
  ];
  if (longest === null) return 'none';
  const shown = (us: number): string => momentText(us, offset).slice(0, longest.isOfDays ? DATE : undefined);
  return `${counts.join(' and ')}, the longest stretch from ${shown(longest.fromUs)} to ${shown(longest.toUs)}`;
}

/** A plain market does not name its holidays: single days are no reason to doubt. */
function isLacking({ missing: { bars, days }, longest, firstUs, lastUs }: ContractData): boolean {
  const isLong = spanOf(longest) >= STRETCH_DOUBTED;
  return bars > 0 || isLong || days * US_PER_DAY > DAYS_DOUBTED * (lastUs - firstUs);
}

function jumpText({ atUs, from, to }: Jump, offset: number): string {
  const percent = (100 * (to - from)) / from;
  return `changed ${percent > 0 ? '+' : ''}${percent.toFixed(1)} % on ${momentText(atUs, offset)}`;
}

function jumpsText(jumps: readonly Jump[], offset: number): string {
  const shown = jumps.filter((jump) => sizeOf(jump) >= JUMP_SHOWN);
  return shown.map((jump) => jumpText(jump, offset)).join(', ') || 'none of 0.1 %';
}

export const pricesTable = (
  contracts: readonly ContractData[],
  offset: number,
  zone: string,
): ReportTable => ({
  title: 'Your data',
  note: `times of ${zone}; missing: bars that the market was open for, and weekdays without a price`,
  columns: ['contract', 'prices', 'first', 'last', 'missing', 'largest changes from one price to the next'],
  isText: true,
  rows: contracts.map((each) => [
    each.symbol,
    pricesText(each),
    momentText(each.firstUs, offset),
    momentText(each.lastUs, offset),
    missingText(each, offset),
    jumpsText(each.jumps, offset),
  ]),
});

export function doubtsOf(
  contracts: readonly ContractData[],
  { counts, utcOffsetMinutes: offset }: BacktestResult,
  { costs, sharpe = 0, dailyReturns, basis }: RunStatistics,
): readonly string[] {
  const worstFirst = contracts.toSorted((a, b) => spanOf(b.longest) - spanOf(a.longest));
  const doubts = worstFirst.flatMap((each) => [
    ...(isLacking(each) ? [`${each.symbol} lacks ${missingText(each, offset)}`] : []),
    ...each.jumps
      .filter((jump) => sizeOf(jump) >= JUMP_DOUBTED)
      .map((jump) => {
        const points = (ticks: number): string => decimalText(pointsOf(each.spec, priceTicks(ticks)));
        return `${each.symbol} jumps from ${points(jump.from)} to ${points(jump.to)} on ${momentText(jump.atUs, offset)}: a split, another unit or a wrong row?`;
      }),
  ]);
  if (counts.fills > 0 && costs.fees === 0 && costs.tax === 0)
    doubts.push(`${formatCount(counts.fills, 'fill')} cost nothing: the file names no fee and no tax`);
  const errors = sharpe * Math.sqrt(dailyReturns.length / basis.periodsPerYear);
  if (sharpe > SHARPE_DOUBTED && errors > ERRORS_DOUBTED)
    doubts.push(
      `a Sharpe ratio of ${sharpe.toFixed(2)} is too good to be true: look for wrong prices, costs left out or a look ahead (--verify)`,
    );
  return doubts;
}
