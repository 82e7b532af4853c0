import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { seconds, milliseconds } from '../../src/domain/units.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';
import { runWithin, Shutdown } from '../../src/host/shutdown.ts';
import { systemClock } from '../../src/host/system-clock.ts';

let nowMs = 0;
const said: string[] = [];

beforeEach(() => {
  nowMs = 10_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  said.length = 0;
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`ended with ${String(code)}`);
  });
});

const shutdowns: Shutdown[] = [];
afterEach(() => {
  for (const each of shutdowns.splice(0)) each.close();
  // The clock of this process takes a monotonic source that pauses during a sleep of the machine.
  vi.restoreAllMocks();
  systemClock.restart();
});

function create(): Shutdown {
  const shutdown = new Shutdown();
  shutdowns.push(shutdown);
  return shutdown;
}

it('takes a Ctrl-C that arrives twice for one, and ends cleanly', async () => {
  const shutdown = create();
  process.emit('SIGINT', 'SIGINT');
  nowMs += 5;
  process.emit('SIGINT', 'SIGINT');
  expect(await shutdown.wait()).toBe('SIGINT');
  expect(said).toEqual([]);
});

it('ends at once on a second one, and says what that leaves', () => {
  const reasons: string[] = [];
  create().onHurried = (reason) => reasons.push(reason);
  process.emit('SIGINT', 'SIGINT');
  nowMs += 2_000;
  expect(() => process.emit('SIGINT', 'SIGINT')).toThrow('ended with 1');
  expect(reasons).toEqual(['SIGINT again: ended before the clean end was done']);
  expect(said).toEqual([expect.stringMatching(/^SIGINT again: ended before the clean end was done/)]);
});

it('ends at once on the first one while it ends already for another reason', async () => {
  const shutdown = create();
  shutdown.ask('the tape is over');
  expect(() => process.emit('SIGTERM', 'SIGTERM')).toThrow('ended with 1');
  expect(await shutdown.wait()).toBe('the tape is over');
});

it('gives work a limit, and none to a wait for a phase of the market', () => {
  const timers = new VirtualTimers();
  let isWaiting = true;
  let over = 0;
  runWithin(
    timers,
    seconds(80),
    () => isWaiting,
    () => (over += 1),
  );
  for (let second = 0; second < 5_400; second += 1) timers.advance(milliseconds(1_000));
  expect(over).toBe(0);
  isWaiting = false;
  for (let second = 0; second < 79; second += 1) timers.advance(milliseconds(1_000));
  expect(over).toBe(0);
  timers.advance(milliseconds(1_000));
  expect([over, timers.pending]).toEqual([1, 0]);
});
