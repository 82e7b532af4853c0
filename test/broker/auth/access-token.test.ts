import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createTokenCache } from '../../../src/broker/auth/access-token.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** No file is its own. */
const NOBODY = 65_534;

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempDir();
  path = join(folder, 'state', 'token');
});

it('gives back what it kept, to its owner alone', () => {
  createTokenCache(path, 'https://a 105C000001').save('x.y.z');
  expect(createTokenCache(path, 'https://a 105C000001').load()).toEqual({
    jwt: 'x.y.z',
    savedUs: Math.round(statSync(path).mtimeMs * 1_000),
  });
  expect(createTokenCache(path, 'https://a 105C000002').load()).toHaveProperty('none');
});

it('writes a file that only the owner can read, whole, and leaves no draft', () => {
  const cache = createTokenCache(path, 'owner');
  cache.save('x.y.z');
  chmodSync(path, 0o644);
  writeFileSync(`${path}.new`, 'left by a crash', { mode: 0o644 });
  cache.save('u.v.w');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe('owner\nu.v.w\n');
  expect(readdirSync(join(folder, 'state'))).toEqual(['token']);
});

it('does not use a file that others can read', () => {
  const cache = createTokenCache(path, 'owner');
  cache.save('x.y.z');
  chmodSync(path, 0o640);
  expect(cache.load()).toEqual({ none: expect.stringContaining('640') });
});

it('does not use a file that this user may not read, and replaces it', () => {
  const cache = createTokenCache(path, 'owner');
  cache.save('x.y.z');
  chmodSync(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(join(folder, 'state'), NOBODY, NOBODY);
  else chmodSync(path, 0);
  if (isRoot) process.seteuid?.(NOBODY);
  onTestFinished(() => void (isRoot && process.seteuid?.(0)));
  expect(cache.load()).toEqual({ none: expect.stringContaining('EACCES') });
  cache.save('u.v.w');
  expect(cache.load()).toMatchObject({ jwt: 'u.v.w' });
});

it.each([
  ['is absent', undefined],
  ['is empty', ''],
  ['is cut', 'owner'],
])('has nothing when the file %s', (_, text) => {
  const cache = createTokenCache(path, 'owner');
  cache.save('x.y.z');
  cache.clear();
  if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
  expect(cache.load()).toHaveProperty('none');
});
