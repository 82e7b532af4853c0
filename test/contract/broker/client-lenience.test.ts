/**
 * The same answers in the other forms that the service is known to have (notes, 1): what our client makes of them is
 * the same, and what deviates from the document is counted.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { RestClient } from '../../../src/broker/rest/rest-client.ts';
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import type { Json } from './document/answer-check.ts';
import { DOCUMENTED } from './document/operations.ts';
import { behindClient, READ } from './support/client-market.ts';
import { MARGIN, NORMAL } from './support/customers.ts';
import { openFullDay } from './support/full-day.ts';
import type { Market } from './support/market.ts';

type EventContext = (value: unknown, name: string) => unknown;

/** Every value of an answer, the innermost first, turned into another. */
const rewriting =
  (turn: EventContext) =>
  (text: string): string =>
    JSON.stringify(JSON.parse(text, (name, value: unknown) => turn(value, name)));

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const IDS = new Set(['orderNo', 'pk_orderNo', 'pkOrderNo', 'rc']);
/** Names that the document shows in the answers to reads. */
const CONTRACT_NAMES = new Set(
  DOCUMENTED.filter(({ method }) => method === 'GET')
    .flatMap(({ answers }) => answers)
    .filter(({ from }) => from === 'contract')
    .flatMap(({ path }) => path.replaceAll('[]', '').split('.')),
);

const numbersAsTexts: EventContext = (value) => (typeof value === 'number' ? String(value) : value);
const idsAsNumbers: EventContext = (value, name) => (IDS.has(name) && value !== '' ? Number(value) : value);
const withMoreKeys: EventContext = (value) =>
  isObject(value) ? { ...value, newInVersion2: { a: [1] } } : value;
const withoutNotes: EventContext = (value) =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter(([name]) => CONTRACT_NAMES.has(name) || name === 'data'),
      )
    : value;

/** `2.30745319E8`, over several lines. */
const printedLive = (text: string): string =>
  JSON.stringify(JSON.parse(text), null, 2).replaceAll(
    /: (-?\d)(\d{5,})(?=[,\n])/g,
    (_, first: string, rest: string) => `: ${first}.${rest}E${rest.length}`,
  );

let market: Market;

beforeAll(async () => {
  market = await openFullDay();
});

async function everythingOf(client: RestClient): Promise<object> {
  const { accounts } = client;
  return {
    orders: await client.inDayBook(READ),
    conditions: await client.conditions.book(READ),
    positions: await client.positions(READ),
    account: await client.account(READ),
    quotes: await client.quotes(READ),
    contracts: await client.contracts(READ),
    subAccounts: await client.subAccounts(READ),
    closed: await accounts.closedPositions(null, READ),
    assets: await accounts.stockAssets(NORMAL, READ),
    cash: await accounts.cashBalance(NORMAL, READ),
    packages: await accounts.loanPackages(MARGIN, READ),
  };
}

describe('answers in another form', () => {
  it.each([
    ['numbers as texts', rewriting(numbersAsTexts), true],
    ['ids as numbers', rewriting(idsAsNumbers), true],
    ['several lines, and large numbers in scientific notation', printedLive, false],
    ['keys that nobody knows', rewriting(withMoreKeys), false],
  ] as const)('%s mean the same', async (_what, rewrite, deviates) => {
    const plain = await behindClient(market);
    const other = await behindClient(market, rewrite);
    expect(await everythingOf(other.client)).toEqual(await everythingOf(plain.client));
    expect(plain.drift.all).toEqual([]);
    expect(other.drift.all.length > 0).toBe(deviates);
  });
});

const core = ({ orderNo, orderKey, orderCode, side, qty, limitPrice, filledQty }: BrokerOrder): object => {
  return { orderNo, orderKey, orderCode, side, qty, limitPrice, filledQty };
};
const may = ({ canCancel, canModify }: BrokerOrder): boolean[] => [canCancel, canModify];

describe('answers with the fields of the document alone', () => {
  it('are worked with all the same: what only the notes know is not needed', async () => {
    const plain = await behindClient(market);
    const other = await behindClient(market, rewriting(withoutNotes));
    const [full, bare] = [await plain.client.inDayBook(READ), await other.client.inDayBook(READ)];
    expect(bare.complete).toBe(true);
    const unsaid = { refId: null, source: 'unstated', reason: '', filledValue: null };
    expect(bare.orders).toMatchObject(full.orders.map((row) => ({ ...core(row), ...unsaid })));
    expect(bare.orders.map(may)).toEqual(full.orders.map(may));
    // P may still wait at the gateway, PC may still be confirmed: without the quote the careful reading holds.
    const letters = { resting: 'queued', modified: 'modify_pending' } as Record<string, string>;
    expect(bare.orders.map(({ status }) => status)).toEqual(
      full.orders.map(({ status }) => letters[status] ?? status),
    );

    const [all, some] = [await plain.client.conditions.book(READ), await other.client.conditions.book(READ)];
    expect(some).toEqual({
      ...all,
      orders: all.orders.map(({ lastDay: _lastDay, ...row }) => ({ ...row, children: [], parent: null })),
    });

    const [held, seen] = [await plain.client.positions(READ), await other.client.positions(READ)];
    expect(held.ok && seen.ok && seen.value).toEqual(
      held.ok && held.value.map((row) => ({ ...row, openProfit: null })),
    );
  });
});
