/** The first frame is ours and carries the token; until the answer there is no other (contract, part 5). */
import { type MonoTypeOperatorFunction, Observable, type OperatorFunction } from 'rxjs';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { encodeAuth } from '../../wire/stream/client-frame.ts';
import { ConnectionLost } from './connection-end.ts';
import type { Send, SocketEvent } from './open-socket.ts';

export type LiveEvent = SocketEvent | { readonly kind: 'live'; readonly send: Send };
export type LiveOperator = MonoTypeOperatorFunction<LiveEvent>;

/** The one code that makes a token useless for good; any other refusal is worth another attempt (rulings, 17). */
const INVALID_TOKEN = '211110';

export const authenticate =
  (token: string, timers: Timers, deadline: DurationUs): OperatorFunction<SocketEvent, LiveEvent> =>
  (source) =>
    new Observable((subscriber) => {
      let send: Send | undefined;
      let answered = false;
      let stop: CancelTimer | undefined;
      const subscription = source.subscribe({
        next: (event) => {
          subscriber.next(event);
          if (event.kind === 'open') {
            send = event.send;
            stop = timers.after(deadline, () =>
              subscriber.error(new ConnectionLost({ kind: 'auth_timeout' })),
            );
            send(encodeAuth(token));
          } else if (event.frame.kind === 'auth_result' && !answered && send !== undefined) {
            answered = true;
            stop?.();
            const { success, code, message } = event.frame;
            if (success) return subscriber.next({ kind: 'live', send });
            const kind = code === INVALID_TOKEN ? 'token_rejected' : 'auth_refused';
            subscriber.error(new ConnectionLost({ kind, code, message }));
          }
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      return () => {
        stop?.();
        subscription.unsubscribe();
      };
    });
