/**
 * Positions and money per strategy and account, made of fills, carried, adopted, settled and forced events (rulings, 3).
 * A position carried over counts for the day from its reference price (rulings, 37). The account's figures are sums over its owners.
 */
import { assert } from '../../domain/assert.ts';
import { type Contract, valueAtHundredths, valueOf } from '../../domain/contract.ts';
import { appended } from '../../domain/lists.ts';
import { opposite, type Side, signOf } from '../../domain/order.ts';
import { applyFill, FLAT_POSITION, openProfit, type Position } from '../../domain/position.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  type Money,
  money,
  OPERATOR_INDEX,
  type SignedQty,
  signedQty,
  type StrategyIndex,
  strategyIndex,
} from '../../domain/units.ts';
import type { ContractTable, Market } from '../market/market.ts';
import type { CarriedPosition } from '../ports/engine-event.ts';

export type HeldPosition = Omit<CarriedPosition, 'openValue'>;

const NO_MONEY = money(0);
const NOBODY: StrategyIndex[] = [];
const NOWHERE: InstrumentIndex[] = [];

/** Positions and costs of one owner: a strategy, or the operator. */
class OwnerPositions {
  readonly positions: Position[] = [];
  /** Contracts with a position, in the order of the table: loops cost by positions, not by listings. */
  readonly held: InstrumentIndex[] = [];
  /** Contracts that it ever held. */
  readonly touched: InstrumentIndex[] = [];
  readonly carriedOver: Position[] = [];
  fee = 0;
  tax = 0;
  fills = 0;
}

export class Portfolio {
  readonly #contracts: ContractTable;
  readonly #market: Market;
  /** By strategy index + 1: the operator comes first. */
  #owners: OwnerPositions[] = [];
  readonly #instruments: InstrumentIndex[] = [];
  /** Contracts that strategies hold and the operator has sold, or bought: closed by hand. Where the operator holds any. */
  readonly #byHand = new Map<InstrumentIndex, Readonly<Record<Side, number>>>();
  /** A position came or went without a fill today: the broker may count its profit from another price. */
  #hasUnfilled = false;
  /** Value of positions that the end of their contract closed today. */
  #settledValue = 0;
  #changedOwners = NOBODY;
  #changedContracts = NOWHERE;
  /** The account's loss since `forgetChanges`, by positions and costs alone: each at the price of its moment. */
  #lostSince = 0;
  /** Null after a change: it is listed when somebody asks. */
  #held: readonly HeldPosition[] | null = null;

  constructor(contracts: ContractTable, market: Market) {
    this.#contracts = contracts;
    this.#market = market;
  }

  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position {
    return this.#owners[strategy + 1]?.positions[instrument] ?? FLAT_POSITION;
  }

  /** Owners whose positions or costs changed since `forgetChanges`. */
  get changedOwners(): readonly StrategyIndex[] {
    return this.#changedOwners;
  }

  get changedContracts(): readonly InstrumentIndex[] {
    return this.#changedContracts;
  }

  /** The account's loss by these changes, without price moves meanwhile. Below zero is a gain; NaN where it is not known. */
  get lostSince(): number {
    return this.#lostSince;
  }

  forgetChanges(): void {
    this.#changedOwners = NOBODY;
    this.#changedContracts = NOWHERE;
    this.#lostSince = 0;
  }

  /** Contracts that a strategy held or carried over on this day; null: all up to the last one that anybody ever did. */
  touchedBy(strategy: StrategyIndex | null): readonly InstrumentIndex[] {
    return strategy === null ? this.#instruments : (this.#owners[strategy + 1]?.touched ?? NOWHERE);
  }

