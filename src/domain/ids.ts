/** Names of things, each with its own brand, minted only in this file. */
import { assert } from './assert.ts';
import { type Brand, OPERATOR_INDEX, type StrategyIndex, strategyIndex } from './units.ts';

/** Our id of one call to the broker; `refId` on the wire. Unique over all starts of the daemon. */
export type ClientOrderId = Brand<string, 'ClientOrderId'>;
/** The broker's order number: a small counter that restarts every trading day (notes, 3). */
export type BrokerOrderNo = Brand<string, 'BrokerOrderNo'>;
export type BrokerOrderKey = Brand<string, 'BrokerOrderKey'>;
export type AccountId = Brand<string, 'AccountId'>;
export type SubAccountId = Brand<string, 'SubAccountId'>;
export type OrderCode = Brand<string, 'OrderCode'>;
/** The code the price stream carries; equal to the order code by default (rulings, 4). */
export type StreamCode = Brand<string, 'StreamCode'>;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each name below gives its own brand
function named<T extends string>(value: string, what: string): T {
  assert(value.length > 0 && value.trim() === value, what);
  return value as T;
}

export const clientOrderId = (value: string): ClientOrderId =>
  named(value, 'a client order id has no blanks');
export const brokerOrderNo = (value: string): BrokerOrderNo => named(value, 'an order number has no blanks');
/** As venues of our own count them. */
export const brokerOrderNoOf = (count: number): BrokerOrderNo => String(count) as BrokerOrderNo;
export const brokerOrderKeyOf = (count: number): BrokerOrderKey => String(count) as BrokerOrderKey;
export const brokerOrderKey = (value: string): BrokerOrderKey => named(value, 'an order key has no blanks');
export const accountId = (value: string): AccountId => named(value, 'an account id has no blanks');
export const subAccountId = (value: string): SubAccountId => named(value, 'a sub-account id has no blanks');
export const orderCode = (value: string): OrderCode => named(value, 'an order code has no blanks');
export const streamCode = (value: string): StreamCode => named(value, 'a stream code has no blanks');

/** The end of an id: two digits of the start and six digits or letters of the counter distinguish all orders of a day. */
const DIGITS = 8;
const DAY_PART = /\d{4}-\d\d-\d\d\./;

/** The part of an order's id that differs within a day: short enough to follow by eye and long enough to search for. */
export const shortOrderId = (id: string): string =>
  `#${/[\dA-Z]$/.test(id) && id.startsWith('H.') ? id.slice(-DIGITS) : id.replace(DAY_PART, '')}`;

// Names of strategies and their places, for as long as the process lives. Everything stored names strategies: a place is one of one
// configuration, and the next start may order its strategies differently.

/** Owner of orders and positions of no strategy. What concerns nobody's orders is of the `system`. */
export const OPERATOR = 'operator';

export class StrategyNames {
  readonly #names: string[];

  /** The configured names come first, in their order. */
  constructor(configured: readonly string[] = []) {
    this.#names = [...configured];
  }

  get all(): readonly string[] {
    return this.#names;
  }

  has(name: string): boolean {
    return name === OPERATOR || this.#names.includes(name);
  }

  nameOf(index: StrategyIndex): string {
    if (index === OPERATOR_INDEX) return OPERATOR;
    const name = this.#names[index];
    assert(name !== undefined, 'each strategy has a name');
    return name;
  }

  /** A name that is new, such as that of a strategy that left the configuration, gets the next place. */
  indexOf(name: string): StrategyIndex {
    if (name === OPERATOR) return OPERATOR_INDEX;
    const index = this.#names.indexOf(name);
    if (index !== -1) return strategyIndex(index);
    this.#names.push(name);
    return strategyIndex(this.#names.length - 1);
  }
}
