/** The clock of the machine: alerts that it was set, and that the machine slept. */
import { every, type CancelTimer, type Timers } from '../domain/clock.ts';
import { seconds, US_PER_MINUTE, US_PER_SECOND } from '../domain/units.ts';
import type { AlertSeverity } from '../engine/ports/journal-entry.ts';
import { FOLLOWED_STEP_US_MAX, SLEW_MS, type SystemClock } from '../host/system-clock.ts';

interface ClockWatchOptions {
  readonly clock: Pick<SystemClock, 'nowUs' | 'stepUs' | 'slept' | 'takeStep'>;
  readonly timers: Timers;
  /** The session that gets the steps; another one knows nothing of earlier steps. */
  readonly session: () => object | undefined;
  /** Our clock minus the broker's, as last seen. */
  readonly skewUs: () => number;
  /** Zero: wall clock and market time agree again. */
  readonly onStep: (stepUs: number) => void;
  /** The wall clock was set, or the machine slept: timers that count by either are wrong. */
  readonly onSet: () => void;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
}

const CHECK_CLOCK_EVERY = seconds(1);
/** A further step that is reported again. */
const REPORTED_STEP_US_MIN = US_PER_SECOND;
/** The broker's clock confirms the wall's. */
const CONFIRMED_WITHIN = seconds(5);

export function watchClock(options: ClockWatchOptions): CancelTimer {
  const { clock, timers, session, skewUs, onStep, onSet, alert } = options;
  let { slept } = clock;
  let alerted: { readonly session: object | undefined; readonly stepUs: number } = {
    session: undefined,
    stepUs: 0,
  };
  let noticedUs = 0;
  function check(): void {
    clock.nowUs();
    const isTrue = Math.abs(clock.stepUs + skewUs()) < CONFIRMED_WITHIN;
    if (isTrue && clock.stepUs > FOLLOWED_STEP_US_MAX) clock.takeStep();
    if (clock.slept > slept || Math.abs(clock.stepUs - noticedUs) > REPORTED_STEP_US_MIN) onSet();
    if (clock.slept > slept) {
      const span = `${Math.round((clock.slept - slept) / US_PER_SECOND)} s`;
      alert(
        'warning',
        'standby',
        `the machine slept for ${span}: prices and timers of that time were missed`,
      );
    }
    slept = clock.slept;
    const { stepUs } = clock;
    const isFollowed = Math.abs(stepUs) <= FOLLOWED_STEP_US_MAX;
    if (isFollowed && Math.abs(stepUs) > Math.abs(noticedUs) + REPORTED_STEP_US_MIN) {
      const by = `${Math.abs(stepUs) / US_PER_SECOND} s ${stepUs > 0 ? 'ahead' : 'back'}`;
      const takes = Math.ceil((Math.abs(stepUs) * SLEW_MS) / US_PER_MINUTE);
      alert('warning', 'clock_set', `the clock of this machine was set ${by}: followed within ${takes} min`);
    }
    noticedUs = stepUs;
    alertStep(isFollowed ? 0 : stepUs);
  }

  function alertStep(stepUs: number): void {
    const to = session();
    const knownUs = alerted.session === to ? alerted.stepUs : 0;
    if (to === undefined || Math.abs(stepUs - knownUs) < REPORTED_STEP_US_MIN) return;
    alerted = { session: to, stepUs };
    onStep(stepUs);
  }

  return every(timers, CHECK_CLOCK_EVERY, check);
}
