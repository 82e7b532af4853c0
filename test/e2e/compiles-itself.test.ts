/** `npm run tickwright` compiles what is older than its sources, except for commands to a daemon that runs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A program of one file next to the true script. */
function clone() {
  const dir = tempDir();
  for (const folder of ['.scripts', 'src/cli', 'strategies'])
    mkdirSync(join(dir, folder), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  copyFileSync(join(ROOT, '.scripts/tickwright.mjs'), join(dir, '.scripts/tickwright.mjs'));
  for (const file of ['.scripts/build-pages.mjs', '.scripts/build-packages.mjs', 'package-lock.json'])
    writeFileSync(join(dir, file), '');
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    noEmitOnError: true,
    outDir: 'dist',
    rootDir: '.',
    module: 'nodenext',
    types: ['node'],
  };
  writeFileSync(join(dir, '.tsconfig.build.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const write = (text: string): void =>
    writeFileSync(join(dir, 'src/cli/main.ts'), `process.stdout.write(\`${text} \${process.argv[2]}\`);\n`);
  const run = (command: string) =>
    spawnSync(process.execPath, [join(dir, '.scripts/tickwright.mjs'), command], { encoding: 'utf8' });
  const spoil = (): void =>
    writeFileSync(join(dir, 'src/cli/other.ts'), 'export const count: number = "a";\n');
  return { write, run, spoil };
}

it('compiles once, and again after a change', () => {
  const { write, run } = clone();
  write('first');
  expect(run('check')).toMatchObject({
    stdout: 'first check',
    stderr: expect.stringContaining('Compiled in'),
  });
  expect(run('check')).toMatchObject({ stdout: 'first check', stderr: '' });
  write('second');
  expect(run('check')).toMatchObject({
    stdout: 'second check',
    stderr: expect.stringContaining('Compiling'),
  });
});

it('does not compile again what a build compiled, which runs nothing', () => {
  const { write, run } = clone();
  write('first');
  expect(run('--build')).toMatchObject({ stdout: '', stderr: expect.stringContaining('Compiled in') });
  expect(run('check')).toMatchObject({ stdout: 'first check', stderr: '' });
});

it('lets a halt wait for no compiler, nor fail by a source that does not compile', () => {
  const { write, run, spoil } = clone();
  write('first');
  // There is nothing to run yet.
  expect(run('halt').stdout).toBe('first halt');
  spoil();
  write('second');
  expect(run('halt')).toMatchObject({ stdout: 'first halt', stderr: '', status: 0 });
  const { stdout, stderr, status } = run('paper');
  expect({ stdout, status }).toEqual({ stdout: '', status: expect.any(Number) });
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/other\.ts.*\n.*nothing was started/);
  expect(run('halt').stdout).toBe('first halt');
});
