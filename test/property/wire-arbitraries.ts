/** What the messages of the service are made of. */
import fc from 'fast-check';
import { brokerOrderKey, brokerOrderNo, clientOrderId } from '../../src/domain/ids.ts';
import type { Side } from '../../src/domain/order.ts';
import { money, priceHundredths, priceTicks, qty } from '../../src/domain/units.ts';
import { FRONT, NEXT } from '../wire/support/listed-contracts.ts';

/** Over the wire and back: what JSON cannot carry does not arrive. */
export const sent = (json: unknown): unknown => JSON.parse(JSON.stringify(json));

export const codes = fc.constantFrom(FRONT.orderCode, NEXT.orderCode);
export const sides = fc.constantFrom<Side>('buy', 'sell');
export const prices = fc.integer({ min: 8_000, max: 20_000 }).map(priceTicks);
export const sizes = fc.integer({ min: 1, max: 500 }).map(qty);
export const amounts = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }).map(money);
export const payments = fc.integer({ min: 1, max: 1_000_000_000_000 }).map(money);
export const hundredths = fc.integer({ min: 1, max: 300_000 }).map(priceHundredths);
const words = fc.stringMatching(/^[A-Za-z0-9.]{1,20}$/);
export const orderNos = fc.integer({ min: 1, max: 99_999 }).map((no) => brokerOrderNo(String(no)));
export const orderKeys = fc
  .integer({ min: 1_000_000, max: 9_999_999 })
  .map((key) => brokerOrderKey(String(key)));
export const refIds = words.map(clientOrderId);
