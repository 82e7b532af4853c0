/**
 * What fills cost and what margin they need, worked out by hand: one tick of one contract is 10,000 VND, so one contract at 1,000
 * ticks (100 points) is 10,000,000 VND and one at 13,000 ticks (1,300 points) 130,000,000 VND.
 */
import { describe, expect, test } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import type { CostSchedule } from '../../../src/domain/costs.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { DEFAULT_MARGIN_RULES } from '../../../src/venue/account/margin.ts';
import { lines, ON_TICKS, playScript, refusalsIn, rowsIn } from './fill-rig.ts';
import { since, VN_COSTS } from '../../support/strategy-fixtures.ts';

const FREE: CostSchedule = { ...VN_COSTS, exchangeFee: since(0), clearingFee: since(0), taxPpm: since(0) };
/** 0.04 %. */
const FEE = [{ from: tradingDay('2017-08-10'), value: { taker: 4_000_000, maker: 4_000_000 } }];
const BAND = { floor: priceTicks(12_100), ceiling: priceTicks(13_900) };

/** Each fill as `side qty at price: fee, tax`. */
function charged(script: string, costs: CostSchedule): readonly string[] {
  const { executions } = playScript(script, { costs, band: BAND, model: ON_TICKS });
  return executions.map(
    ({ side, qty, priceTicks: price, fee, tax }) => `${side} ${qty} at ${price}: ${fee}, ${tax}`,
  );
}

const ROUND = `
  09:00:01 book 13000x9 12999x9 | 13001x9 13002x9
  09:00:02 A buy 1 at 13001
  09:00:03 A sell 1 at 13000`;

describe('fees and tax of fills', () => {
  test.each([
    {
      // 130,010,000 x 0.001 x 0.17 / 2 = 11,050.85: 11,051. 130,000,000: 11,050.
      name: 'index futures: exchange and clearing fee a contract, tax on the value',
      costs: VN_COSTS,
      script: ROUND,
      charged: `
        buy 1 at 13001: 5250, 11051
        sell 1 at 13000: 5250, 11050`,
    },
    {
      name: 'the broker takes 1,000 a contract on top',
      costs: { ...VN_COSTS, brokerFee: since(1_000) },
      script: ROUND,
      charged: `
        buy 1 at 13001: 6250, 11051
        sell 1 at 13000: 6250, 11050`,
    },
    {
      // One order of 3 in three fills at 13003. Of one: 11,052.55. Rounded over the order: 11,053; 22,105.1 less that: 11,052;
      // 33,157.65 less both: 11,053. Three orders of one would pay 11,053 each.
      name: 'the tax of an order is rounded once, however it fills',
      costs: VN_COSTS,
      script: `
        09:00:01 book 13000x9 12999x9 | 13003x1 13004x9
        09:00:02 A buy 3 at 13003
        09:00:03 trade 13003 x 1 bought
        09:00:04 trade 13003 x 1 bought`,
      charged: `
        buy 1 at 13003: 5250, 11053
        buy 1 at 13003: 5250, 11052
        buy 1 at 13003: 5250, 11053`,
    },
    {
      // 0.04 % of 130,010,000 is 52,004; of 130,000,000 52,000. On the sale 0.1 %: 130,000.
      name: 'shares: a part of the value, and a tax on what is sold',
      costs: { ...FREE, valueFee: FEE, sellTax: since(10_000_000) },
      script: ROUND,
      charged: `
        buy 1 at 13001: 52004, 0
        sell 1 at 13000: 52000, 130000`,
    },
    {
      // An order of two pays at least 150,000: the first fill all of it; both together are 104,016, so the second nothing.
      name: 'the least fee falls due with the first fill of an order',
      costs: { ...FREE, valueFee: FEE, orderFeeMin: since(150_000) },
      script: `
        09:00:01 book 13000x9 12999x9 | 13001x1 13003x9
        09:00:02 A buy 2 at 13003`,
      charged: `
        buy 1 at 13001: 150000, 0
        buy 1 at 13003: 0, 0`,
    },
  ])('$name', ({ costs, script, charged: expected }) => {
    expect(charged(script, costs)).toEqual(lines(expected));
  });

  test('rates are those of the day', () => {
    const halved = {
      ...VN_COSTS,
      exchangeFee: [...since(2_700), { from: tradingDay('2026-03-04'), value: 1_350 }],
    };
    expect(charged(ROUND, halved)).toEqual(['buy 1 at 13001: 3900, 11051', 'sell 1 at 13000: 3900, 11050']);
  });
});

