/**
 * The account of a run: each strategy's profit, and the figures a broker would show. The broker pays out the day's profit at the end
 * of each day, as the account rules say; equity is the same either way.
 */
import type { BrokerAccount, BrokerPosition } from '../../domain/broker-order.ts';
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import {
  type CostSchedule,
  isPaidInFull,
  maintenanceMargin,
  marginAt,
  type MarginRate,
  marginRateOn,
  taxOn,
} from '../../domain/costs.ts';
import { ratesOf } from '../../domain/contract.ts';
import { PositionTotal } from '../../domain/position.ts';
import { money, priceHundredths, signedQty, strategyIndex, tsUs } from '../../domain/units.ts';
import type { CarriedPosition } from '../../engine/ports/engine-event.ts';
import { lastSession } from '../../domain/day-plan.ts';
import { usageBps } from '../../venue/account/margin.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import { DrawdownWatch } from '../statistics/drawdowns.ts';
import type { Funds } from '../backtest-result.ts';
import type { RunInstrument } from './run-instrument.ts';
import { NumberColumn } from './number-column.ts';
import { type PriceColumns, SampleTable } from './sample-table.ts';
import { type Execution, type PriceRange, type StrategyHolding, StrategyLedger } from './strategy-ledger.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What the parts of a run share. */
export interface RunParts {
  readonly clock: VirtualClock;
  readonly account: RunAccount;
  readonly instruments: readonly RunInstrument[];
}

/** Money beside equity, now. */
export interface FundsNow {
  readonly cash: number;
  readonly marginUsed: number;
  readonly buyingPower: number;
}

export class RunAccount {
  readonly samples = new SampleTable();
  /** Of every sample. */
  readonly falls = new DrawdownWatch();
  readonly #cashes = this.samples.column();
  readonly #margins = this.samples.column();
  readonly #buyingPowers = this.samples.column();
  /** By instrument. */
  readonly #prices: PriceColumns[] = [];
  readonly dayEquity = new NumberColumn();
  readonly dayEndUs = new NumberColumn();
  readonly ledgers: readonly StrategyLedger[];
  readonly #capital: number;
  readonly #instruments: readonly RunInstrument[];
  readonly #costs: CostSchedule;
  #day: TradingDay | null = null;
  /** Of the day, by instrument. */
  #marginRates: readonly MarginRate[] = [];
  /** Equity when the day before was paid out. */
  #cash: number;
  /** Charged on the days before. */
  #chargedBefore = 0;
  #charged = 0;
  /** Over all strategies, by instrument. */
  readonly #totals: PositionTotal[] = [];
  /** Positions that are not flat, by instrument. */
  readonly #holders: StrategyHolding[][] = [];
  /** Counts what changes figures without a price: executions, and days that are paid out. */
  version = 0;

  constructor(
    capital: number,
    strategies: number,
    instruments: readonly RunInstrument[],
    costs: CostSchedule,
  ) {
    this.#costs = costs;
    this.#capital = capital;
    this.#cash = capital;
    this.#instruments = instruments;
    this.ledgers = Array.from(
      { length: strategies },
      (_, index) => new StrategyLedger(index, this.samples.column()),
    );
  }

  openDay(day: TradingDay): void {
    this.#day = day;
    this.#marginRates = this.#instruments.map((each) => marginRateOn(this.ratesOf(each), day));
  }

