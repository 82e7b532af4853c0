import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { type DateOrder, StampReader } from '../../../src/recording/import/stamp-reader.ts';
import { timeZone } from '../../../src/text/dates.ts';

interface Setting {
  readonly zone?: string;
  readonly day?: string | null;
  readonly dateOrder?: DateOrder;
}

const reader = ({ zone = '+07:00', day = '2026-03-04', dateOrder }: Setting = {}): StampReader =>
  new StampReader({
    zone: timeZone(zone)!,
    day: day === null ? null : tradingDay(day),
    dateOrder,
  });

function read(stamps: StampReader, text: string): string {
  const bytes = Buffer.from(`;${text};`);
  const at = stamps.read(bytes, 1, bytes.length - 1);
  if (Number.isNaN(at)) return 'none';
  return `${new Date(Math.floor(at / 1_000)).toISOString().slice(0, -1)}${String(at % 1_000).padStart(3, '0')}`;
}

const NINE = '2026-03-04T02:00:00.000000';

describe('nine in the morning in Hanoi', () => {
  it.each([
    '09:00:00',
    '9:00:00',
    '9:00',
    '09:00',
    '090000',
    '09:00:00.000',
    '2026-03-04 09:00:00',
    '2026-03-04T09:00:00',
    '2026-03-04 9:00:00',
    '2026-03-04 09:00',
    '2026/03/04 09:00:00',
    '2026.03.04 09:00:00',
    '20260304 090000',
    '2026-03-04 09:00:00+07:00',
    '2026-03-04T02:00:00Z',
    '2026-03-04 02:00:00 UTC',
    '2026-03-03T21:00:00-0500',
    '2026-03-04 09:00:00.000000',
    '1772589600',
    '1772589600.0',
    '1772589600000',
    '1772589600000000',
    '1772589600000000000',
  ])('%s', (text) => {
    expect(read(reader(), text)).toBe(NINE);
  });

  it.each<[string, DateOrder]>([
    ['04/03/2026 09:00:00', 'dmy'],
    ['4-3-2026 9:00', 'dmy'],
    ['03/04/2026 09:00:00', 'mdy'],
  ])('%s, read as %s', (text, dateOrder) => {
    expect(read(reader({ dateOrder }), text)).toBe(NINE);
  });

  it('with the date in a column of its own', () => {
    expect(reader({ day: null }).readPair('2026-03-04', '9:00:00')).toBe(Date.parse(`${NINE}Z`) * 1_000);
  });
});

it.each([
  ['2026-03-04 09:00:00.123456', '2026-03-04T02:00:00.123456'],
  ['2026-03-04 09:00:00.5', '2026-03-04T02:00:00.500000'],
  ['2026-03-04 09:00:00.123456789', '2026-03-04T02:00:00.123456'],
  ['2026-03-04 09:00:00.25+07:00', '2026-03-04T02:00:00.250000'],
  ['09:00:00,250', '2026-03-04T02:00:00.250000'],
  ['1772589600.25', '2026-03-04T02:00:00.250000'],
  ['1772589600123', '2026-03-04T02:00:00.123000'],
  ['1772589600123456789', '2026-03-04T02:00:00.123456'],
  ['2026-03-04', '2026-03-03T17:00:00.000000'],
  ['20260304', '2026-03-03T17:00:00.000000'],
  ['23:59:59', '2026-03-04T16:59:59.000000'],
  ['0:00:00', '2026-03-03T17:00:00.000000'],
])('%s is %s', (text, at) => {
  expect(read(reader(), text)).toBe(at);
});

describe('is no time', () => {
  it.each([
    '',
    'Time',
    '25:00:00',
    '24:00:00',
    '09:60:00',
    '09:00:60',
    '9:0:0',
    '9',
    '2026-02-30 09:00:00',
    '2026-13-01 09:00:00',
    '2026-03-04 25:00:00',
    '2026-03-04X09:00:00',
    '2026-03-04 09:00:00x',
    '04/03/2026 09:00:00',
    '177258960',
    '09-00-00',
    '-9:00:00',
    'noon',
  ])('%s', (text) => {
    expect(read(reader(), text)).toBe('none');
  });

  it('a time without a date when nobody says which day', () => {
    expect(read(reader({ day: null }), '09:00:00')).toBe('none');
  });
});

it('remembers no stamp longer than the row after it', () => {
  const stamps = reader();
  const texts = [
    '09:00:00',
    '09:00:00',
    '09:00:01',
    'x',
    'x',
    '09:00:01',
    '2026-03-05 09:00:00',
    '2026-03-05 09:00:01',
  ];
  expect(texts.map((text) => read(stamps, text).slice(8, 19))).toEqual([
    '04T02:00:00',
    '04T02:00:00',
    '04T02:00:01',
    '',
    '',
    '04T02:00:01',
    '05T02:00:00',
    '05T02:00:01',
  ]);
});

const newYork = (): StampReader => reader({ zone: 'America/New_York', day: null });

describe('a zone with summer time', () => {
  it.each([
    ['2026-03-06 09:30:00', '2026-03-06T14:30:00.000000'],
    ['2026-03-09 09:30:00', '2026-03-09T13:30:00.000000'],
    ['2026-03-08 01:59:59', '2026-03-08T06:59:59.000000'],
    ['2026-03-08 03:00:00', '2026-03-08T07:00:00.000000'],
    ['2026-11-01 00:30:00', '2026-11-01T04:30:00.000000'],
    ['2026-11-01 02:00:00', '2026-11-01T07:00:00.000000'],
  ])('%s is %s', (text, at) => {
    expect(read(newYork(), text)).toBe(at);
  });

  it('takes the earlier of two moments with the same time, and none for a time that clocks skip', () => {
    expect(read(newYork(), '2026-11-01 01:30:00')).toBe('2026-11-01T05:30:00.000000');
    expect(read(newYork(), '2026-03-08 02:30:00')).toBe('none');
  });
});
