import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { checkArchitecture, checkTopLevel } from './check-architecture.ts';
import type { SourceFile } from './source-facts.ts';

const ROOT = join(import.meta.dirname, '..', '..');

function readFolder(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
    .map((path) => ({
      path: relative(ROOT, path).split(sep).join('/'),
      text: readFileSync(path, 'utf8'),
    }));
}

it('keeps every file of the house to the plan', () => {
  expect(checkArchitecture(['src', 'strategies', 'test'].flatMap(readFolder))).toEqual([]);
});

it('keeps the top level to the plan', () => {
  expect(checkTopLevel(readdirSync(ROOT))).toEqual([]);
});
