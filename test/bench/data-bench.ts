/** What it costs to take prints into columns, and to read them. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importFile } from '../../src/research/recorded/import-file.ts';
import { recordedMarket } from '../../src/research/recorded/recorded-market.ts';
import type { Config } from '../../src/config/config.ts';
import { minutes } from '../../src/domain/units.ts';
import { openCatalogue } from '../../src/recording/columns/catalogue.ts';
import { readParts } from '../../src/recording/columns/tick-file.ts';
import { type Candidate, timed } from './rounds.ts';

/** The busiest of the real days, where they lie beside the repository. */
const REAL = '../shared/data/vn30f/ticks/2026-03-10_vn30f2603.csv.gz';
const SAMPLE = 'data/sample/2026-06-03_vn30f2606.csv.gz';

export interface DataBench {
  readonly imports: readonly Candidate[];
  readonly reads: readonly Candidate[];
  /** The file, its prints, and what they come to. */
  readonly about: string;
}

export async function dataBench(config: Config, scratch: string): Promise<DataBench> {
  const file = existsSync(REAL) ? REAL : SAMPLE;
  const dir = join(scratch, 'data');
  const take = (): Promise<number> => imported(file, config, dir);
  // Every import writes to the directory; this one is for reading.
  const kept = join(scratch, 'kept');
  const count = await imported(file, config, kept);
  const columns = openCatalogue(kept)[0]?.path;
  if (columns === undefined) throw new Error(`${file}: expected a day of prints, was none`);
  const perTick = (path: string): string => (statSync(path).size / count).toFixed(2);
  return {
    about:
      `${basename(file)}, ${count.toLocaleString('en-US')} prints: ${perTick(file)} bytes a print as .csv.gz, ` +
      `${perTick(columns)} as columns`,
    imports: [
      {
        name: 'gunzip, split into lines and cells, Number(): nothing kept',
        run: () => timed(count, () => naive(file)),
      },
      {
        name: 'import: checked, in order, columns on the disk',
        run: () => timedImport(count, take),
      },
    ],
    reads: [{ name: 'columns', run: () => timed(count, () => walk(columns)) }],
  };
}

async function timedImport(count: number, take: () => Promise<number>): Promise<number> {
  const start = performance.now();
  await take();
  return ((performance.now() - start) * 1e6) / count;
}

async function imported(file: string, config: Config, dir: string): Promise<number> {
  rmSync(dir, { recursive: true, force: true });
  const request = {
    dir,
    kind: 'prints',
    columns: {},
    header: true,
    silence: minutes(5),
    stamp: 'start',
  } as const;
  const watch = { progress: () => undefined, bad: () => undefined };
  return (await importFile(file, request, recordedMarket(config), watch)).rows;
}

/** What one would write first. */
function naive(file: string): number {
  let sum = 0;
  const [, ...lines] = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
  for (const line of lines) {
    const [time = '', price, volume, side] = line.split(',');
    const [hours, mins, secs] = time.split(':');
    sum += Number(hours) * 3600 + Number(mins) * 60 + Number(secs) + Number(price) * Number(volume);
    if (side === 'M') sum += 1;
  }
  return sum;
}

function walk(path: string): number {
  let sum = 0;
  for (const { rows, priceTicks } of readParts(path))
    for (let i = 0; i < rows; i += 1) sum += priceTicks[i] ?? 0;
  return sum;
}
