/**
 * Positions and money per strategy and account, made of fills, carried, adopted, settled and forced events (rulings, 3).
 * A position carried over counts for the day from its reference price (rulings, 37).
 */
import { assert } from '../../domain/assert.ts';
import { type Contract, valueAtHundredths, valueOf } from '../../domain/contract.ts';
import { applyFill, FLAT_POSITION, openProfit, type Position } from '../../domain/position.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  type Money,
  money,
  type SignedQty,
  signedQty,
  type StrategyIndex,
  strategyIndex,
} from '../../domain/units.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { Market } from '../market/market.ts';

export interface HeldPosition {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly qty: SignedQty;
}

const NO_MONEY = money(0);

class Account {
  readonly positions: Position[] = [];
  /** Carried-over part of each position. */
  readonly carriedOver: Position[] = [];
  fee = 0;
  tax = 0;
  fills = 0;
}

export class Portfolio {
  readonly #contracts: ContractTable;
  readonly #market: Market;
  /** By strategy index + 1: the operator comes first. */
  #accounts: Account[] = [];
  #instrumentCount = 0;
  #version = 0;

  constructor(contracts: ContractTable, market: Market) {
    this.#contracts = contracts;
    this.#market = market;
  }

  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position {
    return this.#accounts[strategy + 1]?.positions[instrument] ?? FLAT_POSITION;
  }

  /** Counts every change of positions and costs. */
  get version(): number {
    return this.#version;
  }

  /** Contracts with a higher index were never held. */
  get instrumentCount(): number {
    return this.#instrumentCount;
  }

  /** How many contracts win or lose with the price, of one strategy or, null, of the account; above zero with a rising one. */
  pricedQty(strategy: StrategyIndex | null, instrument: InstrumentIndex): number {
    if (strategy !== null) return this.#pricedQty(this.#accounts[strategy + 1], instrument);
    let net = 0;
    for (const account of this.#accounts) net += this.#pricedQty(account, instrument);
    return net;
  }

  accountQty(instrument: InstrumentIndex): SignedQty {
    let net = 0;
    for (const account of this.#accounts) net += account.positions[instrument]?.qty ?? 0;
    return signedQty(net);
  }

  held(): readonly HeldPosition[] {
    const held: HeldPosition[] = [];
    this.#accounts.forEach(({ positions }, place) => {
      positions.forEach(({ qty }, instrument) => {
        if (qty === 0) return;
        held.push({ strategy: strategyIndex(place - 1), instrument: instrumentIndex(instrument), qty });
      });
    });
    return held;
  }

  /** Adds to a position: buy above zero. */
  add(strategy: StrategyIndex, instrument: InstrumentIndex, change: number, value: number): void {
    this.#replace(strategy, instrument, applyFill(this.position(strategy, instrument), change, value));
  }

  /** A position carried over has a fixed value for the day once its reference price is known. */
  #pricedQty(account: Account | undefined, instrument: InstrumentIndex): number {
    const held = account?.positions[instrument]?.qty ?? 0;
    if (this.#market.band(instrument) !== undefined) return held;
    return held - (account?.carriedOver[instrument]?.qty ?? 0);
  }

  countFill(strategy: StrategyIndex): void {
    this.#account(strategy).fills += 1;
  }

  charge(strategy: StrategyIndex, fee: number, tax: number): void {
    assert(Number.isSafeInteger(fee) && Number.isSafeInteger(tax), 'costs are whole money');
    const account = this.#account(strategy);
    account.fee += fee;
    account.tax += tax;
    this.#version += 1;
  }

  /** A better figure for money already booked: a buy that cost more lowers what was gained. */
  correct(strategy: StrategyIndex, instrument: InstrumentIndex, sign: 1 | -1, value: number): void {
    assert(Number.isSafeInteger(value), 'a correction is whole money');
    const { qty, openValue, realised } = this.position(strategy, instrument);
    this.#replace(strategy, instrument, { qty, openValue, realised: money(realised - sign * value) });
  }

