/** Durations and times of day as a newcomer writes them. */
import { expect, it } from 'vitest';
import { added, type Mistake, problemsOf } from './config-files.ts';

const ROWS: readonly Mistake[] = [
  [
    'a duration without a unit',
    added('poll:\n  bookFast: 1'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was 1',
  ],
  [
    'a duration of zero',
    added('poll:\n  bookFast: 0s'),
    'main.yaml:11:13 poll.bookFast: expected a duration of at least 50ms, was "0s"',
  ],
  [
    'zero without a unit',
    added('poll:\n  bookFast: 0'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was 0',
  ],
  [
    'a request that may take no time',
    added('broker:\n  requestTimeout: 0ms'),
    'main.yaml:11:19 broker.requestTimeout: expected a duration of at least 100ms, was "0ms"',
  ],
  [
    'a look-up without time',
    added('lookUp:\n  spread: 0s'),
    'main.yaml:11:11 lookUp.spread: expected a duration of at least 100ms, was "0s"',
  ],
  [
    'a duration that rounds to nothing',
    added('poll:\n  bookFast: 0.0001ms'),
    'main.yaml:11:13 poll.bookFast: expected a duration of at least 50ms, was "0.0001ms"',
  ],
  [
    'a duration below zero',
    added('poll:\n  bookFast: -1s'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was "-1s"',
  ],
  [
    'a duration with a space',
    added('poll:\n  bookFast: 1 s'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was "1 s"',
  ],
  [
    'days',
    added('poll:\n  bookFast: 1d'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was "1d"',
  ],
  [
    'a duration of centuries',
    added('poll:\n  bookFast: 99999999h'),
    'main.yaml:11:13 poll.bookFast: expected a duration of at most 1m, was "99999999h"',
  ],
  [
    'a list of durations',
    added('poll:\n  bookFast: [1s]'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was ["1s"]',
  ],
  [
    'a duration as a section',
    added('poll:\n  bookFast: { seconds: 1 }'),
    'main.yaml:11:13 poll.bookFast: expected a duration like 500ms, 2s, 15m or 8h, was {"seconds":1}',
  ],
  [
    'a time of day with one digit',
    added('session:\n  rollover: 8:20'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "8:20"',
  ],
  [
    'an hour that no day has',
    added('session:\n  rollover: "25:00"'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "25:00"',
  ],
  [
    'a time of day with seconds',
    added('session:\n  rollover: "08:20:00"'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "08:20:00"',
  ],
  [
    'a time of day as a number',
    added('session:\n  rollover: 820'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was 820',
  ],
  [
    'a time of day in the morning',
    added('session:\n  rollover: 8:20am'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "8:20am"',
  ],
  [
    'no time in the list',
    added('session:\n  tokenRefresh: []'),
    'main.yaml:11:17 session.tokenRefresh: expected at least 1 item, was []',
  ],
  [
    'a word among times',
    added('session:\n  tokenRefresh: ["08:15", "noon"]'),
    'main.yaml:11:27 session.tokenRefresh[1]: expected a time of day like 08:45, was "noon"',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
