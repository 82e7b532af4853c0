/** How orders end with their day. */
import type { LookUpSettings } from '../../domain/settings.ts';
import type { BookSnapshot } from '../ports/engine-event.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';

export class DayEnd {
  readonly #orders: Orders;
  readonly #life: OrderLife;
  readonly #lookUp: LookUpSettings;
  #closedUs = Infinity;
  #unproven = 0;

  constructor(orders: Orders, life: OrderLife, lookUp: LookUpSettings) {
    this.#orders = orders;
    this.#life = life;
    this.#lookUp = lookUp;
  }

  /** Orders that the last day left unproven: entries stay frozen until positions explain them (rulings, 6). */
  get unproven(): number {
    return this.#unproven;
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
      if (order.orderNo !== null && order.rowUs === startedUs) this.#life.apply(order, 'day_ended');
    }
  }

  /** The next day begins: today's book is gone, and what it did not prove stays unproven. */
  nextDay(): void {
    for (const order of this.#orders.open) {
      this.#life.apply(order, 'day_ended_unproven');
      this.#unproven += 1;
    }
    this.#orders.clear();
    this.#closedUs = Infinity;
  }

  explained(): void {
    this.#unproven = 0;
  }
}
