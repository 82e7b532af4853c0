import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProgramFiles } from '../../src/host/program-files.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a build that changes, adds or removes a file is noticed, and one with the same files is not', () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'engine'));
  const engine = join(dir, 'engine', 'engine.js');
  const write = (text: string): void => writeFileSync(engine, text);
  write('one');
  writeFileSync(join(dir, 'main.js'), '');
  const program = new ProgramFiles(dir);
  expect(program.problem()).toBeNull();
  write('two');
  expect(program.problem()).toContain('restart the daemon');
  write('one');
  for (const name of ['main.js.map', 'main.d.ts']) writeFileSync(join(dir, name), '');
  expect(program.problem()).toBeNull();
  writeFileSync(join(dir, 'other.js'), '');
  expect(program.problem()).toContain('restart the daemon');
  rmSync(dir, { recursive: true });
  expect(program.problem(), 'in the midst of a build').toContain('restart the daemon');
});
