/** The print of the closing auction comes after the last phase: strategies get it, and its bar, also on the last day of a contract. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { formatTime } from '../../../src/domain/civil-date.ts';
import { minutes, US_PER_DAY } from '../../../src/domain/units.ts';
import { planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';
import { parseScript } from '../fill/rig-script.ts';

/** Everything that a strategy on the front month hears on a day of March 2026, the contract of March ending on the 19th. */
function heardOn(day: number, every: number): readonly string[] {
  const heard: string[] = [];
  const listens = strategyOf('listens', (ticks) => {
    ticks.trades$.subscribe(({ instrument, price }) => heard.push(`trade of ${instrument} at ${price}`));
    ticks
      .bars({ every: minutes(every) })
      .subscribe(({ instrument, endUs, close, phase, complete }) =>
        heard.push(
          `${formatTime(endUs, 420).slice(0, 5)} bar of ${instrument} ${phase} ${close}${complete ? '' : ' torn'}`,
        ),
      );
    ticks.rollovers$.subscribe(({ contract }) => heard.push(`rolls to ${contract.orderCode}`));
  });
  const rowsOf = (script: string) => {
    const { rows } = parseScript(script, 'high');
    for (let row = 0; row < rows.rows; row += 1) rows.tsUs[row]! += (day - 4) * US_PER_DAY;
    return rows;
  };
  const date = `2026-03-${String(day).padStart(2, '0')}`;
  const front = rowsOf(`
    14:20:00 trade 1000 x 5 sold
    14:45:00 trade 990 x 5 -`);
  const next = rowsOf(`14:45:00 trade 1010 x 5 -`);
  const data = tapesOf([
    { code: 'VN30F2603', day: date, rows: front, reference: 10_000 },
    { code: 'VN30F2604', day: date, rows: next, reference: 10_100 },
  ]);
  runBacktest(planOf(data, [listens]));
  return heard;
}

const CLOSING = [
  'trade of 0 at 1000',
  '14:21 bar of 0 continuous 1000',
  'trade of 0 at 990',
  '14:46 bar of 0 closing_auction 990',
];

test.each([
  [18, 'any day'],
  [19, 'the last day of the contract'],
])('March %i, %s', (day) => {
  expect(heardOn(day, 1)).toEqual(CLOSING);
});

test.each([
  [18, 5, '14:50'],
  [19, 5, '14:50'],
  [18, 15, '15:00'],
  [19, 15, '15:00'],
  [19, 60, '15:00'],
])('March %i: a closing bar of %i minutes is over at %s', (day, every, end) => {
  expect(heardOn(day, every).at(-1)).toBe(`${end} bar of 0 closing_auction 990`);
});
