/** `tickwright data synth` in process. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ImportedPart } from '../../src/app/research/recorded/import-file.ts';
import type { DataListing } from '../../src/app/research/recorded/inspect-data.ts';
import { phaseAt } from '../../src/domain/calendar.ts';
import { tsUs } from '../../src/domain/units.ts';
import { readColumns, readTickMeta } from '../../src/recording/columns/tick-file.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { cliDir, cliRun } from './support/cli-run.ts';
import { CONFIG } from './support/data-files.ts';

const synth = (dir: string, ...more: readonly string[]) =>
  cliRun('data', 'synth', '--from', '2026-06-06', '--seed', '7', '--dir', dir, ...CONFIG, ...more);

it('makes a day with its books, the same for the same seed', async () => {
  const dir = cliDir();
  const made = await synth(dir, '--json', '--contracts', '2');
  expect(made).toMatchObject({ code: 0, err: '' });
  const parts = JSON.parse(made.out) as ImportedPart[];
  // A Saturday has no session.
  expect(parts.map(({ symbol, period, outcome }) => [symbol, period, outcome])).toEqual([
    ['VN30F2606', '2026-06-08', 'written'],
    ['VN30F2607', '2026-06-08', 'written'],
  ]);
  const {
    rows,
    tsUs: at,
    priceTicks,
    qty,
    side,
    book,
  } = readColumns(join(dir, 'ticks/VN30F2606/2026-06-08.arrow'));
  const phases = new Set<string>();
  let [trades, worse] = [0, 0];
  for (let i = 1; i < rows; i += 1) {
    phases.add(phaseAt(MARKET_CALENDAR, tsUs(at[i]!)));
    if (qty[i] === 0 || side[i] === 0) continue;
    trades += 1;
    // Who crosses the spread pays the touch that stood, or worse.
    const touch = side[i] === 1 ? book!.askPrice[0]![i - 1]! : book!.bidPrice[0]![i - 1]!;
    if ((priceTicks[i]! - touch) * side[i]! < 0) worse += 1;
  }
  expect(trades).toBeGreaterThan(10_000);
  expect(worse).toBe(0);
  expect([...phases].toSorted()).toEqual(['closed', 'closing_auction', 'continuous', 'opening_auction']);
  const again = await synth(dir);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringMatching(/VN30F2606 2026-06-08: .*: already there\n$/),
  });
  const { ticks } = JSON.parse((await cliRun('data', 'ls', '--dir', dir, '--json')).out) as DataListing;
  expect(ticks[0]).toMatchObject({ depth: 3, gaps: [], source: 'tickwright data synth, seed 7' });
  // An import takes an export back whole.
  const [file, other] = [join(cliDir(), 'vn30f2606.csv.gz'), cliDir()];
  await cliRun('data', 'export', 'VN30F2606', '--dir', dir, '--out', file);
  expect(await cliRun('data', 'import', file, '--dir', other, ...CONFIG)).toMatchObject({ code: 0, err: '' });
  const [exported, read] = [dir, other].map(
    (each) => readTickMeta(join(each, 'ticks/VN30F2606/2026-06-08.arrow')).digest,
  );
  expect(read).toBe(exported);
});

it.each([
  ['no day', ['--from', 'tomorrow'], 'expected a trading day like'],
  [
    'an underlying that is none',
    ['--underlying', 'DAX'],
    '--underlying: expected one of VN30, VN100, was DAX',
  ],
  [
    'a price off the grid',
    ['--start', '1900.05'],
    '--start: expected a price above 0 on the grid, was 1900.05',
  ],
  ['no days', ['--days', '0'], 'expected a whole number above 0'],
])('refuses %s', async (_, argv, part) => {
  const { code, out, err } = await synth(cliDir(), ...argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(part);
});
