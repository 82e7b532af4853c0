/** No body, however broken, makes a reader of the REST interface throw. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokerOrderKey } from '../../src/domain/ids.ts';
import { decodeTokenExpiry } from '../../src/wire/token-expiry.ts';
import { accountStatus } from '../../src/wire/rest/account-status.ts';
import { classifyCallReply } from '../../src/wire/rest/call-reply.ts';
import { cancelOrder, changeOrder, placeOrder } from '../../src/wire/rest/order-calls.ts';
import { contractList, derivatives } from '../../src/wire/rest/market-reads.ts';
import { decodeErrorBody, exchangeToken, requestOtp } from '../../src/wire/rest/token-calls.ts';
import { inDayBook } from '../../src/wire/rest/in-day-book.ts';
import { openPositions } from '../../src/wire/rest/open-positions.ts';
import { profile } from '../../src/wire/rest/profile.ts';
import {
  ACCOUNT_ROW,
  IN_DAY_ROW,
  POSITION_ROW,
  QUOTE_ROW,
  SUB_ACCOUNT,
} from '../wire/support/broker-facts.ts';
import { CountedDrift } from '../wire/support/counted-drift.ts';
import { FRONT, specOf } from '../wire/support/listed-contracts.ts';

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
const ANSWERS = [
  inDayBook.encodeResponse([IN_DAY_ROW, IN_DAY_ROW]),
  openPositions.encodeResponse([POSITION_ROW], SUB_ACCOUNT),
  accountStatus.encodeResponse(ACCOUNT_ROW),
  derivatives.encodeResponse([QUOTE_ROW]),
  contractList.encodeResponse([{ code: 'A', expiry: FRONT.expiry, frontMonth: true }]),
  profile.encodeResponse({ custodyCode: 'a', name: 'b', subAccounts: [] }, ['basicInfo', 'bankSubAccounts']),
];

const CANCELED = cancelOrder.encodeResponse({ ...IN_DAY_ROW.order, orderKey: brokerOrderKey('1'), time: '' });

describe('no body makes a reader throw', () => {
  it('of answers: a value or at least one issue', () => {
    const bodies = fc.oneof(fc.jsonValue(), ...ANSWERS.map(broken));
    fc.assert(
      fc.property(bodies, (json) => {
        const drift = new CountedDrift();
        const reads = [
          inDayBook.decodeResponse(json, specOf, drift),
          openPositions.decodeResponse(json, drift),
          accountStatus.decodeResponse(json, drift),
          derivatives.decodeResponse(json, specOf, drift),
          contractList.decodeResponse(json, drift),
          profile.decodeResponse(json),
          requestOtp.decodeResponse(json),
          exchangeToken.decodeResponse(json),
        ];
        expect(reads.every((read) => read.ok || read.issues.length > 0)).toBe(true);
        expect(typeof decodeErrorBody(json).code).toBe('string');
      }),
      { numRuns: 1_000 },
    );
  });

  it('of replies to calls: always one of three outcomes, and accepted only with an order number', () => {
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

  it('of requests', () => {
    const requests = fc.record({ params: fc.jsonValue(), query: fc.jsonValue(), body: fc.jsonValue() });
    fc.assert(
      fc.property(requests, (raw) => {
        const reads = [
          placeOrder,
          changeOrder,
          cancelOrder,
          inDayBook,
          accountStatus,
          openPositions,
          profile,
          requestOtp,
          exchangeToken,
        ];
        expect(reads.every((operation) => typeof operation.decodeRequest(raw).ok === 'boolean')).toBe(true);
      }),
    );
  });

  it('of tokens', () => {
    const tokens = fc.oneof(
      fc.string(),
      fc.jsonValue().map((claims) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`),
      anything.map((exp) => `e30.${Buffer.from(JSON.stringify({ exp, iat: exp })).toString('base64url')}.x`),
    );
    fc.assert(
      fc.property(tokens, (token) => {
        const expiry = decodeTokenExpiry(token);
        expect(expiry.ok ? expiry.value > 0 : expiry.issues.length > 0).toBe(true);
      }),
    );
  });
});
