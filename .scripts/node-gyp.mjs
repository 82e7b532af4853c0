// npm calls this instead of its own node-gyp (`node-gyp` in .npmrc). It hands over to the node-gyp that ships with
// npm, but points it at the headers installed beside this very node, so that native modules compile on a machine
// that cannot download headers from nodejs.org.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The prefix whose `include/node` matches the running node exactly, or null. */
function localNodeDir() {
  for (const execPath of [process.execPath, realpathSync(process.execPath)]) {
    const prefix = dirname(dirname(execPath));
    const header = join(prefix, 'include', 'node', 'node_version.h');
    if (!existsSync(header)) continue;
    const text = readFileSync(header, 'utf8');
    const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
    if (`v${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}` === process.version) return prefix;
  }
  return null;
}

/** The node-gyp that ships with npm, or null when there is no npm to be found. */
function bundledNodeGyp() {
  const beside = join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm', 'package.json');
  for (const npm of [process.env.npm_execpath, beside]) {
    if (!npm || !existsSync(npm)) continue;
    try {
      return createRequire(realpathSync(npm)).resolve('node-gyp/bin/node-gyp.js');
    } catch {
      // This npm does not carry node-gyp: try the next one.
    }
  }
  return null;
}

/** Runs node-gyp in `cwd` and returns its exit code. */
export function runNodeGyp(args, cwd) {
  const nodeGyp = bundledNodeGyp();
  if (nodeGyp === null) {
    console.error('node-gyp: none found; run this through npm, which ships one');
    return 1;
  }
  const nodeDir = process.env.npm_config_nodedir ? null : localNodeDir();
  const extra = nodeDir === null ? [] : [`--nodedir=${nodeDir}`];
  const done = spawnSync(process.execPath, [nodeGyp, ...args, ...extra], { cwd, stdio: 'inherit' });
  if (done.status !== 0) {
    console.error(
      [
        'A native module could not be compiled. It needs python3, make and a C++ compiler, and the headers of',
        `node ${process.version}: ${nodeDir === null ? 'not found beside node, so node-gyp had to download them' : `taken from ${nodeDir}`}.`,
        'On Debian or Ubuntu: apt-get install -y build-essential python3',
      ].join('\n'),
    );
  }
  return done.status ?? 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = runNodeGyp(process.argv.slice(2), process.cwd());
}
