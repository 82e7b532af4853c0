import { expect, it } from 'vitest';
import { csvLine, csvText } from '../../src/text/table.ts';

it('quotes cells with commas, quotes and line ends, and leaves null empty', () => {
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'cr\r', null, -1.5, true])).toBe(
    '"a,b","say ""x""","two\nlines","cr\r",,-1.5,true\n',
  );
});

it('ends each line, the last one too', () => {
  expect(csvText(['x', 'y'], [[1, 2]])).toBe('x,y\n1,2\n');
});
