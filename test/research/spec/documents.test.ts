/** Plays what config/backtest.md shows, word for word, over prices made here. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../config/backtest.md'), 'utf8');

function block(kind: string, containing: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text!);
  const found = blocks.filter((text) => text.includes(containing));
  expect(found, `one block of ${kind} in config/backtest.md with ${containing}`).toHaveLength(1);
  return found[0]!;
}

async function played(files: Readonly<Record<string, string>>) {
  const dir = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const yaml = join(dir, 'run.yaml');
  writeFileSync(yaml, `${files['run.yaml']!}state: ${dir}\n`);
  const backtest = await loadedBacktest(yaml);
  return runBacktest(planBacktest(backtest));
}

/** Five minutes each from the open of New York on, rising by four ticks. */
const bars = (first: number, tick: number): string =>
  Array.from({ length: 12 }, (_, i) => {
    const price = (first + 4 * i * tick).toFixed(2);
    return `2024-07-03T${13 + Math.floor((30 + 5 * i) / 60)}:${String((30 + 5 * i) % 60).padStart(2, '0')}:00Z,${price},${price},${price},${price},100\n`;
  }).join('');

const HEAD = 'time,open,high,low,close,volume\n';
const boughtOf = ({ strategies }: Awaited<ReturnType<typeof played>>) =>
  strategies.map(({ id, denialCount, fault, fills }) => [
    id,
    denialCount,
    fault,
    [...fills].map(({ side, qty }) => `${side} ${qty}`),
  ]);

test('a market of one kind, with its strategy', async () => {
  const run = await played({
    'run.yaml': block('yaml', 'ES: { tick: 0.25'),
    'mine.mjs': block('js', '// mine.mjs'),
    'es.csv': HEAD + bars(5_500, 0.25),
  });
  expect(boughtOf(run)).toEqual([['mine', 0, null, ['buy 1']]]);
});
