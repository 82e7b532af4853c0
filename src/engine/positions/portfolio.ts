/**
 * Positions and money per strategy and account, made of fills, carried, adopted, settled and forced events (rulings, 3).
 * A position carried over counts for the day from its reference price (rulings, 37). The account's figures are running totals:
 * an order costs the same with one strategy and with many.
 */
import { assert } from '../../domain/assert.ts';
import { type Contract, valueAtHundredths, valueOf } from '../../domain/contract.ts';
import { withOne } from '../../domain/lists.ts';
import { opposite, type Side } from '../../domain/order.ts';
import { applyFill, FLAT_POSITION, openProfit, type Position, PositionTotal } from '../../domain/position.ts';
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
import type { ContractTable } from '../state/contract-table.ts';
import type { Market } from '../market/market.ts';
import type { EventContext } from '../state/event-context.ts';

export interface HeldPosition {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly qty: SignedQty;
}

const NO_MONEY = money(0);
const NOBODY: StrategyIndex[] = [];
const NOWHERE: InstrumentIndex[] = [];

class Account {
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

class ContractTotal {
  readonly held = new PositionTotal();
  readonly carriedOver = new PositionTotal();
  /** Contracts of the owners that are long; the others hold `held.qty - longQty`, zero or less. */
  longQty = 0;
  /** Contracts that strategies hold and the operator has sold, or bought: closed by hand. */
  readonly closedByHand = { sell: 0, buy: 0 };

  addHeld(position: Position, times: 1 | -1): void {
    this.held.add(position, times);
    this.longQty += times * Math.max(0, position.qty);
  }

  /** The operator holds `operator`, after a change by orders or adoption of `byHand`; 0 where a strategy changed. */
  countByHand(operator: number, byHand: number): void {
    const { closedByHand: closed } = this;
    const long = this.longQty - Math.max(0, operator);
    const short = this.longQty - this.held.qty - Math.max(0, 0 - operator);
    closed.sell = Math.max(0, Math.min(closed.sell + Math.max(0, 0 - byHand), long, 0 - operator));
    closed.buy = Math.max(0, Math.min(closed.buy + Math.max(0, byHand), short, operator));
  }

  equals({ held, carriedOver, longQty }: ContractTotal): boolean {
    return this.held.equals(held) && this.carriedOver.equals(carriedOver) && this.longQty === longQty;
  }
}

export class Portfolio {
  readonly #contracts: ContractTable;
  readonly #market: Market;
  /** By strategy index + 1: the operator comes first. */
  #accounts: Account[] = [];
  /** By instrument, over all accounts. */
  #totals: ContractTotal[] = [];
  readonly #instruments: InstrumentIndex[] = [];
  #charged = 0;
  #holding = 0;
  /** A position came or went without a fill today: the broker may count its profit from another price. */
  #hasUnfilled = false;
  /** Value of positions that the end of their contract closed today. */
  #settledValue = 0;
  #changed = NOBODY;
  #moved = NOWHERE;
  /** The account's loss since `forgetChanges`, by positions and costs alone: each at the price of its moment. */
  #lost = 0;
  /** Null after a change: it is listed when somebody asks. */
  #held: readonly HeldPosition[] | null = null;
  /** Contracts whose totals were not compared with the sums over all owners since they changed. */
  readonly #unproven = new Set<InstrumentIndex>();

  constructor(contracts: ContractTable, market: Market) {
    this.#contracts = contracts;
    this.#market = market;
  }

  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position {
    return this.#accounts[strategy + 1]?.positions[instrument] ?? FLAT_POSITION;
  }

  /** Owners whose positions or costs changed since `forgetChanges`. */
  get changed(): readonly StrategyIndex[] {
    return this.#changed;
  }

  /** Contracts in which they changed. */
  get moved(): readonly InstrumentIndex[] {
    return this.#moved;
  }

