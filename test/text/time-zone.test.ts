import { expect, it } from 'vitest';
import { timeZone } from '../../src/text/dates.ts';

it.each([
  ['UTC', 0],
  ['z', 0],
  ['+07:00', 420],
  ['-0330', -210],
  ['UTC+7', 420],
  ['Asia/Ho_Chi_Minh', 420],
  ['Asia/Kolkata', 330],
])('knows the zone %s', (name, minutes) => {
  const zone = timeZone(name)!;
  expect([zone.offsetAt(0 + 1e15), zone.offsetAtMoment(1e15)]).toEqual([minutes, minutes]);
});

it.each(['', 'Hanoi', '+7h', 'Mars/Base'])('knows no zone %j', (name) => {
  expect(timeZone(name)).toBeUndefined();
});
