/** A state directory as an older program left it: see `test/golden/session-format-1`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';

export const OLDER_DAY = tradingDay('2026-11-22');

const GOLDEN = join(import.meta.dirname, '..', 'golden', 'session-format-1');
const FILES: Readonly<Record<string, string>> = {
  'journal.db': 'journal.db',
  'simulator.sqlite': 'simulator/simulator.sqlite',
  [`${OLDER_DAY}.frames`]: `frames/${OLDER_DAY}.frames`,
};

export function olderState(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-older-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, path] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), gunzipSync(readFileSync(join(GOLDEN, `${name}.gz`))));
  }
  return dir;
}
