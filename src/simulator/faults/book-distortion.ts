/** Hides orders from the books, and contradicts the in-day book, while a fault is in force. Positions and money stay true. */
import type { Clock } from '../../domain/clock.ts';
import type { BrokerOrderKey, BrokerOrderNo } from '../../domain/ids.ts';
import { US_PER_SECOND } from '../../domain/units.ts';
import type { OrderReport } from '../../venue/venue-event.ts';
import type { FaultBoard } from './fault-board.ts';

interface ShownOrder {
  readonly order: OrderReport;
  /** Letters to show in place of the true ones. */
  readonly statusText: string | null;
}

interface KeyedRow {
  readonly orderKey: BrokerOrderKey;
}

export class BookDistortion {
  readonly #faults: FaultBoard;
  readonly #clock: Clock;
  /** Real time until which an order is not shown. */
  readonly #hiddenUntil = new Map<BrokerOrderKey, number>();

  constructor(faults: FaultBoard, clock: Clock) {
    this.#faults = faults;
    this.#clock = clock;
  }

  placed({ orderKey }: KeyedRow): void {
    const hidden = this.#faults.strike('hide_new_order');
    if (hidden) this.#hiddenUntil.set(orderKey, this.#clock.nowUs() + hidden.seconds * US_PER_SECOND);
  }

  /** One answer of the in-day book. A contradiction strikes once an answer, not once a row. */
  shown(orders: readonly OrderReport[]): readonly ShownOrder[] {
    const visible = this.visible('in-day', orders);
    const wrong = this.#faults.strike('contradict_status');
    return visible.map((order) => ({
      order,
      statusText: wrong && matchesOrder(wrong.orderNo, order.orderNo) ? wrong.status : null,
    }));
  }

  visible<T extends KeyedRow>(book: 'in-day' | 'conditions', rows: readonly T[]): readonly T[] {
    if (this.#faults.strike('empty_book', { book }) !== undefined) return [];
    return this.#hiddenUntil.size === 0 ? rows : rows.filter((row) => !this.#isHidden(row));
  }

  #isHidden({ orderKey }: KeyedRow): boolean {
    const until = this.#hiddenUntil.get(orderKey);
    if (until === undefined) return false;
    if (this.#clock.nowUs() < until) return true;
    this.#hiddenUntil.delete(orderKey);
    return false;
  }
}

const matchesOrder = (orderNo: string | undefined, actual: BrokerOrderNo): boolean =>
  orderNo === undefined || orderNo === actual;
