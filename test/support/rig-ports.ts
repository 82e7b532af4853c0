/** The outbound ports of an engine under test: what it sends is kept in lists, and nothing leaves while it is muted. */
import type { ReadKind } from '../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { Outbound } from '../../src/engine/ports/outbound.ts';
import type { SentCall } from './waiting-calls.ts';

/** The present, a past that the journal holds, and the tail that a kill cut off it. */
type Time = 'live' | 'known' | 'tail';

export class RigPorts {
  readonly entries: JournalEntry[] = [];
  readonly sent: SentCall[] = [];
  readonly waiting: SentCall[] = [];
  readonly reads: ReadKind[] = [];
  readonly tempos: string[] = [];
  wakeAt = -1;
  readonly #unjournaled: JournalEntry[] = [];
  #time: Time = 'live';

  /** The rows of a tail are delivered with the first live event. */
  mute(time: Time): void {
    this.#time = time;
    if (time === 'live') this.entries.push(...this.#unjournaled.splice(0));
  }

  outbound(reportsOnce = false): Outbound {
    return {
      gateway: {
        submit: (order) => this.#send(order.trigger !== null, { call: 'place', order }),
        modify: (modify) => this.#send(modify.orderKey !== null, { call: 'modify', modify }),
        cancel: (cancel) => this.#send(cancel.orderKey !== null, { call: 'cancel', cancel }),
      },
      reports: {
        reportsOnce,
        read: (what) => this.#leave(() => this.reads.push(what)),
        pollPace: (pace) => this.#leave(() => this.tempos.push(pace)),
      },
      journal: { append: (entry) => (this.#time === 'tail' ? this.#unjournaled : this.entries).push(entry) },
      alarm: {
        wakeAt: (at) =>
          this.#leave(() => {
            this.wakeAt = at;
          }),
      },
    };
  }

  /** Calls of orders with a trigger are kept apart. */
  #send(hasTrigger: boolean, call: SentCall): void {
    this.#leave(() => (hasTrigger ? this.waiting : this.sent).push(call));
  }

  #leave(send: () => void): void {
    if (this.#time === 'live') send();
  }
}
