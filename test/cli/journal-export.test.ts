/** `journal export`: tables that a spreadsheet and a data frame read, of a journal as a daemon leaves it behind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { tsUs } from '../../src/domain/units.ts';
import { DAY, note, openStore } from '../journal/journal-fixture.ts';
import { ENTRIES, ID } from '../operator/entries.ts';
import { cliDir, cliRun } from './support/cli-run.ts';

const NEXT_DAY = tradingDay('2026-03-05');

function journalDir(): string {
  const dir = cliDir();
  const { store } = openStore(join(dir, 'journal.db'));
  for (const day of [DAY, NEXT_DAY]) {
    store.beginSession(day, tsUs(day === DAY ? 1 : 2), 'test.yaml');
    for (const kind of [
      'strategy_started',
      'place',
      'order_status',
      'fill',
      'fill_correction',
      'denied',
    ] as const)
      store.append(ENTRIES[kind]);
    store.append({ ...ENTRIES.order_status, detail: '=1+1' });
    store.append({ ...ENTRIES.strategy_stopped, reason: '=HYPERLINK("http://x","résumé, 1")' });
    store.append({ ...ENTRIES.alert, text: '+1 and -1' });
    store.append(note(9));
  }
  store.close();
  return dir;
}

const exported = async (dir: string, table: string, file: string, ...flags: string[]): Promise<string> => {
  const out = join(dir, file);
  const run = await cliRun('journal', 'export', table, '--state', dir, '--out', out, ...flags);
  expect(run).toMatchObject({ code: 0, err: '' });
  return out;
};

it('writes the fills of the latest session for a spreadsheet', async () => {
  const dir = journalDir();
  const text = readFileSync(await exported(dir, 'fills', 'fills.csv'), 'utf8');
  const [head, ...rows] = text.trimEnd().split('\n');
  expect(head).toBe(
    '\uFEFFsession,time,strategy,client_order_id,order_no,contract,side,qty,price_points,value_vnd,fee_vnd,tax_vnd,quality,kind',
  );
  const { fill, fill_correction: correction } = ENTRIES;
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(
    new RegExp(
      `^${NEXT_DAY},2026-03-04T02:30:01.250\\+00:00,strategy-0,${ID},.*,${fill.value},${fill.fee},${fill.tax},`,
    ),
  );
  expect(rows[1]).toContain(`,,,${correction.value},,${correction.tax},`);
});

it('lets no text begin a formula', async () => {
  const dir = journalDir();
  const day = ['--session', DAY];
  const orders = readFileSync(await exported(dir, 'orders', 'orders.csv', ...day), 'utf8');
  const decisions = readFileSync(await exported(dir, 'decisions', 'decisions.csv', ...day), 'utf8');
  for (const text of [orders, decisions]) {
    expect(text).toContain(DAY);
    expect(text).not.toContain(NEXT_DAY);
    expect(text).not.toMatch(/(^|,|\n)"?[=+@\t]/);
  }
  expect(orders).toContain("'=1+1");
  expect(decisions.split('\n')[0]).toContain('id,strategy,kind,client_order_id,facts');
  expect(decisions).toContain('résumé');
});

it('writes all sessions into one table', async () => {
  const text = readFileSync(await exported(journalDir(), 'fills', 'fills.csv', '--all'), 'utf8');
  const rows = text.trimEnd().split('\n').slice(1);
  expect(rows.map((row) => [row.slice(0, DAY.length), row.slice(row.lastIndexOf(',') + 1)])).toEqual([
    [DAY, 'fill'],
    [DAY, 'fill_correction'],
    [NEXT_DAY, 'fill'],
    [NEXT_DAY, 'fill_correction'],
  ]);
});

it.each([
  [['export', 'trades', '--out', 'x.csv'], 'orders, fills, decisions'],
  [['export', 'fills', '--out', 'x.parquet'], 'a file that ends with .csv'],
  [['export', 'fills', '--out', 'x.csv', '--all', '--session', DAY], '--session or --all'],
])('refuses %j', async (args, text) => {
  const run = await cliRun('journal', ...args);
  expect(run.code).toBe(2);
  expect(run.err).toContain(text);
});
