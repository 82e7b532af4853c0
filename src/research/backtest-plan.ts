/** A run as data: its outcome depends on nothing else. */
import { type TradingCalendar, phaseAt } from '../domain/calendar.ts';
import { type TradingDay, momentOf } from '../domain/civil-date.ts';
import { type Contract, NO_BAND_BPS, type PriceBand, priceBand } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import {
  type DurationUs,
  type Money,
  type PriceHundredths,
  type TsUs,
  minutes,
  tsUs,
  US_PER_DAY,
  US_PER_SECOND,
} from '../domain/units.ts';
import type { TickRows } from '../recording/columns/tick-file.ts';
import type { StrategyInstance } from '../strategy/index.ts';
import type { MarginRules } from '../venue/account/margin.ts';
import type { FillModel } from '../venue/exchange/fill-models.ts';
import type { StatisticsSettings } from './statistics/return-ratios.ts';
import type { LatencyModel } from './run/virtual-time.ts';
import type { ReferenceRow } from '../engine/ports/engine-event.ts';

export interface BacktestNotice {
  readonly tsUs: TsUs | null;
  readonly code: string;
  readonly text: string;
}

export interface DayTape {
  /** As in the day's table of contracts. */
  readonly contract: Contract;
  readonly rows: TickRows;
  readonly reference: PriceHundredths;
  /** The reference is the first price of the day: it is sent with that price, not before. */
  readonly isGuessed: boolean;
}

export interface BacktestDay {
  readonly day: TradingDay;
  /** The table of the day. A contract keeps its index through the run. */
  readonly contracts: readonly Contract[];
  readonly tapes: readonly DayTape[];
  readonly notices: readonly BacktestNotice[];
}

/** Source of the days of a run, one at a time, so that memory does not grow with their number. */
export interface BacktestData {
  /** SHA-256 over all rows. */
  readonly digest: string;
  readonly days: readonly TradingDay[];
  readonly rows: number;
  open(day: TradingDay): BacktestDay;
}

export interface BacktestPlan {
  /** SHA-256 over the effective configuration. */
  readonly configDigest: string;
  readonly data: BacktestData;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly settings: EngineSettings;
  /** In the order of `settings.strategies`. */
  readonly strategies: readonly StrategyInstance[];
  readonly capital: Money;
  readonly currency: string;
  /** Units of money in one unit of the currency. */
  readonly moneyScale: number;
  readonly fill: FillModel;
  readonly latency: LatencyModel;
  readonly seed: number;
  /** Whether strategies begin again each morning; `describeMemory` says it. */
  readonly memory: 'day' | 'run';
  /** Days at the beginning in which strategies only observe; only with `memory: run`. */
  readonly warmUpDays: number;
  /** Equity and prices are sampled this often, and after each day. */
  readonly sampleEvery: DurationUs;
  /** Limits of the broker. `cash`: an order opens as much as the cash pays for, and closes nothing; null: it takes any order. */
  readonly margin: MarginRules | 'cash' | null;
  /** Our own risk rule asks for margin too, at the limit of each order, as it does live. */
  readonly isMarginRuleOn: boolean;
  readonly statistics: StatisticsSettings;
}

export const describeMemory = (memory: BacktestPlan['memory']): string =>
  memory === 'day'
    ? 'day: strategies begin again each morning, as under the daemon'
    : 'run: strategies remember the days before';

// One trading day of a run: its moments, reference prices and bands.

export type DayMoments = ReturnType<typeof dayMoments>;

/** Strategies are connected this long before the first phase. */
const LEAD = minutes(15);
/** Prints of the closing cross carry the second in which the auction ended, and come up to a second after it. */
const LAST_PRINTS_US = US_PER_SECOND;

export function dayMoments(calendar: TradingCalendar, day: TradingDay) {
  const at = (timeUs: number): TsUs => momentOf(day, timeUs, calendar.utcOffsetMinutes);
  const edges = new Set<number>();
  for (const { fromUs, toUs } of calendar.phases) edges.add(fromUs).add(toUs);
  const boundaries = [...edges]
    .filter((timeUs) => timeUs < US_PER_DAY)
    .toSorted((a, b) => a - b)
    .map((timeUs) => ({ atUs: at(timeUs), phase: phaseAt(calendar, at(timeUs)) }));
  const first = calendar.phases[0]?.fromUs ?? 0;
  const lastUs = calendar.phases.at(-1)?.toUs ?? US_PER_DAY;
  const closeUs = lastUs < US_PER_DAY ? at(lastUs) : null;
  return {
    /** From here on the day can be begun. */
    beginUs: at(Math.max(0, first - LEAD)),
    boundaries,
    /** The market closes, and its last prints are over; null where trading goes on through midnight. */
    closeUs,
    endUs: closeUs === null ? at(US_PER_DAY) : tsUs(closeUs + LAST_PRINTS_US),
  };
}

/** Reference prices and bands of a day, for the engine and the venue, as they become known. */
export class DayOpening {
  readonly references: ReferenceRow[] = [];
  readonly bands = new Map<number, PriceBand>();

  constructor(known: readonly DayTape[]) {
    for (const tape of known) this.learn(tape);
  }

  learn({ contract, reference }: DayTape): PriceBand {
    const band = priceBand(contract.spec, reference);
    this.bands.set(contract.index, band);
    this.references.push({ instrument: contract.index, ...band, lastPrice: null });
    return band;
  }
}

/** First prices that serve as reference, in the order of time. */
export const guessesOf = ({ tapes }: BacktestDay) =>
  tapes
    .filter(({ isGuessed, rows }) => isGuessed && rows.rows > 0)
    .map((tape) => ({ tape, atUs: tape.rows.tsUs[firstPrice(tape.contract, tape.rows).row] ?? 0 }))
    .toSorted((a, b) => a.atUs - b.atUs);

/** The first price of a day, a trade's or quote's, and its row. Where the market has no band the middle of the first book serves too. */
export function firstPrice({ spec }: Contract, { rows, priceTicks, book }: TickRows) {
  const [bids, asks] = spec.bandBps < NO_BAND_BPS ? [] : [book?.bidPrice[0], book?.askPrice[0]];
  for (let row = 0; row < rows; row += 1) {
    const price = priceTicks[row] ?? 0;
    const [bid, ask] = [bids?.[row] ?? 0, asks?.[row] ?? 0];
    if (price > 0 || (bid > 0 && ask > 0)) return { row, price: price || Math.floor((bid + ask) / 2) };
  }
  return { row: 0, price: 1 };
}
