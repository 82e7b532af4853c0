import { expect, test } from 'vitest';
import { priceHundredths, priceTicks } from '../../src/domain/units.ts';
import { touchPrice } from '../../src/strategy/position-worker.ts';
import { at, bookTick } from '../support/strategy-fixtures.ts';

const band = { ceiling: priceTicks(13_910), floor: priceTicks(12_090), reference: priceHundredths(130_000) };

test.each([
  // side, where, slip, bid, ask, price
  ['buy', 'join', 0, 12_999, 13_001, 12_999],
  ['buy', 'cross', 0, 12_999, 13_001, 13_001],
  ['buy', 'cross', 5, 12_999, 13_001, 13_006],
  ['sell', 'join', 0, 12_999, 13_001, 13_001],
  ['sell', 'cross', 0, 12_999, 13_001, 12_999],
  ['sell', 'cross', 5, 12_999, 13_001, 12_994],
  // Locked at the ceiling: nobody sells.
  ['buy', 'cross', 5, 13_910, null, 13_910],
  ['buy', 'join', 0, 13_910, null, 13_910],
  // Locked at the floor: nobody buys.
  ['sell', 'cross', 5, null, 12_090, 12_090],
  ['sell', 'join', 0, null, 12_090, 12_090],
  ['buy', 'cross', 0, null, null, undefined],
  // A torn book is not a price.
  ['buy', 'cross', 0, 13_001, 13_001, undefined],
  ['sell', 'join', 0, 13_002, 13_001, undefined],
] as const)('%s %s slip %d in %s/%s is %s', (side, where, slip, bid, ask, price) => {
  const book = bookTick({ seq: 1, tsUs: at('09:30:00') }, bid, ask);
  expect(touchPrice(side, where, slip, book, band)).toBe(price);
});

test('without a book or a band there is no price', () => {
  const book = bookTick({ seq: 1, tsUs: at('09:30:00') }, 12_999, 13_001);
  expect(touchPrice('buy', 'join', 0, undefined, band)).toBeUndefined();
  expect(touchPrice('buy', 'join', 0, book, undefined)).toBeUndefined();
});
