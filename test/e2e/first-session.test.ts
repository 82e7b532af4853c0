/** What a newcomer does first: start, watch, Ctrl-C, look, start again. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { SessionAgreement } from '../../src/research/agreement/compare-session.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  BOOKS_AGREE,
  MAIN,
  journalEntries,
  startDaemon,
  until,
  type Workplace,
  workplace,
} from './daemon-process.ts';

const run = (place: Workplace, ...args: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, ...args, '--state', place.state], { encoding: 'utf8', cwd: place.dir });

const fills = (place: Workplace): number => journalEntries(place, { kinds: ['fill'] }).length;

test('a session, its summary, a read of the journal, and the same account again', async () => {
  const place = workplace(BUSY_CONFIG);
  const first = startDaemon({ ...place, config: join('config', 'test.yaml') });
  await first.line(/filled/);
  const open = readdirSync(place.state, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(place.state, name)).mode & 0o077) !== 0,
  );
  expect(open, 'others can read none of these, nor a copy').toEqual([]);

  const second = startDaemon(place);
  expect(await second.end('SIGCONT'), 'a second daemon is refused').toBe(3);
  expect(second.output()).toMatch(/another Tickwright \(process \d+\)/);

  expect(run(place, 'status').status).toBe(0);
  const halted = run(place, 'halt', '--reason', 'just to see');
  expect(halted.status, halted.stderr).toBe(0);
  await until(() => journalEntries(place).find(({ entry }) => entry.kind === 'halt' && entry.halted));
  expect(run(place, 'resume', '--reason', 'seen').status).toBe(0);

  expect(await first.end('SIGINT'), first.output()).toBe(0);
  expect(first.output()).toMatch(/session +\d{4}-\d{2}-\d{2}/);
  expect(first.output()).toMatch(BOOKS_AGREE);
  expect(first.output()).not.toMatch(/eyJ/); // no token, not even a part of one

  for (const command of ['orders', 'positions', 'pnl', 'journal']) {
    const json = run(place, command, '--json');
    expect(json.status, json.stderr).toBe(0);
    expect(() => JSON.parse(json.stdout), command).not.toThrow();
  }
  expect(run({ ...place, dir: tmpdir() }, 'journal').stdout).toMatch(/^session \S+, times of the exchange\n/);
  expect(run(place, 'status').status, 'nobody is there').toBe(4);

  const again = startDaemon(place);
  await again.line(/token from cache/);
  await again.line(/replaying [\d,]+ inputs of today/);
  await again.line(/filled/);
  // Enough of them to compare.
  await until(() => (fills(place) >= 20 ? true : undefined));
  expect(await again.end('SIGINT'), again.output()).toBe(0);
  expect(again.output()).toMatch(BOOKS_AGREE);

  const replay = run(place, 'replay', '--config', place.config);
  expect(replay.stdout).toMatch(/2 starts, \d{2,} facts compared\njournal and replay agree: [0-9a-f]{64}/);
  expect(replay.status, replay.stdout + replay.stderr).toBe(0);

  const agree = run(place, 'agree', '--config', place.config, '--json');
  const { isDecidedAlike, fills: compared }: SessionAgreement = JSON.parse(agree.stdout);
  const unexplained = compared.differences.filter(({ clause }) => clause === 'unexplained');
  expect(isDecidedAlike, agree.stdout).toBe(true);
  expect(compared.compared).toBeGreaterThan(0);
  // On a machine that stops for moments, a moment may be one that nobody can find afterwards.
  expect(unexplained.length, agree.stdout).toBeLessThanOrEqual(compared.compared / 10);
  expect(agree.status).toBe(unexplained.length === 0 ? 0 : 1);

  const [name = ''] = readdirSync(join(place.state, 'frames'));
  const log = join(place.state, 'frames', name);
  writeFileSync(`${log}.gz`, gzipSync(readFileSync(log)));
  rmSync(log);
  const later = run(place, 'agree', '--config', place.config, '--json');
  expect(later.stdout, 'the day is over, and its log is packed').toBe(agree.stdout);
});

test('a cached token that the broker no longer takes is replaced, and the session opens', async () => {
  const place = workplace(BUSY_CONFIG);
  const first = startDaemon(place);
  await first.line(/strategy runs/);
  expect(await first.end('SIGINT'), first.output()).toBe(0);
  // A new broker knows no token of the old one.
  rmSync(join(place.state, 'simulator'), { recursive: true });
  const second = startDaemon(place);
  await second.line(/token from cache/);
  await second.line(/broker rejects the token/);
  await second.line(/token from exchange/);
  await second.line(/prices live/);
  await second.end('SIGINT');
});
