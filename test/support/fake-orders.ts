/** Orders and positions as an engine would keep them, small: what becomes of an order is for the test to say. */
import { type Contract, valueOf } from '../../src/domain/contract.ts';
import type { ClientOrderId } from '../../src/domain/ids.ts';
import { type ModifyIntent, type OrderIntent, signOf, TERMINAL_STATUSES } from '../../src/domain/order.ts';
import { applyFill, FLAT_POSITION, type Position } from '../../src/domain/position.ts';
import type { PriceTicks, StrategyIndex } from '../../src/domain/units.ts';
import * as units from '../../src/domain/units.ts';
import type { OrderUpdate } from '../../src/engine/ports/strategy-port.ts';

export type Answer = 'accept' | 'deny' | 'reject' | 'not_sent' | 'unknown' | 'silence';

interface FakeOrder {
  readonly strategy: StrategyIndex;
  update: OrderUpdate;
}

export type OrderUpdates = { readonly [K in keyof OrderUpdate]?: OrderUpdate[K] | undefined };

const NOTHING_LEFT = { leavesQty: units.qty(0) };

export class FakeOrders {
  readonly #contracts: readonly Contract[];
  readonly #report: (strategy: StrategyIndex, update: OrderUpdate) => void;
  readonly #orders = new Map<ClientOrderId, FakeOrder>();
  readonly #positions = new Map<string, Position>();
  #isQuiet = false;

  constructor(
    contracts: readonly Contract[],
    report: (strategy: StrategyIndex, update: OrderUpdate) => void,
  ) {
    this.#contracts = contracts;
    this.#report = report;
  }

  add(strategy: StrategyIndex, id: ClientOrderId, intent: OrderIntent): void {
    this.#orders.set(id, { strategy, update: firstUpdate(id, intent) });
  }

  position(strategy: number, instrument: number): Position {
    return this.#positions.get(`${strategy}/${instrument}`) ?? FLAT_POSITION;
  }

  carry(strategy: number, instrument: number, position: Position): void {
    this.#positions.set(`${strategy}/${instrument}`, position);
  }

  working(strategy: number): readonly OrderUpdate[] {
    return [...this.#orders.values()]
      .filter((order) => order.strategy === strategy && !TERMINAL_STATUSES.has(order.update.status))
      .map(({ update }) => update);
  }

  answer(id: ClientOrderId, answer: Answer): void {
    switch (answer) {
      case 'accept':
        this.set(id, { status: 'accepted' });
        break;
      case 'deny':
        this.set(id, { status: 'denied', denial: { code: 'band_unknown' }, ...NOTHING_LEFT });
        break;
      case 'reject':
        this.set(id, { status: 'rejected', reason: 'not enough margin', ...NOTHING_LEFT });
        break;
      case 'not_sent':
        this.set(id, { status: 'not_sent', reason: 'connection refused', ...NOTHING_LEFT });
        break;
      case 'unknown':
        this.set(id, { status: 'unknown' });
        break;
      case 'silence':
        break;
    }
  }

  change(change: ModifyIntent, answer: 'accept' | 'deny'): void {
    if (!this.#isOpen(change.clientOrderId)) return;
    if (answer === 'deny') {
      this.set(change.clientOrderId, { denial: { code: 'order_rate', orders: 1, max: 1, perUs: 1 } });
      return;
    }
    const { kind: _kind, clientOrderId: _id, ...edit } = change;
    this.set(change.clientOrderId, { status: 'accepted', ...edit });
  }

  cancel(id: ClientOrderId, answer: 'accept' | 'refuse' = 'accept'): void {
    if (!this.#isOpen(id)) return;
    if (answer === 'refuse')
      this.set(id, { status: 'accepted', reason: '-8004 Order already fully matched' });
    else this.set(id, { status: 'canceled', ...NOTHING_LEFT });
  }

  /** Fills what the touch crosses, at most `qtyMax` an order. */
  fillCrossed(touch: (order: OrderUpdate) => PriceTicks | undefined, qtyMax: number): void {
    for (const [id, { update }] of this.#orders) {
      if (update.status !== 'accepted' && update.status !== 'partially_filled') continue;
      const price = touch(update);
      if (price === undefined || signOf(update.side) * (update.limitPrice - price) < 0) continue;
      this.fill(id, Math.min(update.leavesQty, qtyMax));
    }
  }

  fill(id: ClientOrderId, filled: number): void {
    const { strategy, update } = this.#orders.get(id)!;
    const { spec } = this.#contracts[update.instrument]!;
    const value = valueOf(spec, update.limitPrice, filled);
    const before = this.position(strategy, update.instrument);
    this.carry(strategy, update.instrument, applyFill(before, signOf(update.side) * filled, value));
    const leavesQty = units.qty(Math.max(0, update.leavesQty - filled));
    this.set(id, {
      status: leavesQty === 0 ? 'filled' : 'partially_filled',
      filledQty: units.qty(update.filledQty + filled),
      filledValue: units.money(update.filledValue + value),
      leavesQty,
      lastFilledQty: units.qty(filled),
      lastFilledValue: value,
    });
  }

  /** One poll of the book finds both: the order is accepted, and some of it is filled. They are reported in two steps. */
  acceptAndFill(id: ClientOrderId, filled: number): void {
    const order = this.#orders.get(id)!;
    const accepted: OrderUpdate = { ...order.update, status: 'accepted' };
    const updates: OrderUpdate[] = [accepted];
    this.#isQuiet = true;
    this.fill(id, filled);
    this.#isQuiet = false;
    updates.push(order.update);
    for (const update of updates) this.#report(order.strategy, update);
  }

  set(id: ClientOrderId, news: OrderUpdates): void {
    const order = this.#orders.get(id)!;
    const calm = { lastFilledQty: units.qty(0), lastFilledValue: units.money(0), denial: null, reason: '' };
    const known = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined));
    order.update = { ...order.update, ...calm, ...known };
    if (!this.#isQuiet) this.#report(order.strategy, order.update);
  }

  #isOpen(id: ClientOrderId): boolean {
    const order = this.#orders.get(id);
    return order !== undefined && !TERMINAL_STATUSES.has(order.update.status);
  }
}

function firstUpdate(id: ClientOrderId, intent: OrderIntent): OrderUpdate {
  return {
    clientOrderId: id,
    instrument: intent.instrument,
    side: intent.side,
    status: 'submitted',
    qty: intent.qty,
    limitPrice: intent.limitPrice,
    filledQty: units.qty(0),
    filledValue: units.money(0),
    leavesQty: intent.qty,
    lastFilledQty: units.qty(0),
    lastFilledValue: units.money(0),
    denial: null,
    reason: '',
  };
}
