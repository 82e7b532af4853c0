/** The pages of the strategies name all of them and their parameters. The tutorial is played in test/e2e/new-strategy.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOG } from '../../strategies/catalog.ts';

const root = join(import.meta.dirname, '..', '..');
const page = (path: string): string => readFileSync(join(root, 'strategies', path), 'utf8');

test('the tutorial names every strategy of the catalogue', () => {
  for (const { name } of CATALOG) expect(page('README.md')).toContain(`[${name}](${name}/README.md)`);
});

test.each(CATALOG.map((definition) => [definition.name, definition] as const))(
  'the README of %s explains every parameter, with its default',
  (name, { paramRows }) => {
    const rows = page(`${name}/README.md`)
      .split('\n')
      .filter((row) => row.startsWith('| `'));
    const explained = new Map(
      rows.flatMap((row) => {
        const [names = '', defaults = ''] = row
          .split('|')
          .slice(1)
          .map((cell) => cell.replaceAll('`', ''));
        const values = defaults.split(',').map((value) => value.trim());
        return names.split(',').map((each, place) => [each.trim(), values[place]] as const);
      }),
    );
    expect(Object.fromEntries(explained)).toEqual(
      Object.fromEntries(paramRows.map((row) => [row.name, String(JSON.parse(row.default ?? 'null'))])),
    );
  },
);

test('the README of the stop says that it dies with the daemon', () => {
  expect(page('opening-range-breakout/README.md')).toContain('dies with it');
});
