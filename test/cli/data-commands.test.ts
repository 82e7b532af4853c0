/** `tickwright data` in process: what it prints, what it writes, how it ends. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportedFile } from '../../src/research/recorded/import-file.ts';
import type { DataListing } from '../../src/research/recorded/stored-data.ts';
import { importMarket } from '../../src/cli/data/data-import.ts';
import { cliDir, cliRun } from './support/cli-run.ts';
import { CONFIG, imported, importing, ROWS, tape } from './support/data-files.ts';

describe('data import', () => {
  it('says what it took, and takes it once', async () => {
    const [file, dir] = [tape(), cliDir()];
    const first = await importing(file, dir);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out.split('\n')).toEqual([
      expect.stringMatching(/^.*2026-03-04_vn30f2603\.csv: 3 rows of prints \(\d+\.\d s, .* rows\/s\)$/),
      '  finest step of prices 0.1 (line 3), of volumes 1 (line 3)',
      '  VN30F2603 2026-03-04: 3 ticks, 3 gaps: written',
      '',
    ]);
    expect(existsSync(join(dir, 'ticks/VN30F2603/2026-03-04.arrow'))).toBe(true);
    const again = await importing(file, dir);
    expect([again.code, again.out.split('\n')[2]]).toEqual([
      0,
      '  VN30F2603 2026-03-04: 3 ticks, 3 gaps: already there',
    ]);
  });

  it('needs no configuration for files of other markets', () => {
    expect(importMarket(['es.csv'], 'no/config.yaml', false)).toMatchObject({ contracts: {} });
    expect(() => importMarket(['es.csv'], 'no/config.yaml', true)).toThrow('in the configuration');
    expect(() => importMarket(['2026-03-04.frames.gz'], 'no/config.yaml', false)).toThrow(
      'in the configuration',
    );
  });

  it('takes B for a buyer in other markets, and leaves unclear words to its reader', async () => {
    const file = tape(
      ['9:00:01,1950.1,2,B', '9:00:02,1950.1,2,S', '9:00:03,1950.1,2,A'],
      '2026-03-04_es.csv',
    );
    const { err } = await importing(file, cliDir(), '--tick-size', '0.1');
    expect(err).toContain(
      'es.csv:4: expected a side out of buy, B, sell, S, - or nothing in column Side, was "A"',
    );
  });

  it('keeps what is there, unless the command says to replace it', async () => {
    const dir = await imported();
    const other = tape(ROWS.slice(1));
    const kept = await importing(other, dir);
    expect(kept.code).toBe(1);
    expect(kept.out).toContain('NOT WRITTEN: other data are there (--replace overwrites them)');
    const replaced = await importing(other, dir, '--replace', '--json');
    expect(replaced.code).toBe(0);
    const [report] = JSON.parse(replaced.out) as ImportedFile[];
    expect(report).toMatchObject({ kind: 'prints', rows: 2, parts: [{ outcome: 'replaced', rows: 2 }] });
  });

  it('reports each bad row with file, line and reason, and takes nothing of such a file', async () => {
    const [file, dir] = [tape([...ROWS, 'nine,1950.1,1,M', '9:21:00,1950.15,1,M']), cliDir()];
    const badRows = join(cliDir(), 'bad.csv');
    const { code, out, err } = await importing(file, dir, '--bad-rows', badRows);
    expect(code).toBe(1);
    expect(err.split('\n')).toEqual([
      `${file}:5: expected a time like 09:00:00 in column Time, was "nine"`,
      `${file}:6: expected a price above 0 on the grid of 0.1 in column Price, was "1950.15"`,
      '',
    ]);
    expect(out).toContain('3 rows of prints, 2 bad');
    expect(out).toContain('nothing was imported; --skip-bad imports the good rows');
    expect(existsSync(join(dir, 'ticks'))).toBe(false);
    expect(readFileSync(badRows, 'utf8').split('\n')).toEqual([
      'file,line,reason',
      `${file},5,"expected a time like 09:00:00 in column Time, was ""nine"""`,
      `${file},6,"expected a price above 0 on the grid of 0.1 in column Price, was ""1950.15"""`,
      '',
    ]);
    const skipped = await importing(file, dir, '--skip-bad');
    expect([skipped.code, ...skipped.out.split('\n').slice(1, 4)]).toEqual([
      1,
      '  finest step of prices 0.05 (line 6), of volumes 1 (line 3)',
      '  the prices need --tick-size 0.05',
      '  VN30F2603 2026-03-04: 3 ticks, 3 gaps: written',
    ]);
  });

  it('shows twenty bad rows and counts the others', async () => {
    const bad = Array.from({ length: 30 }, () => 'nine,1950.1,1,M');
    const { err } = await importing(tape([...ROWS, ...bad]), cliDir());
    expect(err.split('\n')).toHaveLength(22);
    expect(err).toContain(': 10 more bad rows; --bad-rows FILE lists all of them\n');
  });

  it('takes bars and any other market, when the command names them', async () => {
    const [file, dir] = [join(cliDir(), 'btc.csv'), cliDir()];
    writeFileSync(
      file,
      'open_time;first;H;L;C;vol\n2026-03-04 00:00;1,5;2;1;1,75;0,5\n2026-03-04 00:05;1,5;2;1;1,75;1\n',
    );
    const refused = await importing(file, dir);
    expect([refused.code, refused.err]).toEqual([
      2,
      `${file}: BTC is no contract of the configured market: say its --tick-size\n`,
    ]);
    const { code, out } = await importing(
      file,
      dir,
      '--symbol',
      'BTCUSDT',
      '--column',
      'open=first',
      '--column',
      'time=open_time',
      '--decimal-comma',
      '--tick-size',
      '0.25',
      '--lot-size',
      '0.5',
      '--zone',
      'UTC',
    );
    expect([code, ...out.split('\n').slice(1, 3)]).toEqual([
      0,
      '  finest step of prices 0.25 (line 2), of volumes 0.5 (line 2)',
      '  BTCUSDT 2026: 2 bars: written',
    ]);
    const listing = JSON.parse((await cliRun('data', 'ls', '--dir', dir, '--json')).out) as DataListing;
    expect(listing).toMatchObject({
      ticks: [],
      bars: [
        { symbol: 'BTCUSDT', length: '5m', year: '2026', rows: 2, volume: 3, firstUs: 1_772_582_400_000_000 },
      ],
    });
  });

  it.each([
    ['a file that is not there', ['/nowhere.csv'], 'expected an existing file, was /nowhere.csv'],
    ['a role that is none', ['TAPE', '--column', 'prize=Last'], 'expected a column like price=Last'],
    [
      'a side that is none',
      ['TAPE', '--side', 'long=B'],
      'expected words for a side like buy=B,BUY or none=',
    ],
    ['two characters', ['TAPE', '--delimiter', '::'], 'expected one character'],
    [
      'a symbol that is a path',
      ['TAPE', '--symbol', '../x', ...CONFIG],
      '--symbol: expected letters, digits',
    ],
    ['no zone', ['TAPE', '--zone', 'Moon', ...CONFIG], '--zone: expected a zone like +07:00, UTC'],
    ['no step', ['TAPE', '--tick-size', '-1', ...CONFIG], '--tick-size: expected a decimal above 0 like 0.1'],
    [
      'no column',
      ['TAPE', '--column', 'price=Last', ...CONFIG],
      'no column "Last" for price in: Time, Price',
    ],
  ])('refuses %s', async (_, argv, part) => {
    const { code, out, err } = await cliRun(
      'data',
      'import',
      ...argv.map((word) => (word === 'TAPE' ? tape() : word)),
    );
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(part);
  });
});

describe('data ls', () => {
  it('lists days and years, and each gap', async () => {
    const dir = await imported();
    const { code, out } = await cliRun('data', 'ls', '--dir', dir, '--gaps');
    expect(code).toBe(0);
    expect(out).toMatch(/^VN30F2603 {2}2026-03-04 {5}3 {7}6 {2}- {5}09:00:01 {2}09:20:00 {5}3/m);
    expect(out).toMatch(/^VN30F2603 {2}2026-03-04 {2}09:00:01\.\d+ {2}09:20:00\.\d+ {2}silence$/m);
  });

  it.each(['ls', 'verify'])('%s says when there is nothing', async (name) => {
    const dir = cliDir();
    expect(await cliRun('data', name, '--dir', dir)).toEqual({
      code: 4,
      out: '',
      err: `no data in ${dir}: import some with tickwright data import FILE, or name another directory with --dir\n`,
    });
    expect((await cliRun('data', name, 'NONE', '--dir', await imported())).err).toContain(
      'nothing of NONE in',
    );
  });
});

describe('data verify', () => {
  it('finds good files good', async () => {
    const { code, out } = await cliRun('data', 'verify', '--dir', await imported());
    expect(code).toBe(0);
    expect(out).toContain('1 of 1 files are good\n');
  });

  it('finds rows that are not what was written, and a cut end', async () => {
    const dir = await imported();
    const path = join(dir, `ticks/VN30F2603/2026-03-04.arrow`);
    const whole = readFileSync(path);
    let found = 0;
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 30)) {
      const bent = Buffer.from(whole);
      bent[at] = bent[at]! ^ 4;
      writeFileSync(path, bent);
      // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other: it is one file
      const { code, out } = await cliRun('data', 'verify', '--dir', dir);
      const isFound = out.includes('0 of 1 files are good\n');
      expect({ at, code }).toEqual({ at, code: isFound ? 1 : 0 });
      found += Number(isFound);
    }
    expect(found).toBeGreaterThan(5);
    writeFileSync(path, whole);
    truncateSync(path, statSync(path).size - 3);
    const cut = await cliRun('data', 'verify', '--dir', dir, '--json');
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.out)).toEqual(
      expect.arrayContaining([expect.objectContaining({ path, problems: [expect.stringContaining(path)] })]),
    );
  });
});
