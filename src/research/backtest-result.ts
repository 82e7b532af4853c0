/**
 * Result of a backtest, as plain data: statistics, reports and sweeps read this and nothing else. All money is whole units,
 * `moneyScale` of them in one unit of the currency; all times are market time; all prices are ticks of their contract.
 */
import { present } from '../domain/assert.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { Side } from '../domain/order.ts';
import type { Money, TsUs } from '../domain/units.ts';
import type { Drawdowns } from './statistics/return-ratios.ts';
import type { FillClause, Liquidity } from '../venue/exchange/fill-models.ts';
import type { BacktestNotice, BacktestPlan } from './backtest-plan.ts';

/** Rows in time order; an array is one. */
export interface Rows<T> extends Iterable<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

/** One value a moment, in time order, as columns. */
export type Samples = Readonly<Record<'tsUs' | 'values', Float64Array>>;

/** Funds of the account by sample, next to its equity. */
export interface Funds {
  /**
   * Under a broker's ratios the cash of the last settlement. Elsewhere equity less the value of positions paid in full, and less the open
   * profit of margined ones.
   */
  readonly cash: Float64Array;
  /** Margin of positions; under a broker's ratios with the loss and the costs of the day. */
  readonly marginUsed: Float64Array;
  /** Money that new positions may still use, orders that work considered; never below zero. */
  readonly buyingPower: Float64Array;
}

/** `forced`: the broker closed a position that the margin no longer carried. `settled`: an expired contract was paid out. */
type FillCause = 'order' | 'forced' | 'settled';

export interface BacktestFill {
  /** Time of the execution; we receive it later. */
  readonly tsUs: TsUs;
  readonly decidedUs: TsUs;
  /** Place in `BacktestResult.instruments`. */
  readonly instrument: number;
  /** Place in `BacktestResult.strategies`. */
  readonly strategy: number;
  readonly side: Side;
  readonly qty: number;
  readonly priceTicks: number;
  readonly value: Money;
  readonly fee: Money;
  readonly tax: Money;
  readonly liquidity: Liquidity;
  /** Rule of the fill model that filled it at this price. */
  readonly clause: FillClause;
  readonly cause: FillCause;
  /** Bid plus ask, that is twice the middle, when it was executed and when its order was decided; 0 where no side was known. */
  readonly midTwice: number;
  readonly decidedMidTwice: number;
  /** Position of the strategy in the contract after it. */
  readonly positionAfter: number;
  /** Number of its order at the venue, unique within the run; 0 where no order was sent. */
  readonly orderNo: number;
}

/** One round trip of one strategy in one contract: from flat to flat, or to the turn over zero, which begins the next. */
export interface BacktestTrade {
  readonly strategy: number;
  readonly instrument: number;
  readonly direction: 'long' | 'short';
  readonly entryUs: TsUs;
  readonly exitUs: TsUs;
  /** All that was bought (long) or sold (short) on the way. */
  readonly qty: number;
  readonly qtyMax: number;
  /** Money of all entries and of all exits; divided by `qty` and the value of a point they are the average prices. */
  readonly entryValue: Money;
  readonly exitValue: Money;
  /** Before costs. */
  readonly grossProfit: Money;
  readonly fee: Money;
  readonly tax: Money;
  /** `grossProfit - fee - tax`. */
  readonly netProfit: Money;
  /** Worst and best open profit at a trade of the market while it was held, before costs; zero or less, zero or more. */
  readonly adverse: Money;
  readonly favourable: Money;
  readonly fills: number;
  /** The run ended before it was closed: its exit is the last price, and nothing was paid for it. */
  readonly isOpen: boolean;
}

export interface BacktestDenial {
  readonly tsUs: TsUs;
  readonly strategy: number;
  /** `denied` by our own risk rules, `rejected` by the venue. */
  readonly by: 'denied' | 'rejected';
  readonly code: string;
  /** The code with its numbers, or the venue's words. */
  readonly text: string;
}

