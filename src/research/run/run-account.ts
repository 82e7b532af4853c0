/** The account of a run: the broker's book, as the simulator keeps one, and each strategy's part of it. */
import type { BrokerPosition } from '../../domain/broker-order.ts';
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { isPaidInFull, maintenanceMargin, taxOn } from '../../domain/costs.ts';
import { accountId, type OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { FLAT_POSITION } from '../../domain/position.ts';
import { signedQty, strategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import type { CarriedPosition } from '../../engine/ports/engine-event.ts';
import { dayProfitOf, uncollectedOf } from '../../venue/account/account-figures.ts';
import {
  type Holding,
  Ledger,
  type LedgerAccount,
  NO_FEES,
  type HighLow,
} from '../../venue/account/ledger.ts';
import type { OrderFill } from '../../venue/orders/order-entry.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import type { RunInstrument } from './run-instrument.ts';
import { SampleTable, DrawdownWatch } from './sample-table.ts';
import { type FilledOrder, StrategyLedger } from './strategy-ledger.ts';
import { lastSession } from '../../domain/calendar.ts';

export const ACCOUNT = accountId('BACKTEST');

/** Funds of the account by sample, next to its equity. */
type Funds = Readonly<ReturnType<RunAccount['funds']>>;

export type FundsNow = Readonly<Record<keyof Funds, number>>;

export class RunAccount {
  readonly samples = new SampleTable();
  readonly drawdowns = new DrawdownWatch();
  readonly #funds = {
    cash: this.samples.column(),
    marginUsed: this.samples.column(),
    buyingPower: this.samples.column(),
  };
  readonly dayEquity: number[] = [];
  readonly dayEndUs: number[] = [];
  readonly ledgers: readonly StrategyLedger[];
  readonly #capital: number;
  readonly instruments: readonly RunInstrument[];
  /** Messages of this book have no reader. */
  readonly #book = new Ledger({ emit: () => undefined });
  readonly broker: LedgerAccount;
  /** Played so far; the last one is open. */
  readonly days: TradingDay[] = [];
  readonly #byCode = new Map<OrderCode, RunInstrument>();
  /** Positions that are not flat, by instrument. */
  readonly #holders: Holding[][] = [];

  constructor(capital: number, strategies: number, instruments: readonly RunInstrument[]) {
    this.#capital = capital;
    this.broker = this.#book.open(ACCOUNT, '', capital, strategies);
    this.instruments = instruments;
    this.ledgers = this.broker.owners.map(
      (book, index) => new StrategyLedger(index, book, this.samples.column()),
    );
  }

  openDay(day: TradingDay): void {
    this.days.push(day);
    for (const instrument of this.instruments) this.#byCode.set(instrument.contract.orderCode, instrument);
  }

  get day(): TradingDay {
    const day = this.days.at(-1);
    assert(day !== undefined, 'a day is open');
    return day;
  }

  find(code: OrderCode): RunInstrument | undefined {
    return this.#byCode.get(code);
  }

  /** Its price now values positions. */
  mark(code: OrderCode): RunInstrument {
    const instrument = this.#byCode.get(code);
    assert(instrument !== undefined, 'a run trades its own contracts');
    return instrument;
  }

  execute(order: FilledOrder, fill: OrderFill, instrument: RunInstrument, at: TsUs): void {
    const { exchange, contract } = instrument;
    const { index } = contract;
    if (exchange !== null) {
      // Prices since the last execution concern every strategy that held something meanwhile.
      this.#noteRange(index, exchange);
      instrument.restartRange();
    }
    const ledger = this.ledgers[order.owner];
    assert(ledger !== undefined, 'an execution is of a strategy of the run');
    // Kinds of fees are separated when the run is over.
    const holding = this.#book.bookFill(order, fill, NO_FEES, at);
    ledger.fills.add(order, fill, at, instrument, holding, this.days.length - 1);
    holding.restartRange();
    const { qty } = holding.entry;
    const isFlat = qty === 0;
    const wasFlat = qty === signOf(order.side) * fill.qty;
    if (wasFlat === isFlat) return;
    const holders = (this.#holders[index] ??= []);
    if (isFlat) holders.splice(holders.indexOf(holding), 1);
    else holders.push(holding);
  }

  /** The contract traded in this range while positions in it were held. */
  #noteRange(instrument: number, range: HighLow): void {
    const holders = this.#holders[instrument];
    if (holders !== undefined && range.high >= range.low)
      for (const holding of holders) holding.noteRange(range);
  }

  /** Capital and profit, open and closed, net of costs. */
  equityNow(): number {
    return this.broker.cash + this.#profitOf(this.broker);
  }

  /** Open and closed, net of costs: of the account since it was settled last, of a strategy since the run began. */
  #profitOf(book: Pick<LedgerAccount, 'holdings' | 'accrued'>): number {
    return dayProfitOf(book, this) - uncollectedOf(book.accrued);
  }

  /** Positions that each strategy takes into the next day. */
  carriedOver(): readonly CarriedPosition[] {
    return this.ledgers.flatMap(({ book }, index) =>
      this.instruments.flatMap(({ contract }) => {
        const { qty, openValue } = book.holdings.get(contract.orderCode)?.entry ?? FLAT_POSITION;
        const head = { strategy: strategyIndex(index), instrument: contract.index };
        return qty === 0 ? [] : [{ ...head, qty, openValue }];
      }),
    );
  }

  netOf(instrument: number): number {
    const code = this.instruments[instrument]?.contract.orderCode;
    return code === undefined ? 0 : this.#book.netOf(ACCOUNT, code);
  }

  /** By any strategy, also where positions cancel out. */
  isHeld(instrument: number): boolean {
    return (this.#holders[instrument]?.length ?? 0) > 0;
  }

  sample(atUs: number, { cash, marginUsed, buyingPower }: FundsNow, isDayEnd = false): void {
    for (const { exchange, contract } of this.instruments)
      if (exchange !== null) this.#noteRange(contract.index, exchange);
    let equity = this.#capital;
    for (const ledger of this.ledgers) {
      const profit = this.#profitOf(ledger.book);
      ledger.profit.push(profit);
      equity += profit;
    }
    assert(equity === this.equityNow(), 'the account is the sum of its strategies');
    this.drawdowns.add(equity, atUs);
    this.#funds.cash.push(cash);
    this.#funds.marginUsed.push(marginUsed);
    this.#funds.buyingPower.push(buyingPower);
    for (const instrument of this.instruments) instrument.sample();
    this.samples.end(atUs, equity, isDayEnd);
  }

  funds() {
    const { cash, marginUsed, buyingPower } = this.#funds;
    return {
      /** Of the last settlement under a broker's ratios; else equity less positions paid in full and the open profit of margined ones. */
      cash: Float64Array.from(cash),
      /** Margin of positions; under a broker's ratios with the loss and the costs of the day. */
      marginUsed: Float64Array.from(marginUsed),
      /** Money that new positions may still use, orders that work considered; never below zero. */
      buyingPower: Float64Array.from(buyingPower),
    };
  }

  /** The day's profit and costs move into cash. */
  settleDay(endUs: number): void {
    this.#book.settleDay((code) => this.mark(code), tsUs(endUs));
    this.dayEquity.push(this.broker.cash);
    this.dayEndUs.push(endUs);
  }

  /** Equity below which the broker closes positions. */
  maintenance(): number {
    let needed = 0;
    for (const [code, { entry }] of this.broker.holdings) {
      const { costs, unitValue } = this.mark(code);
      needed += maintenanceMargin(costs, this.day, Math.abs(entry.qty) * unitValue, entry.qty);
    }
    return needed;
  }

  /** A position paid in full has left the cash with its purchase; a margined one leaves its profit there when it is closed. */
  cashInHand(): number {
    let cash = this.#capital;
    for (const { accrued, holdings } of this.broker.owners) {
      cash -= uncollectedOf(accrued);
      for (const [code, { entry }] of holdings) {
        const isPaid = isPaidInFull(this.mark(code).costs, this.day);
        cash += entry.realised - (isPaid ? Math.sign(entry.qty) * entry.openValue : 0);
      }
    }
    return cash;
  }

  positions(): readonly BrokerPosition[] {
    const positions: BrokerPosition[] = [];
    for (const { contract, mark, price } of this.instruments) {
      const qty = signedQty(this.netOf(contract.index));
      const lastPrice = mark === 0 ? null : price;
      if (qty !== 0) positions.push({ orderCode: contract.orderCode, qty, lastPrice, openProfit: null });
    }
    return positions;
  }
}

/** Pays out positions in contracts that traded for the last time, at their mark; the tax on it falls due. */
export function settleExpired({ calendar }: BacktestPlan, account: RunAccount, nowUs: number): void {
  const expired = account.instruments.filter(
    ({ contract, mark }) => lastSession(calendar, contract) <= account.day && mark !== 0,
  );
  for (const instrument of expired) {
    const { contract, mark, unitValue, costs } = instrument;
    account.ledgers.forEach(({ book }, owner) => {
      const held = book.holdings.get(contract.orderCode)?.entry.qty ?? 0;
      if (held === 0) return;
      const value = Math.abs(held) * unitValue;
      const order: FilledOrder = {
        accountId: ACCOUNT,
        orderCode: contract.orderCode,
        side: held > 0 ? 'sell' : 'buy',
        owner,
        decidedUs: nowUs,
        decidedMidTwice: 0,
        tag: 0,
        origin: 'plain',
      };
      const fill: OrderFill = {
        qty: Math.abs(held),
        // The log holds whole ticks; the value is exact.
        price: Math.round(mark),
        value,
        fee: 0,
        tax: taxOn(costs, account.day, value),
        clause: 'settlement',
      };
      account.execute(order, fill, instrument, tsUs(nowUs));
    });
  }
}