  carry(strategy: StrategyIndex, instrument: InstrumentIndex, qty: SignedQty, openValue: Money): void {
    if (qty === 0) return;
    this.add(strategy, instrument, qty, openValue);
    const { carriedOver } = this.#account(strategy);
    while (carriedOver.length <= instrument) carriedOver.push(FLAT_POSITION);
    carriedOver[instrument] = { qty, openValue, realised: NO_MONEY };
    this.#version += 1;
  }

  clear(): void {
    this.#accounts = [];
    this.#version += 1;
  }

  fees(strategy: StrategyIndex): { readonly fee: Money; readonly tax: Money; readonly fills: number } {
    const account = this.#accounts[strategy + 1];
    return { fee: money(account?.fee ?? 0), tax: money(account?.tax ?? 0), fills: account?.fills ?? 0 };
  }

  /** Realised + open - costs of the trading day. */
  dayPnl(strategy: StrategyIndex): Money {
    const account = this.#accounts[strategy + 1];
    return account === undefined ? NO_MONEY : money(this.#profitOf(account));
  }

  accountDayPnl(): Money {
    let total = 0;
    for (let place = 0; place < this.#accounts.length; place += 1) {
      const account = this.#accounts[place];
      if (account !== undefined) total += this.#profitOf(account);
    }
    return money(total);
  }

  #profitOf({ positions, carriedOver, fee, tax }: Account): number {
    let total = 0 - fee - tax;
    for (let at = 0; at < positions.length; at += 1) {
      const position = positions[at];
      if (position === undefined || position === FLAT_POSITION) continue;
      const instrument = instrumentIndex(at);
      total += position.realised + this.open(position, instrument);
      const begun = carriedOver[at];
      if (begun !== undefined && begun.qty !== 0) total -= this.#profitAtReference(begun, instrument);
    }
    return total;
  }

  /** Open profit at the last known price; zero while none is known. */
  open(position: Position, instrument: InstrumentIndex): Money {
    if (position.qty === 0) return NO_MONEY;
    const unit = this.unitValue(instrument);
    return unit === undefined ? NO_MONEY : openProfit(position, unit);
  }

  /** Money of one contract at the last trade, else at the last quote, else at the reference price. */
  unitValue(instrument: InstrumentIndex): Money | undefined {
    const contract = this.#contracts.at(instrument);
    if (contract === undefined) return undefined;
    const price = this.#market.lastPrice(instrument);
    if (price !== null) return valueOf(contract.spec, price, 1);
    return this.#referenceValue(contract);
  }

  has(strategy: StrategyIndex): boolean {
    return (
      this.#accounts[strategy + 1]?.positions.some(({ qty, realised }) => qty !== 0 || realised !== 0) ??
      false
    );
  }

  /** Until the reference price is known, a carried-over position has no profit or loss. */
  #profitAtReference(carriedOver: Position, instrument: InstrumentIndex): number {
    const contract = this.#contracts.at(instrument);
    const unit = contract === undefined ? undefined : this.#referenceValue(contract);
    return unit === undefined ? this.open(carriedOver, instrument) : openProfit(carriedOver, unit);
  }

  #referenceValue(contract: Contract): Money | undefined {
    const band = this.#market.band(contract.index);
    return band === undefined ? undefined : valueAtHundredths(contract.spec, band.reference, 1);
  }

  #account(strategy: StrategyIndex): Account {
    while (this.#accounts.length <= strategy + 1) this.#accounts.push(new Account());
    const account = this.#accounts[strategy + 1];
    assert(account !== undefined, 'each strategy has an account');
    return account;
  }

  #replace(strategy: StrategyIndex, instrument: InstrumentIndex, after: Position): void {
    const { positions } = this.#account(strategy);
    while (positions.length <= instrument) positions.push(FLAT_POSITION);
    positions[instrument] = after;
    this.#instrumentCount = Math.max(this.#instrumentCount, instrument + 1);
    this.#version += 1;
  }
}
