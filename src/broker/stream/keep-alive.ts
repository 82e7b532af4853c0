/** The text heartbeat, on a timer of its own that begins when the connection is authenticated. */
import { Observable } from 'rxjs';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { HEARTBEAT_FRAME } from '../../wire/stream/client-frame.ts';
import type { LiveOperator } from './authenticate.ts';
import type { Send } from './open-socket.ts';

export const keepAlive =
  (timers: Timers, interval: DurationUs): LiveOperator =>
  (source) =>
    new Observable((subscriber) => {
      let stop: CancelTimer | undefined;
      const beat = (send: Send): void => {
        stop = timers.after(interval, () => {
          send(HEARTBEAT_FRAME);
          beat(send);
        });
      };
      const subscription = source.subscribe({
        next: (event) => {
          if (event.kind === 'live') beat(event.send);
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
