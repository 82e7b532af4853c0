/** What is so at the simulated broker, by its own events: orders with every state of their fills, stops, positions by owner, prices. */
import type { OpenOrderEntry } from '../../src/engine/engine-snapshot.ts';
import type { SessionPhase } from '../../src/domain/calendar.ts';
import { type Side, signOf } from '../../src/domain/order.ts';
import type { Purpose } from '../../src/engine/ports/approved.ts';
import type { OrderReport, TradeMessage, TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';

/** Of whatever was not placed by a strategy of ours. */
export const OPERATOR = 'operator';

/** Fees, tax and money of an order's fills when so many contracts had filled. */
export interface FillState {
  readonly value: number;
  readonly fee: number;
  readonly tax: number;
}

export interface BrokerOrderTruth {
  report: OrderReport;
  readonly states: Map<number, FillState>;
  readonly firstUs: number;
}

/** One execution. */
export interface FillTruth {
  readonly atUs: number;
  readonly order: BrokerOrderTruth;
  readonly qty: number;
}

/** What the journal knows of an order that bears an id of ours. */
export interface PlacedOrder {
  readonly owner: string;
  readonly purpose: Purpose;
  readonly isProtective: boolean;
}

/** An order that may still trade, at the exchange or once it triggers. */
export interface OpenTruth {
  readonly owner: string;
  readonly code: string;
  readonly side: Side;
  readonly qty: number;
  readonly refId: string | null;
  /** The id of ours that it goes back to; null for what is not ours. */
  readonly root: string | null;
  readonly isWaiting: boolean;
  /** A stop that waits, or what one has sent. */
  readonly isStop: boolean;
  /** Of a trailing stop: when it became a stop, or null before that; undefined of any other order. */
  readonly activatedUs?: number | null;
  readonly isProtective: boolean;
  /** `entry` for whatever is not ours. */
  readonly purpose: Purpose;
  /** Halves of one bracket exclude each other. */
  readonly pair: string | null;
}

const OPEN: ReadonlySet<OrderReport['status']> = new Set<OrderReport['status']>([
  'queued',
  'resting',
  'modify_pending',
  'modified',
  'cancel_pending',
  'matched',
  'matched_cancel_pending',
]);

export const isOpenAtBroker = ({ status, filledQty, qty }: OrderReport): boolean =>
  OPEN.has(status) && filledQty < qty;

/** Trades are kept for as long. */
const PRICES_US = 10e6;

export class BrokerTruth {
  /** By key, which both books share and no day starts again. */
  readonly orders = new Map<string, BrokerOrderTruth>();
  readonly triggers = new Map<string, TriggerReport>();
  /** The latest order of each number: numbers begin again each day. */
  readonly #byNumber = new Map<string, BrokerOrderTruth>();
  readonly #byRef = new Map<string, BrokerOrderTruth>();
  readonly #triggerByRef = new Map<string, TriggerReport>();
  /** Senders by the number of the order that they sent, of the day. */
  readonly #senders = new Map<string, TriggerReport>();
  readonly #trades = new Map<string, TradeMessage[]>();
  readonly #taken = new Map<string, string>();
  readonly #placed: (refId: string) => PlacedOrder | undefined;
  readonly net = new Map<string, number>();
  /** By owner and code. */
  readonly #held = new Map<string, number>();
  /** Of orders whose place was not committed when they filled: an exit on the emergency file. */
  readonly #unowned: FillTruth[] = [];
  readonly expired = new Set<string>();
  readonly fills: FillTruth[] = [];
  day = '';
  phase: SessionPhase = 'closed';

  constructor(placed: (refId: string) => PlacedOrder | undefined) {
    this.#placed = placed;
  }

  /** Before its effect on orders of the same moment is reported. */
  take(event: VenueEvent): void {
    switch (event.kind) {
      case 'order':
        return this.#takeOrder(event.order);
      case 'trigger': {
        const { trigger } = event;
        this.triggers.set(trigger.orderKey, trigger);
        if (trigger.refId !== null) this.#triggerByRef.set(trigger.refId, trigger);
        for (const child of trigger.children) this.#senders.set(`${trigger.day} ${child}`, trigger);
        return;
      }
      case 'fill':
        return this.#takeFill(event.orderKey, event.qty, event.tsUs);
      case 'trade':
        return this.#takeTrade(event);
      case 'contract_expired':
        this.net.delete(event.orderCode);
        for (const key of this.#held.keys()) if (key.endsWith(` ${event.orderCode}`)) this.#held.delete(key);
        this.expired.add(event.orderCode);
        return;
      case 'day_started':
        this.day = event.day;
        return;
      case 'phase':
        this.phase = event.phase;
        return;
      case 'book':
      case 'summary':
      case 'cash':
      case 'margin_level':
      case 'settlement_price':
      case 'listings_changed':
    }
  }

  #takeOrder(report: OrderReport): void {
    const { orderKey, filledQty, filledValue: value, fee, tax, day, orderNo, refId } = report;
    const known = this.orders.get(orderKey);
    const order: BrokerOrderTruth = known ?? { report, states: new Map(), firstUs: report.placedUs };
    order.report = report;
    order.states.set(filledQty, { value, fee, tax });
    this.orders.set(orderKey, order);
    this.#byNumber.set(`${day} ${orderNo}`, order);
    if (refId !== null) this.#byRef.set(refId, order);
  }

  #takeFill(orderKey: string, qty: number, atUs: number): void {
    const order = this.orders.get(orderKey);
    if (order === undefined) return;
    const { orderCode, side } = order.report;
    const fill: FillTruth = { atUs, order, qty };
    this.fills.push(fill);
    this.net.set(orderCode, (this.net.get(orderCode) ?? 0) + signOf(side) * qty);
    this.#give(fill);
  }

  #give(fill: FillTruth): void {
    const { report } = fill.order;
    const { refId, orderCode, side } = report;
    if (refId !== null && this.#placed(refId) === undefined) return void this.#unowned.push(fill);
    const key = `${this.ownerOf(report)} ${orderCode}`;
    this.#held.set(key, (this.#held.get(key) ?? 0) + signOf(side) * fill.qty);
  }

  #takeTrade(trade: TradeMessage): void {
    const trades = this.#trades.get(trade.orderCode) ?? [];
    trades.push(trade);
    const old = trades.findIndex(({ tsUs }) => tsUs >= trade.tsUs - PRICES_US);
    if (old > 64) trades.splice(0, old);
    this.#trades.set(trade.orderCode, trades);
  }

  order(day: string, orderNo: string): BrokerOrderTruth | undefined {
    return this.#byNumber.get(`${day} ${orderNo}`);
  }

  named(refId: string): BrokerOrderTruth | undefined {
    return this.#byRef.get(refId);
  }

  triggerNamed(refId: string): TriggerReport | undefined {
    return this.#triggerByRef.get(refId);
  }

  /** As a person sees who looks at the broker's own program. */
  isOpen(refId: string): boolean {
    const order = this.named(refId)?.report;
    return this.triggerNamed(refId)?.status === 'pending' || (order !== undefined && isOpenAtBroker(order));
  }

  heldBy(owner: string, code: string): number {
    for (const fill of this.#unowned.splice(0)) this.#give(fill);
    return this.#held.get(`${owner} ${code}`) ?? 0;
  }

  openOrders(): readonly OrderReport[] {
    return [...this.orders.values()].map(({ report }) => report).filter(isOpenAtBroker);
  }

  /** Both sides know the same orders that wait for a trigger. */
  waitingDifference(orders: readonly OpenOrderEntry[]): string | null {
    const waiting = orders.filter(({ status }) => status === 'pending_trigger');
    const ours = new Set(waiting.map(({ orderNo }) => String(orderNo)));
    for (const { orderNo, kind } of this.waiting())
      if (!ours.delete(orderNo)) return `${kind} ${orderNo} waits at the broker alone`;
    const [first] = ours;
    return first === undefined ? null : `${first} waits here alone`;
  }

  waiting(): readonly TriggerReport[] {
    return [...this.triggers.values()].filter(({ status }) => status === 'pending');
  }

  /** The stop or exit that sent it; undefined where it was placed. */
  senderOf({ day, orderNo, origin }: OrderReport): TriggerReport | undefined {
    const isSent = origin === 'stop' || origin === 'trailing_stop' || origin === 'exit';
    return isSent ? this.#senders.get(`${day} ${orderNo}`) : undefined;
  }

  /** Books without names do not distinguish two orders of the same terms: the journal says which of them is whose. */
  takenAs(report: OrderReport | TriggerReport, clientOrderId: string): void {
    if (report.refId !== null && this.#placed(clientOrderId) !== undefined)
      this.#taken.set(report.orderKey, clientOrderId);
  }

  #refIdOf({ orderKey, refId }: OrderReport | TriggerReport): string | null {
    return this.#taken.get(orderKey) ?? refId;
  }

  /** Strategy whose order it is: by its id, or by the order that sent it. */
  ownerOf(report: OrderReport): string {
    const refId = this.#refIdOf(report);
    if (refId !== null) return this.#placed(refId)?.owner ?? OPERATOR;
    const sender = this.senderOf(report);
    return sender === undefined ? OPERATOR : this.ownerOfTrigger(sender);
  }

  /** Of fills of earlier days. */
  ownersOfPast(
    isMeant: (report: OrderReport, sender: TriggerReport | undefined) => boolean,
  ): ReadonlySet<string> {
    const past = this.fills.map(({ order }) => order.report).filter(({ day }) => day < this.day);
    const meant = past.filter((report) => isMeant(report, this.senderOf(report)));
    return new Set(meant.map((report) => this.ownerOf(report)));
  }

  ownerOfTrigger(trigger: TriggerReport): string {
    const root = this.#rootOf(trigger);
    return root === null ? OPERATOR : (this.#placed(root)?.owner ?? OPERATOR);
  }

  /** The id of ours that an order goes back to, or null. */
  rootOf(report: OrderReport): string | null {
    if (report.refId !== null) return report.refId;
    const sender = this.senderOf(report);
    return sender === undefined ? null : this.#rootOf(sender);
  }

  #rootOf(trigger: TriggerReport): string | null {
    const { parentOrderNo, day } = trigger;
    const refId = this.#refIdOf(trigger);
    if (refId !== null || parentOrderNo === null) return refId;
    return this.order(day, parentOrderNo)?.report.refId ?? null;
  }

  /** Everything that may still trade. */
  open(): readonly OpenTruth[] {
    return [
      ...this.openOrders().map((order) => this.#openOrder(order)),
      ...this.waiting().map((trigger) => this.#openTrigger(trigger)),
    ];
  }

  #openOrder(order: OrderReport): OpenTruth {
    const { orderCode: code, side, refId } = order;
    const sender = this.senderOf(order);
    const terms = { code, side, qty: order.qty - order.filledQty, isWaiting: false, pair: null };
    if (sender !== undefined)
      return { ...this.#openTrigger(sender), ...terms, refId: null, isStop: sender.half !== 'take_profit' };
    const placed = refId === null ? undefined : this.#placed(refId);
    return { ...terms, refId, root: refId, isStop: false, ...ownedBy(placed) };
  }

  #openTrigger(trigger: TriggerReport): OpenTruth {
    const { orderCode: code, side, qty, refId, half, parentOrderNo, day, triggerPrice } = trigger;
    const root = this.#rootOf(trigger);
    const placed = root === null ? undefined : this.#placed(root);
    const isExit = parentOrderNo !== null;
    const isTrailing = trigger.kind === 'trailing_stop';
    return {
      code,
      side,
      qty,
      refId,
      root,
      isWaiting: true,
      // A trailing stop that is not active yet waits for a better price.
      isStop: half !== 'take_profit' && triggerPrice !== null,
      ...(isTrailing ? { activatedUs: trigger.activatedUs } : {}),
      pair: isExit ? `${day} ${parentOrderNo}` : null,
      ...ownedBy(placed),
      ...(isExit && placed !== undefined ? { purpose: 'reduce' } : {}),
    };
  }

  /** Highest and lowest trade since then, and the last one before; null without any. */
  pricesSince(code: string, sinceUs: number): { readonly low: number; readonly high: number } | null {
    const trades = this.#trades.get(code) ?? [];
    const first = trades.findIndex(({ tsUs }) => tsUs >= sinceUs);
    const from = first === -1 ? trades.length - 1 : Math.max(0, first - 1);
    const prices = trades.slice(Math.max(0, from)).map(({ price }) => price);
    return prices.length === 0 ? null : { low: Math.min(...prices), high: Math.max(...prices) };
  }

  /** A long run keeps what still works, no more. */
  forgetFinished(): void {
    for (const [key, { report }] of this.orders) if (!isOpenAtBroker(report)) this.orders.delete(key);
    for (const [key, { status }] of this.triggers) if (status !== 'pending') this.triggers.delete(key);
    for (const names of [this.#byNumber, this.#byRef])
      for (const [name, { report }] of names) if (!isOpenAtBroker(report)) names.delete(name);
    this.#senders.clear();
    this.#triggerByRef.clear();
    this.fills.length = 0;
  }
}

const ownedBy = (placed: PlacedOrder | undefined): Pick<OpenTruth, 'owner' | 'purpose' | 'isProtective'> =>
  placed === undefined
    ? { owner: OPERATOR, purpose: 'entry', isProtective: false }
    : { owner: placed.owner, purpose: placed.purpose, isProtective: placed.isProtective };

/** Contracts that orders of one owner and side may still trade; halves of one bracket once. */
export function workingOf(
  open: readonly OpenTruth[],
  owner: string,
  code: string,
  side: Side,
  counts: (order: OpenTruth) => boolean = () => true,
): number {
  let total = 0;
  const pairs = new Map<string, number>();
  for (const order of open) {
    if (order.owner !== owner || order.code !== code || order.side !== side || !counts(order)) continue;
    if (order.pair === null) total += order.qty;
    else pairs.set(order.pair, Math.max(pairs.get(order.pair) ?? 0, order.qty));
  }
  return [...pairs.values()].reduce((sum, each) => sum + each, total);
}

/** A stop that was placed before its entry filled is one by now. */
export function protects(truth: BrokerTruth, refId: string): boolean {
  const order = truth.triggerNamed(refId) ?? truth.named(refId)?.report;
  if (order === undefined) return false;
  const owner = 'kind' in order ? truth.ownerOfTrigger(order) : truth.ownerOf(order);
  const held = truth.heldBy(owner, order.orderCode);
  return held !== 0 && (order.side === 'sell') === held > 0;
}
