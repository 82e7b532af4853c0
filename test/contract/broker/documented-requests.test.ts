/**
 * Every documented field of every request: as the document has it, left out, empty, as the JSON types that clients use for
 * it (notes, 1), and what the service says when it cannot do without.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation, RequestField } from './document/operation.ts';
import { DOCUMENTED, operationNamed } from './document/operations.ts';
import { ALICE, BOB, CAROL, NORMAL, rich } from './support/customers.ts';
import type { Values } from './support/bare-client.ts';
import { type Market, openMarket } from './support/market.ts';
import { validCall } from './support/valid-call.ts';
import { verdictOf } from './support/verdict.ts';

/** Enough orders of stock to cancel one in each case. */
const ORDERS = 40;
const accounts = [
  {
    ...ALICE,
    subAccounts: rich(ALICE.subAccounts).map((account) => ({
      ...account,
      stockOrders:
        account.accountNo === NORMAL
          ? Array.from({ length: ORDERS }, (_, i) => {
              return { orderId: `S${i}`, symbol: 'VCB', side: 'buy' as const, qty: 1, price: 60_000 };
            })
          : [],
    })),
  },
  BOB,
  CAROL,
];

let market: Market;
let canceled = 0;

beforeAll(async () => {
  market = await openMarket({ accounts });
});

async function valuesFor(name: string): Promise<Values> {
  const values = await validCall(market, name);
  if (name !== 'cancel-stock-orders') return values;
  canceled += 1;
  return { ...values, ordersList: [{ orderID: `S${canceled}` }] };
}

const fieldsOf = (accept: (field: RequestField, operation: Operation) => boolean) =>
  DOCUMENTED.flatMap((operation) =>
    operation.asks
      .filter((field) => accept(field, operation))
      .map((field) => ({ operation: operation.name, field: field.name, place: field.place })),
  );

/** What the service says to a call with some of its values changed. */
async function saidTo(name: string, changed: Values): Promise<string> {
  const answer = await market.alice.call(name, { ...(await valuesFor(name)), ...changed });
  return verdictOf(operationNamed(name), answer);
}

const WITH_BODY = DOCUMENTED.filter(({ method }) => method !== 'GET');
const WITH_QUERY = DOCUMENTED.filter(({ method }) => method === 'GET');

describe('a request with every documented field', () => {
  it.each(DOCUMENTED)('$name is accepted', async ({ name }) => {
    expect(await saidTo(name, {})).toBe('accepted');
  });
});

describe('an optional field', () => {
  it.each(fieldsOf(({ need }) => need !== 'needed'))(
    '$operation: $field may be left out, empty, or null',
    async ({ operation, field, place }) => {
      for (const value of [undefined, '', ...(place === 'body' ? [null] : [])]) {
        expect(await saidTo(operation, { [field]: value }), String(value)).toBe('accepted');
      }
    },
  );
});

describe('a needed field', () => {
  it.each(fieldsOf(({ need, place }) => need === 'needed' && place !== 'path'))(
    '$operation: $field is refused when it is missing or empty, and when it is of no use',
    async ({ operation, field, place }) => {
      // A block of the profile that nobody knows is left out of the answer, like one that was not asked for.
      const useless = operation === 'profile' ? [] : ['\u0000'];
      const values = [undefined, '', ...useless, ...(place === 'body' ? [null, {}, [[]], true] : [])];
      for (const value of values) {
        expect(await saidTo(operation, { [field]: value }), JSON.stringify(value)).toMatch(/^refused /);
      }
    },
  );
});

describe('what clients send that the document does not have', () => {
  it.each(fieldsOf(({ type, place }) => place === 'body' && (type === 'number' || type === 'int64')))(
    '$operation: $field as a text',
    async ({ operation, field }) => {
      const values = await valuesFor(operation);
      const text = String((values[field] as number | undefined) ?? 0);
      const answer = await market.alice.call(operation, { ...values, [field]: text });
      expect(verdictOf(operationNamed(operation), answer)).toBe('accepted');
    },
  );

  it.each([
    ['cancel', 'orderNo'],
    ['change', 'orderNo'],
    ['condition-cancel', 'orderNo'],
    ['condition-change', 'pkOrderNo'],
    ['token', 'otp'],
  ])('%s: %s as a number', async (name, field) => {
    const values = await valuesFor(name);
    const number = Number(values[field] ?? market.alice.otp);
    const answer = await market.alice.call(name, { ...values, [field]: number });
    expect(verdictOf(operationNamed(name), answer)).toBe('accepted');
  });

  it.each(WITH_BODY)('$name with unknown fields', async ({ name, asks }) => {
    const unknown = { advance: '', pin: null, type: 'I', cmd: '', channel: 7 };
    const isKnown = (field: string): boolean => asks.some((documented) => documented.name === field);
    const added = Object.entries(unknown).filter(([field]) => !isKnown(field));
    expect(await saidTo(name, Object.fromEntries(added))).toBe('accepted');
  });

  it.each(WITH_QUERY)('$name with unknown filters', async ({ name }) => {
    expect(await saidTo(name, { lang: 'vi', _: '1' })).toBe('accepted');
  });
});

describe('names of a query', () => {
  it.each([
    ['conditions', 'PageSize', 'pageSize'],
    ['conditions', 'accountId', 'accountID'],
    ['in-day', 'pageSize', 'PageSize'],
    ['closed-positions', 'pageNo', 'pageno'],
  ])('%s: %s is not %s, they count letter by letter', async (name, right, wrong) => {
    const values = market.alice.usualValues(operationNamed(name));
    expect(await saidTo(name, { [right]: undefined, [wrong]: values[right] })).toMatch(/^refused /);
  });

  it('conditions: subAccountID is read, subAccountId is not', async () => {
    const another = market.bob.subAccountId;
    expect(await saidTo('conditions', { subAccountID: another })).toMatch(/^refused /);
    expect(await saidTo('conditions', { subAccountID: undefined, subAccountId: another })).toBe('accepted');
  });
});

describe('a body that is not JSON', () => {
  it.each(WITH_BODY)('$name is answered with 400', async ({ method, path }) => {
    const answer = await market.alice.raw(method, path.replace('{accountNo}', NORMAL), '{"apiKey":');
    expect([answer.status, typeof answer.json['code']]).toEqual([400, 'string']);
  });
});
