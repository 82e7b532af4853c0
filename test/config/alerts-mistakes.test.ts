/** Channels to the operator: their mistakes have places and hints, and no secret is shown. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { added, problemsOf } from './config-files.ts';
import { tempDir } from '../support/temp-dir.ts';

const channel = (rest: string): string => added(`alerts:\n  channels:\n    - { ${rest} }`);

it('takes one channel of each kind', () => {
  const text = added(`alerts:
  quiet: { from: '22:00', until: '07:00' }
  channels:
    - { id: phone, kind: telegram, chat: 4711, users: [4711] }
    - { id: mail, kind: email, host: smtp.example, from: a@example, to: [b@example] }
    - { id: team, kind: webhook, preset: slack, url: { environment: TEAM_URL } }
    - { id: own, kind: webhook, template: '{"text":"{text}"}' }
  deadMansSwitch: { fail: true }`);
  expect(problemsOf(text)).toEqual([]);
});

it.each([
  [
    'a token in the file',
    'id: phone, kind: telegram, chat: 1, token: "4711:AAH-secret"',
    /a section of keys/,
  ],
  [
    'a URL in the file',
    'id: team, kind: webhook, preset: slack, url: "https://h/AAH-secret"',
    /a section of keys/,
  ],
  [
    'a password for its variable',
    'id: phone, kind: telegram, chat: 1, token: { environment: AAH-secret }',
    /name of an environment variable/,
  ],
  ['an unknown kind', 'id: phone, kind: telegramm, chat: 1', /did you mean telegram\?/],
  ['a webhook without a format', 'id: team, kind: webhook', /either preset or template/],
  ['an unknown key', 'id: phone, kind: telegram, chat: 1, user: [1]', /user: expected a known key/],
  ['plain http', 'id: phone, kind: telegram, chat: 1, apiUrl: "http://example.com"', /an address with https/],
])('refuses %s', (_, rest, expected) => {
  const problems = problemsOf(channel(rest)).join('\n');
  expect(problems).toMatch(expected);
  expect(problems).not.toContain('AAH-secret');
});

it('refuses two channels of one name', () => {
  const text = added(`alerts:
  channels:
    - { id: team, kind: webhook, preset: slack }
    - { id: team, kind: webhook, preset: ntfy }`);
  expect(problemsOf(text)).toEqual([expect.stringMatching(/channels\[1\]\.id: expected a name of its own/)]);
});

it('refuses a secret that others can read, or that is not there', () => {
  const place = join(import.meta.dirname, 'none');
  expect(problemsOf(channel(`id: team, kind: webhook, preset: slack, url: { file: ${place} }`))).toEqual([
    expect.stringMatching(/url\.file: expected a file with the secret/),
  ]);
  const dir = tempDir();
  const file = join(dir, 'secret');
  writeFileSync(file, 'x');
  chmodSync(file, 0o644);
  const open = problemsOf(channel(`id: team, kind: webhook, preset: slack, url: { file: ${file} }`));
  expect(open).toEqual([expect.stringMatching(/only its owner may read.*chmod 600/)]);
});
