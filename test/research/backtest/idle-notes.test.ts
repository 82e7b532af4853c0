/** Notes on what a strategy was given: why it may have placed no order, and on which book it rests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBacktestFile } from '../../../src/research/backtest/run-backtest-file.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const TIMES = ['00', '01', '02'].map((hour) => `2026-01-05T${hour}:00:00Z`);
const BARS = `time,open,high,low,close\n${TIMES.map((at) => `${at},10,10,10,10`).join('\n')}\n`;
const PRINTS = `time,price,volume\n${TIMES.map((at) => `${at},10,5`).join('\n')}\n`;

async function notesOf(kind: 'bars' | 'prints', code: string): Promise<string> {
  const dir = tempDir();
  writeFileSync(join(dir, 'x.csv'), kind === 'bars' ? BARS : PRINTS);
  writeFileSync(
    join(dir, 'mine.mjs'),
    `import { defineStrategy, z } from 'tickwright/strategy';
export default defineStrategy({
  name: 'mine', summary: 'waits', params: z.object({}), legs: ['only'],
  connect(ticks, trader) { ${code} },
});`,
  );
  const file = join(dir, 'run.yaml');
  writeFileSync(
    file,
    `market: { contracts: { X: { tick: 0.1 } } }
capital: 1000
state: ${dir}
data: { ${kind}: [{ file: x.csv, symbol: X }] }
strategies: [{ id: one, strategy: ./mine.mjs, symbols: [X], overnight: true }]
`,
  );
  const backtest = await loadedBacktest(file);
  const { result } = runBacktestFile(backtest, { out: tempDir() });
  return result.notices.map(({ text }) => text).join('\n');
}

const READS = 'ticks.trades$.subscribe(() => trader.lastBook());';

test('a strategy that asks for nothing is said to have been given bars, and no word of bid and ask', async () => {
  const notes = await notesOf('bars', '');
  expect(notes).toContain('one placed no order: it was given 3 bars of X');
  expect(notes).not.toContain('bid and ask');
});

test('bid and ask are named where the strategy reads them and the data are bars', async () => {
  expect(await notesOf('bars', READS)).toContain('reads bid and ask, which bars do not have');
});

test('a book that prints alone suggest is said to be inferred where the strategy reads it', async () => {
  expect(await notesOf('prints', READS)).toContain('no book was recorded');
  expect(await notesOf('prints', 'ticks.bars().subscribe();')).not.toContain('no book was recorded');
});
