/** A run as data: its outcome depends on nothing else. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { Contract } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { DurationUs, Money, PriceHundredths, TsUs } from '../domain/units.ts';
import type { TickRows } from '../recording/columns/tick-file.ts';
import type { StrategyInstance } from '../strategy/index.ts';
import type { MarginRules } from '../venue/account/margin.ts';
import type { FillModel } from '../venue/exchange/fill-models.ts';
import type { StatisticsSettings } from './statistics/return-ratios.ts';
import type { LatencyModel } from './run/latency.ts';

export interface BacktestNotice {
  readonly tsUs: TsUs | null;
  readonly code: string;
  readonly text: string;
}

export interface DayTape {
  /** As in the day's table of contracts. */
  readonly contract: Contract;
  readonly rows: TickRows;
}

export interface BacktestDay {
  readonly day: TradingDay;
  /** The table of the day. A contract keeps its index through the run. */
  readonly contracts: readonly Contract[];
  readonly references: ReadonlyMap<Contract, PriceHundredths>;
  /** Their reference is the first price of the day: it is sent with that price, not before. */
  readonly guessed: ReadonlySet<Contract>;
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
  /** Entries halted by a loss: `each_day` a person resumes them in the morning, `never` they stay halted. */
  readonly resume: 'each_day' | 'never';
  readonly statistics: StatisticsSettings;
}

export const describeMemory = (memory: BacktestPlan['memory']): string =>
  memory === 'day'
    ? 'day: strategies begin again each morning, as under the daemon'
    : 'run: strategies remember the days before';