export interface CostsByKind {
  readonly exchangeFee: Money;
  readonly clearingFee: Money;
  readonly brokerFee: Money;
  readonly valueFee: Money;
  readonly tax: Money;
  /** Cost of fills against the middle of the book when they happened; above zero is paid. Not a charge: part of the prices. */
  readonly spread: Money;
}

export interface StrategyResult {
  readonly id: string;
  /** Name in the catalogue, or the file it came from. */
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** Profit so far, open and closed, net of costs; begins at zero. */
  readonly profit: Samples;
  readonly fills: Rows<BacktestFill>;
  readonly trades: readonly BacktestTrade[];
  readonly denials: readonly BacktestDenial[];
  /** All of them; `denials` stops at `DENIALS_KEPT_MAX`. */
  readonly denialCount: number;
  readonly costs: CostsByKind;
  readonly orders: number;
  readonly plots: readonly ResultPlot[];
  /** Time with a position, nights included, summed over contracts; the span of the run is `toUs - fromUs`. */
  readonly heldUs: number;
  /** Reason why it no longer ran at the end, or null. */
  readonly stopped: string | null;
  /** The first throw of its code, or null. */
  readonly fault: StrategyFault | null;
}

export interface StrategyFault {
  readonly tsUs: TsUs;
  readonly message: string;
  /** The handler or call that threw. */
  readonly where: string;
  /** Stack of the throw; null where it has none. Absolute paths: no part of a journal or digest. */
  readonly stack: string | null;
}

/** Trades since the sample before, as columns; 0 where nothing was traded. */
type PriceRanges = Readonly<Record<'first' | 'high' | 'low', Float64Array>>;

export interface ResultInstrument {
  readonly symbol: string;
  readonly spec: ContractSpec;
  /** Last traded price at each sample; 0 before the first. */
  readonly prices: Samples;
  readonly ranges: PriceRanges;
}

/** A line that a strategy draws over the candles: at most one value between two samples of equity, the last one. */
export interface ResultPlot {
  /** Place in `BacktestResult.instruments`. */
  readonly instrument: number;
  readonly name: string;
  /** Ticks, with fractions. */
  readonly values: Samples;
}

export const instrumentOf = (instruments: readonly ResultInstrument[], place: number): ResultInstrument =>
  present(instruments[place], 'a traded contract is an instrument of the run');

type OfPlan = Pick<
  BacktestPlan,
  'configDigest' | 'seed' | 'currency' | 'moneyScale' | 'warmUpDays' | 'capital' | 'statistics'
>;

export interface BacktestResult extends OfPlan {
  readonly version: 1;
  /** SHA-256 over the data, and the canonical journal with its executions. */
  readonly dataDigest: string;
  readonly journalHash: string;
  readonly timeZone: string;
  readonly utcOffsetMinutes: number;
  readonly days: readonly TradingDay[];
  readonly fromUs: TsUs;
  readonly toUs: TsUs;
  /** Capital and profit, open and closed, net of costs. A long run keeps some samples of all (`SampleTable`). */
  readonly equity: Samples;
  /** Drawdowns of all samples, also dropped ones. */
  readonly drawdowns: Drawdowns;
  readonly funds: Funds;
  readonly dayEquity: Float64Array;
  /** When each of `days` ended; the last samples of the day are of this time. */
  readonly dayEndUs: Float64Array;
  readonly instruments: readonly ResultInstrument[];
  readonly strategies: readonly StrategyResult[];
  /** Name and settings of each model, in words. */
  readonly models: readonly (readonly [string, string])[];
  readonly notices: readonly BacktestNotice[];
  readonly counts: {
    readonly rows: number;
    readonly events: number;
    readonly journalEntries: number;
    readonly orders: number;
    readonly fills: number;
  };
}

export const DENIALS_KEPT_MAX = 10_000;
