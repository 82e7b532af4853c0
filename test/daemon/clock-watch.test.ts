import { beforeEach, describe, expect, it } from 'vitest';
import { watchClock } from '../../src/daemon/clock-watch.ts';
import { durationUs, seconds, US_PER_SECOND } from '../../src/domain/units.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';

let timers: VirtualTimers;
let clock: {
  stepUs: number;
  slept: ReturnType<typeof seconds>;
  nowUs: () => ReturnType<VirtualTimers['nowUs']>;
  takeStep: () => void;
};
let skewUs: number;
let session: object | undefined;
let steps: number[];
let sets: number;
let alerts: string[];

beforeEach(() => {
  timers = new VirtualTimers();
  clock = { stepUs: 0, slept: durationUs(0), nowUs: () => timers.nowUs(), takeStep };
  skewUs = 0;
  session = {};
  steps = [];
  sets = 0;
  alerts = [];
  watchClock({
    clock,
    timers,
    session: () => session,
    skewUs: () => skewUs,
    onStep: (stepUs) => void steps.push(stepUs / US_PER_SECOND),
    onSet: () => void (sets += 1),
    alert: (severity, code) => void alerts.push(`${severity} ${code}`),
  });
});

function takeStep(): void {
  clock.slept = durationUs(clock.slept + clock.stepUs);
  clock.stepUs = 0;
}

const set = (by: number): void => {
  clock.stepUs = by * US_PER_SECOND;
  timers.advance(seconds(5));
};

describe('a clock that was set', () => {
  it('reaches the engine once, and once more when it is right again', () => {
    set(-3_600);
    set(-3_600);
    set(0);
    set(0);
    expect(steps).toEqual([-3_600, 0]);
    expect(sets).toBe(2);
    expect(alerts).toEqual([]);
  });

  it('reaches each session: a new engine knows nothing of it', () => {
    set(86_400);
    session = undefined;
    set(86_400);
    session = {};
    set(86_400);
    expect(steps).toEqual([86_400, 86_400]);
  });

  it('a little is followed, and a person is alerted once', () => {
    for (const by of [30, 25, 10, 0]) set(by);
    expect(steps).toEqual([]);
    expect(sets).toBe(4);
    expect(alerts).toEqual(['warning clock_set']);
  });
});

it.each([
  ['ahead, as the broker’s', 600, -598, 600],
  ['ahead, the broker’s not', 600, 0, 0],
  ['back, as the broker’s', -600, 600, 0],
])('a wall clock that is set %s', (_, by, skew, slept) => {
  set(by);
  skewUs = seconds(1) * skew;
  set(by);
  expect([clock.slept, steps]).toEqual([seconds(slept), slept === 0 ? [by] : [by, 0]]);
  expect(alerts).toEqual(slept === 0 ? [] : ['warning standby']);
});

it('a standby is reported', () => {
  clock.slept = seconds(3_600);
  timers.advance(seconds(10));
  expect(alerts).toEqual(['warning standby']);
  expect(sets).toBe(1);
});
