/** Real money: whatever guard is missing, nothing starts. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { added, LIVE, type Mistake, problemsOf, spoilt } from './config-files.ts';

it('takes a file with every guard', () => {
  expect(problemsOf(LIVE)).toEqual([]);
});

const ROWS: readonly Mistake[] = [
  [
    'it does not say whether it is armed',
    spoilt('  arm: true\n', '', LIVE),
    'main.yaml:10:3 live.arm: expected true, was nothing (real orders are sent only with live.arm: true and TICKWRIGHT_ARM=yes in the environment)',
  ],
  [
    'it is armed by a word',
    spoilt('arm: true', 'arm: "yes"', LIVE),
    'main.yaml:10:8 live.arm: expected true or false, was "yes"',
  ],
  [
    'it is not armed',
    spoilt('arm: true', 'arm: false', LIVE),
    'main.yaml:10:8 live.arm: expected true, was false (real orders are sent only with live.arm: true and TICKWRIGHT_ARM=yes in the environment)',
  ],
  [
    'there is no account',
    spoilt('account:\n  custodyCode: 105C000000\n  subAccountId: 105C000000A\n', '', LIVE),
    'main.yaml:1:1 account: expected an account in mode live, was nothing (add account: { custodyCode, subAccountId })',
  ],
  [
    'there is no broker',
    spoilt('broker:\n  restUrl: https://broker.example/\n  streamUrl: wss://broker.example/\n', '', LIVE),
    'main.yaml:1:1 broker.restUrl: expected an address with https://, was nothing (add it: no other host is ever contacted)',
    'main.yaml:1:1 broker.streamUrl: expected an address with wss://, was nothing (add it: no other host is ever contacted)',
  ],
  [
    'REST is in clear',
    spoilt('https://broker', 'http://broker', LIVE),
    'main.yaml:7:12 broker.restUrl: expected an address with https://, was "http://broker.example/" (plain http is for this machine alone)',
  ],
  [
    'the addresses are mixed up',
    spoilt('https://broker', 'wss://broker', LIVE),
    'main.yaml:7:12 broker.restUrl: expected an address with https://, was "wss://broker.example/" (write https:// in front of the host)',
  ],
  [
    'an address has no scheme',
    spoilt('https://broker.example/', 'broker.example', LIVE),
    'main.yaml:7:12 broker.restUrl: expected an address like https://host/, was "broker.example"',
  ],
  [
    'an address has a port that does not exist',
    spoilt('https://broker.example/', 'https://broker.example:99999/', LIVE),
    'main.yaml:7:12 broker.restUrl: expected an address like https://host/, was "https://broker.example:99999/"',
  ],
  [
    'the stream has the address of REST',
    spoilt('wss://broker.example/', 'https://broker.example/', LIVE),
    'main.yaml:8:14 broker.streamUrl: expected an address with wss://, was "https://broker.example/" (write wss:// in front of the host)',
  ],
  [
    'the account is not allowed',
    spoilt('[105C000000A]', '[105C000009A]', LIVE),
    'main.yaml:11:23 live.allowedSubAccounts: expected a list that names account.subAccountId, was ["105C000009A"] (orders go to no account that is not listed)',
  ],
  [
    'nothing is allowed',
    spoilt('[105C000000A]', '[]', LIVE),
    'main.yaml:11:23 live.allowedSubAccounts: expected a list that names account.subAccountId, was [] (orders go to no account that is not listed)',
  ],
  [
    'what is allowed is no list',
    spoilt('[105C000000A]', '105C000000A', LIVE),
    'main.yaml:11:23 live.allowedSubAccounts: expected a list (- item), was "105C000000A"',
  ],
  [
    'the password is the simulator’s',
    added('auth: { otp: { from: simulator } }', LIVE),
    'main.yaml:16:22 auth.otp.from: expected prompt, command or file, was "simulator" (the simulator is for paper only)',
  ],
];

it.each(ROWS)('starts nothing when %s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

it('lets plain connections go to this machine only', () => {
  const local = LIVE.replace('https://broker.example/', 'http://127.0.0.1:8700/').replace(
    'wss://broker.example/',
    'ws://localhost:8700/',
  );
  expect(problemsOf(local)).toEqual([]);
  expect(problemsOf(local.replace('localhost:8700', 'localhost.example:8700'))).toEqual([
    'main.yaml:8:14 broker.streamUrl: expected an address with wss://, was "ws://localhost.example:8700/" (plain ws is for this machine alone)',
  ]);
});

it('needs no arm for a dry run', () => {
  const dry = LIVE.replace('mode: live', 'mode: dry-run').replace('arm: true', 'arm: false');
  expect(problemsOf(dry)).toEqual([]);
});

it('wants the file of the key to be there, and an absence to be proven over half a minute', () => {
  expect(problemsOf(added('auth: { apiKeyFile: /nowhere/key }\nlookUp: { spread: 5s }', LIVE))).toEqual([
    'main.yaml:17:19 lookUp.spread: expected a duration of at least 30s, was "5s" (an order that is not seen for less is not proven absent)',
    'main.yaml:16:21 auth.apiKeyFile: expected a file with the API key, was "/nowhere/key" (the path counts from where the program is started)',
  ]);
});

it('wants a key that only its owner may read', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'tickwright-key-')), 'key');
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, 'key', { mode: 0o600 });
  const text = added(`auth: { apiKeyFile: ${file} }`, LIVE);
  expect(problemsOf(text)).toEqual([]);
  for (const mode of [0o644, 0o640, 0o602]) {
    chmodSync(file, mode);
    expect(problemsOf(text)).toEqual([
      `main.yaml:16:21 auth.apiKeyFile: expected a file that only its owner may read, was "${file}" (chmod 600 ${file})`,
    ]);
  }
  expect(problemsOf(text.replace('mode: live', 'mode: dry-run')), 'the same key').toHaveLength(1);
});
