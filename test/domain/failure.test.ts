import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { failureText, withPath } from '../../src/domain/failure.ts';

it('shows a failure of the world by its message, and a bug with its stack', () => {
  const locked = new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  expect(failureText(locked)).toBe('database or disk is full');
  expect(failureText(new Error('no room'))).toBe('no room');
  expect(failureText(new Error('Invariant: lots are whole'))).toContain('failure.test.ts');
  expect(failureText(new TypeError('x is not a function'))).toContain('failure.test.ts');
  expect(failureText('gone')).toBe('gone');
});

function full(): never {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

function messageOf(run: () => unknown): string {
  try {
    run();
    return 'nothing';
  } catch (error) {
    return failureText(error);
  }
}

it('reports a full disk with the file that was written, and what helps', () => {
  const help = '(the disk is full: free some of it, or name a place on another one)';
  const text = `ENOSPC: no space left on device, write 'out/report.html' ${help}`;
  expect(messageOf(() => withPath('out/report.html', full))).toBe(text);
  expect(messageOf(() => withPath('out', () => withPath('out/report.html', full)))).toBe(text);
  expect(messageOf(() => mkdirSync(join(import.meta.filename, 'out')))).toMatch(
    /^ENOTDIR: .*failure\.test\.ts\/out' \(a part of this path is a file/,
  );
});
