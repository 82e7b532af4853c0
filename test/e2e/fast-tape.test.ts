/** A tape waits for the daemon that trades on it: how fast it runs changes neither the orders nor how many are refused. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { journalEntries, startDaemon, until, workplace } from './daemon-process.ts';

const SAMPLE = join(import.meta.dirname, '../../data/sample/2026-06-03_vn30f2606.csv.gz');
/** The first six minutes of continuous trading of a real day, and a print by which everybody sees that they are over. */
const TAPE = gunzipSync(readFileSync(SAMPLE))
  .toString()
  .split('\n')
  .filter((line) => line < '09:06' || line > 'T')
  .concat('09:06:20,1900.0,1,B\n')
  .join('\n');
const OVER_US = Date.UTC(2026, 5, 3, 2, 6, 10) * 1_000;

const CONFIG = BUSY_CONFIG.replace(/params: .*/, 'params: { barSeconds: 2, fast: 3, slow: 7 }');

interface Played {
  /** Second, side and limit price of each order. */
  readonly orders: readonly string[];
  readonly changes: number;
  readonly refused: number;
}

async function played(speed: number): Promise<Played> {
  const place = workplace(CONFIG);
  const dir = join(place.dir, 'tape');
  mkdirSync(dir);
  const file = join(dir, '2026-06-03_vn30f2606.csv');
  writeFileSync(file, TAPE);
  const daemon = startDaemon(place, ['--replay', file, '--speed', String(speed), '--state', place.state]);
  await daemon.line(/busy +started/);
  await until(
    () => journalEntries(place, { last: 20 }).find(({ entry }) => entry.tsUs > OVER_US),
    daemon.output,
  );
  const all: readonly JournalEntry[] = journalEntries(place).map(({ entry }) => entry);
  expect(await daemon.end('SIGTERM'), daemon.output()).toBe(0);
  const changes = all.filter((entry) => entry.kind === 'outcome' && entry.call !== 'place');
  return {
    orders: all.flatMap((entry) => {
      if (entry.kind !== 'place') return [];
      const { side, limitPrice } = entry.order;
      return [`${Math.floor(entry.tsUs / 1_000_000)} ${side} ${limitPrice}`];
    }),
    changes: changes.length,
    refused: changes.filter((entry) => entry.kind === 'outcome' && entry.outcome.status === 'rejected')
      .length,
  };
}

test('thirty times as fast, the same orders are sent and no more of their changes are refused', async () => {
  // One after the other: side by side they would slow each other down.
  const slow = await played(20);
  const fast = await played(600);
  expect(slow.orders.length).toBeGreaterThan(10);
  const left = [...fast.orders];
  const same = slow.orders.filter((order) => {
    const at = left.indexOf(order);
    return at >= 0 && left.splice(at, 1).length > 0;
  });
  const story = `${slow.orders.length} orders at speed 20, ${fast.orders.length} at 600, ${same.length} of them the same; refused ${slow.refused} of ${slow.changes} and ${fast.refused} of ${fast.changes}`;
  const [fewer = 0, more = 0] = [slow.orders.length, fast.orders.length].toSorted((x, y) => x - y);
  // A machine that is busy answers a call later, at any speed: an order more or less.
  expect(fewer / more, story).toBeGreaterThan(0.5);
  expect(same.length / fewer, story).toBeGreaterThan(0.7);
  expect(fast.refused / fast.changes - slow.refused / slow.changes, story).toBeLessThan(0.3);
});