  /** How many contracts win or lose with the price, of one strategy or, null, of the account; above zero with a rising one. */
  pricedQty(strategy: StrategyIndex | null, instrument: InstrumentIndex): number {
    // A position carried over has a fixed value for the day until its reference price is known.
    const isFixed = !this.#market.isReferenceOfDay || this.#market.of(instrument).band === undefined;
    if (strategy !== null) return pricedQtyOf(this.#owners[strategy + 1], instrument, isFixed);
    let total = 0;
    for (const owner of this.#owners) total += pricedQtyOf(owner, instrument, isFixed);
    return total;
  }

  accountQty(instrument: InstrumentIndex): SignedQty {
    return signedQty(this.grossQty(instrument, 'buy') - this.grossQty(instrument, 'sell'));
  }

  /** Contracts of all owners that are on this side, without those that are on the other; zero or more. */
  grossQty(instrument: InstrumentIndex, side: Side): number {
    const sign = signOf(side);
    let total = 0;
    for (const { positions } of this.#owners)
      total += Math.max(0, sign * (positions[instrument] ?? FLAT_POSITION).qty);
    return total;
  }

  /** Contracts that strategies hold and orders of this side, by hand and after their own, have closed: the operator holds the opposite. */
  closedByHand(instrument: InstrumentIndex, side: Side): number {
    return this.#byHand.get(instrument)?.[side] ?? 0;
  }

  /**
   * Quantity of manual orders that orders of this side may still close, over all owners; Infinity where there are none. Manual orders
   * belong to the operator, so it is unknown which strategy's contracts they closed: the first request gets the rest.
   */
  leftToCloseByHand(instrument: InstrumentIndex, side: Side): number {
    const closed = this.closedByHand(instrument, side);
    return closed === 0 ? Infinity : this.grossQty(instrument, opposite(side)) - closed;
  }

  get isHolding(): boolean {
    return this.held().length > 0;
  }

  /** The list is replaced, never changed. */
  held(): readonly HeldPosition[] {
    this.#held ??= this.#listHeld();
    return this.#held;
  }

  /** Adds to a position: buy above zero. */
  add(strategy: StrategyIndex, instrument: InstrumentIndex, change: number, value: number): void {
    this.#replace(strategy, instrument, applyFill(this.position(strategy, instrument), change, value));
    this.#countByHand(instrument, strategy === OPERATOR_INDEX ? change : 0);
  }

  /** `byHand`: the operator's change, by orders or adoption; 0 where a strategy changed. */
  #countByHand(instrument: InstrumentIndex, byHand: number): void {
    const operator = this.position(OPERATOR_INDEX, instrument).qty;
    if (operator === 0) return void this.#byHand.delete(instrument);
    const long = this.grossQty(instrument, 'buy') - Math.max(0, operator);
    const short = this.grossQty(instrument, 'sell') - Math.max(0, 0 - operator);
    const sold = this.closedByHand(instrument, 'sell') + Math.max(0, 0 - byHand);
    const bought = this.closedByHand(instrument, 'buy') + Math.max(0, byHand);
    this.#byHand.set(instrument, {
      sell: Math.max(0, Math.min(sold, long, 0 - operator)),
      buy: Math.max(0, Math.min(bought, short, operator)),
    });
  }

  /** Adopted, settled or closed by the broker: without an order, and so without fee and tax. */
  addWithoutFill(
    strategy: StrategyIndex,
    event: 'adopted' | 'settled' | 'forced_close',
    instrument: InstrumentIndex,
    change: number,
    value: number,
  ): void {
    this.#hasUnfilled = true;
    if (event === 'settled') this.#settledValue += value;
    this.add(strategy, instrument, change, value);
  }

