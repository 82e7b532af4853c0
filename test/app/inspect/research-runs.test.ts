import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { researchReport, researchRuns } from '../../../src/app/inspect/research-runs.ts';

/** A folder of runs, and a file beside it that nobody may read. */
function folders(): string {
  const root = mkdtempSync(join(tmpdir(), 'tickwright-runs-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, 'backtest');
  mkdirSync(join(dir, 'đường 1'), { recursive: true });
  writeFileSync(join(dir, 'đường 1', 'report.html'), '<p>đường</p>');
  writeFileSync(join(dir, 'đường 1', 'report.json'), '{}');
  mkdirSync(join(root, 'secret'));
  writeFileSync(join(root, 'secret', 'report.html'), 'secret');
  return dir;
}

it('lists each run under the name by which its report is read', () => {
  const dir = folders();
  expect(researchRuns(dir).map(({ run, hasReport }) => [run, hasReport])).toEqual([['đường 1', true]]);
  expect(researchReport(dir, 'đường 1')).toBe('<p>đường</p>');
});

it('reads nothing outside, and nothing that a link leads to', () => {
  const dir = folders();
  symlinkSync(join(dir, '..', 'secret'), join(dir, 'folder'));
  mkdirSync(join(dir, 'file'));
  symlinkSync(join(dir, '..', 'secret', 'report.html'), join(dir, 'file', 'report.html'));
  for (const run of ['folder', 'file', '../secret', '..', '.', '', 'a\0b', 'none'])
    expect(researchReport(dir, run), run).toBeNull();
});
