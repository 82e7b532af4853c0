/** A directory with the shipped market files and one main file of the test's own. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { tempDir } from '../support/temp-dir.ts';

export const SHIPPED = join(import.meta.dirname, '../../config');

/** Line numbers count from 1: `risk:` is line 3. */
export const GOOD = `mode: paper
market: vn30f.yaml
risk:
  orderQtyMax: 5
strategies:
  - id: one
    strategy: ema-cross
    symbols: [VN30F1M]
    params: { fast: 3, slow: 7 }
`;

/** Real money, with every guard. */
export const LIVE = `mode: live
market: vn30f.yaml
account:
  custodyCode: 105C000000
  subAccountId: 105C000000A
broker:
  restUrl: https://broker.example/
  streamUrl: wss://broker.example/
live:
  arm: true
  allowedSubAccounts: [105C000000A]
strategies:
  - id: one
    strategy: ema-cross
    symbols: [VN30F1M]
`;

/** A name, the whole file, and every line that it is answered with. */
export type Mistake = readonly [name: string, text: string, ...problems: string[]];

/** A good file with one place of it changed. */
export function spoilt(from: string, to: string, text = GOOD): string {
  if (!text.includes(from)) throw new Error(`nothing to spoil: ${from}`);
  return text.replace(from, to);
}

export const added = (lines: string, text = GOOD): string => `${text}${lines}\n`;

export function configDir(text: string): string {
  const dir = tempDir();
  for (const name of ['vn30f.yaml', 'closures.json']) copyFileSync(join(SHIPPED, name), join(dir, name));
  writeFileSync(join(dir, 'main.yaml'), text);
  return dir;
}

/** Every problem of a main file as it is printed, without the directory; empty when it is right. */
export function problemsOf(text: string, change: (dir: string) => void = () => undefined): string[] {
  const dir = configDir(text);
  change(dir);
  const loaded = loadConfig(join(dir, 'main.yaml'), CATALOG);
  return loaded.ok
    ? []
    : loaded.problems.map((problem) =>
        formatProblem(problem).replaceAll(`${dir}/`, '').replaceAll(dir, '$DIR'),
      );
}
