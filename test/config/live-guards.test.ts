/** Real money: whatever guard is missing, nothing starts. */
import { expect, it } from 'vitest';
import { GOOD, problemsOf } from './config-files.ts';

const LIVE = `${GOOD.replace('mode: paper', 'mode: live')}account: { custodyCode: 105C123456, subAccountId: 105C123456A }
broker: { restUrl: "https://broker.example/", streamUrl: "wss://broker.example/" }
live: { arm: true, allowedSubAccounts: [105C123456A] }
`;

it('takes a file with every guard', () => {
  expect(problemsOf(LIVE)).toEqual([]);
});

it.each([
  ['it is not armed', 'arm: true', 'arm: false', 'live.arm: expected true, was false'],
  ['it is armed by a text', 'arm: true', 'arm: "true"', 'live.arm: expected true or false, was "true"'],
  [
    'the account is not allowed',
    '[105C123456A]',
    '[105C999999A]',
    'live.allowedSubAccounts: expected a list that names',
  ],
  ['nothing is allowed', '[105C123456A]', '[]', 'live.allowedSubAccounts: expected a list that names'],
  [
    'there is no account',
    'account: {',
    'xaccount: {',
    'xaccount: expected a known key, was "xaccount" (did you mean account?)',
  ],
  ['REST is in clear', 'https://', 'http://', 'broker.restUrl: expected an https address'],
  ['the stream is in clear', 'wss://', 'ws://', 'broker.streamUrl: expected a wss address'],
  [
    'the address is none',
    'https://broker.example/',
    'broker',
    'broker.restUrl: expected an address like https://host/',
  ],
  [
    'the password is the simulator’s',
    'live: {',
    'auth: { otp: { from: simulator } }\nlive: {',
    'auth.otp: expected prompt, command or file',
  ],
])('starts nothing when %s', (_, from, to, part) => {
  const text = LIVE.replace(from, to);
  expect(text).not.toBe(LIVE);
  const problems = problemsOf(text);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems[0]).toContain(part);
});

it('lets plain connections go to this machine only', () => {
  const local = LIVE.replace('https://broker.example/', 'http://127.0.0.1:8700/').replace(
    'wss://broker.example/',
    'ws://localhost:8700/',
  );
  expect(problemsOf(local)).toEqual([]);
  expect(problemsOf(local.replace('localhost:8700', 'localhost.example:8700'))[0]).toContain('a wss address');
});

it('needs no arm for a dry run', () => {
  expect(problemsOf(LIVE.replace('mode: live', 'mode: dry-run').replace('arm: true', 'arm: false'))).toEqual(
    [],
  );
});
