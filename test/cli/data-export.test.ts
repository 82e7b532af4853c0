/** `tickwright data export` in process. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliDir, cliRun } from './support/cli-run.ts';
import { CONFIG, imported, importing, ROWS, tape } from './support/data-files.ts';

const lines = (file: string): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('data export', () => {
  it('writes ticks, and bars made of them', async () => {
    const [dir, out] = [await imported(), join(cliDir(), 'out.csv')];
    const ticks = await cliRun('data', 'export', 'VN30F2603', '--dir', dir, '--out', out);
    expect(ticks).toEqual({ code: 0, out: `${out}: 3 rows of 2026-03-04\n`, err: '' });
    expect(lines(out)[1]).toBe('2026-03-04T09:00:01+07:00,1950.1,2,buy');
    const bars = await cliRun(
      'data',
      'export',
      'VN30F2603',
      '--dir',
      dir,
      '--out',
      out,
      '--bars',
      '1m',
      ...CONFIG,
    );
    expect(bars.code).toBe(0);
    expect(lines(out)).toEqual([
      'time,end,open,high,low,close,volume,trades,phase,complete',
      '2026-03-04T09:00:00+07:00,2026-03-04T09:01:00+07:00,1950.1,1950.1,1950.0,1950.0,3,2,continuous,0',
      '2026-03-04T09:20:00+07:00,2026-03-04T09:21:00+07:00,1950.2,1950.2,1950.2,1950.2,3,1,continuous,0',
    ]);
    await cliRun('data', 'export', 'VN30F2603', '--dir', dir, '--out', out, '--bars', '2t', ...CONFIG);
    expect(
      lines(out)
        .slice(1)
        .map((line) => line.split(',').slice(2, 8).join(' ')),
    ).toEqual(['1950.1 1950.1 1950.0 1950.0 3 2', '1950.2 1950.2 1950.2 1950.2 3 1']);
  });

  it('writes Parquet, as JSON says', async () => {
    const [dir, out] = [await imported(), join(cliDir(), 'out.parquet')];
    const run = await cliRun('data', 'export', 'VN30F2603', '--dir', dir, '--out', out, '--json');
    expect([run.code, JSON.parse(run.out)]).toEqual([0, { out, rows: 3, periods: ['2026-03-04'] }]);
    expect(readFileSync(out).subarray(0, 4).toString()).toBe('PAR1');
  });

  it('writes nothing of a day whose rows are not those that were stored', async () => {
    const [dir, out] = [await imported(), join(cliDir(), 'out.csv')];
    const path = join(dir, 'ticks', 'VN30F2603', '2026-03-04.arrow');
    const bytes = readFileSync(path);
    bytes.writeInt32LE(19_511, bytes.indexOf(Buffer.from(Int32Array.of(19_501).buffer)));
    writeFileSync(path, bytes);
    const run = await cliRun('data', 'export', 'VN30F2603', '--dir', dir, '--out', out);
    expect([run.code, run.err]).toEqual([
      1,
      expect.stringMatching(`^${path}: digest: expected .* data verify`),
    ]);
    expect(existsSync(out)).toBe(false);
  });

  it('says when there is nothing, and when days do not fit together', async () => {
    const [dir, out] = [await imported(), join(cliDir(), 'out.csv')];
    const late = await cliRun(
      'data',
      'export',
      'VN30F2603',
      '--dir',
      dir,
      '--out',
      out,
      '--from',
      '2026-03-05',
    );
    expect([late.code, late.err]).toEqual([4, expect.stringContaining(`nothing of VN30F2603 in ${dir}`)]);
    await importing(tape(ROWS.slice(0, 1), '2026-03-05_vn30f2603.csv'), dir, '--tick-size', '0.05');
    const mixed = await cliRun('data', 'export', 'VN30F2603', '--dir', dir, '--out', out);
    expect([mixed.code, mixed.err]).toEqual([
      1,
      'expected one step of prices and volumes, was 2026-03-04: 0.1 and 1, 2026-03-05: 0.05 and 1; export them apart\n',
    ]);
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    ['another kind of file', ['--out', 'x.xlsx'], 'expected a file that ends with .csv, .csv.gz or .parquet'],
    ['no file', [], "required option '--out <file>' not specified"],
    ['two things at once', ['--out', 'x.csv', '--trades', '--bars', '1m'], 'expected --trades or --bars'],
    ['no size', ['--out', 'x.csv', '--bars', '5'], 'expected a duration above 0'],
  ])('refuses %s', async (_, argv, part) => {
    const { code, out, err } = await cliRun('data', 'export', 'VN30F2603', ...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(part);
  });
});
