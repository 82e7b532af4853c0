/** Small tapes, and a data directory with one of them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHIPPED } from '../../config/config-files.ts';
import { cliDir, cliRun } from './cli-run.ts';

export const CONFIG = ['--config', join(SHIPPED, 'paper.yaml')];
const HEAD = 'Time,Price,Volume,Side';
export const ROWS = ['9:00:01,1950.1,2.0,M', '09:00:01,1950,1,B', '09:20:00,1950.2,3,M'];

export function tape(
  rows: readonly string[] = ROWS,
  name = '2026-03-04_vn30f2603.csv',
  dir = cliDir(),
): string {
  const file = join(dir, name);
  writeFileSync(file, `${[HEAD, ...rows].join('\n')}\n`);
  return file;
}

export const importing = (file: string, dir: string, ...more: readonly string[]) =>
  cliRun('data', 'import', file, '--dir', dir, ...CONFIG, ...more);

export async function imported(): Promise<string> {
  const dir = cliDir();
  assert.deepEqual(await importing(tape(), dir).then(({ code, err }) => [code, err]), [0, '']);
  return dir;
}
