/** A disk that takes no more, under a paper run: its journal and its simulated broker fail, and both say so. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Database, SQLITE_PACKAGE } from '../../src/sqlite/database.ts';
import { smallDisk } from '../support/small-disk.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  BOOKS_AGREE,
  brokerTruth,
  MAIN,
  resolveAbsent,
  startDaemon,
  until,
  type Workplace,
  workplace,
} from './daemon-process.ts';

const DATABASE = join(import.meta.dirname, '..', '..', 'node_modules', SQLITE_PACKAGE);

const tickwright = ({ state }: Workplace, ...command: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, ...command, '--state', state], { encoding: 'utf8' });

/** While the file exists no statement of any database of the program or of its simulator is carried out. */
function fillableDisk({ dir }: Workplace): { fill(): void; empty(): void } {
  const full = join(dir, 'full');
  const program = join(dir, 'full-disk.cjs');
  writeFileSync(
    program,
    `const { existsSync } = require('node:fs');
const Database = require(${JSON.stringify(DATABASE)});
const { prepare } = Database.prototype;
Database.prototype.prepare = function (text) {
  const statement = prepare.call(this, text);
  if (!/^\\s*(INSERT|UPDATE|DELETE)/i.test(text)) return statement;
  const { run } = statement;
  statement.run = (...given) => {
    if (existsSync(${JSON.stringify(full)})) throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    return run.apply(statement, given);
  };
  return statement;
};
`,
  );
  vi.stubEnv('NODE_OPTIONS', `--require ${program}`);
  return { fill: () => writeFileSync(full, ''), empty: () => rmSync(full) };
}

test('a full disk stops entries, names the broker that ended, and the next start goes on once there is room', async () => {
  const place = workplace(BUSY_CONFIG);
  const disk = fillableDisk(place);
  const daemon = startDaemon(place);
  await daemon.line(/ busy +filled/);
  disk.fill();
  await daemon.line(/HALTED .*the journal could not be written: database or disk is full/);
  await daemon.line(/journal_failed: .* -> make room on the disk/);
  await daemon.line(
    /simulator_ended: the simulated broker has ended: the disk of .* is full -> stop this program/,
  );
  const placed = daemon.output().length;
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(1);
  expect(daemon.output().slice(placed)).not.toMatch(/ placed /);
  expect(daemon.output(), 'a summary needs no journal').toMatch(/^session .*$[^]*^result +/m);
  expect(daemon.output()).toMatch(
    /journal\.db could not take its last rows: .* Make room on the disk of .* and start again/,
  );
  expect(daemon.output(), 'no stack').not.toMatch(/ at .*\.[jt]s:\d/);

  // A start without its simulated broker waits for room, and no supervisor gives it up.
  const again = startDaemon(place);
  await again.line(
    /the simulated broker could not start: the disk of .* is full.*; it starts once there is room/,
  );
  disk.empty();
  await again.line(/stream: live/);
  await again.line(/reconciled with the broker/);
  // An order that was sent as the disk filled up may have died with the simulated broker.
  await resolveAbsent(place);
  await again.line(/ HALTED: /);
  expect(await again.end('SIGINT'), again.output()).toBe(0);
  expect(again.output()).toMatch(BOOKS_AGREE);
  expect(again.output(), 'no stack').not.toMatch(/ at .*\.[jt]s:\d/);
});

test('a start on a full disk keeps kill path, control and alerts, and trades once there is room', async (context) => {
  const place = workplace(BUSY_CONFIG);
  const disk = smallDisk(context, place.state, '24m');
  // The simulated broker has a disk of its own, as a real one has.
  writeFileSync(join(place.state, '.tickwright'), '');
  mkdirSync(join(place.dir, 'broker'));
  symlinkSync(join(place.dir, 'broker'), join(place.state, 'simulator'));
  const first = startDaemon(place);
  await first.line(/ busy +filled/);
  /** Contracts of each side that work, and how much is held. */
  const atBroker = async () => {
    const { orders, positions } = await brokerTruth(place);
    const open = orders.filter(
      ({ status, qty, filledQty }) => filledQty < qty && !/canceled|rejected|expired/.test(status),
    );
    const sum = (of: string) =>
      open
        .filter(({ side }) => side === of)
        .reduce((total, { qty, filledQty }) => total + qty - filledQty, 0);
    return {
      net: positions.reduce((total, { net }) => total + net, 0),
      buys: sum('buy'),
      sells: sum('sell'),
    };
  };
  await until(async () => {
    first.process.kill('SIGSTOP');
    const { buys, sells } = await atBroker();
    if (buys + sells > 0) return true;
    first.process.kill('SIGCONT');
    return undefined;
  });
  await first.end('SIGKILL');
  // As after a clean end: neither log nor its index keep their room.
  const journal = new Database(join(place.state, 'journal.db'));
  journal.pragma('wal_checkpoint(TRUNCATE)');
  journal.close();
  expect(readdirSync(place.state)).not.toContain('journal.db-shm');
  disk.fill();

  const daemon = startDaemon(place);
  await daemon.line(/CRITICAL +no_room: the disk is full: no session can begin until there is room/);
  const halt = tickwright(place, 'halt', '--reason', 'test');
  expect([halt.status, halt.stdout + halt.stderr]).toEqual([0, expect.stringContaining('entries are off')]);
  await daemon.line(/ halt_proven: /);
  const { net, buys, sells } = await atBroker();
  expect(buys, 'an exit of a short position at most').toBeLessThanOrEqual(Math.max(0, -net));
  expect(sells, 'an exit of a long position at most').toBeLessThanOrEqual(Math.max(0, net));
  expect(tickwright(place, 'status').stdout).toContain('the disk is full');

  disk.empty();
  await daemon.line(/stream: live/);
  expect(tickwright(place, 'resume', '--reason', 'there is room').status).toBe(0);
  await daemon.line(/ busy +placed/, daemon.output().length);
  expect(tickwright(place, 'journal', '--json').status, 'others can read the journal again').toBe(0);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  expect(daemon.output()).toMatch(BOOKS_AGREE);
  expect(tickwright(place, 'journal', 'verify').status).toBe(0);
});

test('a run whose control file can no longer be written ends as asked, with its journal closed', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await daemon.line(/ busy +filled/);
  const file = join(place.state, 'control.json');
  rmSync(file);
  mkdirSync(file);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  expect(readdirSync(place.state)).not.toContain('journal.db-wal');
});
