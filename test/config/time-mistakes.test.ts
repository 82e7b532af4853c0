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
    'an hour that no day has',
    added('session:\n  rollover: "25:00"'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "25:00"',
  ],
  [
    'a time of day as a number',
    added('session:\n  rollover: 820'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was 820',
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
