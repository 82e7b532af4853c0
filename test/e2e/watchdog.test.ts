/** Strategy code that hangs: the engine is rebuilt without it, the others trade on, and a new start does not hang again. */
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, workplace } from './daemon-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Never returns from its twentieth trade. */
const HANGING = `
import { z } from 'zod';
import { CATALOG as SHIPPED } from './shipped-catalog.js';
import { defineStrategy } from '../src/strategy/index.js';

const hanging = defineStrategy({
  name: 'hanging',
  summary: 'hangs',
  params: z.strictObject({}),
  legs: ['contract'],
  connect(ticks) {
    let trades = 0;
    ticks.trades$.subscribe(() => {
      trades += 1;
      while (trades === 20);
    });
  },
});

export const CATALOG = [...SHIPPED, hanging];
`;

/** The compiled program with one more strategy in its catalogue. */
function buildWithHanging(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-hanging-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(join(ROOT, 'dist'), join(dir, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(dir, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const strategies = join(dir, 'dist', 'strategies');
  renameSync(join(strategies, 'catalog.js'), join(strategies, 'shipped-catalog.js'));
  writeFileSync(join(strategies, 'catalog.js'), HANGING);
  return join(dir, 'dist', 'src', 'cli', 'main.js');
}

test('a strategy that hangs is left out, the others go on', { timeout: 120_000 }, async () => {
  const main = buildWithHanging();
  const hanging = '  - { id: stuck, strategy: hanging, symbols: [VN30F1M], overnight: true }\n';
  const place = workplace(BUSY_CONFIG + hanging);

  const first = startDaemon(place, [], main);
  await first.line(/engine_lost: .* stuck was running/);
  await first.line(/living through its \d+ inputs again/);
  await first.line(/ stuck +stopped/);
  const rebuilt = first.output().length;
  await first.line(/ busy +placed/, rebuilt);
  expect(await first.end('SIGINT'), first.output()).toBe(0);
  expect(first.output()).toMatch(/figures compared, all agree/);

  const second = startDaemon(place, [], main);
  await second.line(/stuck was running/);
  await second.line(/ busy +filled/);
  expect(await second.end('SIGINT'), second.output()).toBe(0);
  expect(second.output()).toMatch(/figures compared, all agree/);
});
