/** A run marks how it ended, and the next start reads it. */
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { followStrategies, RunRecord } from '../../src/host/run-record.ts';
import { minutes, tsUs } from '../../src/domain/units.ts';
import { tempDir } from '../support/temp-dir.ts';

const START = Date.UTC(2026, 2, 4) * 1_000;
const at = (minute: number) => tsUs(START + minute * minutes(1));

function markAt(): string {
  const dir = tempDir();
  return join(dir, 'run');
}

it('says nothing of a run before the first one, and is private', () => {
  const path = markAt();
  const first = RunRecord.begin(path, at(0));
  expect(first.earlier).toBe(null);
  expect(first.deaths).toBe(0);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each([
  ['zeroed', Buffer.alloc(8_192)],
  ['cut', Buffer.from('{"startedUs":17')],
  ['of another program', Buffer.from('[]')],
])('takes a record that is %s, as a power cut leaves one, for that of a run that died', (_, bytes) => {
  const path = markAt();
  writeFileSync(path, bytes);
  const next = RunRecord.begin(path, at(1));
  expect(next.earlier).toEqual({ startedUs: null, pid: null, ended: null, strategy: null });
  expect(next.deaths).toBe(1);
});

it('distinguishes a clean end from a death', () => {
  const path = markAt();
  RunRecord.begin(path, at(0)).end('stopped by the operator', at(60));
  const second = RunRecord.begin(path, at(61));
  expect(second.earlier).toEqual({
    startedUs: at(0),
    pid: process.pid,
    ended: { atUs: at(60), reason: 'stopped by the operator' },
    strategy: null,
  });
  expect(second.deaths).toBe(0);
  const third = RunRecord.begin(path, at(90));
  expect(third.earlier).toMatchObject({ startedUs: at(61), ended: null });
  expect(third.deaths).toBe(1);
});

it('lets a run end that can no longer be recorded', () => {
  const path = markAt();
  const run = RunRecord.begin(path, at(0));
  rmSync(path);
  mkdirSync(path);
  expect(() => run.end('stopped', at(1))).not.toThrow();
});

it('keeps the end of a run that held much, and shows where it is cut', () => {
  const path = markAt();
  const held = `${'s1 +1 VN30F1M, stop for 1; '.repeat(20)}books: ours are the broker’s`;
  RunRecord.begin(path, at(0)).end(held, at(1));
  expect(RunRecord.begin(path, at(2)).earlier?.ended?.reason).toBe(held);
  RunRecord.begin(path, at(3)).end('’'.repeat(5_000), at(4));
  expect(RunRecord.begin(path, at(5)).earlier?.ended?.reason).toMatch(/^’{900,}…$/);
});

it('counts deaths within minutes until a clean end', () => {
  const path = markAt();
  const starts = [0, 1, 5, 14, 30].map((minute) => RunRecord.begin(path, at(minute)));
  expect(starts.map(({ deaths }) => deaths)).toEqual([0, 1, 2, 2, 1]);
  starts.at(-1)?.end('stopped', at(31));
  expect(RunRecord.begin(path, at(32)).deaths).toBe(0);
});

it('names the strategy that ran when a run died', () => {
  const path = markAt();
  const ids = new Map([
    [0, 'calm'],
    [3, 'greedy with a longer name'],
  ]);
  const died = (...slots: readonly (readonly [number, number])[]): string | null => {
    RunRecord.begin(path, at(0)).end('', at(0));
    const record = RunRecord.begin(path, at(0));
    const running = followStrategies(new Int32Array(3).fill(-1), path, ids);
    for (const [slot, value] of slots) running[slot] = value;
    expect(record.earlier?.strategy, 'it names those of the run before alone').toBe(null);
    return RunRecord.begin(path, at(1)).earlier?.strategy ?? null;
  };
  expect(died([0, 3])).toBe('greedy with a longer name');
  expect(died([0, 3], [1, 0], [0, 0])).toBe('calm');
  expect(died([0, 3], [0, -1])).toBe(null);
  expect(died([2, 3])).toBe('greedy with a longer name');
});

it('leaves an array that reads and writes as before', () => {
  const path = markAt();
  RunRecord.begin(path, at(0));
  const shared = new Int32Array(3).fill(-1);
  const running = followStrategies(shared, path, new Map([[1, 'calm']]));
  running[0] = 1;
  expect([running[0], running.length, shared[0]]).toEqual([1, 3, 1]);
});

it('takes a record that a full disk left empty for none', () => {
  const path = markAt();
  RunRecord.begin(path, at(0));
  truncateSync(path);
  const next = RunRecord.begin(path, at(1));
  expect(next.earlier).toBe(null);
  expect(readFileSync(path, 'utf8')).toContain(`"pid":${process.pid}`);
});

it('leaves out the strategy that ran at the second death, and all after the third', () => {
  const path = markAt();
  const ids = ['calm', 'greedy'];
  const died = (minute: number, place: number): RunRecord => {
    const record = RunRecord.begin(path, at(minute));
    if (record.followPath !== null)
      followStrategies(new Int32Array(3), record.followPath, new Map(ids.entries()))[0] = place;
    return record;
  };
  expect(died(0, 1).excluded(ids)).toBe(null);
  expect(died(1, 1).excluded(ids)).toBe(null);
  expect(died(2, 1).excluded(ids)).toEqual({
    ids: ['greedy'],
    reason:
      'the daemon died twice within 10 minutes, the last time in the code of greedy, which is not started',
  });
  expect(RunRecord.begin(path, at(3)).excluded(ids)).toMatchObject({ ids });
  expect(RunRecord.begin(path, at(20)).excluded(ids), 'a death of its own').toBe(null);
  expect(died(21, -1).excluded(ids), 'nobody ran').toBe(null);
});
