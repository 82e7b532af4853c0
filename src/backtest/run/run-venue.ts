/**
 * The venue of a run: the same order entry, trigger book and margin monitor as the simulator's, over the markets of the day.
 * Turns the engine's calls into commands, books executions to strategies, and reports changes as rows of the broker's two
 * books.
 */
import { assert } from '../../domain/assert.ts';
import type {
  BrokerAccount,
  BrokerOrder,
  BrokerOrderStatus,
  BrokerTriggerOrder,
  CallOutcome,
  FilledValue,
} from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { CEILING_NONE, type Contract, isMarketLimit, type PriceBand } from '../../domain/contract.ts';
import { hasMaintenance } from '../../domain/costs.ts';
import type { AccountId, BrokerOrderKey, OrderCode } from '../../domain/ids.ts';
import { type BracketIntent, type Side, signOf } from '../../domain/order.ts';
import { durationUs, money, priceHundredths, priceTicks, qty, tsUs, type TsUs } from '../../domain/units.ts';
import type { CancelToSend, ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { WorkingQty } from '../../venue/account/margin.ts';
import { MarginMonitor } from '../../venue/margin-monitor.ts';
import {
  isRefusal,
  type PlaceLimit,
  type PlaceTrigger,
  refusal,
  type Refusal,
} from '../../venue/venue-command.ts';
import type { TriggerOrder } from '../../venue/triggers/trigger-order.ts';
import { TriggerBook } from '../../venue/triggers/trigger-book.ts';
import {
  type Bracket,
  type Listing,
  type OrderOrigin,
  Outbox,
  type TriggerReport,
} from '../../venue/venue-event.ts';
import type { Exchange, FillSink } from '../../venue/exchange/exchange.ts';
import { placeRefusal, type VenueSurroundings } from '../../venue/orders/order-checks.ts';
import { OrderEntry, type OrderFill, type OrderListener } from '../../venue/orders/order-entry.ts';
import type { OrderSender, VenueOrder } from '../../venue/orders/venue-order.ts';
import { DEFAULT_RULES } from '../../venue/venue-options.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import { ACCOUNT, type FundsNow, type RunParts } from './run-account.ts';
import { RunCash } from './run-cash.ts';
import { RunMargin } from './run-margin.ts';
import type { RunInstrument } from './run-instrument.ts';

/** Receives changes that a call or a row made. */
interface VenueNews {
  /** Rows as the in-day book shows them now. */
  changed(rows: readonly BrokerOrder[]): void;
  triggersChanged(): void;
}

interface RunVenueParts extends RunParts, Pick<BacktestPlan, 'costs' | 'margin' | 'isMarginRuleOn'> {
  /** The exchange takes them; a stop-loss of a bracket is one. */
  readonly marketOrders: boolean;
  /** Exits of a bracket wait for the bar after the fill. */
  readonly areExitsLate: boolean;
  readonly news: VenueNews;
  /** Executions, in order, for the hash of the run. */
  readonly note: (...numbers: readonly number[]) => void;
}

/** Bid plus ask, and the moment, when an order was decided. */
export type Decided = Pick<OrderSender, 'decidedUs' | 'decidedMidTwice'>;

/** Latencies are the run's: a command that arrives here is final at once, and may change price and quantity together. */
const RULES = {
  ...DEFAULT_RULES,
  gatewayDelay: durationUs(0),
  changeOfBoth: 'replace',
} as const;
const NO_BAND: PriceBand = {
  ceiling: priceTicks(CEILING_NONE),
  floor: priceTicks(0),
  reference: priceHundredths(0),
};

export class RunVenue implements VenueSurroundings, OrderListener {
  /** Executions of the markets. */
  readonly sink: FillSink<VenueOrder> = {
    onFill: (order, price, filled, clause) => this.#entry.fill(order, price, filled, clause, this.nowUs),
  };
  fills = 0;
  /** An order waits for trades: each trade is passed on. */
  isWatching = false;
  readonly #parts: RunVenueParts;
  readonly #entry: OrderEntry;
  readonly #outbox = new Outbox();
  readonly #triggers: TriggerBook;
  readonly #room: RunMargin;
  readonly #margin: MarginMonitor;
  readonly #cash: RunCash | null;
  readonly #traded = new Map<OrderCode, RunInstrument>();
  readonly #listings = new Map<OrderCode, Listing>();
  phase: SessionPhase = 'closed';
  isClosed = true;
  /** Some contract has maintenance margin. */
  #isMaintained = false;
  #untold: VenueOrder[] = [];
  /** Keys of orders that are good till canceled. */
  readonly #lasting = new Set<string>();
  /** Ended, in order, and not forgotten yet. The next scan of the book shows those that it still has to tell. */
  #ended: VenueOrder[] = [];
  /** About to be forgotten. */
  #forgotten: readonly VenueOrder[] = [];
  /** Ended in the scan before: a cancel that was sent before its rows arrived still finds them. */
  #scanned: readonly VenueOrder[] = [];
  readonly #waiting = new Map<BrokerOrderKey, TriggerReport>();
  #endedTriggers = new Map<BrokerOrderKey, TriggerReport>();
  #areTriggersUntold = false;
  /** Of orders that wait, oldest first, not yet told. */
  #changes: TriggerReport[] = [];

  constructor(parts: RunVenueParts) {
    this.#parts = parts;
    this.#entry = new OrderEntry(parts.costs, RULES, this, this);
    const { stopLossSlipTicks } = RULES;
    this.#triggers = new TriggerBook(
      { ...RULES, stopLossSlipTicks: parts.marketOrders ? CEILING_NONE : stopLossSlipTicks },
      this,
      this.#outbox,
    );
    const { account, instruments, clock, margin } = parts;
    this.#cash = margin === 'cash' ? new RunCash(account, () => this.#entry.store.open(ACCOUNT)) : null;
    const working = (): ReadonlyMap<OrderCode, WorkingQty> => this.#entry.store.working(ACCOUNT);
    this.#room = new RunMargin({ account, instruments, clock, margin, working });
    this.#margin = new MarginMonitor(this.#entry, this.#room, this);
  }

  /** When the broker looks at margin next. */
  get nextUs(): number {
    return this.#margin.nextUs;
  }

  /** After the markets of the day were opened. */
  openDay(day: TradingDay, bands: ReadonlyMap<number, PriceBand>): void {
    this.isClosed = false;
    this.#parts.account.openDay(day);
    this.#traded.clear();
    this.#listings.clear();
    for (const instrument of this.#parts.instruments) {
      const { contract, exchange } = instrument;
      if (exchange === null) continue;
      this.#traded.set(contract.orderCode, instrument);
      this.setBand(contract, bands.get(contract.index) ?? NO_BAND);
    }
    this.#isMaintained =
      this.#cash !== null && this.#parts.instruments.some(({ costs }) => hasMaintenance(costs));
    this.#triggers.beginDay();
    this.noticeMargin();
  }

  /** The band of a contract whose reference is known from its first trade on. */
  setBand(contract: Contract, band: PriceBand): void {
    const { marketOrders: takesMarketOrders } = this.#parts;
    this.#listings.set(contract.orderCode, { contract, band, takesMarketOrders });
  }

  setPhase(phase: SessionPhase): void {
    this.phase = phase;
    this.noticeMargin();
    if (phase !== 'continuous' || this.#lasting.size === 0) return;
    // Their rows of last evening say that they cannot be canceled.
    for (const order of this.#entry.store.open(ACCOUNT))
      if (this.#lasting.has(order.orderKey)) this.#mark(order);
    this.tell();
  }

  /** Orders of days before stand again in the markets of this one. */
  standAgain(): void {
    for (const order of this.#entry.store.open(ACCOUNT))
      this.#traded.get(order.orderCode)?.exchange?.enter(order);
    this.tell();
  }

  /** An accepted order enters its market with the next `tell`. */
  place(order: OrderToSend, decided: Decided): CallOutcome {
    const outcome = this.#place(order, decided);
    if (order.timeInForce === 'gtc' && outcome.status === 'accepted' && outcome.orderKey !== null)
      this.#lasting.add(outcome.orderKey);
    return outcome;
  }

  #place(order: OrderToSend, decided: Decided): CallOutcome {
    const { strategy: owner, clientOrderId: refId, orderCode, side, limitPrice, qty: size } = order;
    const command = { accountId: ACCOUNT, orderCode, side, limitPrice, qty: size, refId };
    const { trigger } = order;
    if (trigger === null) return this.#enter(command, 'plain', owner, decided);
    switch (trigger.kind) {
      case 'bracket': {
        const bracket = bracketOf(side, limitPrice, trigger);
        return this.#enter({ ...command, bracket }, 'bracket', owner, decided);
      }
      case 'stop': {
        const { kind, triggerPrice, triggerWhen } = trigger;
        return this.#wait({ ...command, kind, triggerPrice, triggerWhen }, owner);
      }
      case 'trailing_stop': {
        const { kind, activationPrice, trailingOffset: offset } = trigger;
        return this.#wait({ ...command, kind, activationPrice, offset }, owner);
      }
      case 'arbitrage':
        return this.#enter({ ...command, leg: trigger.legCode }, 'arbitrage', owner, decided);
    }
  }

  modify({ orderNo, orderKey, limitPrice, qty: size, triggerPrice }: ModifyToSend): CallOutcome {
    if (orderKey !== null && triggerPrice !== null)
      return outcomeOf(this.#triggers.change({ accountId: ACCOUNT, orderKey, triggerPrice }));
    return outcomeOf(this.#entry.change({ accountId: ACCOUNT, orderNo, limitPrice, qty: size }));
  }

  cancel({ orderNo, orderKey }: CancelToSend): CallOutcome {
    if (orderKey !== null) return outcomeOf(this.#triggers.cancel({ accountId: ACCOUNT, orderKey }));
    return outcomeOf(this.#entry.cancel({ accountId: ACCOUNT, orderNo }));
  }

  /** A trade of the tape, before our orders meet it: triggers look at it first. */
  traded(instrument: number, price: number): void {
    const code = this.#parts.instruments[instrument]?.contract.orderCode;
    if (code !== undefined) this.#triggers.watchOf(code).note(price);
  }

  /** A quote of the tape, before our orders meet it. */
  quoted(instrument: number, bid: number, ask: number): void {
    const code = this.#parts.instruments[instrument]?.contract.orderCode;
    if (code !== undefined) this.#triggers.watchOf(code).quote(bid, ask);
  }

  endBar(instrument: number): void {
    const code = this.#parts.instruments[instrument]?.contract.orderCode;
    if (code !== undefined && this.#triggers.hasHeldBack) this.#triggers.release(code);
  }

  /** Something happened in a row that `tell` has to follow up. */
  get isUntold(): boolean {
    return this.#untold.length > 0 || this.#changes.length > 0 || (this.isWatching && this.#triggers.hasNews);
  }

  /** Runs arrivals and triggers after a call or a row, then reports every change. */
  tell(): void {
    const nowUs = this.nowUs;
    while (this.#triggers.hasNews || this.#entry.nextDueUs <= nowUs) {
      if (this.#triggers.hasNews) this.#triggers.react(nowUs);
      else this.#entry.runDue(nowUs);
    }
    this.#tellTriggers();
    if (this.#untold.length === 0) return;
    const silent = this.#untold.filter(({ orderCode }) => this.#isSilent(orderCode));
    const told = silent.length === 0 ? this.#untold : this.#untold.filter((order) => !silent.includes(order));
    if (told.length === 0) return;
    this.#untold = silent;
    for (const order of told) order.isUntold = false;
    this.#parts.news.changed(told.map((order) => this.#rowOf(order)));
  }

  /** Until then some market keeps its fills to itself: reads of the whole account wait. */
  get silentUntilUs(): number {
    let latest = -Infinity;
    for (const { exchange } of this.#traded.values())
      if (exchange !== null && exchange.silentUntilUs > latest) latest = exchange.silentUntilUs;
    return latest;
  }

  #isSilent(code: OrderCode): boolean {
    const until = this.#traded.get(code)?.exchange?.silentUntilUs;
    return until !== undefined && until > this.nowUs;
  }

  /** Every open order, and those that ended since the last scan without a row of theirs. */
  scan(): readonly BrokerOrder[] {
    const ended = this.#ended.filter((order) => !isTold(order));
    const rows = [...ended, ...this.#entry.store.open(ACCOUNT)].map((order) => this.#rowOf(order));
    for (const order of this.#scanned) this.#entry.store.forget(order);
    this.#scanned = ended;
    this.#ended = this.#ended.filter(isTold);
    return rows;
  }

  /** Every order that waits for its trigger, and those that ended since the last call. */
  scanTriggers(): readonly BrokerTriggerOrder[] {
    const rows = [...this.#waiting.values(), ...this.#endedTriggers.values()].map(triggerRow);
    this.#endedTriggers = new Map();
    return rows;
  }

  /** The day is over: every order ends, and shows in the next scan. */
  expire(): void {
    this.isClosed = true;
    this.#triggers.expireAll(this.nowUs, (row) => this.#lasts(row));
    this.#tellTriggers();
    this.#entry.expireAll(this.nowUs, ({ orderKey }) => this.#lasting.has(orderKey));
  }

  /** Exits last like the order that brought them. */
  #lasts({ orderKey, parentKey }: Pick<TriggerOrder, 'orderKey' | 'parentKey'>): boolean {
    return this.#lasting.has(orderKey) || (parentKey !== null && this.#lasting.has(parentKey));
  }

  /** While a position is held the broker measures margin on each whole second of continuous trading. */
  noticeMargin(): void {
    const { margin } = this.#parts;
    const isWatched = margin === 'cash' ? this.#isMaintained : margin !== null;
    if (isWatched && this.phase === 'continuous') this.#margin.notice(this.nowUs);
  }

  /** Prices may bring a position below maintenance margin: each row is looked at. */
  get isMarginWatched(): boolean {
    return this.#isMaintained && this.#room.isExposed;
  }

  /** As the broker shows the account; with buying power without end where it alone asks for margin. */
  accountFigures(): BrokerAccount {
    const figures = this.#room.figures();
    return this.#parts.isMarginRuleOn ? figures : { ...figures, buyingPower: money(Number.MAX_SAFE_INTEGER) };
  }

  funds(): FundsNow {
    const figures = this.#room.figures();
    if (this.#cash !== null) return this.#cash.funds();
    const { cash, requiredMargin: marginUsed, buyingPower } = figures;
    return { cash, marginUsed, buyingPower };
  }

  lookAtMargin(): void {
    this.#margin.run(this.nowUs);
    this.tell();
    // Maintenance margin waits for the next row.
    if (this.#parts.margin !== 'cash') this.noticeMargin();
  }

  onAccepted(): void {
    // The answer to the call says so.
  }

  onEntered(order: VenueOrder): void {
    if (order.modified || order.source !== 'user') this.#mark(order);
  }

  onChange(order: VenueOrder): void {
    if (!order.isOpen) this.#ended.push(order);
    if (!order.expired) this.#mark(order);
  }

  /** No row and no call is under way. Those told just now may have a call made before their row was read: the next time forgets them. */
  forgetOver(): void {
    for (const order of this.#forgotten) this.#entry.store.forget(order);
    this.#forgotten = this.#ended.filter(isTold);
    if (this.#forgotten.length > 0) this.#ended = this.#ended.filter((order) => !isTold(order));
  }

  onFill(order: VenueOrder, fill: OrderFill): void {
    const { account, note } = this.#parts;
    const instrument = this.#traded.get(order.orderCode);
    assert(instrument !== undefined && fill.clause !== null, 'a fill is of a market of today');
    this.fills += 1;
    account.execute(order, fill, instrument, this.nowUs);
    if (order.bracket !== null || this.isWatching) {
      this.#triggers.onFill(order, fill.price, fill.qty, this.nowUs);
      if (this.#parts.areExitsLate && order.bracket !== null) this.#triggers.holdBack(order, this.nowUs);
      const isFlat = account.netOf(instrument.contract.index) === 0;
      if (isFlat) this.#triggers.endExits(ACCOUNT, order.orderCode, this.nowUs);
      this.#listen();
    }
    const signed = order.side === 'buy' ? fill.qty : -fill.qty;
    note(this.nowUs, instrument.contract.index, order.owner, signed, fill.price);
    if (!order.isOpen) this.#ended.push(order);
    this.#mark(order);
  }

  #enter(command: PlaceLimit, origin: OrderOrigin, owner: number, decided: Decided): CallOutcome {
    const { decidedUs, decidedMidTwice } = decided;
    const sender = { owner, triggerPrice: null, decidedUs, decidedMidTwice };
    return outcomeOf(placeRefusal(command, this) ?? this.#entry.place(command, origin, sender));
  }

  #wait(command: PlaceTrigger, owner: number): CallOutcome {
    const outcome = outcomeOf(this.#triggers.place(command, owner));
    this.#listen();
    return outcome;
  }

  #mark(order: VenueOrder): void {
    if (order.isUntold) return;
    order.isUntold = true;
    this.#untold.push(order);
  }

  #tellTriggers(): void {
    this.#listen();
    if (!this.#areTriggersUntold) return;
    this.#areTriggersUntold = false;
    this.#parts.news.triggersChanged();
  }

  #listen(): void {
    for (const event of this.#outbox.take()) if (event.kind === 'trigger') this.#changes.push(event.trigger);
    if (this.#changes.length > 0) this.#changes = this.#changes.filter((change) => !this.#takeIn(change));
    this.isWatching = this.#waiting.size > 0 || this.#changes.length > 0;
  }

  /** False while its market keeps it to itself. */
  #takeIn(change: TriggerReport): boolean {
    if (this.#isSilent(change.orderCode)) return false;
    this.#areTriggersUntold = true;
    if (change.status === 'pending') this.#waiting.set(change.orderKey, change);
    else {
      this.#waiting.delete(change.orderKey);
      this.#endedTriggers.set(change.orderKey, change);
    }
    return true;
  }

  // Order entry, triggers and checks ask the venue around them for these.

  get nowUs(): TsUs {
    return tsUs(this.#parts.clock.nowUs);
  }

  get day(): TradingDay {
    return this.#parts.account.day;
  }

  listing(code: OrderCode): Listing | undefined {
    return this.#listings.get(code);
  }

  book(code: OrderCode): Exchange<VenueOrder> | undefined {
    return this.#traded.get(code)?.exchange ?? undefined;
  }

  unknownRefusal(_id: AccountId, code: OrderCode): Refusal | null {
    return this.#listings.has(code) ? null : refusal(-6003);
  }

  riskRefusal(command: PlaceLimit): Refusal | null {
    return this.#cash?.refusal(command) ?? this.#room.refusal(command);
  }

  takeKey(): BrokerOrderKey {
    return this.#entry.store.takeKey();
  }

  send(
    command: PlaceLimit,
    origin: OrderOrigin,
    { owner, triggerPrice }: Pick<OrderSender, 'owner' | 'triggerPrice'>,
    by: Pick<TriggerOrder, 'orderKey' | 'parentKey'>,
  ): VenueOrder['orderNo'] | Refusal {
    const refused = placeRefusal(command, this);
    if (refused !== null) return refused;
    const decidedMidTwice = this.#traded.get(command.orderCode)?.midTwice ?? 0;
    const sender = { owner, triggerPrice, decidedUs: this.nowUs, decidedMidTwice };
    const { orderNo, orderKey } = this.#entry.place(command, origin, sender);
    if (this.#lasts(by)) this.#lasting.add(orderKey);
    return orderNo;
  }

  /** A contract with rates of its own may be charged by liquidity or by fill, which rows do not show: its costs are told. */
  #filledValueOf({ orderCode: code, filledValue, fee, tax }: VenueOrder): FilledValue {
    const value = money(filledValue);
    if (this.#listings.get(code)?.contract.spec.costs === undefined) return { value, quality: 'exact' };
    return { value, quality: 'exact', costs: { fee: money(fee), tax: money(tax) } };
  }

  #rowOf(order: VenueOrder): BrokerOrder {
    const isWorking = order.isOpen && this.phase === 'continuous';
    return {
      orderNo: order.orderNo,
      orderKey: order.orderKey,
      refId: order.refId,
      orderCode: order.orderCode,
      side: order.side,
      qty: qty(order.qty),
      limitPrice: priceTicks(order.price),
      filledQty: qty(order.filledQty),
      filledValue: order.filledQty === 0 ? null : this.#filledValueOf(order),
      status: statusOf(order),
      statusText: '',
      canCancel: isWorking,
      canModify: isWorking,
      source: order.source,
      reason: '',
    };
  }
}

/** Its row has said that it ended, and whose it is: a scan has nothing to add. Those that expire have no row of their own. */
const isTold = ({ expired, origin, isUntold }: VenueOrder): boolean =>
  !expired && origin === 'plain' && !isUntold;

/** Exits stand as far from the price that is paid as they were asked for from the limit; those of a market order at their prices. */
function bracketOf(
  side: Side,
  limit: number,
  {
    stopLossPrice: stopLoss,
    takeProfitPrice: takeProfit,
  }: Pick<BracketIntent, 'stopLossPrice' | 'takeProfitPrice'>,
): Bracket {
  if (isMarketLimit(side, limit)) return { is: 'prices', stopLoss, takeProfit };
  const sign = signOf(side);
  return { is: 'distances', stopLoss: sign * (limit - stopLoss), takeProfit: sign * (takeProfit - limit) };
}

/** An order that expired shows as it stood. */
function statusOf(order: VenueOrder): BrokerOrderStatus {
  const isCanceled = order.canceledUs !== null && !order.expired;
  if (order.filledQty === 0) return isCanceled ? 'canceled' : 'resting';
  return isCanceled ? 'matched_canceled' : 'matched';
}

function outcomeOf(answer: VenueOrder | TriggerReport | Refusal): CallOutcome {
  if (isRefusal(answer)) return { status: 'rejected', code: String(answer.code), text: answer.text };
  return { status: 'accepted', orderNo: answer.orderNo, orderKey: answer.orderKey };
}

/** A trailing stop that is not active yet shows its activation price. */
const triggerRow = (row: TriggerReport): BrokerTriggerOrder => ({
  orderNo: row.orderNo,
  orderKey: row.orderKey,
  orderCode: row.orderCode,
  side: row.side,
  qty: row.qty,
  limitPrice: row.limitPrice,
  kind: row.kind,
  triggerPrice: row.triggerPrice ?? row.trailing?.activationPrice ?? null,
  triggerWhen: row.triggerWhen,
  status: row.status,
  statusText: row.reason,
  children: row.children,
  parent: row.parentOrderNo,
});
