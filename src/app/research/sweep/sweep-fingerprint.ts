/** What the outcome of a trial rests on besides its own parameters and days: results with another fingerprint are of no use here. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Backtest } from '../backtest/load-backtest.ts';
import { planBacktest } from '../backtest/plan-backtest.ts';
import { isStrategyFile } from '../backtest/strategy-file.ts';
import { packageVersion } from '../../inspect/package-version.ts';

export function sweepFingerprint(backtest: Backtest): string {
  const { configDigest, data } = planBacktest(backtest);
  const hash = createHash('sha256').update(`${packageVersion()}\n${configDigest}\n${data.digest}\n`);
  for (const { strategy } of backtest.strategies) {
    // A name in the catalogue belongs to the version; a file may change under the same name.
    if (isStrategyFile(strategy)) hash.update(readFileSync(placed(strategy, backtest.file)));
  }
  return hash.digest('hex');
}

const placed = (strategy: string, file: string): string =>
  isAbsolute(strategy) ? strategy : join(dirname(file), strategy);
