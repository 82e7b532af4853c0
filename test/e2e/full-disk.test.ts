/** A disk that takes no more, under a paper run: its journal and its simulated broker fail, and both say so. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { SQLITE_PACKAGE } from '../../src/sqlite/database.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, type Workplace, workplace } from './daemon-process.ts';

const DATABASE = join(import.meta.dirname, '..', '..', 'node_modules', SQLITE_PACKAGE);

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

test('a full disk stops entries, names the broker that ended, and the next start goes on', async () => {
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
  expect(daemon.output()).toMatch(/no summary: the journal could not be written: database or disk is full/);
  expect(daemon.output()).toMatch(
    /journal\.db could not take its last rows: .* Make room on the disk of .* and start again/,
  );
  expect(daemon.output(), 'no stack').not.toMatch(/ at .*\.[jt]s:\d/);

  const refused = startDaemon(place);
  await expect(refused.line(/stream: live/)).rejects.toThrow(/disk of .* is full|database or disk is full/);
  expect(refused.output(), 'no stack').not.toMatch(/ at .*\.[jt]s:\d/);

  disk.empty();
  const again = startDaemon(place);
  await again.line(/stream: live/);
  await again.line(/ HALTED: /);
  expect(await again.end('SIGINT'), again.output()).toBe(0);
  expect(again.output()).toMatch(/figures compared, all agree/);
});
