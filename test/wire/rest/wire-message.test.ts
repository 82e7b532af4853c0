/** One table of fields gives encoder and lenient reader. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { looseNumber, looseText } from '../../../src/wire/rest/lenient.ts';
import { alias, field, message, points, text, whole } from '../../../src/wire/rest/wire-message.ts';
import { CountedDrift } from '../support/counted-drift.ts';

interface Row {
  readonly code: string;
  readonly price: number;
  readonly note: string | null;
}

const row = message<Row>()({
  symbol: field(text, ({ code }) => code, looseText),
  price: field(points, ({ price }) => price, looseNumber),
  volume: field(whole, () => 1),
  note: field(text, ({ note }) => note ?? undefined, looseText),
  code: alias(looseText),
});

const ROW: Row = { code: 'VN30F1', price: 1198.7, note: null };

describe('a message', () => {
  it('is written in the order of its fields; undefined leaves one out, another spelling is never written', () => {
    expect(JSON.stringify(row.encode({ ...ROW, note: 'x' }))).toBe(
      '{"symbol":"VN30F1","price":1198.7,"volume":1,"note":"x"}',
    );
    expect(Object.keys(row.encode(ROW))).toEqual(['symbol', 'price', 'volume']);
  });

  it('is read leniently, and only where somebody reads', () => {
    expect(row.reader.parse({ code: 'VN30F1', price: ' 1198.7 ', volume: [], more: 1 })).toStrictEqual({
      symbol: '',
      price: 1198.7,
      note: '',
      code: 'VN30F1',
    });
    expectTypeOf<keyof z.output<typeof row.reader>>().toEqualTypeOf<'symbol' | 'price' | 'note' | 'code'>();
  });

  it('counts a number that came as text, if somebody reads it', () => {
    const drift = new CountedDrift();
    row.noteTexts(drift, 'row', { symbol: '1', price: '1198.7', volume: '1' });
    row.noteTexts(drift, 'row', { price: ' ' });
    row.noteTexts(drift, 'row', 'no object');
    expect(drift.seen).toEqual(['row.price: text for a number', 'row.price: empty text for a number']);
  });
});
