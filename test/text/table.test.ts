import { expect, test } from 'vitest';
import { createPaint } from '../../src/operator/terminal.ts';
import { formatTable, widthOf, wrapText } from '../../src/text/table.ts';

test('columns are as wide as their widest cell, numbers to the right', () => {
  const text = formatTable(
    [
      { title: 'name', align: 'left' },
      { title: 'n', align: 'right' },
      { title: '', align: 'left' },
    ],
    [
      ['ema-cross', '1,204', 'agrees'],
      ['x', '7', ''],
    ],
  );
  expect(text).toBe(
    ['name           n', '---------  -----  ------', 'ema-cross  1,204  agrees', 'x              7'].join(
      '\n',
    ),
  );
});

test('a table without rows is its titles; a missing cell is empty', () => {
  const columns = [
    { title: 'a', align: 'left' },
    { title: 'b', align: 'left' },
  ] as const;
  expect(formatTable(columns, [])).toBe('a  b\n-  -');
  expect(formatTable(columns, [['x']])).toBe('a  b\n-  -\nx');
});

test('colours take no width', () => {
  const { red, bold } = createPaint(true);
  expect(widthOf(bold(red('DIFFERS')))).toBe(7);
  const columns = [
    { title: 'a', align: 'right' },
    { title: 'b', align: 'left' },
  ] as const;
  expect(
    formatTable(columns, [
      [red('x'), 'y'],
      ['long', 'z'],
    ]),
  ).toContain(`   ${red('x')}  y`);
});

test('a column with a title alone is on the right when it has numbers only', () => {
  expect(
    formatTable(
      ['name', 'n', 'm'],
      [
        ['a', '1,204', '7'],
        ['b', '-7.5', ''],
      ],
    ),
  ).toBe(['name      n  m', '----  -----  -', 'a     1,204  7', 'b      -7.5'].join('\n'));
});

test('percentages are numbers: a wide table keeps their title and their lines', () => {
  const text = formatTable(
    ['what', 'won'],
    [
      ['x'.repeat(80), '70.00 %'],
      ['y', '–'],
    ],
  );
  expect(text.split('\n').map((line) => line.slice(80))).toEqual([
    '     won',
    ' -------',
    ' 70.00 %',
    '       –',
  ]);
});

const WORDS = 'the position would reach 11 contracts, and the limit of the account is 10 of them';

test('a table that is too wide moves its columns together before it breaks lines', () => {
  const row = Array.from({ length: 9 }, () => 'abcdefgh');
  const text = formatTable(row, [row]);
  expect(text.split('\n').map(widthOf)).toEqual([80, 80, 80]);
});

test('long words of the last column go on next to the others, or below where these leave no room', () => {
  expect(
    formatTable(
      ['order', 'why'],
      [
        ['#01000001', WORDS],
        ['#01000002', ''],
      ],
    ),
  ).toBe(
    [
      'order     why',
      '--------- ----------------------------------------------------------------------',
      '#01000001 the position would reach 11 contracts, and the limit of the account is',
      '          10 of them',
      '#01000002',
    ].join('\n'),
  );
  const wide = 'x'.repeat(60);
  expect(
    formatTable(
      ['order', 'why'],
      [
        [wide, WORDS],
        [wide, ''],
      ],
    ),
  ).toBe(
    [
      'order',
      '-'.repeat(60),
      wide,
      '    the position would reach 11 contracts, and the limit of the account is 10 of',
      '    them',
      wide,
    ].join('\n'),
  );
});

test('a word that is longer than a line is cut, and nothing of it is lost', () => {
  const word = 'y'.repeat(25);
  expect(wrapText(`a ${word} b`, 10)).toEqual(['a', 'yyyyyyyyyy', 'yyyyyyyyyy', 'yyyyy b']);
  expect(wrapText('', 10)).toEqual(['']);
});

test('a link stays whole, so that it can be followed', () => {
  const link = `http://127.0.0.1:8600/#${'k'.repeat(43)}`;
  expect(wrapText(`cockpit ${link} for ten minutes`, 40)).toEqual(['cockpit', link, 'for ten minutes']);
});
