/** `orders`, `positions`, `pnl`, `journal` over a journal as a daemon leaves it behind. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { type ClientOrderId, clientOrderId } from '../../src/domain/ids.ts';
import { OPERATOR_INDEX, tsUs } from '../../src/domain/units.ts';
import { DAY, openStore } from '../journal/journal-fixture.ts';
import { ENTRIES, ID } from '../operator/entries.ts';
import { cliDir, cliRun } from './support/cli-run.ts';

function journalDir(): string {
  const dir = cliDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (const kind of ['strategy_started', 'place', 'order_status', 'fill', 'denied'] as const)
    store.append(ENTRIES[kind]);
  store.close();
  return dir;
}

const rowsOf = (out: string): unknown => (JSON.parse(out) as { rows: unknown }).rows;

it.each([
  ['orders', [{ clientOrderId: ID, strategy: 'strategy-0', side: 'buy', qty: 2 }]],
  ['positions', [{ strategy: 'strategy-0', qty: ENTRIES.fill.qty }]],
  [
    'pnl',
    [
      {
        strategy: 'strategy-0',
        orders: 1,
        fills: 1,
        denied: 1,
        fee: ENTRIES.fill.fee,
        tax: ENTRIES.fill.tax,
      },
    ],
  ],
])('%s shows the same as a table and as JSON', async (name, rows) => {
  const dir = journalDir();
  const text = await cliRun(name, '--state', dir);
  expect(text).toMatchObject({ code: 0, err: '' });
  expect(text.out).toContain(`session ${DAY}`);
  expect(text.out).toContain('strategy-0');
  const json = await cliRun(name, '--state', dir, '--json', '--session', DAY, '--strategy', 'strategy-0');
  expect(json).toMatchObject({ code: 0, err: '' });
  expect(rowsOf(json.out)).toMatchObject(rows);
});

it.each(['orders', 'positions', 'pnl', 'journal', 'replay', 'agree'])(
  '%s refuses a journal of another format, with what to do',
  async (name) => {
    const dir = journalDir();
    const database = new Database(join(dir, 'journal.db'));
    database.pragma('user_version = 4');
    database.close();
    const { code, out, err } = await cliRun(name, '--state', dir);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/was 4: another Tickwright wrote it, .* Go on with that version/);
    expect(err).not.toMatch(/ at .*\.ts:/);
  },
);

it('tells the story of one order, by the part of its id that tables show', async () => {
  const dir = cliDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  const { place, fill } = ENTRIES;
  const other = { ...place.order, clientOrderId: clientOrderId('H.12345600002000099') };
  for (const entry of [place, { ...place, order: other }, fill, ENTRIES.alert] as const) store.append(entry);
  store.close();
  const json = await cliRun('journal', '--state', dir, '--order', '02000017', '--json');
  expect(rowsOf(json.out)).toMatchObject([{ kind: 'place' }, { kind: 'fill' }]);
  const text = await cliRun('journal', '--state', dir, '--order', ID);
  expect(text.out).toMatch(/placed +#02000017 .*\n.*filled +#02000017/);
  const none = await cliRun('journal', '--state', dir, '--order', '02000018');
  expect([none.code, none.err]).toEqual([4, expect.stringContaining('no order 02000018 in session')]);
});

it('shows no refused change as the reason of an end that came later', async () => {
  const dir = cliDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  const { place, order_status: status } = ENTRIES;
  const refused = { ...status, to: 'accepted', detail: '-6015 Order cannot be changed' } as const;
  const canceled = { ...status, to: 'canceled', detail: '' } as const;
  for (const entry of [place, refused, canceled]) store.append(entry);
  store.close();
  const { out } = await cliRun('orders', '--state', dir, '--json');
  expect(rowsOf(out)).toMatchObject([{ status: 'canceled', detail: '' }]);
});

it('calls a stop ours once it waits at the broker, and an order of others adopted', async () => {
  const dir = cliDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  const { place, order_waiting: exit, order_status: status } = ENTRIES;
  const waits = (id: ClientOrderId, parent: ClientOrderId | null, strategy = exit.strategy) =>
    ({ ...exit, clientOrderId: id, parent, strategy }) as const;
  const foreign = clientOrderId('W.77');
  const ended = [ID, foreign].map(
    (id) => ({ ...status, clientOrderId: id, to: 'canceled', detail: '' }) as const,
  );
  const earlier = clientOrderId('H.12345600001000003');
  for (const entry of [
    place,
    waits(ID, null),
    waits(exit.clientOrderId, ID),
    waits(earlier, null),
    waits(foreign, null, OPERATOR_INDEX),
    ...ended,
  ])
    store.append(entry);
  store.close();
  const { out } = await cliRun('orders', '--state', dir, '--json');
  expect(rowsOf(out)).toMatchObject([
    { clientOrderId: ID, status: 'canceled', detail: '' },
    { status: 'pending_trigger', detail: `brought by ${ID}` },
    { clientOrderId: earlier, detail: 'placed on an earlier day' },
    { clientOrderId: foreign, strategy: 'operator', detail: 'adopted: not placed by this journal' },
  ]);
});

it('cuts the journal to the newest rows, and to kinds', async () => {
  const dir = journalDir();
  const last = await cliRun('journal', '--state', dir, '--last', '2', '--json');
  expect(rowsOf(last.out)).toMatchObject([{ kind: 'fill' }, { kind: 'denied' }]);
  const kinds = await cliRun('journal', '--state', dir, '--kind', 'place', '--kind', 'denied', '--json');
  expect(rowsOf(kinds.out)).toMatchObject([{ kind: 'place' }, { kind: 'denied' }]);
});

it('shows the journal in words that fit a terminal', async () => {
  const { out } = await cliRun('journal', '--state', journalDir());
  const lines = out.trimEnd().split('\n');
  const idOf = /^ *\d+ /;
  expect(lines.filter((line) => idOf.test(line) && !line.startsWith('    '))).toHaveLength(5);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(out).not.toMatch(/[{}"]/);
  const last = await cliRun('journal', '--state', journalDir(), '--last', '1');
  expect(last.out).toContain('denied');
  expect(last.out).not.toContain('filled');
});

it('lets no words of the broker steer the terminal', async () => {
  const dir = journalDir();
  const { store } = openStore(join(dir, 'journal.db'));
  store.beginSession(DAY, tsUs(2), 'test.yaml');
  store.append({ ...ENTRIES.order_status, detail: 'full\u001b[2J\u202e\nled' });
  store.close();
  const { out } = await cliRun('orders', '--state', dir);
  expect(out).toContain('full [2J led');
});

it('names the kinds that there are when one asks for others', async () => {
  const { code, out } = await cliRun('journal', '--state', journalDir(), '--kind', 'alerts');
  expect(code).toBe(0);
  expect(out).toContain('no alerts in it; its kinds are denied, fill, order_status, place, strategy_started');
});

it.each([
  [['--strategy', 'nope'], `no strategy nope in session ${DAY}: there are strategy-0`],
  [['--session', '2020-01-02'], 'no session 2020-01-02'],
])('ends with 4 for what is not there: %j', async (argv, message) => {
  const { code, out, err } = await cliRun('orders', '--state', journalDir(), ...argv);
  expect({ code, out }).toEqual({ code: 4, out: '' });
  expect(err).toContain(message);
});

it('verifies the journal, and fails where a row is missing', async () => {
  const dir = journalDir();
  const whole = await cliRun('journal', 'verify', '--state', dir);
  expect(whole).toMatchObject({ code: 0, err: '' });
  expect(whole.out).toContain('Every row follows from the row before it.');
  const database = new Database(join(dir, 'journal.db'));
  database.exec('DROP TRIGGER entries_stay; DELETE FROM entries WHERE id = 2');
  database.close();
  const broken = await cliRun('journal', 'verify', '--state', dir);
  expect(broken.code).toBe(1);
  expect(broken.out).toContain('entry 3 does not follow entry 1');
  expect(broken.out).toContain('5 entries were written, 4 are there');
  const json = await cliRun('journal', 'verify', '--state', dir, '--json');
  expect(JSON.parse(json.out)).toMatchObject({
    faults: [{ place: 'entry 3' }, { place: 'end of the entries' }],
  });
  expect(await cliRun('journal', 'verify', '--state', join(dir, 'none'))).toMatchObject({ code: 4, out: '' });
});

it.each([
  ['8', 'live', 'no daemon runs on'],
  ['8', 'absent', 'no order 8; tickwright orders --json shows whole ids'],
  ['8x', 'live', 'no order 8x'],
])('an order that is booked for nobody is named by the broker: resolve %s %s', async (id, as, problem) => {
  const { code, err } = await cliRun(
    'orders',
    'resolve',
    id,
    as,
    '--reason',
    'mine',
    '--state',
    journalDir(),
  );
  expect(code).not.toBe(0);
  expect(err).toContain(problem);
});

it.each(['orders', 'positions', 'pnl', 'journal'])(
  '%s does not call a journal absent that it cannot look at',
  async (name) => {
    const dir = cliDir();
    symlinkSync('journal.db', join(dir, 'journal.db'));
    const { code, err } = await cliRun(name, '--state', dir);
    expect(err).toContain('ELOOP');
    expect(code).toBe(1);
  },
);

it('names a damaged journal, and what to do', async () => {
  const dir = cliDir();
  const path = join(dir, 'journal.db');
  writeFileSync(path, 'no database'.repeat(1_000));
  const { code, err } = await cliRun('orders', '--state', dir);
  expect(err).toContain(`file is not a database '${path}' (the file is damaged: put a copy in its place`);
  expect(code).toBe(1);
});
