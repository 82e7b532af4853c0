/** `npm run bench -- NAME [options]`: the measurements, each in a process of its own. Most of them know `--help`. */
const MEASUREMENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  parts: () => import('./parts.ts'),
  gauge: () => import('./gauge.ts'),
  footprint: () => import('./footprint/footprint.ts'),
  searches: () => import('./load/searches.ts'),
  flood: () => import('./load/flood.ts'),
  peers: () => import('./peers/peers.ts'),
};

// The measurement finds its own options where a program expects them.
const [name = 'parts'] = process.argv.splice(2, 1);
const run = MEASUREMENTS[name];
if (run === undefined) {
  console.error(`expected one of ${Object.keys(MEASUREMENTS).join(', ')}, was ${name}`);
  process.exitCode = 2;
} else await run();
