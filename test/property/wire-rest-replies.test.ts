/** The one rule about broken answers that the fuzz run of all readers does not hold. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { brokerOrderKey } from '../../src/domain/ids.ts';
import { classifyCallReply } from '../../src/wire/rest/call-reply.ts';
import { cancelOrder } from '../../src/wire/rest/order-calls.ts';
import { IN_DAY_ROW } from '../wire/support/broker-facts.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    '',
    ' ',
    null,
    0,
    -0,
    -1,
    1e300,
    -1e300,
    5e-324,
    '1e400',
    '1E5',
    'MTL',
    true,
    [],
    {},
    '__proto__',
  ),
);

/** Any JSON in the place of one or more fields of a right message. */
const broken = (message: unknown): fc.Arbitrary<unknown> =>
  fc.tuple(fc.infiniteStream(fc.boolean()), fc.infiniteStream(anything)).map(([chances, values]) => {
    const turn = (value: unknown, depth: number): unknown => {
      const isHit: boolean = chances.next().value && chances.next().value && chances.next().value;
      if (isHit && depth > 0) return values.next().value;
      if (Array.isArray(value)) return value.map((entry) => turn(entry, depth + 1));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, turn(entry, depth + 1)]));
    };
    return turn(JSON.parse(JSON.stringify(message)), 0);
  });

const CANCELED = cancelOrder.encodeResponse({ ...IN_DAY_ROW.order, orderKey: brokerOrderKey('1'), time: '' });

it('a reply to a call, however broken, is one of three outcomes, and accepted only with an order number', () => {
  const replies = fc.oneof(
    fc.string(),
    fc.jsonValue().map((json) => JSON.stringify(json)),
    broken(CANCELED).map((json) => JSON.stringify(json)),
  );
  fc.assert(
    fc.property(fc.constantFrom(200, 200, 200, 400, 401, 500), replies, (httpStatus, text) => {
      const outcome = classifyCallReply({ httpStatus, text }, 'place', new CountedDrift());
      expect(['accepted', 'rejected', 'unknown']).toContain(outcome.status);
      expect(outcome.status !== 'accepted' || (httpStatus === 200 && outcome.orderNo !== '')).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
