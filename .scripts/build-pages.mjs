// Bundles what runs in a browser, each page to one script and one style that need no network.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = join(root, 'src', 'page');

/** `src/page/NAME/NAME.ts` or `.tsx` begins a page; other folders hold parts. */
const entryPoints = readdirSync(pages, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(join(pages, name))
      .filter((file) => file === `${name}.ts` || file === `${name}.tsx`)
      .map((file) => ({ in: join(pages, name, file), out: name })),
  );

await build({
  entryPoints,
  outdir: join(root, 'dist', 'src', 'page'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'eof',
  logLevel: 'warning',
});
