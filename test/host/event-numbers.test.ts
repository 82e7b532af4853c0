/** Whatever enters the engine is the same on the other side of the thread. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packEvents, unpackEvents } from '../../src/host/worker-protocol.ts';
import { instrumentIndex, priceHundredths, priceTicks, qty, seq, tsUs } from '../../src/domain/units.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';

const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const price = fc.maxSafeInteger().map(priceTicks);
const size = whole.map(qty);
const head = { seq: whole.map(seq), tsUs: whole.map(tsUs) };
const ofContract = { ...head, instrument: fc.nat().map(instrumentIndex) };
const half = fc.record({
  level: fc.nat({ max: 9 }),
  price: fc.option(price, { nil: undefined }),
  qty: fc.option(size, { nil: undefined }),
});
const level = fc.oneof(fc.record({ price, qty: size }), fc.constant(null), fc.constant(undefined));
const event: fc.Arbitrary<EngineEvent> = fc.oneof(
  fc.record({ kind: fc.constant('trade' as const), ...ofContract, price, qty: size, totalVolume: whole }),
  fc.record({
    kind: fc.constant('book_update' as const),
    ...ofContract,
    side: fc.constantFrom('bid' as const, 'ask' as const),
    levels: fc.array(level, { maxLength: 10 }),
    halves: fc.option(fc.array(half, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({
    kind: fc.constant('summary' as const),
    ...ofContract,
    open: price,
    high: price,
    low: price,
    average: fc.maxSafeInteger().map(priceHundredths),
  }),
  fc.record({ kind: fc.constant('clock' as const), ...head }),
);

test('a block brings its events over a thread in their order, and nothing of them changes', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      expect(unpackEvents(structuredClone(packEvents(events)))).toEqual(events);
    }),
  );
});
