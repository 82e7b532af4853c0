/** Without the future a run decides what it decided with it; the cut takes rows away and nothing else. */
import { expect, test } from 'vitest';
import { cutOff, DecisionLog, firstDifference } from '../../../src/research/backtest/verify-backtest.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { tsUs } from '../../../src/domain/units.ts';
import { emaCross } from '../../../strategies/ema-cross/ema-cross.ts';
import { fileTape, planOf, SAMPLE, tapesOf } from '../../support/backtest-plan.ts';

const data = tapesOf([fileTape(SAMPLE)]);
const ema = () => ({ id: 'ema', definition: emaCross, params: { barSeconds: 60, fast: 9, slow: 21 } });

test.each([0, 0.25, 0.5, 0.99])(
  'after %d of the rows nothing of the moment of the cut or later is there',
  (part) => {
    const { data: cut, cutUs } = cutOff(data, part);
    const [day] = cut.days;
    const { rows } = cut.open(day!).tapes[0]!;
    const all = data.open(day!).tapes[0]!.rows;
    expect(rows.rows).toBe(all.tsUs.findIndex((at) => at >= cutUs));
    expect(rows.tsUs).toEqual(all.tsUs.subarray(0, rows.rows));
    expect(rows.tsUs.length).toBe(rows.rows);
  },
);

test('an honest strategy decides the same before the cut', () => {
  const plan = planOf(data, [ema()]);
  const whole = new DecisionLog(1);
  runBacktest(plan, whole);
  const { data: cut, cutUs } = cutOff(data, 0.5);
  const half = new DecisionLog(1);
  runBacktest({ ...plan, data: cut }, half);
  const early = whole.decisions[0]!.filter(({ atUs }) => atUs < cutUs);
  expect(early.length).toBeGreaterThan(5);
  expect(whole.decisions[0]!.length).toBeGreaterThan(early.length);
  expect(firstDifference(whole.decisions[0]!, half.decisions[0]!, cutUs)).toBeNull();
});

const at = (us: number, text: string) => ({ atUs: tsUs(us), text });

test.each([
  ['nothing and nothing', [], [], null],
  ['the same', [at(1, 'a')], [at(1, 'a')], null],
  ['another word', [at(1, 'a'), at(2, 'b')], [at(1, 'a'), at(2, 'c')], { atUs: 2, one: 'b', other: 'c' }],
  ['another time', [at(1, 'a')], [at(2, 'a')], { atUs: 1, one: 'a', other: 'a' }],
  ['one more', [at(1, 'a')], [at(1, 'a'), at(3, 'b')], { atUs: 3, one: 'nothing', other: 'b' }],
  ['one less', [at(1, 'a')], [], { atUs: 1, one: 'a', other: 'nothing' }],
  ['a difference after the moment', [at(9, 'a')], [], null],
] as const)('compares %s', (_, one, other, found) => {
  expect(firstDifference(one, other, 5)).toEqual(found);
});
