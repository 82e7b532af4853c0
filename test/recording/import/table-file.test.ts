import { InputFault } from '../../../src/domain/failure.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellText, CsvRows } from '../../../src/recording/import/table-file.ts';

interface Read {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Reads `text` in pieces of these sizes, over and over. */
function read(text: string, sizes: readonly number[] = [text.length + 1], delimiter = ','): Read[] {
  const rows: Read[] = [];
  const csv = new CsvRows(delimiter, (row) => {
    rows.push({
      line: row.line,
      cells: Array.from({ length: row.cells }, (_, cell) => cellText(row, cell)),
    });
  });
  const bytes = Buffer.from(text);
  // The same memory for all pieces, as a stream may have it.
  const piece = Buffer.alloc(bytes.length + 1);
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = Math.min(sizes[n % sizes.length]!, bytes.length - at);
    bytes.copy(piece, 0, at, at + size);
    csv.write(piece.subarray(0, size));
    at += size;
  }
  csv.end();
  return rows;
}

const cellsOf = (text: string, delimiter?: string): (readonly string[])[] =>
  read(text, undefined, delimiter).map(({ cells }) => cells);

it('gives the same rows however the bytes come', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '7', '.', 'é', ' '), maxLength: 5 });
  const line = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (lines, end, hasLastEnd, sizes) => {
        const text = lines.join(end) + (hasLastEnd ? end : '');
        const expected = lines
          .map((line, i) => ({ line: i + 1, cells: line.split(',').map((cell) => cell.trim()) }))
          .filter(({ cells }) => cells.length > 1 || cells[0] !== '');
        expect(read(text, sizes)).toEqual(expected);
      },
    ),
    { numRuns: 200 },
  );
});

it.each([
  ['quotes', '"a","b c"\n', [['a', 'b c']]],
  ['a delimiter in quotes', '"1,950.1",2\n', [['1,950.1', '2']]],
  [
    'a line feed in quotes',
    '"a\nb",c\nd,e\n',
    [
      ['a\nb', 'c'],
      ['d', 'e'],
    ],
  ],
  ['quotes within quotes', '"a ""b"", c",d\n', [['a ""b"", c', 'd']]],
  [
    'a quote in the middle',
    'a 5" b,c\nd,e\n',
    [
      ['a 5" b', 'c'],
      ['d', 'e'],
    ],
  ],
  ['empty cells', ',,\n', [['', '', '']]],
  ['blank lines', '\n\na,b\n\n', [['a', 'b']]],
])('knows %s', (_, text, rows) => {
  expect(cellsOf(text).map((cells) => cells.join('|'))).toEqual(rows.map((cells) => cells.join('|')));
});

it('takes other delimiters', () => {
  expect(cellsOf('a;b\n1,5;2\n', ';')).toEqual([
    ['a', 'b'],
    ['1,5', '2'],
  ]);
});

it('counts lines as an editor does, blank ones too', () => {
  expect(read('a\n\nb\n').map(({ line }) => line)).toEqual([1, 3]);
});

it('counts lines in quotes', () => {
  expect(read('a,b\n"c\nd",e\nf,g\n', [2]).map(({ line }) => line)).toEqual([1, 2, 4]);
});

describe('a file that is no table', () => {
  it('ends the reading when a quote is never closed: its rows would be one cell', () => {
    expect(() => read('a,b\n"c,d\ne,f\n')).toThrow('line 2: a quote is not closed');
  });

  it('ends the reading when no line ends', () => {
    expect(() => read('x'.repeat(1_100_000), [500_000])).toThrow(InputFault);
  });

  it('ends the reading when a line has too many columns', () => {
    expect(() => read(`${','.repeat(300)}\n`)).toThrow('line 1: more than 256 columns');
  });
});
