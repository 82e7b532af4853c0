/** How orders end with their day. */
import type { EngineSettings, LookUpSettings } from '../../domain/settings.ts';
import type { BookSnapshot } from '../ports/engine-event.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import type { OurOrder } from './our-order.ts';

export class DayEnd {
  readonly #orders: Orders;
  readonly #life: OrderLife;
  readonly #lookUp: LookUpSettings;
  readonly #isEndless: boolean;
  #closedUs = Infinity;

  constructor(
    orders: Orders,
    life: OrderLife,
    { lookUp, orders: lasting = 'day' }: Pick<EngineSettings, 'lookUp' | 'orders'>,
  ) {
    this.#orders = orders;
    this.#life = life;
    this.#lookUp = lookUp;
    this.#isEndless = lasting === 'until_canceled';
  }

  closed(at: number): void {
    this.#closedUs = at;
  }

  opened(): void {
    this.#closedUs = Infinity;
  }

  /** Day orders die with the last auction; a complete walk well after it shows all they filled. */
  afterBook({ complete, startedUs }: BookSnapshot): void {
    if (!complete || startedUs < this.#closedUs + this.#lookUp.spread) return;
    for (const order of this.#orders.open) {
      if (!order.isWaiting && order.orderNo !== null && order.rowUs === startedUs)
        this.#life.apply(order, 'day_ended');
    }
  }

  /** The day is over, and the book that could have proven it is gone. */
  over(): void {
    if (this.#isEndless) return;
    for (const order of this.#orders.open)
      if (!outlivesDay(order)) this.#life.apply(order, 'day_ended_unproven');
  }

  /** The next day begins. Entries wait until positions explain what was not proven (rulings, 6). */
  nextDay(): void {
    this.#closedUs = Infinity;
    if (this.#isEndless) return;
    this.over();
    this.#orders.clear();
  }
}

/** It stands in the trigger book, and the book of the next day says whether it still does. */
const outlivesDay = ({ isWaiting, status }: OurOrder): boolean =>
  isWaiting && (status === 'pending_trigger' || status === 'pending_modify' || status === 'pending_cancel');
