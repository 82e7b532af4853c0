/** Time and timers as ports: every room takes them from outside, so that tests wait for nothing (rulings, 25). */
import { type DurationUs, type TsUs, tsUs } from './units.ts';

/** Market time: the system clock in live, an affine map of it on paper at speed n, virtual in a backtest. */
export interface Clock {
  nowUs(): TsUs;
}

/** Market time as a map of real time (rulings, 25): `originMarketUs + (real - originRealUs) x speed`. */
export interface ClockMap {
  readonly originRealUs: number;
  readonly originMarketUs: number;
  /** Market seconds in one real second. */
  readonly speed: number;
  /** Market time from which on it runs as in life: a tape waits there for traders. Absent: it never does. */
  readonly untilUs?: number;
}

export function marketTimeAt(
  { originRealUs, originMarketUs, speed, untilUs = Infinity }: ClockMap,
  realUs: number,
): TsUs {
  const atSpeed = originMarketUs + (realUs - originRealUs) * speed;
  const waits = Math.max(originMarketUs, untilUs);
  return tsUs(Math.floor(atSpeed <= waits ? atSpeed : waits + (atSpeed - waits) / speed));
}

/** Stops a timer that has not fired; harmless afterwards. */
export type CancelTimer = () => void;

/** One-shot timers in real time: heartbeats, deadlines, back-off. */
export interface Timers {
  after(span: DurationUs, run: () => void): CancelTimer;
}

/** Runs again and again, `span` after the time before; the first time after one `span`. */
export function every(timers: Timers, span: DurationUs, run: () => void): CancelTimer {
  let cancel: CancelTimer;
  const arm = (): void => {
    cancel = timers.after(span, () => {
      arm();
      run();
    });
  };
  arm();
  return () => cancel();
}
