/**
 * Ends a connection that looks open and is not. A thin contract can be silent for minutes, so the age of control frames
 * is what counts, measured against the deadline the server announces (notes, section 7; rulings, 19).
 */
import { Observable } from 'rxjs';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { milliseconds, seconds } from '../../domain/units.ts';
import type { LiveOperator } from './authenticate.ts';
import { ConnectionLost } from './connection-end.ts';

/** Until the server has announced another. */
const DEADLINE_SECONDS = 15;
/**
 * After a stall of our own thread the timers run before the sockets are read: frames that had arrived in time get this
 * much to be seen.
 */
const READ_GRACE = milliseconds(50);

export const detectSilence =
  (timers: Timers): LiveOperator =>
  (source) =>
    new Observable((subscriber) => {
      let stop: CancelTimer | undefined;
      let isLive = false;
      let deadlineSeconds = DEADLINE_SECONDS;
      const arm = (): void => {
        stop?.();
        stop = timers.after(seconds(deadlineSeconds), () => {
          stop = timers.after(READ_GRACE, () =>
            subscriber.error(new ConnectionLost({ kind: 'silent', deadlineSeconds })),
          );
        });
      };
      const subscription = source.subscribe({
        next: (event) => {
          if (event.kind === 'live') isLive = true;
          if (event.kind === 'control' && event.frame.kind === 'heartbeat_timeout') {
            deadlineSeconds = event.frame.seconds;
          }
          if (isLive) arm();
          subscriber.next(event);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      return () => {
        stop?.();
        subscription.unsubscribe();
      };
    });
