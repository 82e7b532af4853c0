import { join } from 'node:path';
import { expect, it } from 'vitest';
import { goneBugs } from './planted-bugs.ts';

it('finds the place of each planted bug once in the compiled program', () => {
  expect(goneBugs(join(import.meta.dirname, '../../dist'))).toEqual([]);
});
