import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { checkArchitecture, checkCitations, checkTopLevel } from './check-architecture.ts';
import type { SourceFile } from './source-facts.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

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

it('keeps every file to the plan', () => {
  expect(checkArchitecture(['src', 'strategies', 'test'].flatMap(readFolder))).toEqual([]);
});

it('cites only what a document of the repository has', () => {
  const wire = ['rulings', 'contract', 'notes', 'market rules'].map((name) => [
    name,
    read(`src/wire/${name.replace(' ', '-')}.md`),
  ]);
  const documents = Object.fromEntries([...wire, ['failure cases', read('test/failure-cases/README.md')]]);
  expect(checkCitations(['src', 'strategies', 'test'].flatMap(readFolder), documents)).toEqual([]);
});

it('keeps the top level to the plan', () => {
  expect(checkTopLevel(readdirSync(ROOT))).toEqual([]);
});

/** `path:line` of each line of these files that matches. */
const linesThat = (pattern: RegExp, files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}`] : [])),
  );

it("keeps one table of an order's life, one exchange, and no twin for the past", () => {
  const source = readFolder('src');
  expect(
    linesThat(/^(?:export )?const [A-Z_]+: (?:LifeTable|Readonly<Record<OrderStatus,)/, source),
  ).toHaveLength(1);
  const research = source.filter(({ path }) => path.startsWith('src/research/'));
  expect(
    research.filter(({ path }) => /exchange|book\.ts|queue|uncross|trigger|condition/.test(path)),
  ).toEqual([]);
  expect(
    linesThat(/\b(?:class|interface) \w*(?:Exchange|Queue|Uncross|Trigger|Condition)\b/, research),
  ).toEqual([]);
  expect(linesThat(/\b#?\w+Recorded\(/, source)).toEqual([]);
});

it('names only files that exist in src/README.md', () => {
  const readme = read('src/README.md');
  const named = [...readme.matchAll(/`([\w/-]+\/[\w.-]+\.ts)`/g)].map(([, path]) => path ?? '');
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter(
    (path) => !existsSync(join(ROOT, 'src', path)) && !existsSync(join(ROOT, path)),
  );
  expect(missing).toEqual([]);
});
