/** The table in the README of the wire is true: each row names a test that exists, each operation has its row. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { DOCUMENTED } from '../contract/broker/document/operations.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'src/wire/README.md'), 'utf8');

/** Cells of a table row; a bar inside a cell is escaped. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

const section = (title: string): string[][] => {
  const text = README.split('\n## ').find((part) => part.startsWith(title)) ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map(cellsOf);
};

const OPERATION_ROWS = section('Operations');
const STREAM_ROWS = section('Stream');

const NAMED_TEST = /^`(test\/[\w/-]+\.test\.ts)`: (.+)$/;

/** Whether the file exists and has a test or group with that title. */
function isProven(cell: string): boolean {
  const [, file = '', title = ''] = NAMED_TEST.exec(cell) ?? [];
  if (file === '') return false;
  const quoted = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`['\`](?:\\$name )?${quoted}['\`]`).test(readFileSync(join(ROOT, file), 'utf8'));
}

/** By the contract suite. */
const isOverSockets = (cell: string): boolean => cell.startsWith('`test/contract/broker/');

const byText = (a: string, b: string): number => a.localeCompare(b);

const plain = (cell: string): string => cell.replaceAll('`', '');

describe('the operations', () => {
  it('are 23, each with one row that has its method and path', () => {
    expect(OPERATIONS).toHaveLength(23);
    expect(
      OPERATION_ROWS.map(([number, name, route]) => [number, name, route].map((cell) => plain(cell ?? ''))),
    ).toEqual(OPERATIONS.map(({ name, method, path }, i) => [String(i + 1), name, `${method} ${path}`]));
  });

  it.each(OPERATION_ROWS)('%s %s is proven', (_number, _name, _route, codec = '', ...proofs) => {
    expect(readdirSync(join(ROOT, 'src/wire/rest'))).toContain(plain(codec));
    expect(proofs).toHaveLength(3);
    expect(proofs.filter((proof) => !isProven(proof))).toEqual([]);
    expect(proofs.slice(1).filter((proof) => !isOverSockets(proof))).toEqual([]);
  });

  it('are those of the contract suite, with the same method and path', () => {
    const documented = DOCUMENTED.map(
      ({ name, method, path }) => `${name} ${method} ${path.replaceAll(/[{}]/g, '')}`,
    );
    const ours = OPERATIONS.map(({ name, method, path }) => `${name} ${method} ${path.replaceAll(':', '')}`);
    expect(documented.toSorted(byText)).toEqual(ours.toSorted(byText));
  });

  it('are all in the list: no other file has a method and a path', () => {
    const files = readdirSync(join(ROOT, 'src/wire/rest'));
    const withPath = files.filter((file) =>
      /^ {2}\.{3}(?:get|post|put|accountGet)\(/m.test(
        readFileSync(join(ROOT, 'src/wire/rest', file), 'utf8'),
      ),
    );
    expect(withPath).toEqual([...new Set(OPERATION_ROWS.map((row) => plain(row[3] ?? '')))].toSorted());
  });
});

describe('the stream', () => {
  it('has a row for each of its files', () => {
    const files = readdirSync(join(ROOT, 'src/wire/stream'));
    const named = STREAM_ROWS.flatMap((row) => plain(row[1] ?? '').split(', '));
    const shared = new Set(['server-frame.ts']);
    expect(files.filter((file) => !named.includes(file) && !shared.has(file))).toEqual([]);
  });

  it.each(STREAM_ROWS)('%s is proven', (_part, _files, ...proofs) => {
    expect(proofs).toHaveLength(2);
    expect(proofs.filter((proof) => !isProven(proof))).toEqual([]);
    expect(isOverSockets(proofs[1] ?? '')).toBe(true);
  });
});

it('a title that no test has proves nothing', () => {
  expect(isProven('`test/wire/readme.test.ts`: are 23, each with one row that has its method and path')).toBe(
    true,
  );
  expect(isProven('`test/wire/readme.test.ts`: are 24')).toBe(false);
  expect(isProven('some day')).toBe(false);
});
