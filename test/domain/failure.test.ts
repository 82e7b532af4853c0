import { Database } from '../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { failureText } from '../../src/domain/failure.ts';

it('tells a failure of the world by its message, and a bug with its stack', () => {
  const full = new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  expect(failureText(full)).toBe('database or disk is full');
  expect(failureText(new Error('no room'))).toBe('no room');
  expect(failureText(new Error('Invariant: lots are whole'))).toContain('failure.test.ts');
  expect(failureText(new TypeError('x is not a function'))).toContain('failure.test.ts');
  expect(failureText('gone')).toBe('gone');
});
