/** The bare half of the suite knows nothing of ours: client and simulator cannot agree with it on a mistake. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const filesIn = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const importsOf = (file: string): string[] =>
  [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
    ([, from = '']) => from,
  );

const DOCUMENT = filesIn('document');
const BARE = [...filesIn('.'), ...filesIn('support')].filter((file) => !/(?:^|\/)client-/.test(file));

describe('what is written from the document', () => {
  it.each(DOCUMENT)('%s imports nothing from outside its folder', (file) => {
    expect(importsOf(file).filter((from) => !from.startsWith('./'))).toEqual([]);
  });
});

describe('the bare client and its tests', () => {
  it.each(BARE)('%s imports neither the codecs nor our client', (file) => {
    expect(importsOf(file).filter((from) => /\/src\/(?:wire|broker)\//.test(from))).toEqual([]);
  });

  it('are what they are taken for', () => {
    expect(BARE.length).toBeGreaterThan(15);
    expect(importsOf('support/bare-client.ts')).toContain('../document/operations.ts');
    expect(importsOf('support/client-market.ts').some((from) => from.includes('/src/broker/'))).toBe(true);
  });
});
