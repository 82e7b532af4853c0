/** All orders of the trading day by our id and by the broker's number; the ones that are not final also in a list. */
import type { BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { OurOrder } from './our-order.ts';
import { TouchPrices } from './touch-prices.ts';

export class Orders {
  readonly touch = new TouchPrices();
  readonly #byId = new Map<ClientOrderId, OurOrder>();
  readonly #byNumber = new Map<BrokerOrderNo, OurOrder>();
  #open: OurOrder[] = [];
  #ownOpen = 0;
  #unresolved = 0;
  #presumedAbsent: OurOrder | null = null;
  #version = 0;

  /** Not final, oldest first. What leaves it leaves a new list: a loop over the old one goes on undisturbed. */
  get open(): readonly OurOrder[] {
    return this.#open;
  }

  /** Of the open ones, those that are not adopted. */
  get ownOpen(): number {
    return this.#ownOpen;
  }

  /** Orders without a number whose fate is not known; `presumed_absent` ones are not among them. */
  get unresolved(): number {
    return this.#unresolved;
  }

  /** The oldest order that complete walks did not show, and that a person has to resolve. */
  get presumedAbsent(): OurOrder | null {
    return this.#presumedAbsent;
  }

  /** Counts every change of what is open. */
  get version(): number {
    return this.#version;
  }

  get count(): number {
    return this.#byId.size;
  }

  add(order: OurOrder): void {
    this.#byId.set(order.clientOrderId, order);
    this.#open.push(order);
    this.changed();
  }

  get(id: ClientOrderId): OurOrder | undefined {
    return this.#byId.get(id);
  }

  byNumber(number: BrokerOrderNo): OurOrder | undefined {
    return this.#byNumber.get(number);
  }

  /** False when the number already belongs to another order. */
  bind(order: OurOrder, number: BrokerOrderNo): boolean {
    const owner = this.#byNumber.get(number);
    if (owner !== undefined && owner !== order) return false;
    if (order.orderNo !== null && order.orderNo !== number) return false;
    order.orderNo = number;
    order.absence = null;
    this.#byNumber.set(number, order);
    this.changed();
    return true;
  }

  /** To be called after any change of an order's status, quantity, price or open call. */
  changed(order?: OurOrder): void {
    if (order !== undefined && !order.isFinal && !this.#open.includes(order)) this.#open.push(order);
    if (this.#open.some((each) => each.isFinal)) this.#open = this.#open.filter((each) => !each.isFinal);
    this.#ownOpen = 0;
    this.#unresolved = 0;
    this.#presumedAbsent = null;
    for (const each of this.#open) {
      if (!each.isAdopted) this.#ownOpen += 1;
      if (each.status === 'presumed_absent') this.#presumedAbsent ??= each;
      else if (each.isUnresolved) this.#unresolved += 1;
    }
    this.touch.refresh(this.#open);
    this.#version += 1;
  }

  /** A new trading day: numbers begin anew. */
  clear(): void {
    this.#byId.clear();
    this.#byNumber.clear();
    this.#open = [];
    this.changed();
  }
}
