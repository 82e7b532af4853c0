import { expect, it } from 'vitest';
import { isColourWanted } from '../../src/operator/terminal.ts';

it.each([
  ['a terminal', true, {}, true],
  ['a pipe', undefined, {}, false],
  ['a file', false, {}, false],
  ['a terminal of somebody who wants none', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['a terminal that cannot', true, { TERM: 'dumb' }, false],
] as const)('%s', (_, isTerminal, environment, wanted) => {
  expect(isColourWanted(isTerminal, environment)).toBe(wanted);
});
