/** A new build in the middle of a session that the one before it began. */
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../src/sqlite/database.ts';
import { expect, test } from 'vitest';
import { olderState } from '../support/older-session.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, workplace } from './daemon-process.ts';

/** The trading day of now, where every day is one. */
const today = (): string => new Date().toLocaleDateString('sv-SE', { timeZone: 'Asia/Ho_Chi_Minh' });

test('it does not trade blind: it says how to go on, ends with 2, and leaves the journal to the older build', async () => {
  const place = workplace(BUSY_CONFIG);
  cpSync(olderState(), place.state, { recursive: true });
  const path = join(place.state, 'journal.db');
  const journal = new Database(path);
  journal.prepare('UPDATE sessions SET day = ?').run(today());
  const rows = journal.prepare('SELECT count(*) FROM entries').pluck();
  const before = rows.get();

  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).toBe(2);
  expect(daemon.output()).toMatch(/was begun by an older Tickwright: .* Go on with the older version until/);
  expect(daemon.output()).not.toMatch(/ at .*\.js:|placed/);
  expect([rows.get(), journal.pragma('user_version', { simple: true })]).toEqual([before, 1]);
  journal.close();
});
