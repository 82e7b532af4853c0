/**
 * Orders that wait at the broker: kept, moved, triggered and ended by the same desk as the simulated broker's, so that a stop does
 * in a backtest what it does on paper. What one sends goes through the venue's own checks and costs no latency of ours: the
 * broker sends it.
 */
import { assert } from '../../domain/assert.ts';
import type { CallOutcome, BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { accountId, type BrokerOrderKey, type BrokerOrderNo, type OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type PriceTicks, type StrategyIndex, tsUs } from '../../domain/units.ts';
import type { OrderToSend } from '../../engine/ports/approved.ts';
import type { PlaceCondition } from '../../venue/conditions/condition-command.ts';
import { type ConditionAnswer, ConditionDesk } from '../../venue/conditions/condition-desk.ts';
import { Outbox } from '../../venue/outbox.ts';
import { refusal } from '../../venue/orders/refusals.ts';
import type { PlaceLimit, Refusal } from '../../venue/venue-command.ts';
import type { VenueCondition } from '../../venue/conditions/venue-condition.ts';
import type { Listing } from '../../venue/venue-event.ts';
import { DEFAULT_RULES } from '../../venue/venue-options.ts';
import type { VenueOrder } from './venue-order.ts';

/** A run has one account. */
const ACCOUNT = accountId('BACKTEST');

/** An order that a condition sent; it has passed the checks and is to enter its market. */
export interface ChildOrder {
  readonly orderNo: BrokerOrderNo;
  readonly strategy: StrategyIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: PriceTicks;
  /** Where it was triggered; null for one that another order's fill sent. */
  readonly triggerPrice: PriceTicks | null;
}

export interface ConditionCounterParts {
  readonly clock: { readonly nowUs: number };
  readonly phase: () => SessionPhase;
  /** Undefined for a contract that is not traded today. */
  readonly listing: (code: OrderCode) => Listing | undefined;
  readonly takeNo: () => BrokerOrderNo;
  readonly takeKey: () => BrokerOrderKey;
  /** Why an order cannot be entered now. */
  readonly refusalOf: (order: PlaceLimit) => Refusal | null;
}

type Sent = PlaceLimit & { readonly orderNo: BrokerOrderNo };

export class ConditionCounter {
  /** Something waits for trades: each of them has to be told. */
  isWatching = false;
  readonly #parts: ConditionCounterParts;
  readonly #outbox = new Outbox();
  readonly #desk: ConditionDesk;
  readonly #rows = new Map<BrokerOrderKey, VenueCondition>();
  readonly #strategies = new Map<BrokerOrderKey, StrategyIndex>();
  readonly #parents = new Map<BrokerOrderNo, StrategyIndex>();
  readonly #waiting = new Set<BrokerOrderKey>();
  #sent: Sent[] = [];
  #day: TradingDay | null = null;
  #isClosed = true;
  #ended = new Set<BrokerOrderKey>();
  #isChanged = false;

  constructor(parts: ConditionCounterParts) {
    this.#parts = parts;
    this.#desk = new ConditionDesk(DEFAULT_RULES, this.#surroundings(), this.#outbox);
  }

  openDay(day: TradingDay): void {
    this.#day = day;
    this.#isClosed = false;
    this.#desk.beginDay();
    for (const [key, row] of this.#rows) if (row.status !== 'pending') this.#forget(key);
    this.#parents.clear();
  }

  /** The close: what waits ends with its day. */
  expire(): void {
    this.#isClosed = true;
    this.#desk.expireAll(tsUs(this.#parts.clock.nowUs));
    this.#listen();
  }

  place(order: OrderToSend): CallOutcome {
    const command = commandOf(order);
    assert(command !== null, 'a bracket comes with its entry');
    const answer = this.#desk.place(command);
    if ('orderKey' in answer) this.#strategies.set(answer.orderKey, order.strategy);
    return this.#answered(answer);
  }

  move(orderKey: BrokerOrderKey, triggerPrice: PriceTicks): CallOutcome {
    return this.#answered(this.#desk.change({ accountId: ACCOUNT, orderKey, triggerPrice }));
  }

  cancel(orderKey: BrokerOrderKey): CallOutcome {
    return this.#answered(this.#desk.cancel({ accountId: ACCOUNT, orderKey }));
  }

  /** A trade of the tape, before our orders meet it. */
  traded(code: OrderCode, price: number): void {
    this.#desk.watchOf(code).note(price);
  }

  /** One of our orders filled: it may bring exits, or be the leg that another one waits for. */
  filled(order: VenueOrder, qty: number): void {
    if (this.#day === null || (order.bracket === null && !this.isWatching)) return;
    const { orderNo, orderCode, side, bracket, strategy } = order;
    if (bracket !== null) this.#parents.set(orderNo, strategy);
    const orderKey = order.orderKey ?? '';
    const parent = { accountId: ACCOUNT, day: this.#day, orderNo, orderKey, orderCode, side, bracket };
    this.#desk.onFill(parent, qty, tsUs(this.#parts.clock.nowUs));
    this.#listen();
  }

  get hasNews(): boolean {
    return this.#desk.hasNews;
  }

  /** What was triggered and can be entered, in order; each is to be entered before this is asked again. */
  takeChildren(): readonly ChildOrder[] {
    if (!this.#desk.hasNews) return [];
    this.#desk.react(tsUs(this.#parts.clock.nowUs));
    this.#listen();
    const sent = this.#sent;
    this.#sent = [];
    return sent.map(({ orderNo, orderCode, side, qty, limitPrice }) => {
      return { orderNo, orderCode, side, qty, limitPrice, ...this.#senderOf(orderNo) };
    });
  }

  /** Whether a row changed since this was last asked. */
  takeChanged(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /** Everything that waits, and what has ended since this was last asked: an end is told once. */
  walk(): readonly BrokerTriggerOrder[] {
    const keys = [...this.#waiting, ...this.#ended];
    this.#ended = new Set();
    return keys.flatMap((key) => {
      const row = this.#rows.get(key);
      return row === undefined ? [] : [rowOf(row)];
    });
  }

  #surroundings(): ConstructorParameters<typeof ConditionDesk>[1] {
    const parts = this.#parts;
    const dayOf = (): TradingDay => {
      assert(this.#day !== null, 'orders wait on a day that is open');
      return this.#day;
    };
    const isClosed = (): boolean => this.#isClosed;
    return {
      get nowUs() {
        return tsUs(parts.clock.nowUs);
      },
      get day() {
        return dayOf();
      },
      get phase() {
        return parts.phase();
      },
      get isClosed() {
        return isClosed();
      },
      listing: parts.listing,
      unknownRefusal: (_id, code) => (parts.listing(code) === undefined ? refusal(-6003) : null),
      takeKey: parts.takeKey,
      send: (order) => this.#send(order),
    };
  }

  #send(order: PlaceLimit): BrokerOrderNo | Refusal {
    const refused = this.#parts.refusalOf(order);
    if (refused !== null) return refused;
    const orderNo = this.#parts.takeNo();
    this.#sent.push({ ...order, orderNo });
    return orderNo;
  }

  #answered(answer: ConditionAnswer): CallOutcome {
    this.#listen();
    if ('code' in answer) return { status: 'rejected', code: String(answer.code), text: answer.text };
    return { status: 'accepted', orderNo: answer.orderNo, orderKey: answer.orderKey };
  }

  /** Takes in what the desk said of its rows. */
  #listen(): void {
    for (const event of this.#outbox.take()) {
      if (event.kind !== 'condition') continue;
      const { orderKey, parentOrderNo, status } = event.condition;
      this.#rows.set(orderKey, event.condition);
      this.#isChanged = true;
      if (status === 'pending') this.#waiting.add(orderKey);
      else {
        this.#waiting.delete(orderKey);
        this.#ended.add(orderKey);
      }
      const strategy = parentOrderNo === null ? undefined : this.#parents.get(parentOrderNo);
      if (strategy !== undefined) this.#strategies.set(orderKey, strategy);
    }
    this.isWatching = this.#waiting.size > 0;
  }

  #senderOf(child: BrokerOrderNo): Pick<ChildOrder, 'strategy' | 'triggerPrice'> {
    for (const { orderKey, children, triggerPrice } of this.#rows.values()) {
      const strategy = children.includes(child) ? this.#strategies.get(orderKey) : undefined;
      if (strategy !== undefined) return { strategy, triggerPrice };
    }
    throw new Error(`Invariant: order ${child} was sent by a condition`);
  }

  #forget(key: BrokerOrderKey): void {
    this.#rows.delete(key);
    this.#strategies.delete(key);
  }
}

/** Null for a bracket, which waits for nothing itself. */
function commandOf(order: OrderToSend): PlaceCondition | null {
  const { trigger, orderCode, side, qty, limitPrice, clientOrderId } = order;
  const head = { accountId: ACCOUNT, orderCode, side, qty, limitPrice, refId: clientOrderId };
  switch (trigger?.kind) {
    case 'stop':
      return {
        ...head,
        kind: 'stop',
        triggerPrice: trigger.triggerPrice,
        triggerWhen: trigger.triggerWhen,
      };
    case 'trailing_stop': {
      const { activationPrice, trailingOffset: offset } = trigger;
      return { ...head, kind: 'trailing_stop', activationPrice, offset };
    }
    case 'arbitrage':
      return { ...head, kind: 'arbitrage', leg: trigger.legCode };
    case 'bracket':
    case undefined:
      return null;
  }
}

/** As the broker's book shows it: a trailing stop that is not active yet with its activation price. */
const rowOf = (row: VenueCondition): BrokerTriggerOrder => ({
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
});
