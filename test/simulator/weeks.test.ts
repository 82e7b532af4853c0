/** A paper account over weeks, the program stopped every night: sessions, holidays, an expiry, and money that adds up. */
import { expect, it } from 'vitest';
import { seconds, tsUs } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type BareClient, firstRow, rowsOf } from '../contract/broker/support/bare-client.ts';
import { type Market, openMarket, order } from '../contract/broker/support/market.ts';
import type { Json } from '../contract/broker/support/../document/answer-check.ts';

const SPEED = 60;
const DAYS = '04-15 04-16 04-17 04-20 04-21 04-22 04-23 04-24 04-28 04-29 05-04 05-05'
  .split(' ')
  .map((day) => `2026-${day}`);
const TOTAL = 2 * 1_950_000_000;

const at = (day: string, time: string): number => Date.parse(`${day}T${time}+07:00`) * 1_000;

class Week {
  readonly #stateDir: string;
  /** Fees and tax that were due in the evening. */
  collected = 0;
  /** What the price list said the day before, by contract. */
  readonly settled = new Map<unknown, number>();
  /** Of each day. */
  readonly fronts: string[] = [];
  #orders = 0;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  async open(day: string, time = '08:50:00'): Promise<Market> {
    const originMarketUs = tsUs(at(day, time));
    const clock = { ...DEFAULT_OPTIONS.time, speed: SPEED, originMarketUs };
    return openMarket({ stateDir: this.#stateDir, calendar: MARKET_CALENDAR, time: clock });
  }

  /** Alice and Bob meet: in the opening auction, in the morning, and in the closing auction at another price. */
  async trade(market: Market, day: string, at_: number): Promise<void> {
    const { alice, bob, front, simulator, time } = market;
    const until = (clock: string): void =>
      time.advance(seconds((at(day, clock) - simulator.marketNowUs()) / 1e6 / SPEED));
    const [buyer, seller] = at_ % 3 === 0 ? [bob, alice] : [alice, bob];
    const meet = async (price: number): Promise<void> => {
      for (const [who, side] of [
        [seller, 'S'],
        [buyer, 'B'],
      ] as const) {
        this.#orders += 1;
        const wish = { side, symbol: front, price, volume: 2, refId: `H.${this.#orders}` };
        expect((await who.call('place', wish)).json).toMatchObject({ rc: '1', rs: '' });
      }
    };
    const middle = Math.round(Number(firstRow(await alice.call('derivatives'))['refPrice']));
    await meet(middle);
    until('09:30:00');
    await meet(middle + 1);
    await order(alice, 'B', front, middle - 9, 1);
    until('14:35:00');
    await meet(middle + 3 - (at_ % 5));
    until('15:00:00');
  }
}

const data = async (who: BareClient): Promise<Json> =>
  (await who.call('account-status')).json['data'] as Json;

async function totalOf({ alice, bob }: Market, key: 'cash' | 'vm' | 'others'): Promise<number> {
  let total = 0;
  for (const who of [alice, bob]) {
    total += Number((await data(who))[key]);
    if (key !== 'cash') continue;
    for (const accountNo of who.cashAccounts)
      total += Number(firstRow(await who.call('cash-balance', { accountNo: accountNo }))['cashBalance']);
  }
  return total;
}

async function expectMorning(week: Week, market: Market): Promise<void> {
  const { alice, bob } = market;
  // The night paid profits and took what was due; nobody's orders are left, and numbers begin again.
  expect([await totalOf(market, 'cash'), await totalOf(market, 'vm')]).toEqual([TOTAL - week.collected, 0]);
  for (const who of [alice, bob]) expect(rowsOf(await who.call('in-day'))).toEqual([]);
  for (const row of rowsOf(await alice.call('derivatives'))) {
    const [reference, known] = [Number(row['refPrice']), week.settled.get(row['symbol'])];
    expect(known ?? reference).toBe(reference);
    // Rounded inwards, in exact hundredths.
    const hundredths = Math.round(reference * 100);
    expect(row).toMatchObject({
      ceilPrice: Math.floor((hundredths * 107) / 1_000) / 10,
      floorPrice: Math.ceil((hundredths * 93) / 1_000) / 10,
    });
  }
}

it('lives through sessions, holidays and an expiry, and through a restart every night', async () => {
  const stateDir = tempDir();
  const week = new Week(stateDir);
  for (const [n, day] of DAYS.entries()) {
    const market = await week.open(day);
    await expectMorning(week, market);
    week.fronts.push(market.front);
    await week.trade(market, day, n);
    const last = rowsOf(await market.alice.call('in-day')).at(-2);
    expect(last).toMatchObject({ volume: 1, status: 'PWX' });
    week.collected += await totalOf(market, 'others');
    expect(await totalOf(market, 'vm')).toBe(0);
    week.settled.clear();
    // The closing auction makes the settlement price of the front month.
    week.settled.set(market.front, Number(firstRow(await market.alice.call('derivatives'))['matchPrice']));
    await market.close();
  }
  const [april, may] = [week.fronts[0], week.fronts.at(-1)];
  expect(april).not.toBe(may);
  expect(week.fronts).toEqual(DAYS.map((day) => (day <= '2026-04-16' ? april : may)));
});

it.each([
  ['2026-04-25', '2026-04-24'],
  ['2026-04-27', '2026-04-24'],
  ['2026-04-30', '2026-04-29'],
])('rests on %s: no order, and the day is still %s', async (closed, last) => {
  const stateDir = tempDir();
  const week = new Week(stateDir);
  const before = await week.open(last);
  await week.trade(before, last, 1);
  await before.close();
  const { alice, front } = await week.open(closed, '10:00:00');
  const wish = { side: 'B', symbol: front, price: 1_300, volume: 1, refId: 'H.1' } as const;
  expect((await alice.call('place', wish)).json).toMatchObject({ rc: '-6022' });
  expect(rowsOf(await alice.call('in-day')).length).toBeGreaterThan(0);
});
