/** The compiled program with one more strategy in its catalogue, in a directory of its own. */
import { cpSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../support/temp-dir.ts';
const ROOT = join(import.meta.dirname, '..', '..');

/** `module` is JavaScript that defines the constant `added`; its main file is returned. */
export function programWith(module: string): string {
  const dir = tempDir();
  cpSync(join(ROOT, 'dist'), join(dir, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(dir, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const strategies = join(dir, 'dist', 'strategies');
  renameSync(join(strategies, 'catalog.js'), join(strategies, 'shipped-catalog.js'));
  const catalog = `
import { z } from 'zod';
import { CATALOG as SHIPPED } from './shipped-catalog.js';
import { defineStrategy } from '../src/strategy/index.js';
${module}
export const CATALOG = [...SHIPPED, added];
`;
  writeFileSync(join(strategies, 'catalog.js'), catalog);
  return join(dir, 'dist', 'src', 'cli', 'main.js');
}

/** Its line in the configuration. */
export const HANGING_STRATEGY = '  - { id: stuck, strategy: hanging, symbols: [VN30F1M], overnight: true }\n';

/** For `programWith`: never returns from its n-th trade, or from a trade while the file named exists. */
export const hangingAt = (moment: number | string): string => `
import { existsSync } from 'node:fs';
const added = defineStrategy({
  name: 'hanging',
  summary: 'hangs',
  params: z.strictObject({}),
  legs: ['contract'],
  connect(ticks) {
    let trades = 0;
    ticks.trades$.subscribe(() => {
      trades += 1;
      while (${typeof moment === 'number' ? `trades === ${moment}` : `existsSync(${JSON.stringify(moment)})`});
    });
  },
});
`;
