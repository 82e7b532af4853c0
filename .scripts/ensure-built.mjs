// Runs before `npm start` and its like: compiles once, says so, and does nothing while `dist` is newer than its sources.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist', '.built');
const sources = ['src', 'strategies', 'package.json', '.tsconfig.build.json', '.scripts/build-pages.mjs'];

/** The latest change of a file, or of anything in a folder and of the folder itself: a deleted file counts too. */
function changedAt(path) {
  const status = statSync(path);
  const { mtimeMs } = status;
  if (!status.isDirectory()) return mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, changedAt(join(path, name))), mtimeMs);
}

const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const startedAt = new Date();
if (sources.some((name) => changedAt(join(root, name)) >= builtAt)) {
  process.stderr.write('Tickwright is being compiled, which takes some ten seconds and is done once.\n');
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  for (const script of [
    [tsc, '-p', join(root, '.tsconfig.build.json')],
    [join(root, '.scripts', 'build-pages.mjs')],
  ]) {
    const { status, error } = spawnSync(process.execPath, script, { stdio: ['ignore', 2, 2] });
    if (status === 0) continue;
    process.stderr.write(`It could not be compiled${error === undefined ? '' : `: ${error.message}`}.\n`);
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, '');
  // A source that is saved while the compiler runs is newer than this.
  utimesSync(stamp, startedAt, startedAt);
}