  get settledValue(): Money {
    return money(this.#settledValue);
  }

  countFill(strategy: StrategyIndex): void {
    this.#owner(strategy).fills += 1;
  }

  charge(strategy: StrategyIndex, fee: number, tax: number): void {
    assert(Number.isSafeInteger(fee) && Number.isSafeInteger(tax), 'costs are whole money');
    const owner = this.#owner(strategy);
    owner.fee += fee;
    owner.tax += tax;
    this.#lostSince += fee + tax;
    this.#noteChanged(strategy);
  }

  /** A better figure for money already booked: a buy that cost more lowers the gain. */
  correct(strategy: StrategyIndex, instrument: InstrumentIndex, sign: 1 | -1, value: number): void {
    assert(Number.isSafeInteger(value), 'a correction is whole money');
    const { qty, openValue, realised } = this.position(strategy, instrument);
    this.#replace(strategy, instrument, { qty, openValue, realised: money(realised - sign * value) });
  }

  carry(strategy: StrategyIndex, instrument: InstrumentIndex, qty: SignedQty, openValue: Money): void {
    if (qty === 0) return;
    this.#replace(strategy, instrument, applyFill(this.position(strategy, instrument), qty, openValue));
    const { carriedOver } = this.#owner(strategy);
    while (carriedOver.length <= instrument) carriedOver.push(FLAT_POSITION);
    carriedOver[instrument] = { qty, openValue, realised: NO_MONEY };
    // It counts from its reference price, not from its entry.
    this.#lostSince = NaN;
  }

  /** A new trading day. */
  clear(): void {
    for (let index = 0; index < this.#owners.length; index += 1) this.#noteChanged(strategyIndex(index - 1));
    this.#owners = [];
    this.#held = null;
    this.#byHand.clear();
    this.#lostSince = NaN;
    this.#hasUnfilled = false;
    this.#settledValue = 0;
  }

  fees(strategy: StrategyIndex): { readonly fee: Money; readonly tax: Money; readonly fills: number } {
    const owner = this.#owners[strategy + 1];
    return { fee: money(owner?.fee ?? 0), tax: money(owner?.tax ?? 0), fills: owner?.fills ?? 0 };
  }

  /** Realised + open - costs of the trading day. */
  dayPnl(strategy: StrategyIndex): Money {
    const owner = this.#owners[strategy + 1];
    return owner === undefined ? NO_MONEY : money(this.#dayPnlOf(owner));
  }

  #dayPnlOf({ positions, carriedOver, touched, fee, tax }: OwnerPositions): number {
    let profit = 0 - fee - tax;
    for (let at = 0; at < touched.length; at += 1) {
      const instrument = touched[at];
      const position = instrument === undefined ? undefined : positions[instrument];
      if (instrument === undefined || position === undefined) continue;
      const made = position.realised + this.openProfit(position, instrument);
      const carried = carriedOver[instrument] ?? FLAT_POSITION;
      const start = carried.qty === 0 ? NO_MONEY : this.#startValue(instrument);
      // Without any price the contract has ended: earlier days have counted what it made.
      if (start !== undefined) profit += made - openProfit(carried, start);
    }
    return profit;
  }

  accountDayPnl(): Money {
    let profit = 0;
    for (const owner of this.#owners) profit += this.#dayPnlOf(owner);
    return money(profit);
  }

  /** Costs of the trading day over all owners. */
  costs(): { readonly fee: Money; readonly tax: Money } {
    let [fee, tax] = [0, 0];
    for (const owner of this.#owners) {
      fee += owner.fee;
      tax += owner.tax;
    }
    return { fee: money(fee), tax: money(tax) };
  }

  /** The day's profit before costs where no price decides it: nothing is held, all went by fills, references are known; else null. */
  settledProfit(): Money | null {
    if (this.#hasUnfilled) return null;
    let profit = 0;
    for (const instrument of this.#instruments) {
      if (this.accountQty(instrument) !== 0) return null;
      const contract = this.#contracts.at(instrument);
      const start = contract === undefined ? undefined : this.#referenceValue(contract);
      for (const { positions, carriedOver } of this.#owners) {
        const position = positions[instrument] ?? FLAT_POSITION;
        profit += position.realised + openProfit(position, 0);
        const carried = carriedOver[instrument] ?? FLAT_POSITION;
        if (carried.qty === 0) continue;
        if (start === undefined) return null;
        profit -= openProfit(carried, start);
      }
    }
    return money(profit);
  }

  /** Open profit at the last known price; zero while none is known. */
  openProfit(position: Position, instrument: InstrumentIndex): Money {
    if (position.qty === 0) return NO_MONEY;
    const unit = this.unitValue(instrument);
    return unit === undefined ? NO_MONEY : openProfit(position, unit);
  }

  /** Money of one contract at the last trade, else at the last quote, else at the reference price. */
  unitValue(instrument: InstrumentIndex): Money | undefined {
    const contract = this.#contracts.at(instrument);
    if (contract === undefined) return undefined;
    const price = this.#market.of(instrument).lastPrice;
    if (price !== null) return valueOf(contract.spec, price, 1);
    return this.#referenceValue(contract);
  }

  /** It held or paid something today. */
  hasActivity(strategy: StrategyIndex): boolean {
    const owner = this.#owners[strategy + 1];
    if (owner === undefined) return false;
    const { positions, fee, tax } = owner;
    return fee !== 0 || tax !== 0 || positions.some(({ qty, realised }) => qty !== 0 || realised !== 0);
  }

  /**
   * Money of one contract from which positions carried over count for the day. Until the reference price of the day is known that is
   * the price of the moment: no profit and no loss. On a weekend the broker still shows that of the day before.
   */
  #startValue(instrument: InstrumentIndex): Money | undefined {
    const contract = this.#contracts.at(instrument);
    const isKnown = contract !== undefined && this.#market.isReferenceOfDay;
    return (isKnown ? this.#referenceValue(contract) : undefined) ?? this.unitValue(instrument);
  }

  #referenceValue(contract: Contract): Money | undefined {
    const band = this.#market.of(contract.index).band;
    return band === undefined ? undefined : valueAtHundredths(contract.spec, band.reference, 1);
  }

  #listHeld(): readonly HeldPosition[] {
    const held: HeldPosition[] = [];
    this.#owners.forEach(({ positions, held: instruments }, index) => {
      for (const instrument of instruments) {
        const { qty } = positions[instrument] ?? FLAT_POSITION;
        held.push({ strategy: strategyIndex(index - 1), instrument, qty });
      }
    });
    return held;
  }

