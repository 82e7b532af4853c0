// Runs the program, compiled first where a source is newer; says what takes so long. `--build` compiles, and runs nothing.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist', '.built');
const bundlers = ['.scripts/build-pages.mjs', '.scripts/build-packages.mjs'];
const sources = [
  'src',
  'strategies',
  'package.json',
  'package-lock.json',
  '.tsconfig.build.json',
  ...bundlers,
];
const program = join(root, 'dist', 'src', 'cli', 'main.js');

/** They talk to a daemon that runs, with the program that is there: a halt waits for no compiler. */
const toDaemon = new Set(
  'status otp halt resume cancel-all flatten stop stop-strategy start-strategy reload rollover reconnect token seen open'.split(
    ' ',
  ),
);

/** The latest change of a file, or of anything in a folder and of the folder itself: a deleted file counts too. */
function changedAt(path) {
  const status = statSync(path);
  const { mtimeMs } = status;
  if (!status.isDirectory()) return mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, changedAt(join(path, name))), mtimeMs);
}

function isStale() {
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.some((name) => changedAt(join(root, name)) >= builtAt);
}

const say = (text) => process.stderr.write(text);

/** The exit code, and what the script printed. */
const ended = (script) =>
  new Promise((resolve) => {
    let output = '';
    const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ code: 1, output: `${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });

/** Exits where it fails: `dist` stays as it was. */
async function compile() {
  const typescript = join(root, 'node_modules', 'typescript');
  if (!existsSync(typescript)) {
    say('expected the packages in node_modules, found no compiler there: run npm ci first, and let it end\n');
    process.exit(2);
  }
  const tsc = join(typescript, 'bin', 'tsc');
  const startedAt = new Date();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say('Compiling Tickwright, once: about ten seconds on an idle machine ');
  const shown = setInterval(() => say('.'), 1000);
  let result = await ended([tsc, '-p', join(root, '.tsconfig.build.json')]);
  for (const bundler of bundlers) if (result.code === 0) result = await ended([join(root, bundler)]);
  clearInterval(shown);
  if (result.code !== 0) {
    say(`\n${result.output}It could not be compiled; nothing was started.\n`);
    process.exit(result.code);
  }
  say(`\nCompiled in ${seconds()} s\n\n`);
  writeFileSync(stamp, '');
  // A source that is saved while the compiler runs is newer than this.
  utimesSync(stamp, startedAt, startedAt);
}

const isForDaemon = toDaemon.has(process.argv[2]) && existsSync(program);
const isBuild = process.argv[2] === '--build';
if (isBuild || (!isForDaemon && isStale())) await compile();
process.setSourceMapsEnabled(true);
if (!isBuild) await import(pathToFileURL(program).href);
