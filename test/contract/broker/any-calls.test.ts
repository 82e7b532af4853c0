/**
 * Any calls in any order: every answer is one that the document knows, no order is ever in a state that it does not know or
 * leaves one that is an end, money is only moved, and what one sold another has bought.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../src/domain/units.ts';
import { fieldDeviations, type Json, unknownNames } from './document/answer-check.ts';
import { operationNamed } from './document/operations.ts';
import { type Answer, type BareClient, rowsOf, type Values } from './support/bare-client.ts';
import { type Market, openMarket } from './support/market.ts';
import { verdictOf } from './support/verdict.ts';

interface Step {
  readonly name: string;
  readonly who: 'alice' | 'bob' | 'carol';
  readonly values: Values;
  /** Which of the known orders it is about. */
  readonly at: number;
  readonly wait: number;
}

const REFUSALS = new Set(
  [
    6000, 6001, 6003, 6004, 6012, 6014, 6015, 6019, 6021, 6022, 6024, 6026, 6032, 6033, 6034, 6035, 6038,
    6048, 8004,
  ].map((code) => `refused -${code}`),
);
/** Each letter with its quote (notes, 3), and whether nothing follows it. */
const LETTERS = new Set(['P G', 'P Y', 'PC G', 'PC Y', 'PW ', 'PWX ', 'PM ', 'PMW G', 'PMWX Y']);
const isEnd = ({ status, matchVolume, volume }: Json): boolean =>
  status === 'PWX' || status === 'PMWX' || (status === 'PM' && matchVolume === volume);

const price = fc.integer({ min: -30, max: 30 }).map((ticks) => Number((1_300 + ticks / 10).toFixed(1)));
const volume = fc.integer({ min: 0, max: 4 });
const side = fc.constantFrom('B', 'S');
const amount = fc.constantFrom(0, 1, 1_000_000, 25_000_000);
const type = fc.constantFrom('0', '0', '0', 'SLP=3,3', 'SLP=-3,3', 'ABI=NEXT');

const CALLS: Readonly<Record<string, fc.Arbitrary<Values>>> = {
  place: fc.record({
    side,
    price,
    volume,
    orderType: type,
    symbol: fc.constantFrom('FRONT', 'FRONT', 'NEXT'),
  }),
  change: fc.record({ nprice: price, nvol: volume }),
  cancel: fc.constant({}),
  'condition-place': fc.record({
    side,
    price,
    volume,
    soPrice: price,
    activationPrice: price,
    callbackPoint: fc.constantFrom(0, 0.5, 2),
    orderType: fc.constantFrom('SOL', 'SOU', 'TSO'),
    symbol: fc.constant('FRONT'),
  }),
  'condition-change': fc.record({ soPrice: price }),
  'condition-cancel': fc.constant({}),
  deposit: fc.record({ amount }),
  withdraw: fc.record({ amount }),
};

const step: fc.Arbitrary<Step> = fc
  .constantFrom('place', 'place', 'place', ...Object.keys(CALLS))
  .chain((name) =>
    fc.record({
      name: fc.constant(name),
      who: fc.constantFrom('alice', 'bob', 'carol'),
      values: CALLS[name] ?? fc.constant({}),
      at: fc.nat({ max: 30 }),
      wait: fc.constantFrom(0, 0, 40, 300),
    }),
  );

const named = (market: Market, value: unknown): unknown =>
  typeof value === 'string' ? value.replace('FRONT', market.front).replace('NEXT', market.next) : value;

/** The same values with what they are about: an order of the book, if there is one. */
async function filledIn(market: Market, { name, who, values, at }: Step): Promise<Values> {
  const all = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, named(market, value)]));
  if (!/change|cancel/.test(name)) return all;
  const isCondition = name.startsWith('condition');
  const rows = rowsOf(await market[who].call(isCondition ? 'conditions' : 'in-day', { symbol: 'ALL,ALL' }));
  const row = rows[at % Math.max(1, rows.length)] ?? {};
  if (!isCondition) return { ...all, orderNo: row['orderNo'] ?? '1', refId: 'H.any' };
  const key = row['pk_orderNo'] ?? '1';
  return { ...all, orderNo: key, pkOrderNo: name === 'condition-change' ? key : undefined, refId: 'H.any' };
}

/** Everything that is not as documented, in an answer. */
function strangeIn(name: string, answer: Answer): string[] {
  const operation = operationNamed(name);
  const verdict = verdictOf(operation, answer);
  if (verdict !== 'accepted') return REFUSALS.has(verdict) ? [] : [`${name}: ${verdict}`];
  const { answers } = operation;
  return [
    ...answers.flatMap((field) => fieldDeviations(answer.json, field)),
    ...unknownNames(answer.json, answers),
  ];
}

class Watch {
  readonly strange: string[] = [];
  readonly #ended = new Map<string, string>();

  async orders(client: BareClient): Promise<void> {
    const answer = await client.call('in-day');
    this.strange.push(...strangeIn('in-day', answer));
    for (const row of rowsOf(answer)) this.#see(row);
  }

  async rest(client: BareClient): Promise<void> {
    for (const name of ['conditions', 'positions', 'account-status', 'closed-positions']) {
      this.strange.push(...strangeIn(name, await client.call(name)));
    }
  }

  #see(row: Json): void {
    const { status, quote, matchVolume, volume } = row;
    const orderNo = row['orderNo'] as string;
    const letters = [status, quote].join(' ');
    if (!LETTERS.has(letters)) this.strange.push(`order ${orderNo} is ${letters}`);
    const isMatched = letters.startsWith('PM');
    if (isMatched !== Number(matchVolume) > 0 || Number(matchVolume) > Number(volume)) {
      this.strange.push(`order ${JSON.stringify(row)} contradicts itself`);
    }
    const text = JSON.stringify(row);
    const before = this.#ended.get(orderNo);
    if (before !== undefined && before !== text) this.strange.push(`${before} became ${text}`);
    if (isEnd(row)) this.#ended.set(orderNo, text);
  }
}

async function totals(market: Market): Promise<{ cash: number; net: number }> {
  let [cash, net] = [0, 0];
  for (const client of [market.alice, market.bob, market.carol]) {
    const tail = client.custodyCode.slice(-6);
    for (const accountNo of [`0001${tail}`, `0002${tail}`, client.subAccountId]) {
      const [row] = rowsOf(await client.call('cash-balance', { accountNo }));
      cash += Number(row?.['cashBalance']);
    }
    for (const row of rowsOf(await client.call('positions'))) net += Number(row['net']);
  }
  return { cash, net };
}

describe('any calls', () => {
  it('are answered as documented, and lead nowhere that is not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        const market = await openMarket({ rules: { gatewayDelay: milliseconds(30) } });
        const watch = new Watch();
        const before = await totals(market);
        for (const next of steps) {
          const values = await filledIn(market, next);
          watch.strange.push(...strangeIn(next.name, await market[next.who].call(next.name, values)));
          market.time.advance(milliseconds(next.wait));
          await watch.orders(market[next.who]);
        }
        for (const client of [market.alice, market.bob, market.carol]) await watch.rest(client);
        const after = await totals(market);
        expect(watch.strange).toEqual([]);
        expect(after).toEqual({ cash: before.cash, net: 0 });
      }),
      { numRuns: 6 },
    );
  });
});
