/** The section that lets money move: absent it never does, half of it is a mistake. */
import { expect, it } from 'vitest';
import { GOOD, problemsOf } from './config-files.ts';

it('is right with its accounts and its limit', () => {
  expect(
    problemsOf(`${GOOD}money: { accounts: ["0001234567", 105C000001A], amountMax: 50000000 }\n`),
  ).toEqual([]);
});

it.each([
  [
    'no limit',
    '{ accounts: [105C000001A] }',
    'money.amountMax: expected a whole number, was nothing (add it)',
  ],
  ['no accounts', '{ amountMax: 5 }', 'money.accounts: expected a list (- item), was nothing (add it)'],
  [
    'an account number without quotes',
    '{ accounts: [0001234567], amountMax: 5 }',
    'money.accounts[0]: expected a text, was 0001234567',
  ],
  [
    'a limit of nothing',
    '{ accounts: [105C000001A], amountMax: 0 }',
    'money.amountMax: expected at least 1, was 0',
  ],
])('is a mistake with %s', (_what, section, problem) => {
  const problems = problemsOf(`${GOOD}money: ${section}\n`);
  expect(problems.map((text) => text.replace(/^main\.yaml:10:\d+ /, ''))).toContain(problem);
});
