import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMoney, formatSigned, formatTable } from '../../src/operator/format-table.ts';
import { createPaint, PLAIN, widthOf } from '../../src/operator/terminal.ts';

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

test('without colours text is left as it is', () => {
  expect(Object.values(PLAIN).map((paint: (text: string) => string) => paint('x'))).toEqual([
    'x',
    'x',
    'x',
    'x',
    'x',
    'x',
  ]);
});

test.each([
  [0, '0', '0'],
  [-0, '0', '0'],
  [7, '7', '+7'],
  [999, '999', '+999'],
  [1_000, '1,000', '+1,000'],
  [1_234_567, '1,234,567', '+1,234,567'],
  [-1_234_567, '-1,234,567', '-1,234,567'],
  [-999, '-999', '-999'],
])('%d is %s, with its sign %s', (value, plain, signed) => {
  expect(formatMoney(value)).toBe(plain);
  expect(formatSigned(value)).toBe(signed);
});

test('separators change no digit', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(formatMoney(value)).toMatch(/^-?\d{1,3}(?:,\d{3})*$/);
      expect(Number(formatMoney(value).replaceAll(',', ''))).toBe(value === 0 ? 0 : value);
    }),
  );
});