  #owner(strategy: StrategyIndex): OwnerPositions {
    while (this.#owners.length <= strategy + 1) this.#owners.push(new OwnerPositions());
    const owner = this.#owners[strategy + 1];
    assert(owner !== undefined, 'each strategy has its positions');
    return owner;
  }

  #replace(strategy: StrategyIndex, instrument: InstrumentIndex, after: Position): void {
    const owner = this.#owner(strategy);
    const { positions } = owner;
    while (positions.length <= instrument) positions.push(FLAT_POSITION);
    while (this.#instruments.length <= instrument)
      this.#instruments.push(instrumentIndex(this.#instruments.length));
    const before = this.position(strategy, instrument);
    positions[instrument] = after;
    this.#held = null;
    if (before === FLAT_POSITION) owner.touched.push(instrument);
    if ((before.qty === 0) !== (after.qty === 0)) listHeld(owner, instrument);
    this.#lostSince += before.realised + this.openProfit(before, instrument);
    this.#lostSince -= after.realised + this.openProfit(after, instrument);
    if (!this.#changedContracts.includes(instrument))
      this.#changedContracts = appended(this.#changedContracts, instrument);
    this.#noteChanged(strategy);
  }

  #noteChanged(strategy: StrategyIndex): void {
    if (!this.#changedOwners.includes(strategy))
      this.#changedOwners = appended(this.#changedOwners, strategy);
  }
}

function listHeld({ held, positions }: OwnerPositions, instrument: InstrumentIndex): void {
  const isHeld = positions[instrument]?.qty !== 0;
  const next = held.findIndex((each) => each >= instrument);
  const at = next === -1 ? held.length : next;
  held.splice(at, isHeld ? 0 : 1, ...(isHeld ? [instrument] : []));
}

function pricedQtyOf(
  owner: OwnerPositions | undefined,
  instrument: InstrumentIndex,
  isFixed: boolean,
): number {
  const held = owner?.positions[instrument] ?? FLAT_POSITION;
  return isFixed ? held.qty - (owner?.carriedOver[instrument] ?? FLAT_POSITION).qty : held.qty;
}
