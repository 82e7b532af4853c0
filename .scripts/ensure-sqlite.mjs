// Runs after every install: makes sure that the release of better-sqlite3 for this Node really loads. It does what the
// package's own install script does (fetch a prebuilt binary, else compile; release 13 brings its binaries along), with one
// difference: it compiles against the headers beside this very node, so that no download is needed. `.prebuild-installrc` and
// `allowScripts` keep the package's own script from failing the whole install first.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOWNLOAD_LIMIT_MS = 60_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The choice of `src/sqlite/database.ts`. */
const sqlite = Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';
const sqliteManifest = manifestOf(sqlite);
const sqliteFolder = dirname(sqliteManifest);

/** Headers are named below, where they fit; what npm was told may be of another node. */
const { npm_config_nodedir: configuredNodeDir, ...ENVIRONMENT } = process.env;

/** Both releases are optional, since each fits some of the releases of Node alone: npm leaves out one that it could not build. */
function manifestOf(name) {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`);
  } catch {
    console.error(
      `${name} could not be installed, and the journal needs it: where there is no binary for node ${process.version}, compiling takes\npython3, make and a C++ compiler (on Debian or Ubuntu: apt-get install -y build-essential python3). Then run npm install again.`,
    );
    process.exit(1);
  }
}

/** Runs a node program to its end without showing what it prints. */
function runNode(args, cwd, timeoutMs) {
  const done = spawnSync(process.execPath, args, {
    cwd,
    timeout: timeoutMs,
    env: ENVIRONMENT,
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  return {
    ok: done.status === 0,
    output: `${done.stdout ?? ''}${done.stderr ?? ''}${done.error ?? ''}`.trim(),
  };
}

/** Opens a database in a process of its own, because a binary of the wrong kind can crash it; null when that works. */
function whySqliteFails() {
  const program = `new (require('${sqlite}'))(':memory:').prepare('select 1').get()`;
  const { ok, output } = runNode(['-e', program], root);
  if (ok) return null;
  const lines = output.split('\n');
  return (lines.find((line) => /^\w*Error/.test(line)) ?? lines[0]).trim();
}

/** The prefix whose `include/node` matches the running node exactly, or null: headers of another version make a binary that cannot be loaded. */
function localNodeDir() {
  const prefixes = [process.execPath, realpathSync(process.execPath)].map((path) => dirname(dirname(path)));
  return [...(configuredNodeDir ? [configuredNodeDir] : []), ...prefixes].find(hasOurHeaders) ?? null;
}

function hasOurHeaders(prefix) {
  const header = join(prefix, 'include', 'node', 'node_version.h');
  if (!existsSync(header)) return false;
  const text = readFileSync(header, 'utf8');
  const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  return `v${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}` === process.version;
}

/** The node-gyp that ships with npm, or null when there is no npm to be found. */
function bundledNodeGyp() {
  const beside = join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm', 'package.json');
  for (const npm of [process.env.npm_execpath, beside]) {
    if (!npm || !existsSync(npm)) continue;
    try {
      return createRequire(realpathSync(npm)).resolve('node-gyp/bin/node-gyp.js');
    } catch {
      // This npm does not carry node-gyp: look at the next one.
    }
  }
  return null;
}

/** Compiles it; null when that worked, else what went wrong and what to do. */
function compile() {
  const nodeGyp = bundledNodeGyp();
  if (nodeGyp === null) return 'no node-gyp found; install with npm, which ships one';
  const nodeDir = localNodeDir();
  const headers = nodeDir === null ? [] : [`--nodedir=${nodeDir}`];
  const { ok, output } = runNode([nodeGyp, 'rebuild', '--release', '--jobs=max', ...headers], sqliteFolder);
  if (ok) return null;
  return [
    output.split('\n').slice(-30).join('\n'),
    '',
    'Compiling needs python3, make, a C++ compiler (on Debian or Ubuntu: apt-get install -y build-essential python3)',
    `and the headers of node ${process.version} (${nodeDir === null ? 'not found beside node, and they could not be downloaded' : `taken from ${nodeDir}`}).`,
  ].join('\n');
}

/** Fetches a binary of release 12; whether there is one now. */
function download() {
  if (sqlite !== 'better-sqlite3') return false;
  const prebuildInstall = createRequire(sqliteManifest).resolve('prebuild-install/bin.js');
  return runNode([prebuildInstall, '--no-version'], sqliteFolder, DOWNLOAD_LIMIT_MS).ok;
}

/** Null when it can be used, else why not. */
function ensureSqlite() {
  if (whySqliteFails() === null) return null;
  if (download() && whySqliteFails() === null) return null;
  console.log(`${sqlite}: no prebuilt binary fits; compiling it, which takes about a minute.`);
  return compile() ?? whySqliteFails();
}

/** What the linker read takes seven times the room of the binary. */
function forgetObjects() {
  const release = join(sqliteFolder, 'build', 'Release');
  for (const name of existsSync(release) ? readdirSync(release) : [])
    if (name !== 'better_sqlite3.node') rmSync(join(release, name), { recursive: true });
}

const problem = ensureSqlite();
if (problem === null) forgetObjects();
else {
  console.error(`${sqlite} cannot be used here, and the journal needs it:\n${problem}`);
  process.exitCode = 1;
}
