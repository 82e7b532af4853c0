/** A secret has no place in the file, and one that is there is not shown again. */
import { expect, it } from 'vitest';
import { added, LIVE, type Mistake, problemsOf, spoilt } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'the key in its section',
    added('auth:\n  apiKey: abcdef123456SECRET'),
    'main.yaml:11:3 auth.apiKey: expected no secret in this file, was "apiKey" (put it in the environment or in a file that auth.apiKeyFile names, and have the broker replace the one that was here)',
  ],
  [
    'the password itself',
    added('auth:\n  otp: "987654"'),
    'main.yaml:11:8 auth.otp: expected a section of keys, was a text that is not shown here',
  ],
  [
    'a password',
    added('broker:\n  password: hunter2000'),
    'main.yaml:11:3 broker.password: expected no secret in this file, was "password" (put it in the environment or in a file that auth.apiKeyFile names, and have the broker replace the one that was here)',
  ],
  [
    'the key for the name of its variable',
    added('auth:\n  apiKeyEnvironment: sk-abc123-DEADBEEF'),
    'main.yaml:11:22 auth.apiKeyEnvironment: expected the name of an environment variable, like TICKWRIGHT_API_KEY, was a text that is not shown here',
  ],
  [
    'a password in an address',
    spoilt('https://broker.example/', 'https://user:pw12345@broker.example/', LIVE),
    'main.yaml:7:12 broker.restUrl: expected an address alone, was "https://broker.example/" (no user, password, ? or # belongs in it)',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  const found = problemsOf(text);
  expect(found).toEqual(problems);
  expect(found.join()).not.toMatch(SECRETS);
});

/** What the files above give away. */
const SECRETS = /SECRET|987654|eyJ|hunter2000|DEADBEEF|pw12345|abc12345/;
