/** One strategy's fills, round trips, refusals and costs. */
import { ratesOf } from '../../domain/contract.ts';
import { type CostSchedule, rateOn } from '../../domain/costs.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { signOf } from '../../domain/order.ts';
import { money } from '../../domain/units.ts';
import {
  type BacktestDenial,
  type BacktestFill,
  type BacktestTrade,
  type CostsByKind,
  DENIALS_KEPT_MAX,
  type Rows,
  type StrategyFault,
} from '../backtest-result.ts';
import { FillLog, TradeLog } from './fill-log.ts';
import { StrategyPosition, type TradeEnd } from './strategy-position.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { NumberColumn } from './number-column.ts';

/** An execution with all that is known of it, but the position it leads to. */
export type Execution = Omit<BacktestFill, 'positionAfter' | 'strategy' | 'instrument'>;

/** Rates of a day. */
export interface DayCosts {
  readonly schedule: CostSchedule;
  readonly day: TradingDay;
}

export class StrategyLedger {
  /** At each sample. */
  readonly profit: NumberColumn;
  orders = 0;
  denialCount = 0;
  stopped: string | null = null;
  fault: StrategyFault | null = null;
  readonly #index: number;
  /** By instrument. */
  readonly #holdings: (StrategyPosition | undefined)[] = [];
  readonly #traded: StrategyPosition[] = [];
  readonly #denials: BacktestDenial[] = [];
  readonly #fills: FillLog;
  readonly #trades: TradeLog;
  readonly #onTrade: TradeEnd = (trade) => this.#trades.add(trade, false);
  #exchangeFee = 0;
  #clearingFee = 0;
  #brokerFee = 0;
  #fee = 0;
  #tax = 0;
  /** Twice what was paid against the middle of the book. */
  #spreadTwice = 0;

  constructor(index: number, profit: NumberColumn) {
    this.#index = index;
    this.profit = profit;
    this.#fills = new FillLog(index);
    this.#trades = new TradeLog(index);
  }

  get fills(): Rows<BacktestFill> {
    return this.#fills;
  }

  get trades(): Rows<BacktestTrade> {
    return this.#trades;
  }

  get denials(): readonly BacktestDenial[] {
    return this.#denials;
  }

  /** Everything charged so far. */
  get charged(): number {
    return this.#fee + this.#tax;
  }

  /** Undefined for a contract it never traded. */
  holdingOf(instrument: number): StrategyPosition | undefined {
    return this.#holdings[instrument];
  }

  holding(instrument: RunInstrument): StrategyPosition {
    const { index } = instrument.contract;
    const known = this.#holdings[index];
    if (known !== undefined) return known;
    while (this.#holdings.length <= index) this.#holdings.push(undefined);
    const holding = new StrategyPosition(this.#index, instrument);
    this.#holdings[index] = holding;
    this.#traded.push(holding);
    return holding;
  }

  execute(instrument: RunInstrument, execution: Execution, { schedule, day }: DayCosts): void {
    const rates = ratesOf(instrument.contract.spec, schedule);
    const { side, qty, value, fee, tax, tsUs: at, midTwice, priceTicks } = execution;
    const holding = this.holding(instrument);
    const change = signOf(side) * qty;
    if (execution.cause !== 'settled') {
      this.#exchangeFee += rateOn(rates.exchangeFee, day) * qty;
      this.#clearingFee += rateOn(rates.clearingFee, day) * qty;
      this.#brokerFee += rateOn(rates.brokerFee, day) * qty;
    }
    this.#fee += fee;
    this.#tax += tax;
    if (midTwice > 0) this.#spreadTwice += change * (2 * priceTicks - midTwice) * instrument.unit;
    holding.execute({ atUs: at, change, value, fee, tax }, this.#onTrade);
    this.#fills.add(execution, instrument.contract.index, holding.position.qty);
  }

  deny(denial: Omit<BacktestDenial, 'strategy'>): void {
    this.denialCount += 1;
    if (this.#denials.length < DENIALS_KEPT_MAX) this.#denials.push({ ...denial, strategy: this.#index });
  }

  /** Profit, open and closed, net of costs. */
  profitNow(): number {
    let profit = 0 - this.charged;
    for (const holding of this.#traded) profit += holding.profitNow();
    return profit;
  }

  /** The run is over: what is still held is shown as a round trip that is open. */
  end(instruments: readonly RunInstrument[], atUs: number): void {
    for (const { contract } of instruments) {
      const trade = this.#holdings[contract.index]?.asIfClosed(atUs);
      if (trade !== undefined && trade !== null) this.#trades.add(trade, true);
    }
  }

  heldUs(atUs: number): number {
    let held = 0;
    for (const holding of this.#traded) held += holding.heldUntil(atUs);
    return held;
  }

  costs(): CostsByKind {
    const [exchangeFee, clearingFee, brokerFee] = [this.#exchangeFee, this.#clearingFee, this.#brokerFee];
    return {
      exchangeFee: money(exchangeFee),
      clearingFee: money(clearingFee),
      brokerFee: money(brokerFee),
      valueFee: money(this.#fee - exchangeFee - clearingFee - brokerFee),
      tax: money(this.#tax),
      spread: money(Math.round(this.#spreadTwice / 2)),
    };
  }
}
