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
    'an hour that no day has',
    added('session:\n  rollover: "25:00"'),
    'main.yaml:11:13 session.rollover: expected a time of day like 08:45, was "25:00"',
  ],
  [
    'no time in the list',
    added('session:\n  tokenRefresh: []'),
    'main.yaml:11:17 session.tokenRefresh: expected at least 1 item, was []',
  ],
];

it.each(ROWS)('%s', (_, text, ...problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
