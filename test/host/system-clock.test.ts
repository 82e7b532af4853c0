import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/host/system-clock.ts';

const HOUR_MS = 3_600_000;

/** A machine whose clock a test sets, and that a test puts to sleep. */
function createMachine() {
  const at = { wall: 1_772_000_000_000, monotonic: 5_000, uptime: 90_000 };
  const clock = new SystemClock({
    wallMs: () => at.wall,
    monotonicMs: () => at.monotonic,
    uptimeMs: () => at.uptime,
  });
  const begunMs = clock.nowUs() / 1_000;
  return {
    at,
    clock,
    /** Milliseconds since the start, by the clock. */
    elapsed: () => clock.nowUs() / 1_000 - begunMs,
    run: (ms: number) => {
      at.wall += ms;
      at.monotonic += ms;
      at.uptime += ms;
    },
    sleep: (ms: number) => {
      at.wall += ms;
      at.uptime += ms;
    },
  };
}

describe('a wall clock that is set', () => {
  it.each([-24 * HOUR_MS, -HOUR_MS, -61_000, 61_000, HOUR_MS, 24 * HOUR_MS])(
    'by %i ms neither stops nor moves the time of the process',
    (step) => {
      const { at, clock, elapsed, run } = createMachine();
      at.wall += step;
      for (let second = 1; second <= 100; second += 1) {
        run(1_000);
        expect(elapsed()).toBe(second * 1_000);
      }
      expect(clock.stepUs).toBe(step * 1_000);
      expect(clock.slept).toBe(0);
      at.wall -= step;
      run(1_000);
      expect(elapsed()).toBe(101_000);
      expect(clock.stepUs).toBe(0);
    },
  );

  it.each([-30_000, -500, 500, 30_000])('by %i ms is followed slowly, and never back', (step) => {
    const { at, clock, elapsed, run } = createMachine();
    at.wall += step;
    let before = elapsed();
    for (let second = 1; second <= 700; second += 1) {
      run(1_000);
      const now = elapsed();
      expect(now - before).toBeGreaterThanOrEqual(949);
      expect(now - before).toBeLessThanOrEqual(1_051);
      before = now;
    }
    expect(before).toBe(700_000 + step);
    expect(clock.stepUs).toBe(0);
  });

  it('twice is as far off as the sum of both', () => {
    const { at, clock, elapsed, run } = createMachine();
    at.wall += HOUR_MS;
    run(1_000);
    elapsed();
    at.wall += HOUR_MS;
    run(1_000);
    expect(elapsed()).toBe(2_000);
    expect(clock.stepUs).toBe(2 * HOUR_MS * 1_000);
  });
});

describe('a standby', () => {
  it('moves the time of the process by its length', () => {
    const { clock, elapsed, run, sleep } = createMachine();
    run(1_000);
    sleep(8 * HOUR_MS);
    expect(elapsed()).toBe(8 * HOUR_MS + 1_000);
    expect(clock.slept).toBe(8 * HOUR_MS * 1_000);
    expect(clock.stepUs).toBe(0);
  });

  it('during which the clock was set is distinguished from that', () => {
    const { at, clock, elapsed, run, sleep } = createMachine();
    sleep(HOUR_MS);
    at.wall -= 2 * HOUR_MS;
    run(1_000);
    expect(elapsed()).toBe(HOUR_MS + 1_000);
    expect(clock.slept).toBe(HOUR_MS * 1_000);
    expect(clock.stepUs).toBe(-2 * HOUR_MS * 1_000);
  });
});
