/** Time and timers as ports: every room takes them from outside, so that tests wait for nothing (rulings, 25). */
import type { DurationUs, TsUs } from './units.ts';

/** Market time: the system clock in live, an affine map of it on paper at speed n, virtual in a backtest. */
export interface Clock {
  nowUs(): TsUs;
}

/** Stops a timer that has not fired; harmless afterwards. */
export type CancelTimer = () => void;

/** One-shot timers in real time: heartbeats, deadlines, back-off. */
export interface Timers {
  after(span: DurationUs, run: () => void): CancelTimer;
}
