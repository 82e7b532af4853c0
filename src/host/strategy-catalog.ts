import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { CATALOG } from '../../strategies/catalog.ts';
import { isRecord } from '../domain/parsed.ts';
import { loadConfig, type ReadConfig } from '../config/load-config.ts';

export { CATALOG } from '../../strategies/catalog.ts';

/** A configuration that is only shown: strategies that this build does not have are taken as they are written. */
export const storedConfig = (file: string): ReadConfig => loadConfig(file, CATALOG, () => true);

const CODE = new URL('../../strategies/', import.meta.url);

/** Digest of the files with the code of a strategy: of its folder, or of all strategies when no folder has its name. */
export function codeDigest(strategy: string): string {
  const own = new URL(`${strategy}/`, CODE);
  const folder = existsSync(own) ? own : CODE;
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => /\.[jt]s$/.test(file))
    .toSorted();
  return digestOf(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
}

/** Twelve hexadecimal digits; the order of keys does not count. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, sortedKeys)).digest('hex').slice(0, 12);

export function sortedKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
