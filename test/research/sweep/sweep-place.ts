/** A backtest of the sample day in a folder of its own, with a section of the test's. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterFile } from '../../support/after-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Columns are imported once for all tests of a file. */
let state: string | null = null;

function stateOfFile(): string {
  if (state !== null) return state;
  const made = mkdtempSync(join(tmpdir(), 'tickwright-sweep-state-'));
  afterFile(() => {
    rmSync(made, { recursive: true, force: true });
    state = null;
  });
  writeThinnedTape(join(made, 'tape'));
  state = made;
  return made;
}

/** Every twelfth trade of the sample day: all of its hours in little time. */
function writeThinnedTape(dir: string): void {
  const sample = join(ROOT, 'data/sample');
  const [name] = readdirSync(sample);
  mkdirSync(dir);
  const lines = gunzipSync(readFileSync(join(sample, name!)))
    .toString()
    .trimEnd()
    .split('\n');
  const kept = lines.filter((_, i) => i % 12 === 0);
  writeFileSync(join(dir, name!.replace('.gz', '')), `${kept.join('\n')}\n`);
}

export interface SweepPlace {
  readonly dir: string;
  readonly file: string;
}

export function sweepPlace(section: string): SweepPlace {
  const shared = stateOfFile();
  const dir = tempDir();
  const file = join(dir, 'run.yaml');
  writeFileSync(
    file,
    `market: ${join(ROOT, 'config/vn30f.yaml')}
capital: 2000000000
state: ${shared}
data: { prints: [${join(shared, 'tape')}] }
strategies:
  - { id: ema, strategy: ema-cross, symbols: [VN30F1M], params: { barSeconds: 60 } }
${section}`,
  );
  return { dir, file };
}
