import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version from the `package.json` above this file; compiled files lie one folder deeper. */
export function packageVersion(from: string = import.meta.dirname): string {
  const file = join(from, 'package.json');
  if (!existsSync(file)) return dirname(from) === from ? '' : packageVersion(dirname(from));
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : '';
}
