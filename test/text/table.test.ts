import { expect, test } from 'vitest';
import { createPaint } from '../../src/operator/terminal.ts';
import { formatTable, widthOf } from '../../src/text/table.ts';

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

test('a column with a title alone stands on the right when it has numbers only', () => {
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
