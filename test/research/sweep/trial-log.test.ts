import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TrialLog } from '../../../src/research/sweep/run-sweep.ts';
import { taskKey } from '../../../src/research/sweep/trial-pool.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { figuresOf } from './sweep-figures.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { tempDir } from '../../support/temp-dir.ts';

function place(): string {
  const dir = tempDir();
  return dir;
}

it('knows what was finished, and forgets a last line that was cut off', () => {
  const dir = place();
  const log = new TrialLog(dir, 'a'.repeat(64), false);
  log.add('one', figuresOf({ sharpe: 1.25 }));
  log.add('two', figuresOf({ netProfit: -7 }));
  const whole = readFileSync(log.path, 'utf8');
  // Wherever the second line is cut, the first is known and the next one is written whole.
  const firstEnd = whole.indexOf('\n') + 1;
  for (const cut of [firstEnd, firstEnd + 1, whole.length - 20, whole.length - 1]) {
    writeFileSync(log.path, whole.slice(0, cut));
    const again = new TrialLog(dir, 'a'.repeat(64), false);
    expect([...again.entries()]).toEqual([['one', figuresOf({ sharpe: 1.25 })]]);
    again.add('two', figuresOf({ netProfit: -7 }));
    expect(readFileSync(log.path, 'utf8')).toBe(whole);
  }
});

it('names the line of what is no trial', () => {
  const dir = place();
  const log = new TrialLog(dir, 'b'.repeat(64), false);
  writeFileSync(log.path, '{"key":"one","figures":{}}\n{"key":"tw\n');
  expect(() => new TrialLog(dir, 'b'.repeat(64), false)).toThrow(
    /trials-b{12}\.jsonl:2: expected a finished trial/,
  );
  expect([...new TrialLog(dir, 'b'.repeat(64), true).entries()]).toEqual([]);
});

it('names the same work the same, in whatever order it is said', () => {
  const [one, two] = [tradingDay('2026-03-02'), tradingDay('2026-03-03')];
  const key = taskKey({ params: { b: { y: 1, x: 2 }, a: { z: true } }, days: null });
  expect(taskKey({ params: { a: { z: true }, b: { x: 2, y: 1 } }, days: null })).toBe(key);
  const keys = [null, [one], [one, two], [two]].map((days) => taskKey({ params: { a: { z: true } }, days }));
  expect(new Set([key, ...keys]).size).toBe(5);
});

it('names the file that a full disk does not take', (context) => {
  const dir = join(tempDir(), 'disk');
  const disk = smallDisk(context, dir, '64k');
  const log = new TrialLog(dir, 'c'.repeat(64), false);
  log.add('first', figuresOf({ netProfit: 1 }));
  disk.fill();
  expect(() => {
    for (let i = 0; i < 100; i += 1) log.add(`${i}`, figuresOf({ netProfit: i }));
  }).toThrow(`ENOSPC: no space left on device, write '${log.path}'`);
});
