import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the `package.json` above this file; compiled files lie one folder deeper. Empty when there is none. */
export function packageRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, 'package.json'))) return from;
  return dirname(from) === from ? '' : packageRoot(dirname(from));
}

/** Version from that file. */
export function packageVersion(): string {
  const root = packageRoot();
  if (root === '') return '';
  const found: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : '';
}
