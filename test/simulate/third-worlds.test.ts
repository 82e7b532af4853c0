import { expect, it } from 'vitest';
import { brokenIn } from './worlds.ts';

it('keeps its promises through the third part of the worlds', { timeout: 1_200_000 }, async () => {
  expect(await brokenIn(3)).toBe('');
});
