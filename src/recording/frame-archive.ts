/**
 * Packs the frame logs of days that are over, in the background. The log is removed when its packed copy has been read back
 * and is the same to the byte; at any moment at least one of the two is whole.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { isTradingDay, type TradingDay, tradingDay } from '../domain/civil-date.ts';
import { PACKED } from './frame-log.ts';

const LOG = '.frames';

export interface DayLog {
  readonly day: TradingDay;
  readonly path: string;
}

/** The logs in `dir` of days before `today` that are not packed, oldest first. */
export const unpackedLogs = (dir: string, today: TradingDay): readonly DayLog[] =>
  (existsSync(dir) ? readdirSync(dir) : [])
    .toSorted()
    .filter((name) => name.endsWith(LOG))
    .map((name) => ({ day: name.slice(0, -LOG.length), path: join(dir, name) }))
    .flatMap(({ day, path }) => (isTradingDay(day) && day < today ? [{ day: tradingDay(day), path }] : []));

/** Begins again after a crash: the log counts as long as it is there. */
export async function packFrameLog(path: string): Promise<void> {
  const partial = `${path}${PACKED}.partial`;
  try {
    await pipeline(
      createReadStream(path),
      createGzip({ level: 9 }),
      createWriteStream(partial, { mode: 0o600 }),
    );
    const [before, after] = await Promise.all([digest(path), digest(partial)]);
    if (before !== after)
      throw new Error(`${path}: the packed copy differs from the log; the log stays as it is`);
    sync(partial);
    renameSync(partial, path + PACKED);
    // A power cut must not find the log gone and its archive without its name.
    sync(dirname(path));
    rmSync(path);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Over the unpacked bytes. */
async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  const isPlain = path.endsWith(LOG);
  if (isPlain) await pipeline(createReadStream(path), hash);
  else await pipeline(createReadStream(path), createGunzip(), hash);
  return hash.digest('hex');
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