/**
 * Bought at 1,000 ticks, 10,000,000 a contract: margin 17 % is 1,700,000 a contract. With 20,000,000 of capital:
 *
 *   price   margin of 10   loss          required      of 20,000,000
 *   1000    17,000,000     0             17,000,000     85 %
 *    985    16,745,000     1,500,000     18,245,000     91.2 %
 *    964    16,388,000     3,600,000     19,988,000     99.9 %
 *    963    16,371,000     3,700,000     20,071,000    100.4 %
 *
 * 8,999 parts of 10,000 are 17,998,000: 2,073,000 too much, 1,637,100 a contract, so two are closed.
 */
describe('forced close', () => {
  const script = `
    09:00:01 book 999x20 998x9 | 1000x30 1001x9
    09:00:02 A buy 10 at 1000
    09:00:03 B buy 1 at 900
    09:00:04 trade 985 x 1 -
    09:00:05 book 984x20 983x9 | 985x30 986x9
    09:00:06 trade 964 x 1 -
    09:00:07 book 963x6 962x9 | 964x30 965x9
    09:00:08 trade 963 x 1 -
    09:00:11 trade 962 x 40 -`;

  /** Room for the margin of eleven. */
  const margin = { ...DEFAULT_MARGIN_RULES, entryBps: 9_500 };

  test('at the ratio of the plan the broker withdraws the orders, then closes as few contracts as it must', () => {
    const { fills, executions, heard } = playScript(script, { capital: 20_000_000, margin });
    expect(fills).toEqual(
      lines(`
        09:00:02 A buy 10 at 1000 shown
        09:00:10 A sell 2 at 963 shown`),
    );
    expect(executions.map(({ cause }) => cause)).toEqual(['order', 'forced']);
    const rows = rowsIn(heard);
    expect(rows.filter(({ status }) => status === 'canceled').map(({ qty }) => qty)).toEqual([1]);
    expect(rows.filter(({ source }) => source === 'forced').map(({ filledQty }) => filledQty)).toEqual([2]);
  });

  /** At 820: 13,940,000 of margin and a loss of 18,000,000, 13,942,000 too much at 1,394,000 a contract. */
  test('closes everything where nothing less helps', () => {
    const fall = `
      09:00:01 book 999x20 998x9 | 1000x30 1001x9
      09:00:02 A buy 10 at 1000
      09:00:05 book 820x6 819x9 | 821x30 822x9
      09:00:06 trade 820 x 1 -
      09:00:09 trade 820 x 1 -`;
    expect(playScript(fall, { capital: 20_000_000, margin }).fills).toEqual(
      lines(`
        09:00:02 A buy 10 at 1000 shown
        09:00:07 A sell 6 at 820 shown
        09:00:07 A sell 4 at 819 shown`),
    );
  });

  /** At 80 %: 16,000,000 are nine contracts at 1,700,000, and 700,000. */
  test('an order that margin does not cover is refused, one that reduces is not', () => {
    const orders = `
      09:00:01 book 999x20 998x9 | 1000x30 1001x9
      09:00:02 A buy 10 at 1000
      09:00:03 A buy 9 at 1000
      09:00:04 B buy 1 at 1000
      09:00:05 A sell 9 at 999`;
    const { fills, heard } = playScript(orders, { capital: 20_000_000, margin: DEFAULT_MARGIN_RULES });
    expect(fills).toEqual(
      lines(`
        09:00:03 A buy 9 at 1000 shown
        09:00:05 A sell 9 at 999 shown`),
    );
    expect(refusalsIn(heard)).toEqual(['-6012', '-6012']);
    expect(JSON.stringify(heard)).toContain('Not enough buying power: 17,000,000 needed, 16,000,000 there');
  });

  test('where the plan has no ratio nobody closes anything', () => {
    expect(playScript(script, { capital: 20_000_000 }).fills).toHaveLength(1);
  });
});
