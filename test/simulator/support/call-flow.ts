/** Random customers that call whatever the contract offers, always as it asks to be called. */
import fc from 'fast-check';
import { minutes, seconds } from '../../../src/domain/units.ts';
import type { Started } from './started.ts';
import { type Reply, rowsOf, type Stranger } from './stranger.ts';

const side = fc.constantFrom('B' as const, 'S' as const);
/** Ticks from the reference. */
const offset = fc.integer({ min: -12, max: 12 });
const volume = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 20, max: 600 }) },
);
const head = { who: fc.constantFrom('alice' as const, 'bob' as const) };
const order = { ...head, side, offset, volume, far: fc.boolean() };
const pick = fc.nat(30);
const kindOf = <K extends string>(kind: K): { readonly kind: fc.Arbitrary<K> } => ({
  kind: fc.constant(kind),
});

const READS = [
  'in-day',
  'conditions',
  'positions',
  'closed',
  'status',
  'profile',
  'prices',
  'stock',
] as const;

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      ...kindOf('place'),
      ...order,
      terms: fc.constantFrom('0' as const, '0' as const, '0' as const, 'SLP' as const, 'ABI' as const),
    }),
  },
  // Both come to the same price: most of what trades.
  { weight: 4, arbitrary: fc.record({ ...kindOf('meet'), offset, volume: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ ...kindOf('change'), ...head, pick, offset, more: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ ...kindOf('cancel'), ...head, pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...kindOf('wait_for'),
      ...order,
      trigger: offset,
      type: fc.constantFrom('SOL', 'SOU', 'TSO'),
      callback: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...kindOf('move_trigger'), ...head, pick, offset }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('withdraw_condition'), ...head, pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...kindOf('money'),
      ...head,
      way: fc.constantFrom('deposit' as const, 'withdraw' as const, 'transfer' as const),
      amount: fc.oneof(fc.integer({ min: 1, max: 900_000 }), fc.integer({ min: 1, max: 2_000_000_000 })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ ...kindOf('read'), ...head, what: fc.constantFrom(...READS) }) },
  { weight: 4, arbitrary: fc.record({ ...kindOf('wait'), minutes: fc.constantFrom(0, 1, 7, 25) }) },
);

export const callFlow = fc.array(step, { minLength: 10, maxLength: 45, size: 'max' });
export type CallStep = typeof step extends fc.Arbitrary<infer S> ? S : never;

const MIDDLE = 13_000;
const pointsOf = (ticks: number): number => (MIDDLE + ticks) / 10;

export class CallFlow {
  readonly #market: Started;
  #calls = 0;

  constructor(market: Started) {
    this.#market = market;
  }

