/** Paths, addresses, and where passwords come from. */
import { expect, it } from 'vitest';
import { added, spoilt, type Mistake, problemsOf } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'a variable in a path',
    added('state: ${STATE}'),
    'main.yaml:10:8 state: expected a plain path: ~ and variables are not filled in, was "${STATE}"',
  ],
  [
    'a path longer than any',
    spoilt('vn30f.yaml', 'a/'.repeat(2_500)),
    expect.stringMatching(
      /^main\.yaml:2:9 market: expected a path of at most 1000 characters, its names of at most 255 bytes, was "a\/a/,
    ),
  ],
  [
    'a name longer than any',
    added(`state: var/${'ă'.repeat(128)}`),
    expect.stringMatching(
      /^main\.yaml:10:8 state: expected a path of at most 1000 characters, its names of at most 255 bytes, was "var\/ă/,
    ),
  ],
  [
    'a market file that is not there',
    spoilt('vn30f.yaml', 'vn30.yaml'),
    'main.yaml:2:9 market: expected the name of a file next to this one, was "vn30.yaml" (there is no vn30.yaml)',
  ],
  [
    'a directory for the market file',
    spoilt('vn30f.yaml', '.'),
    'main.yaml:2:9 market: expected the name of a file next to this one, was "." ($DIR is no file)',
  ],
  [
    'the main file for the market file',
    spoilt('vn30f.yaml', 'main.yaml'),
    'main.yaml:1:1 expected a market file with calendar, contracts, costs, was a file with mode, market, risk, strategies (samples are in config/)',
  ],
  [
    'a tape that is not there',
    added('simulator:\n  tape: nope.csv'),
    'main.yaml:11:9 simulator.tape: expected a tape that is there, was "nope.csv" (the path counts from where the program is started)',
  ],
  [
    'an address in mode paper',
    added('broker: { restUrl: "https://broker.example" }'),
    'main.yaml:10:11 broker.restUrl: expected no broker address in mode paper, was "restUrl" (paper trades with the embedded simulator; remove it)',
  ],
  [
    'a source of passwords that is none',
    added('auth:\n  otp: { from: sms }'),
    'main.yaml:11:16 auth.otp.from: expected one of simulator, prompt, command, file, was "sms"',
  ],
  [
    'a password file without its path',
    added('auth:\n  otp: { from: file }'),
    'main.yaml:11:8 auth.otp.path: expected a text, was nothing (add it)',
  ],
  [
    'a command of no words',
    added('auth:\n  otp: { from: command, command: [] }'),
    'main.yaml:11:34 auth.otp.command: expected at least 1 item, was []',
  ],
  [
    'one port for all that is served',
    added('operator:\n  controlPort: 9464\n  metrics: { port: 9464 }\n  cockpit: { port: 9464 }'),
    'main.yaml:12:20 operator.metrics.port: expected a port of its own, was 9464 (another section has it)',
    'main.yaml:13:20 operator.cockpit.port: expected a port of its own, was 9464 (another section has it)',
  ],
  [
    'a variable with its dollar sign',
    added('auth:\n  apiKeyEnvironment: $TICKWRIGHT_API_KEY'),
    'main.yaml:11:22 auth.apiKeyEnvironment: expected the name of an environment variable, like TICKWRIGHT_API_KEY, was a text that is not shown here',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
