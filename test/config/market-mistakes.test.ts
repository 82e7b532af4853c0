/** Mistakes in the files that the main file names: hours, contracts, costs, days without a session. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
    'a phase with a slip of the pen',
    'continuous',
    'continous',
    'vn30f.yaml:10:16 calendar.phases[1].phase: expected one of opening_auction, continuous, break, closing_auction, was "continous" (did you mean continuous?)',
  ],
  [
    'a time as a number',
    "from: '08:45'",
    'from: 845',
    'vn30f.yaml:9:39 calendar.phases[0].from: expected a time of day like 08:45, was 845',
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
    'an offset that no place has',
    "'+07:00'",
    "'+99:99'",
    'vn30f.yaml:6:14 calendar.utcOffset: expected an offset like +07:00, was "+99:99"',
  ],
  [
    'a weekday in full',
    '[mon, tue',
    '[monday, tue',
    'vn30f.yaml:7:14 calendar.weekdays[0]: expected one of sun, mon, tue, wed, thu, fri, sat, was "monday" (did you mean mon?)',
  ],
  [
    'a tick between hundredths',
    'tick: 0.1',
    'tick: 0.125',
    'vn30f.yaml:17:17 contracts.VN30.tick: expected a tick of whole hundredths of a point, like 0.1, was 0.125',
  ],
  [
    'a tick below zero',
    'tick: 0.1',
    'tick: -0.1',
    'vn30f.yaml:17:17 contracts.VN30.tick: expected a tick of whole hundredths of a point, like 0.1, was -0.1',
  ],
  [
    'a decimal comma',
    'tick: 0.1',
    'tick: 0,1',
    'vn30f.yaml:17:17 contracts.VN30.tick: expected a tick of whole hundredths of a point, like 0.1, was 0',
    'vn30f.yaml:17:19 contracts.VN30.1: expected a known key, was "1" (remove it or see config/README.md)',
  ],
  [
    'a value of half a hundredth',
    'pointValue: 100000',
    'pointValue: 150',
    'vn30f.yaml:17:34 contracts.VN30.pointValue: expected a whole number of hundreds, was 150',
  ],
  [
    'no band',
    'bandPercent: 7',
    'bandPercent: 0',
    'vn30f.yaml:17:73 contracts.VN30.bandPercent: expected at least 0.01, was 0',
  ],
  [
    'no contract that the strategy trades',
    '  VN30:',
    '  AAPL:',
    'main.yaml:8:15 strategies[0].symbols[0]: expected a contract of this market, like AAPLF1M, was "VN30F1M" (did you mean VN100F1M?)',
  ],
  [
    'a date with one digit',
    'from: 2017-08-10',
    'from: 2017-8-10',
    'vn30f.yaml:23:15 costs.exchangeFee[0].from: expected a date like 2026-03-19, was "2017-8-10"',
  ],
  [
    'two rates from one day',
    'from: 2020-03-19',
    'from: 2017-08-10',
    'vn30f.yaml:24:15 costs.exchangeFee[1].from: expected each date once, was "2017-08-10"',
  ],
  [
    'a fee below zero',
    'value: 3000',
    'value: -3000',
    'vn30f.yaml:23:34 costs.exchangeFee[0].value: expected at least 0, was -3000',
  ],
  [
    'a fee of fractions',
    'value: 3000',
    'value: 3000.5',
    'vn30f.yaml:23:34 costs.exchangeFee[0].value: expected a whole number, was 3000.5',
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
    'no margin',
    'value: 17',
    'value: 0',
    'vn30f.yaml:35:34 costs.marginPercent[2].value: expected at least 0.01, was 0',
  ],
  [
    'a key with another name',
    '  closures: clos',
    '  holidays: clos',
    'vn30f.yaml:4:3 calendar.closures: expected a text, was nothing (add it)',
    'vn30f.yaml:14:3 calendar.holidays: expected a known key, was "holidays" (remove it or see config/README.md)',
  ],
  [
    'no weekday',
    '[mon, tue, wed, thu, fri]',
    '[]',
    'vn30f.yaml:7:13 calendar.weekdays: expected at least 1 item, was []',
  ],
];

it.each(ROWS)('answers %s', (_, from, to, ...problems) => {
  const spoil = (dir: string): void => writeFileSync(join(dir, 'vn30f.yaml'), spoilt(from, to, MARKET));
  expect(problemsOf(GOOD, spoil)).toEqual(problems);
});

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
