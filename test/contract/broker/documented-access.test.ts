/** Who may call what: 401 or 403 without a valid token on every operation but the two token calls (notes, 2). */
import { beforeAll, describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/units.ts';
import type { Operation } from './document/operation.ts';
import { DOCUMENTED } from './document/operations.ts';
import { BareClient } from './support/bare-client.ts';
import { ALICE, BOB, CAROL, NORMAL, rich } from './support/customers.ts';
import { type Market, openMarket, withAuth } from './support/market.ts';
import { validCall } from './support/valid-call.ts';
import { verdictOf } from './support/verdict.ts';

const GUARDED = DOCUMENTED.filter(({ isOpen }) => !isOpen);
const OPEN = DOCUMENTED.filter(({ isOpen }) => isOpen);
const wealthy = { ...ALICE, subAccounts: rich(ALICE.subAccounts) };
const markets = new Map<number, Market>();

beforeAll(async () => {
  for (const refusalStatus of [401, 403] as const) {
    markets.set(refusalStatus, await openMarket(withAuth({ refusalStatus, tokenLife: minutes(1) })));
  }
});

/** Status and message of a call with this header. */
async function answerTo(operation: Operation, status: number, authorization?: string): Promise<unknown[]> {
  const rest = markets.get(status)?.simulator.rest ?? '';
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const answer = await new BareClient(rest, ALICE).call(operation.name, { accountNo: NORMAL }, headers);
  return [answer.status, typeof answer.json['code'], typeof answer.json['message']];
}

it('the operations with a token are 21', () => {
  expect(GUARDED).toHaveLength(21);
  expect(OPEN.map(({ name }) => name)).toEqual(['request-otp', 'token']);
});

describe.each([401, 403])('HTTP %i', (status) => {
  it.each(GUARDED)('is the answer to $name without a valid token', async (operation) => {
    const market = markets.get(status);
    const signed = String(market?.alice.token);
    const [header, payload] = signed.split('.');
    const refused = [status, 'string', 'string'];
    for (const given of [
      undefined,
      'Bearer',
      'Bearer x.y.z',
      'Basic YTpi',
      signed,
      `Token ${signed}`,
      `Bearer ${header}.${payload}.`,
      `Bearer ${signed.slice(0, -4)}AAAA`,
    ]) {
      expect(await answerTo(operation, status, given), given).toEqual(refused);
    }
  });
});

describe('a token', () => {
  let market: Market;

  beforeAll(async () => {
    market = await openMarket({ ...withAuth({ tokenLife: minutes(1) }), accounts: [wealthy, BOB, CAROL] });
  });

  it.each(GUARDED)('opens $name until it expires', async (operation) => {
    const { alice, time } = market;
    await alice.logIn();
    const values = await validCall(market, operation.name);
    expect(verdictOf(operation, await alice.call(operation.name, values))).toBe('accepted');
    time.advance(minutes(1));
    const answer = await alice.call(operation.name, values);
    expect([answer.status, typeof answer.json['message']]).toEqual([401, 'string']);
  });

  it.each(GUARDED.filter(({ asks }) => asks.length > 0))(
    'of another customer does not open $name',
    async (operation) => {
      const { alice, bob, simulator } = market;
      await alice.logIn();
      const values = await validCall(market, operation.name);
      const intruder = new BareClient(simulator.rest, ALICE);
      intruder.token = await bob.logIn();
      expect(verdictOf(operation, await intruder.call(operation.name, values))).toMatch(/^refused /);
    },
  );
});
