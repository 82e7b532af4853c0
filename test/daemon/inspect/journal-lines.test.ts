/** The journal in words: each kind of entry says something, on one line, without braces of JSON. */
import { expect, test } from 'vitest';
import { wordsOf } from '../../../src/host/state/read-state.ts';
import { ENTRIES, naming } from '../../operator/entries.ts';

test.each(Object.values(ENTRIES))('$kind has words', (entry) => {
  const { word, text } = wordsOf(entry, naming);
  expect(word).toMatch(/^[A-Za-z ]+$/);
  expect(text).toMatch(/^[^\n{}]+$/);
});