  /** The account's loss by these changes, without price moves meanwhile. Below zero is a gain; NaN where it is not known. */
  get lost(): number {
    return this.#lost;
  }

  forgetChanges(): void {
    this.#changed = NOBODY;
    this.#moved = NOWHERE;
    this.#lost = 0;
  }

  /** Contracts that a strategy held or carried over on this day; null: all up to the last one that anybody ever did. */
  touchedBy(strategy: StrategyIndex | null): readonly InstrumentIndex[] {
    return strategy === null ? this.#instruments : (this.#accounts[strategy + 1]?.touched ?? NOWHERE);
  }

  /** How many contracts win or lose with the price, of one strategy or, null, of the account; above zero with a rising one. */
  pricedQty(strategy: StrategyIndex | null, instrument: InstrumentIndex): number {
    const isReferenceKnown = this.#market.isReferenceOfDay && this.#market.band(instrument) !== undefined;
    if (strategy === null) {
      const total = this.#totals[instrument];
      if (total === undefined) return 0;
      return isReferenceKnown ? total.held.qty : total.held.qty - total.carriedOver.qty;
    }
    const account = this.#accounts[strategy + 1];
    const held = account?.positions[instrument]?.qty ?? 0;
    // A position carried over has a fixed value for the day until its reference price is known.
    return isReferenceKnown ? held : held - (account?.carriedOver[instrument]?.qty ?? 0);
  }

