/** Mistakes in keys, numbers and words. */
import { expect, it } from 'vitest';
import { added, spoilt, type Mistake, problemsOf } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'a misspelt key',
    spoilt('  orderQtyMax: 5', '  orderQtyMx: 5'),
    'main.yaml:4:3 risk.orderQtyMx: expected a known key, was "orderQtyMx" (did you mean orderQtyMax?)',
  ],
  [
    'a number that is none',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: .nan'),
    'main.yaml:4:16 risk.orderQtyMax: expected a whole number, was .nan',
  ],
  [
    'a key without a value',
    spoilt('  orderQtyMax: 5', '  orderQtyMax:'),
    'main.yaml:4:15 risk.orderQtyMax: expected a whole number, was nothing',
  ],
  [
    'yes for true',
    spoilt('    params', '    overnight: yes\n    params'),
    'main.yaml:9:16 strategies[0].overnight: expected true or false, was "yes"',
  ],
  [
    'money with commas',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  dailyLossMax: 5,000,000'),
    'main.yaml:5:17 risk.dailyLossMax: expected a whole number, was "5,000,000"',
  ],
  [
    'money beyond counting',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  dailyLossMax: 99999999999999999999'),
    'main.yaml:5:17 risk.dailyLossMax: expected at most 9007199254740991, was 99999999999999999999',
  ],
  [
    'more cash than an answer of the broker can show',
    added('simulator:\n  cash: 1000000000000001'),
    'main.yaml:11:9 simulator.cash: expected at most 100000000000000, was 1000000000000001',
  ],
  [
    'a loss limit of zero',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  dailyLossMax: 0'),
    'main.yaml:5:17 risk.dailyLossMax: expected at least 1, was 0',
  ],
  [
    'a wait that never ends',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  nakedSecondsMax: 10000000000'),
    'main.yaml:5:20 risk.nakedSecondsMax: expected at most 86400, was 10000000000',
  ],
  [
    'a percentage too fine to keep',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  collarPercent: 0.001'),
    'main.yaml:5:18 risk.collarPercent: expected at least 0.01, was 0.001',
  ],
  [
    'more margin than there is',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 5\n  marginUsePercent: 150'),
    'main.yaml:5:21 risk.marginUsePercent: expected at most 100, was 150',
  ],
  [
    'more contracts than the exchange takes',
    spoilt('  orderQtyMax: 5', '  orderQtyMax: 100000'),
    'main.yaml:4:16 risk.orderQtyMax: expected at most 500, was 100000 (the exchange takes no larger order)',
  ],
  [
    'a mode with a slip of the pen',
    spoilt('mode: paper', 'mode: papr'),
    'main.yaml:1:7 mode: expected one of paper, live, dry-run, was "papr" (did you mean paper?)',
  ],
  [
    'a policy that is none',
    spoilt('    params', '    onExpiry: close\n    params'),
    'main.yaml:9:15 strategies[0].onExpiry: expected one of flatten, hold, was "close"',
  ],
  [
    'a list for a section',
    added('simulator:\n  - seed: 1'),
    'main.yaml:11:3 simulator: expected a section of keys, was [{"seed":1}]',
  ],
  [
    'a speed beyond reason',
    added('simulator:\n  speed: 99999'),
    'main.yaml:11:10 simulator.speed: expected at most 10000, was 99999',
  ],
  [
    'an address of metrics that is a name',
    added('operator:\n  metrics: { port: 9464, address: bot.lan }'),
    'main.yaml:11:35 operator.metrics.address: expected an IP address of this machine, like 127.0.0.1, was "bot.lan"',
  ],
  [
    'a look-up that proves nothing',
    added('lookUp:\n  scans: 1'),
    'main.yaml:11:10 lookUp.scans: expected at least 3, was 1',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
