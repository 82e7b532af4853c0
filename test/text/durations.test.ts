import { expect, it } from 'vitest';
import {
  formatBarLength,
  formatDuration,
  formatMinutes,
  formatSpan,
  parseBarLength,
  parseDuration,
} from '../../src/text/durations.ts';

it.each([
  [1_000_000, '1s'],
  [60_000_000, '1m'],
  [300_000_000, '5m'],
  [5_400_000_000, '90m'],
  [86_400_000_000, '1d'],
  [604_800_000_000, '7d'],
])('writes bars of %d microseconds as %s, and reads them back', (us, name) => {
  expect(formatBarLength(us)).toBe(name);
  expect(parseBarLength(name)).toBe(us);
});

it('reads weeks as days', () => {
  expect(parseBarLength('2w')).toBe(14 * 86_400_000_000);
});

it('names a length that is no whole second', () => {
  expect(formatBarLength(1_500)).toBe('1500us');
});

it.each([
  ['500ms', 500_000],
  ['2s', 2_000_000],
  ['1.5h', 5_400_000_000],
  ['0s', 0],
])('reads %s', (text, us) => {
  expect(parseDuration(text)).toBe(us);
});

it.each([
  [500, '0.5ms'],
  [333_300, '333.3ms'],
  [2_000_000, '2s'],
  [90_000_000, '90s'],
  [5_400_000_000, '90m'],
  [86_400_000_000, '24h'],
])('writes %d microseconds as %s, and reads them back', (us, text) => {
  expect(formatDuration(us)).toBe(text);
  expect(parseDuration(text)).toBe(us);
});

it.each(['', '5', 's', '-1s', '1d', '1e3s', ' 1s', '1 s', '1us'])('refuses %j', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it.each([
  [0, '0 s'],
  [1, '1 s'],
  [59_000_000, '59 s'],
  [185_000_000, '3 min 5 s'],
  [3_600_000_000, '1 h'],
  [18_720_000_000, '5 h 12 min'],
  [86_400_000_000, '1 day'],
  [169_200_000_000, '1 day 23 h'],
  [169_200_000_001, '2 days'],
  [273_600_000_000, '3 days 4 h'],
])('a span of %d microseconds is %s', (us, text) => {
  expect(formatSpan(us)).toBe(text);
});

it('shortens minutes', () => {
  expect([0, 59, 60, 365].map((minutes) => formatMinutes(minutes * 60_000_000))).toEqual([
    '0m',
    '59m',
    '1h00m',
    '6h05m',
  ]);
});
