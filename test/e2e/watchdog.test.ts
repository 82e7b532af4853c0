/** Strategy code that hangs: the engine is rebuilt without it, the others trade on, and a new start does not hang again. */
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { BOOKS_AGREE, startDaemon, workplace } from './daemon-process.ts';
import { HANGING_STRATEGY, hangingAt, programWith } from './program-with.ts';

test('a strategy that hangs is left out, the others go on', async () => {
  const main = programWith(hangingAt(20));
  const place = workplace(BUSY_CONFIG + HANGING_STRATEGY);

  const first = startDaemon(place, [], main);
  await first.line(/engine_lost: .* stuck was running/);
  await first.line(/replaying [\d,]+ inputs of today/);
  await first.line(/ stuck +stopped/);
  const rebuilt = first.output().length;
  await first.line(/ busy +placed/, rebuilt);
  expect(await first.end('SIGINT'), first.output()).toBe(0);
  expect(first.output()).toMatch(BOOKS_AGREE);

  const second = startDaemon(place, [], main);
  await second.line(/stop strategy stuck, by process: strategy code did not return in time/);
  await second.line(/ busy +filled/);
  expect(await second.end('SIGINT'), second.output()).toBe(0);
  expect(second.output(), 'its code does not run again').not.toMatch(/engine_lost/);
  expect(second.output()).toMatch(BOOKS_AGREE);
});
