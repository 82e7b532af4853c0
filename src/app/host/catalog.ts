/** The strategies of this build, by name. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { CATALOG } from '../../../strategies/catalog.ts';
import { assert } from '../../domain/assert.ts';
import type { StrategyDefinition, StrategyInstance } from '../../strategy/index.ts';
import type { StrategyInstanceSpec } from './worker-protocol.ts';

export { CATALOG } from '../../../strategies/catalog.ts';

/** Definition of a strategy that a valid configuration names. */
export function definitionOf(strategy: string): StrategyDefinition {
  const definition = CATALOG.find(({ name }) => name === strategy);
  assert(definition !== undefined, 'the configuration names only strategies of the catalogue');
  return definition;
}

/** A strategy as the engine's host runs it. */
export const instanceOf = ({ index, id, strategy, params }: StrategyInstanceSpec): StrategyInstance => ({
  index,
  id,
  definition: definitionOf(strategy),
  params,
});

const CODE = new URL('../../../strategies/', import.meta.url);

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

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
