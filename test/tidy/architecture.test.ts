import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { ALLOW_LIST } from './allow-list.ts';
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
  const engine = source.filter(({ path }) => path.startsWith('src/engine/'));
  expect(linesThat(/\b#?\w+Recorded\(/, engine)).toEqual([]);
});

/** Every README below `src`, with its folder. */
const READMES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('README.md'),
);

it.each(READMES)('names only files that exist in %s', (path) => {
  const text = readFileSync(join(ROOT, 'src', path), 'utf8');
  const named = [...text.matchAll(/`([\w/-]+\/[\w.-]+\.ts|[a-z-]+\.ts)`/g)].map(([, name]) => name ?? '');
  const all = new Set(readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }));
  const isThere = (name: string): boolean =>
    existsSync(join(ROOT, name)) || [...all].some((file) => file === name || file.endsWith(`/${name}`));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

it('has a row for each room in the table of src/README.md, with what it may import', () => {
  const readme = readFileSync(join(ROOT, 'src', 'README.md'), 'utf8');
  const [, table = ''] = /## The rooms\n([\s\S]*?)\n\n[A-Z]/.exec(readme) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)`.*\|([^|]*)\|$/gm)].map(
    ([, room = '', mayImport = '']) => [room, mayImport] as const,
  );
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((each) => each.isDirectory());
  expect(rows.map(([room]) => room).toSorted()).toEqual(rooms.map(({ name }) => name).toSorted());
  // Rooms that a program is composed of are named in words.
  const named = rows.filter(([, mayImport]) => /^ (nothing|(`[\w/]+`(, )?)+) *$/.test(mayImport));
  expect(named.length).toBeGreaterThan(12);
  for (const [room, mayImport] of named) {
    const folders = [...mayImport.matchAll(/`([\w/]+)`/g)].map(([, folder = '']) => `src/${folder}`);
    // A room stands for its folders too.
    const allowed = ALLOW_LIST[`src/${room}`]?.folders.filter(
      (folder) =>
        !folder.startsWith(`src/${room}/`) && !folders.some((each) => folder.startsWith(`${each}/`)),
    );
    expect([room, folders.toSorted()]).toEqual([room, allowed?.toSorted()]);
  }
});
