/** API of a strategy for trading: its calls and its queries. */
import type { SessionPhase, TradingCalendar } from '../domain/calendar.ts';
import type { CancelTimer } from '../domain/clock.ts';
import type { Contract, PriceBand } from '../domain/contract.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { Side, TimeInForce, TriggerWhen } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { BookTick, TradeTick } from '../domain/ticks.ts';
import type { DurationUs, Money, PriceTicks, TsUs } from '../domain/units.ts';
import type { OrderUpdate, WorkingOrder } from '../engine/ports/strategy-port.ts';

declare const hint: unique symbol;

/** A price in ticks. A compiler prints `Hint` to an author who gives a plain number. */
type Price<Hint extends string> = PriceTicks & { readonly [hint]?: Hint };

/** Arithmetic gives plain numbers, which may be ticks or points: `last + 2` does not compile. */
type Hint =
  'in ticks: trader.plus(price, points) moves a price, trader.ticks(points) makes one, trader.nearest(value) rounds one';

export interface OrderRequest {
  /** Whole contracts or lots, one or more: 1,500 are 1.5 coins where `lot` is 0.001. Reports show units (`unitsOf` of `domain/contract.ts`). */
  readonly qty: number;
  /**
   * The worst price that is acceptable, or `market`: any. An exchange without market orders (VN30 futures, live, on paper and in backtests)
   * gets a limit order at the furthest price inside the band of the day and `risk.collarPercent`; a part that does not fill at once rests
   * there.
   */
  readonly price: Price<Hint> | 'market';
  /** Why, for the journal. */
  readonly reason: string;
  /**
   * `gtc` is good till canceled: with the exits of a bracket it also rests on later days, in backtests of a market of one's own with hours
   * and `memory: run`. VN30 futures have only day orders. Where trading never stops an order lasts until it is canceled, and there is no
   * day that could end it. A value that the market lacks is denied (`time_in_force`).
   */
  readonly timeInForce?: TimeInForce;
}

interface SubmitHead extends OrderRequest {
  readonly side: Side;
}

/**
 * Sends its limit order once a trade touches `trigger`; `price` is the worst that is still acceptable then. It waits at the
 * broker, and outlives this process.
 */
interface StopRequest extends SubmitHead {
  readonly kind: 'stop';
  readonly trigger: Price<Hint>;
  /** Absent: against you, a buy when the market has risen to it, a sell when it has fallen to it. */
  readonly when?: TriggerWhen;
  /**
   * True: refused where it could do more than close your position, and withdrawn when that has become smaller. False: an entry, which stays
   * as it is and may reverse your position. Absent: an exit if it would only close your position when it is placed.
   */
  readonly reduceOnly?: boolean;
}

/** Begins to follow the market when a trade touches `activation`, then keeps `offset` ticks behind the best price. */
interface TrailingStopRequest extends SubmitHead {
  readonly kind: 'trailing_stop';
  readonly activation: Price<Hint>;
  readonly offset: number;
  /** As of a stop. */
  readonly reduceOnly?: boolean;
}

/** For the filled quantity, a stop-loss and a take-profit wait at the broker, and one cancels the other. */
interface BracketRequest extends SubmitHead {
  readonly kind: 'bracket';
  readonly stopLoss: Price<Hint>;
  readonly takeProfit: Price<Hint>;
}

/** A limit order that is placed when your order in another contract fills. */
interface ArbitrageRequest extends SubmitHead {
  readonly kind: 'arbitrage';
  /** The contract of the other order: `trader.leg('next').contract`. */
  readonly after: Contract;
}

interface LimitRequest extends SubmitHead {
  readonly kind: 'limit';
}

/** A limit order whose price is `market`. */
interface MarketRequest extends Omit<SubmitHead, 'price'> {
  readonly kind: 'market';
}

/** Every kind of order, by its name. */
export type SubmitRequest =
  | LimitRequest
  | MarketRequest
  | StopRequest
  | TrailingStopRequest
  | BracketRequest
  | ArbitrageRequest;

export type SubmitArguments = readonly [side: Side, order: OrderRequest] | readonly [order: SubmitRequest];

/** A change edits price or total quantity, never both; of an order that waits for a price its trigger, and nothing else. */
export type OrderChange =
  | { readonly price: Price<Hint> }
  | { readonly qty: number }
  /** For an inactive trailing stop, its activation price. */
  | { readonly trigger: Price<Hint> };

/** Trading in one contract. Nothing here returns an outcome: fills and refusals arrive on `orders$`. */
export interface LegTrader {
  /** The contract that is traded now; another one after a rollover. */
  readonly contract: Contract;
  /** `submit('buy', { qty, price, reason })`, or any kind of order by its name. */
  submit(...asked: SubmitArguments): ClientOrderId;
  buy(order: OrderRequest): ClientOrderId;
  sell(order: OrderRequest): ClientOrderId;
  modify(order: ClientOrderId, change: OrderChange): void;
  cancel(order: ClientOrderId): void;
  /** The strategy's own proven fills and the position it carried over. */
  position(): Position;
  /** The strategy's orders of this contract that are not final. */
  workingOrders(): readonly WorkingOrder[];
  /** Worth of the whole account with its open positions, as it was read last; undefined before that. Money is whole units of the books. */
  equity(): Money | undefined;
  /**
   * Lots that `percent` of the equity carries: by their margin where the contract has one, else by their value at the last price. Other
   * positions and orders are not taken off. 0 while equity or price is not known.
   */
  lotsFor(size: { readonly percent: number }): number;
  /** Ceiling, floor and reference of the day, once they are known. */
  band(): PriceBand | undefined;
  lastTrade(): TradeTick | undefined;
  lastBook(): BookTick | undefined;
  /** False on bars: a book is shown at their close at most. */
  hasBooks(): boolean;
  /** Points as people write them, to ticks: 1305.2 is 13052. A price off the grid throws. */
  ticks(points: number): PriceTicks;
  /** The price that lies `points` above, or below where they are negative: `plus(bar.close, -0.5)`. A move off the grid throws. */
  plus(price: PriceTicks, points: number): PriceTicks;
  /** The price nearest to a value that was computed from prices: an average, a band. In ticks, as prices are. */
  nearest(value: number): PriceTicks;
  /** Ticks to points, for people. */
  points(price: PriceTicks): number;
  /** Mean price, in ticks, of the quantity that an update of `orders$` filled. */
  fillPrice(update: OrderUpdate): number;
  /** Time of the event being processed. */
  time(): TsUs;
  phase(): SessionPhase;
  calendar(): TradingCalendar;
  /** Runs `handler` once, after `span` of market time. Virtual in a backtest: the only timer a strategy has. */
  after(span: DurationUs, handler: () => void): CancelTimer;
  /** A line for the journal and the operator. */
  note(text: string): void;
  /** A value of yours over the candles of cockpit and report, in ticks with fractions: an average, a level. The journal does not keep it. */
  plot(name: string, value: number): void;
}

/** All legs of a strategy: the first one directly, the others by name, and the parameters. */
export interface Trader<Params, Leg extends string> extends LegTrader {
  /** Name of this instance in the configuration. */
  readonly id: string;
  readonly params: Params;
  leg(name: Leg): LegTrader;
}