  get day(): TradingDay {
    assert(this.#day !== null, 'a day is open');
    return this.#day;
  }

  ratesOf({ contract: { spec } }: RunInstrument): CostSchedule {
    return ratesOf(spec, this.#costs);
  }

  /** Of so many contracts, at the mark unless their value is given. */
  marginOf(instrument: RunInstrument, size: number, value = size * instrument.markValue): number {
    const rate = this.#marginRates[instrument.contract.index];
    assert(rate !== undefined, 'a day is open');
    return marginAt(rate, value, size);
  }

  maintenanceOf(instrument: RunInstrument, size: number): number {
    return maintenanceMargin(this.ratesOf(instrument), this.day, size * instrument.markValue, size);
  }

  execute(strategy: number, instrument: RunInstrument, execution: Execution): void {
    const { exchange, contract } = instrument;
    const { index } = contract;
    if (exchange !== null) {
      // Prices since the last execution concern every strategy that held something meanwhile.
      this.#saw(index, exchange);
      instrument.restartRange();
    }
    const ledger = this.ledgers[strategy];
    assert(ledger !== undefined, 'an execution is of a strategy of the run');
    const holding = ledger.holding(instrument);
    const [before, charged, total] = [holding.position, ledger.charged, this.#totalOf(index)];
    ledger.execute(instrument, execution, this.ratesOf(instrument), this.day);
    this.#charged += ledger.charged - charged;
    total.add(before, -1);
    total.add(holding.position, 1);
    this.version += 1;
    const isFlat = holding.position.qty === 0;
    if ((before.qty === 0) === isFlat) return;
    const holders = this.#holders[index] ?? [];
    this.#holders[index] = isFlat ? holders.filter((each) => each !== holding) : [...holders, holding];
  }

  /** The contract traded in this range while positions in it were held. */
  #saw(instrument: number, range: PriceRange): void {
    const holders = this.#holders[instrument];
    if (holders !== undefined && range.high >= range.low) for (const holding of holders) holding.saw(range);
  }

  /** Capital and profit, open and closed, net of costs. */
  equityNow(): number {
    let equity = this.#capital - this.#charged;
    for (let at = 0; at < this.#totals.length; at += 1) {
      const unitValue = this.#instruments[at]?.markValue ?? 0;
      const total = this.#totalOf(at);
      equity += total.realised + (unitValue === 0 ? 0 : total.openProfit(unitValue));
    }
    return equity;
  }

  /** Positions that each strategy takes into the next day. */
  carriedOver(): readonly CarriedPosition[] {
    const carriedOver: CarriedPosition[] = [];
    this.ledgers.forEach((ledger, place) => {
      for (const { contract } of this.#instruments) {
        const position = ledger.holdingOf(contract.index)?.position;
        if (position === undefined || position.qty === 0) continue;
        const { qty, openValue } = position;
        carriedOver.push({ strategy: strategyIndex(place), instrument: contract.index, qty, openValue });
      }
    });
    return carriedOver;
  }

  netOf(instrument: number): number {
    return this.#totals[instrument]?.qty ?? 0;
  }

  /** By any strategy, also where positions cancel out. */
  isHeld(instrument: number): boolean {
    return (this.#holders[instrument]?.length ?? 0) > 0;
  }

  sample(atUs: number, { cash, marginUsed, buyingPower }: FundsNow, isDayEnd = false): void {
    for (const { exchange, contract } of this.#instruments)
      if (exchange !== null) this.#saw(contract.index, exchange);
    let equity = this.#capital;
    for (const ledger of this.ledgers) {
      const profit = ledger.profitNow();
      ledger.profit.push(profit);
      equity += profit;
    }
    assert(equity === this.equityNow(), 'the account is the sum of its strategies');
    this.falls.add(equity, atUs);
    this.#cashes.push(cash);
    this.#margins.push(marginUsed);
    this.#buyingPowers.push(buyingPower);
    for (const instrument of this.#instruments) instrument.sample(this.pricesOf(instrument));
    this.samples.end(atUs, equity, isDayEnd);
  }

  pricesOf({ contract: { index } }: RunInstrument): PriceColumns {
    while (this.#prices.length <= index) this.#prices.push(this.samples.prices());
    const prices = this.#prices[index];
    assert(prices !== undefined, 'each contract has prices');
    return prices;
  }

  funds(): Funds {
    return {
      cash: this.#cashes.take(),
      marginUsed: this.#margins.take(),
      buyingPower: this.#buyingPowers.take(),
    };
  }

  /** The day's profit and costs move into cash. */
  settleDay(endUs: number): void {
    this.#cash = this.equityNow();
    this.dayEquity.push(this.#cash);
    this.dayEndUs.push(endUs);
    this.#chargedBefore = this.#charged;
    this.version += 1;
  }

  /** As the broker shows it. */
  figures(): BrokerAccount {
    const margin = this.#marginNow();
    const uncollected = this.#charged - this.#chargedBefore;
    const equity = this.equityNow();
    const profit = equity - this.#cash + uncollected;
    const required = margin + Math.max(0, -profit) + uncollected;
    return {
      cash: money(this.#cash),
      netAssetValue: money(equity),
      initialMargin: money(margin),
      requiredMargin: money(required),
      buyingPower: money(Math.max(0, this.#cash - required)),
      profit: money(profit),
      uncollected: money(uncollected),
      fee: money(0),
      tax: money(0),
      withdrawable: null,
      usageBps: usageBps(required, this.#cash),
    };
  }

  /** Equity that margins no position; below zero where prices have fallen too far. */
  freeEquity(): number {
    return this.equityNow() - this.#marginNow();
  }

  /** Equity below which the broker closes positions. */
  maintenance(): number {
    let needed = 0;
    for (const instrument of this.#instruments) {
      const size = Math.abs(this.netOf(instrument.contract.index));
      if (size !== 0) needed += this.maintenanceOf(instrument, size);
    }
    return needed;
  }

  /** A position paid in full has left the cash with its purchase; a margined one leaves its profit there when it is closed. */
  cashInHand(): number {
    let cash = this.#capital - this.#charged;
    for (const instrument of this.#instruments) {
      const { realised, openValue } = this.#totalOf(instrument.contract.index);
      cash += realised - (isPaidInFull(this.ratesOf(instrument), this.day) ? openValue : 0);
    }
    return cash;
  }

  #marginNow(): number {
    let margin = 0;
    for (const instrument of this.#instruments) {
      const net = this.netOf(instrument.contract.index);
      if (net !== 0) margin += this.marginOf(instrument, Math.abs(net));
    }
    return margin;
  }

  positions(): readonly BrokerPosition[] {
    const positions: BrokerPosition[] = [];
    for (const { contract, mark } of this.#instruments) {
      const net = this.netOf(contract.index);
      if (net === 0) continue;
      positions.push({
        orderCode: contract.orderCode,
        qty: signedQty(net),
        lastPrice: mark === 0 ? null : priceHundredths(Math.round(mark * contract.spec.hundredthsPerTick)),
        openProfit: null,
      });
    }
    return positions;
  }

  #totalOf(instrument: number): PositionTotal {
    while (this.#totals.length <= instrument) this.#totals.push(new PositionTotal());
    const total = this.#totals[instrument];
    assert(total !== undefined, 'each instrument has a total');
    return total;
  }
}

/** Pays out positions in contracts that traded for the last time, at their mark; the tax on it falls due. */
export function settleExpired(
  { calendar }: BacktestPlan,
  account: RunAccount,
  instruments: readonly RunInstrument[],
  nowUs: number,
): void {
  const expired = instruments.filter(
    ({ contract, mark }) => lastSession(calendar, contract) <= account.day && mark !== 0,
  );
  for (const instrument of expired) {
    const { contract, mark, markValue } = instrument;
    account.ledgers.forEach((ledger, strategy) => {
      const held = ledger.holdingOf(contract.index)?.position.qty ?? 0;
      if (held === 0) return;
      const value = money(Math.abs(held) * markValue);
      const execution: Execution = {
        tsUs: tsUs(nowUs),
        decidedUs: tsUs(nowUs),
        side: held > 0 ? 'sell' : 'buy',
        qty: Math.abs(held),
        // The log holds whole ticks; the value is exact.
        priceTicks: Math.round(mark),
        value,
        fee: money(0),
        tax: taxOn(account.ratesOf(instrument), account.day, value),
        liquidity: 'taker',
        clause: 'settlement',
        cause: 'settled',
        midTwice: 0,
        decidedMidTwice: 0,
        orderNo: 0,
      };
      account.execute(strategy, instrument, execution);
    });
  }
}