  async run(step_: CallStep): Promise<readonly Reply[]> {
    if (step_.kind === 'wait') {
      this.#market.time.advance(step_.minutes === 0 ? seconds(1) : minutes(step_.minutes));
      return [];
    }
    if (step_.kind === 'meet') return this.#meet(step_.offset, step_.volume);
    const who = this.#market[step_.who];
    switch (step_.kind) {
      case 'place':
        return [await this.#place(who, step_)];
      case 'change': {
        const row = picked(await who.inDay(), step_.pick);
        const [price, qty] = [Number(row?.['showPrice'] ?? 1_300), Number(row?.['volume'] ?? 1)];
        // One of the two, as the exchange wants it.
        const [nprice, nvol] = step_.more ? [price, qty + 1] : [pointsOf(step_.offset), qty];
        return [await who.change(named(row, 'orderNo'), nprice, nvol, this.#refId())];
      }
      case 'cancel':
        return [await who.cancel(named(picked(await who.inDay(), step_.pick), 'orderNo'))];
      case 'wait_for':
        return [await this.#waitFor(who, step_)];
      case 'move_trigger': {
        const row = picked(await who.conditions(), step_.pick);
        const key = named(row, 'pk_orderNo');
        return [await who.changeCondition(key, pointsOf(step_.offset), this.#refId())];
      }
      case 'withdraw_condition': {
        const row = picked(await who.conditions(), step_.pick);
        return [await who.cancelCondition(named(row, 'pk_orderNo'))];
      }
      case 'money':
        return [await this.#money(who, step_)];
      case 'read':
        return this.#read(who, step_.what);
    }
  }

  async #meet(ticks: number, volume_: number): Promise<readonly Reply[]> {
    const { alice, bob, front } = this.#market;
    const wish = { symbol: front, price: pointsOf(ticks), volume: volume_ };
    const sold = await alice.place({ ...wish, side: 'S', refId: this.#refId() });
    return [sold, await bob.place({ ...wish, side: 'B', refId: this.#refId() })];
  }

  #place(who: Stranger, step_: CallStep & { readonly kind: 'place' }): Promise<Reply> {
    const { front, simulator } = this.#market;
    const [, next = front] = simulator.contracts;
    const price = pointsOf(step_.offset);
    const exits = 'SLP=1.0,1.0';
    const leg = `ABI=${step_.far ? front : next}`;
    const terms = step_.terms === '0' ? '0' : step_.terms === 'SLP' ? exits : leg;
    const wish = { side: step_.side, symbol: step_.far ? next : front, price, volume: step_.volume };
    const { custodyCode: accountId, subAccountId } = who.account;
    const body = { accountId, subAccountId, ...wish, orderType: terms, refId: this.#refId() };
    return who.call('POST', '/khronos/v1/order/place', body);
  }

  #waitFor(who: Stranger, step_: CallStep & { readonly kind: 'wait_for' }): Promise<Reply> {
    const soPrice = pointsOf(step_.trigger);
    return who.placeCondition({
      side: step_.side,
      symbol: this.#market.front,
      price: pointsOf(step_.offset),
      volume: step_.volume,
      orderType: step_.type,
      soPrice,
      callbackPoint: step_.type === 'TSO' ? step_.callback / 10 : 0,
      activationPrice: step_.type === 'TSO' ? soPrice : 0,
      refId: this.#refId(),
    });
  }

  #money(who: Stranger, { way, amount }: CallStep & { readonly kind: 'money' }): Promise<Reply> {
    if (way !== 'transfer') return who[way](amount);
    const [normal = '', margin = ''] = cashAccountsOf(who);
    return who.transfer(normal, margin, amount);
  }

  async #read(who: Stranger, what: (typeof READS)[number]): Promise<readonly Reply[]> {
    const [normal = '', margin = ''] = cashAccountsOf(who);
    switch (what) {
      case 'in-day':
        return [await who.inDay(), await who.inDay({ status: '1', orderType: '4' })];
      case 'conditions':
        return [await who.conditions(), await who.conditions({ orderStatus: '1', orderType: '5' })];
      case 'positions':
        return [await who.positions()];
      case 'closed':
        return [await who.closed()];
      case 'status':
        return [await who.status()];
      case 'profile':
        return [await who.profile()];
      case 'prices':
        return [await who.derivatives(), await who.contracts()];
      case 'stock':
        return [await who.assets(normal), await who.cash(normal), await who.packages(margin)];
    }
  }

  #refId(): string {
    this.#calls += 1;
    return `H.${this.#calls}`;
  }
}

/** Normal and margin account. */
export const cashAccountsOf = ({ account: { custodyCode } }: Stranger): readonly string[] =>
  ['0001', '0002'].map((front) => front + custodyCode.slice(-6));

function picked(reply: Reply, at: number): Readonly<Record<string, unknown>> | undefined {
  const rows = rowsOf(reply);
  return rows[at % Math.max(1, rows.length)];
}

/** One that there is not, when there is none. */
const named = (row: Readonly<Record<string, unknown>> | undefined, key: string): string =>
  row === undefined ? '1' : String(row[key]);
