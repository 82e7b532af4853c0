/** What the program says goes through pipes: all of it, and without harm when nobody reads on. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { MAIN } from './daemon-process.ts';

const bash = (script: string) =>
  spawnSync('bash', ['-c', script, 'bash', process.execPath, MAIN], { encoding: 'utf8' });

/** More than a pipe holds at once. */
const LONG = '"$1" "$2" simulator openapi';

test('a slow reader gets everything', () => {
  const { stdout, stderr } = bash(`${LONG} | (read -r first; echo "$first"; cat)`);
  expect(stderr).toBe('');
  expect(stdout.length).toBeGreaterThan(100_000);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

test('a reader that leaves breaks nothing', () => {
  const { stdout, stderr } = bash(`${LONG} | head -c 1; echo " \${PIPESTATUS[0]}"`);
  expect([stdout, stderr]).toEqual(['{ 0\n', '']);
});
