/** Mistakes in the files that the main file names: hours, contracts, costs, days without a session. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addDays, tradingDay } from '../../src/domain/civil-date.ts';
import { GOOD, problemsOf, SHIPPED, spoilt } from './config-files.ts';

const MARKET = readFileSync(join(SHIPPED, 'vn30f.yaml'), 'utf8');

const ROWS: readonly (readonly [name: string, from: string, to: string, ...problems: string[]])[] = [
  [
    'a phase of no time',
    "from: '09:00', to: '11:30'",
    "from: '09:00', to: '09:00'",
    'vn30f.yaml:10:47 calendar.phases[1].to: expected a time after 09:00, was "09:00"',
  ],
  [
    'phases that overlap',
    "from: '13:00'",
    "from: '11:00'",
    'vn30f.yaml:12:34 calendar.phases[3].from: expected a time from 13:00 on, was "11:00" (phases follow one another)',
  ],
  [
    'a zone that does not exist',
    'Asia/Ho_Chi_Minh',
    'Asia/Saigonn',
    'vn30f.yaml:5:13 calendar.timeZone: expected a zone like Asia/Ho_Chi_Minh, was "Asia/Saigonn"',
  ],
  [
    'an offset of another zone',
    "'+07:00'",
    "'+08:00'",
    'vn30f.yaml:6:14 calendar.utcOffset: expected +07:00, the offset of Asia/Ho_Chi_Minh, was "+08:00" (write \'+07:00\', or another zone)',
  ],
  [
    'a tick between hundredths',
    'tick: 0.1',
    'tick: 0.125',
    'vn30f.yaml:17:17 contracts.VN30.tick: expected a tick of whole hundredths of a point, like 0.1, was 0.125',
  ],
  [
    'money beyond counting',
    'pointValue: 100000',
    'pointValue: 1000000000000000',
    'vn30f.yaml:17:34 contracts.VN30.pointValue: expected at most 1000000000, was 1000000000000000',
  ],
  [
    'a value of half a hundredth',
    'pointValue: 100000',
    'pointValue: 150',
    'vn30f.yaml:17:34 contracts.VN30.pointValue: expected a whole number of hundreds, was 150',
  ],
  [
    'no contract that the strategy trades',
    '  VN30:',
    '  AAPL:',
    'main.yaml:8:15 strategies[0].symbols[0]: expected a contract of this market, like AAPLF1M, was "VN30F1M" (did you mean VN100F1M?)',
  ],
  [
    'two rates from one day',
    'from: 2020-03-19',
    'from: 2017-08-10',
    'vn30f.yaml:24:15 costs.exchangeFee[1].from: expected each date once, was "2017-08-10"',
  ],
  [
    'no rate',
    '  clearingFee:\n    - { from: 2017-08-10, value: 2550 }',
    '  clearingFee: []',
    'vn30f.yaml:25:16 costs.clearingFee: expected at least 1 item, was []',
  ],
  [
    'no rate yet',
    '    - { from: 2017-08-10, value: 2550 }',
    '    - { from: 2099-08-10, value: 2550 }',
    'vn30f.yaml:26:15 costs.clearingFee[0].from: expected a first row from 2018-08-13 or earlier, was "2099-08-10" (the calendar begins there)',
  ],
  [
    'a key with another name',
    '  closures: clos',
    '  holidays: clos',
    'vn30f.yaml:4:3 calendar.closures: expected a text, was nothing (add it)',
    'vn30f.yaml:14:3 calendar.holidays: expected a known key, was "holidays" (remove it or see config/README.md)',
  ],
];

it.each(ROWS)('answers %s', (_, from, to, ...problems) => {
  const spoil = (dir: string): void => writeFileSync(join(dir, 'vn30f.yaml'), spoilt(from, to, MARKET));
  expect(problemsOf(GOOD, spoil)).toEqual(problems);
});

const daysFrom = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => addDays(tradingDay(first), i));

const closures = (validFrom: string, validTo: string, ...days: string[]): string =>
  JSON.stringify({ source: 'x', validFrom, validTo, closures: days });

it.each([
  [
    'a range that ends before it begins',
    closures('2026-12-01', '2026-01-01'),
    'closures.json:1:50 validTo: expected a date from 2026-12-01 on, was "2026-01-01"',
  ],
  [
    'a day outside the range',
    closures('2026-01-01', '2026-12-31', '2027-01-01'),
    'closures.json:1:75 closures[0]: expected a date from 2026-01-01 to 2026-12-31, was "2027-01-01" (validFrom and validTo say what the list knows)',
  ],
  [
    'a day that no month has',
    closures('2026-01-01', '2026-12-31', '2026-02-30'),
    'closures.json:1:75 closures[0]: expected a date like 2026-03-19, was "2026-02-30"',
  ],
  [
    'no session for three months',
    closures('2026-01-01', '2026-12-31', ...daysFrom('2026-06-01', 92)),
    'closures.json:1:127 closures[4]: expected a session within 60 days of it, was "2026-06-05"',
  ],
])('answers closures with %s', (_, text, problem) => {
  const spoil = (dir: string): void => writeFileSync(join(dir, 'closures.json'), text);
  expect(problemsOf(GOOD, spoil)).toEqual([problem]);
});

it('names the line that names a file which is not there', () => {
  expect(problemsOf(GOOD, (dir) => rmSync(join(dir, 'closures.json')))).toEqual([
    'vn30f.yaml:14:13 calendar.closures: expected the name of a file next to this one, was "closures.json" (there is no closures.json)',
  ]);
});

it('takes the rates of a tariff in any order', () => {
  const [later, earlier] = [
    '    - { from: 2020-03-19, value: 2700 }\n',
    '    - { from: 2017-08-10, value: 3000 }\n',
  ];
  const swapped = spoilt(earlier + later, later + earlier, MARKET);
  expect(problemsOf(GOOD, (dir) => writeFileSync(join(dir, 'vn30f.yaml'), swapped))).toEqual([]);
});