  accountQty(instrument: InstrumentIndex): SignedQty {
    return signedQty(this.#totals[instrument]?.held.qty ?? 0);
  }

  /** Contracts of all owners that are on this side, without those that are on the other; zero or more. */
  grossQty(instrument: InstrumentIndex, side: Side): number {
    const total = this.#totals[instrument];
    if (total === undefined) return 0;
    return side === 'buy' ? total.longQty : total.longQty - total.held.qty;
  }

  /** Contracts that strategies hold and orders of this side, by hand and after their own, have closed: the operator holds the opposite. */
  closedByHand(instrument: InstrumentIndex, side: Side): number {
    return this.#totals[instrument]?.closedByHand[side] ?? 0;
  }

  /**
   * Quantity of manual orders that orders of this side may still close, over all owners; Infinity where there are none. Manual orders
   * belong to the operator, so it is unknown which strategy's contracts they closed: the first request gets the rest.
   */
  leftByHand(instrument: InstrumentIndex, side: Side): number {
    const closed = this.closedByHand(instrument, side);
    return closed === 0 ? Infinity : this.grossQty(instrument, opposite(side)) - closed;
  }

  /** The list is replaced, never changed. */
  get isHolding(): boolean {
    return this.#holding > 0;
  }

  held(): readonly HeldPosition[] {
    this.#held ??= this.#listHeld();
    return this.#held;
  }

  /** Adds to a position: buy above zero. */
  add(strategy: StrategyIndex, instrument: InstrumentIndex, change: number, value: number): void {
    this.#replace(strategy, instrument, applyFill(this.position(strategy, instrument), change, value));
    const byHand = strategy === OPERATOR_INDEX ? change : 0;
    this.#total(instrument).countByHand(this.position(OPERATOR_INDEX, instrument).qty, byHand);
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
    this.#account(strategy).fills += 1;
  }

  charge(strategy: StrategyIndex, fee: number, tax: number): void {
    assert(Number.isSafeInteger(fee) && Number.isSafeInteger(tax), 'costs are whole money');
    const account = this.#account(strategy);
    account.fee += fee;
    account.tax += tax;
    this.#charged += fee + tax;
    this.#lost += fee + tax;
    this.#note(strategy);
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
    const { carriedOver } = this.#account(strategy);
    while (carriedOver.length <= instrument) carriedOver.push(FLAT_POSITION);
    const total = this.#total(instrument);
    this.#unproven.add(instrument);
    total.carriedOver.add(carriedOver[instrument] ?? FLAT_POSITION, -1);
    const carried = { qty, openValue, realised: NO_MONEY };
    carriedOver[instrument] = carried;
    // It counts from its reference price, not from its entry.
    this.#lost = NaN;
    total.carriedOver.add(carried, 1);
  }

  /** A new trading day. */
  clear(): void {
    this.assertTotals();
    for (let place = 0; place < this.#accounts.length; place += 1) this.#note(strategyIndex(place - 1));
    this.#accounts = [];
    this.#held = null;
    this.#totals = this.#totals.map(() => new ContractTotal());
    this.#charged = 0;
    this.#holding = 0;
    this.#lost = NaN;
    this.#hasUnfilled = false;
    this.#settledValue = 0;
  }

  /** The running totals that changed since the last call are the sums over all owners. */
  assertTotals(): void {
    let charged = 0;
    for (const { fee, tax } of this.#accounts) charged += fee + tax;
    assert(charged === this.#charged, 'the costs of the account are the sum over all owners');
    for (const instrument of this.#unproven) {
      const sum = new ContractTotal();
      for (const { positions, carriedOver } of this.#accounts) {
        sum.addHeld(positions[instrument] ?? FLAT_POSITION, 1);
        sum.carriedOver.add(carriedOver[instrument] ?? FLAT_POSITION, 1);
      }
      const total = this.#totals[instrument];
      assert(total?.equals(sum) === true, 'a total of the account is the sum over all owners');
    }
    this.#unproven.clear();
  }

  fees(strategy: StrategyIndex): { readonly fee: Money; readonly tax: Money; readonly fills: number } {
    const account = this.#accounts[strategy + 1];
    return { fee: money(account?.fee ?? 0), tax: money(account?.tax ?? 0), fills: account?.fills ?? 0 };
  }

  /** Realised + open - costs of the trading day. */
  dayPnl(strategy: StrategyIndex): Money {
    const account = this.#accounts[strategy + 1];
    if (account === undefined) return NO_MONEY;
    const { positions, carriedOver, touched } = account;
    let profit = 0 - account.fee - account.tax;
    for (let at = 0; at < touched.length; at += 1) {
      const instrument = touched[at];
      const position = instrument === undefined ? undefined : positions[instrument];
      if (instrument === undefined || position === undefined) continue;
      profit += position.realised + this.open(position, instrument);
      const carried = carriedOver[instrument];
      if (carried === undefined || carried.qty === 0) continue;
      const start = this.#startValue(instrument);
      if (start !== undefined) profit -= openProfit(carried, start);
    }
    return money(profit);
  }

  accountDayPnl(): Money {
    let profit = 0 - this.#charged;
    for (let at = 0; at < this.#totals.length; at += 1) {
      const total = this.#totals[at];
      assert(total !== undefined, 'each contract has a total');
      const instrument = instrumentIndex(at);
      const { held, carriedOver } = total;
      profit += held.realised + profitAt(held, this.unitValue(instrument));
      if (carriedOver.qty !== 0 || carriedOver.openValue !== 0)
        profit -= profitAt(carriedOver, this.#startValue(instrument));
    }
    return money(profit);
  }

  /** Costs of the trading day over all owners. */
  costs(): { readonly fee: Money; readonly tax: Money } {
    let [fee, tax] = [0, 0];
    for (const account of this.#accounts) {
      fee += account.fee;
      tax += account.tax;
    }
    assert(fee + tax === this.#charged, 'the costs of the account are the sum over all owners');
    return { fee: money(fee), tax: money(tax) };
  }

  /**
   * Profit of the trading day before costs, where no price decides it: the account holds nothing, all came and went by fills, and the
   * reference price of carried positions is known. Null otherwise.
   */
  settledProfit(): Money | null {
    if (this.#hasUnfilled) return null;
    let profit = 0;
    for (const [at, { held, carriedOver }] of this.#totals.entries()) {
      if (held.qty !== 0) return null;
      profit += held.realised + held.openProfit(0);
      if (carriedOver.qty === 0 && carriedOver.openValue === 0) continue;
      const contract = this.#contracts.at(instrumentIndex(at));
      const start = contract === undefined ? undefined : this.#referenceValue(contract);
      if (start === undefined) return null;
      profit -= carriedOver.openProfit(start);
    }
    return money(profit);
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

  /** It held or paid something today. */
  has(strategy: StrategyIndex): boolean {
    const account = this.#accounts[strategy + 1];
    if (account === undefined) return false;
    const { positions, fee, tax } = account;
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
    const band = this.#market.band(contract.index);
    return band === undefined ? undefined : valueAtHundredths(contract.spec, band.reference, 1);
  }

  #listHeld(): readonly HeldPosition[] {
    const held: HeldPosition[] = [];
    this.#accounts.forEach(({ positions, held: instruments }, place) => {
      for (const instrument of instruments) {
        const { qty } = positions[instrument] ?? FLAT_POSITION;
        held.push({ strategy: strategyIndex(place - 1), instrument, qty });
      }
    });
    return held;
  }

  #account(strategy: StrategyIndex): Account {
    while (this.#accounts.length <= strategy + 1) this.#accounts.push(new Account());
    const account = this.#accounts[strategy + 1];
    assert(account !== undefined, 'each strategy has an account');
    return account;
  }

  #replace(strategy: StrategyIndex, instrument: InstrumentIndex, after: Position): void {
    const account = this.#account(strategy);
    const { positions } = account;
    while (positions.length <= instrument) positions.push(FLAT_POSITION);
    const before = this.position(strategy, instrument);
    const total = this.#total(instrument);
    total.addHeld(before, -1);
    positions[instrument] = after;
    this.#held = null;
    total.addHeld(after, 1);
    if (before === FLAT_POSITION) account.touched.push(instrument);
    if ((before.qty === 0) !== (after.qty === 0)) {
      follow(account, instrument);
      this.#holding += after.qty === 0 ? -1 : 1;
    }
    this.#unproven.add(instrument);
    this.#lost += before.realised + this.open(before, instrument);
    this.#lost -= after.realised + this.open(after, instrument);
    if (!this.#moved.includes(instrument)) this.#moved = withOne(this.#moved, instrument);
    this.#note(strategy);
  }

  #total(instrument: InstrumentIndex): ContractTotal {
    while (this.#totals.length <= instrument) {
      this.#instruments.push(instrumentIndex(this.#totals.length));
      this.#totals.push(new ContractTotal());
    }
    const total = this.#totals[instrument];
    assert(total !== undefined, 'each contract has a total');
    return total;
  }

  #note(strategy: StrategyIndex): void {
    if (!this.#changed.includes(strategy)) this.#changed = withOne(this.#changed, strategy);
  }
}

/** Changes a position without a fill, `qty` as added to it and `value` zero or more. */
export function changeWithoutFill(
  { portfolio, context }: { readonly portfolio: Portfolio; readonly context: EventContext },
  { strategy, instrument }: Pick<HeldPosition, 'strategy' | 'instrument'>,
  event: 'adopted' | 'settled' | 'forced_close',
  qty: SignedQty,
  value: Money,
): void {
  portfolio.addWithoutFill(strategy, event, instrument, qty, value);
  context.append({ ...context.head(strategy), kind: 'position_event', event, instrument, qty, value });
}

function follow({ held, positions }: Account, instrument: InstrumentIndex): void {
  const isHeld = positions[instrument]?.qty !== 0;
  const place = held.findIndex((each) => each >= instrument);
  const at = place === -1 ? held.length : place;
  held.splice(at, isHeld ? 0 : 1, ...(isHeld ? [instrument] : []));
}

/** Zero while no price is known. */
const profitAt = (total: PositionTotal, unitValue: number | undefined): number =>
  unitValue === undefined ? 0 : total.openProfit(unitValue);
