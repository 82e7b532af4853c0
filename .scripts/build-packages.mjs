// Bundles packages of many files to few, in a folder where the compiled program looks before `node_modules`: a backtest opens 340
// files less, a daemon 920. Then it bundles the program's own modules, by what its commands and threads load together. Without the
// bundles everything runs the same and starts later.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = join(root, 'dist', 'node_modules');

const BUNDLED = [
  'apache-arrow',
  'commander',
  'fastify',
  'rxjs',
  'trading-signals',
  'undici',
  'ws',
  'yaml',
  'zod',
];
/** Strategies of a user's own may import these, whether the program does or not. */
const OFFERED = ['rxjs', 'rxjs/operators', 'trading-signals', 'zod', 'zod/v4'];

const packageOf = (address) => address.split('/', 1)[0];
/** Path inside `outdir` without its ending. */
const placeOf = (address) => (BUNDLED.includes(address) ? `${address}/index` : address);

/** Those of a package are bundled together: each class is there once. */
function importedModules() {
  const imported = ['src', 'strategies']
    .flatMap((dir) => readdirSync(join(root, dir), { recursive: true }).map((file) => join(root, dir, file)))
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/ from '([^'.][^']*)'/g)])
    .map(([, address]) => address)
    .filter((address) => BUNDLED.includes(packageOf(address)));
  return [...new Set([...imported, ...OFFERED])];
}

const entries = {
  name: 'entries',
  setup(bundler) {
    bundler.onResolve({ filter: /^entry:/ }, ({ path }) => ({
      path: path.slice('entry:'.length),
      namespace: 'entry',
    }));
    bundler.onLoad({ filter: /./, namespace: 'entry' }, async ({ path }) => ({
      contents: await entryText(path),
      resolveDir: root,
    }));
  },
};

/** Names are listed: a bundle of CommonJS would have a default export alone. */
async function entryText(address) {
  const names = Object.keys(await import(address)).filter((name) => name !== 'module.exports');
  return `export { ${names.join(', ')} } from ${JSON.stringify(address)};`;
}

const modules = importedModules();
rmSync(outdir, { recursive: true, force: true });
for (const name of BUNDLED)
  await build({
    entryPoints: modules
      .filter((address) => packageOf(address) === name)
      .map((address) => ({ in: `entry:${address}`, out: placeOf(address) })),
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: `${name}/[hash]`,
    minifyWhitespace: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    legalComments: 'eof',
    logLevel: 'warning',
    plugins: [entries],
  });

for (const address of modules) {
  const file = join(outdir, placeOf(address));
  // RxJS keeps its declarations apart from its code.
  const types = fileURLToPath(import.meta.resolve(address)).replace('/rxjs/dist/cjs/', '/rxjs/dist/types/');
  const declared = relative(dirname(file), types);
  writeFileSync(`${file}.d.ts`, `export * from ${JSON.stringify(declared)};\n`);
}
for (const name of new Set(modules.map(packageOf))) {
  const exports = modules
    .filter((address) => packageOf(address) === name)
    .map((address) => [`.${address.slice(name.length)}`, `./${placeOf(address).slice(name.length + 1)}.js`]);
  const about = { name, type: 'module', exports: Object.fromEntries(exports) };
  writeFileSync(join(outdir, name, 'package.json'), JSON.stringify(about));
}

/** What starts a process or a thread. */
const PROGRAMS = [
  'src/cli/main',
  'src/daemon/program/archive-worker',
  'src/daemon/program/cockpit-worker',
  'src/daemon/simulator/simulator-process',
  'src/host/engine-worker',
  'src/host/strategy-files/own-strategies-process',
  'src/research/backtest/second-run-thread',
  'src/research/sweep/sweep-worker',
];
/** Files of their own still: stacks tell strategies and the trap by their path, and strategies of users import the same modules. */
const APART = /^(src\/(strategy|domain|host\/strategy-files\/clock-trap)|strategies)\b/;

const compiled = (at) => at.replace(/\.ts$/, '.js');

/** Modules know where they lie: each mark becomes the way there from the bundle. */
const marks = {
  name: 'marks',
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const at = relative(root, resolve(resolveDir, path));
      return APART.test(at) ? { path: `mark:${compiled(at)}`, external: true } : undefined;
    });
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const at = compiled(relative(root, path));
      const place = `const MODULE_URL = "url:${at}", MODULE_DIR = "dir:${dirname(at)}";`;
      const text = readFileSync(path, 'utf8');
      const isMarked = text.includes('import.meta.');
      const contents = isMarked ? text.replace(/^(#!.*\n)?/, (first) => `${first}${place} `) : text;
      return { contents, loader: 'ts' };
    });
  },
};

const dist = join(root, 'dist');
const { outputFiles } = await build({
  entryPoints: PROGRAMS.map((program) => ({ in: join(root, `${program}.ts`), out: program })),
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'src/chunks/[hash]',
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  define: { 'import.meta.url': 'MODULE_URL', 'import.meta.dirname': 'MODULE_DIR' },
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [marks],
});
rmSync(join(dist, 'src', 'chunks'), { recursive: true, force: true });
mkdirSync(join(dist, 'src', 'chunks'));
for (const { path, text } of outputFiles) {
  const wayTo = (at) => {
    const way = relative(dirname(path), join(dist, at));
    return way.startsWith('.') ? way : `./${way}`;
  };
  const placed = text
    .replaceAll(/"mark:([^"]+)"/g, (_, at) => JSON.stringify(wayTo(at)))
    .replaceAll(/"dir:([^"]+)"/g, (_, at) => `import.meta.dirname + "/${wayTo(at)}"`)
    .replaceAll(/"url:([^"]+)"/g, (_, at) => `new URL("${wayTo(at)}", import.meta.url).href`);
  writeFileSync(path, placed);
}
