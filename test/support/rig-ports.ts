/** The outbound ports of an engine under test: what it sends is kept in lists, and nothing leaves while it is muted. */
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../src/engine/ports/approved.ts';
import type { ReportKind } from '../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { Outbound } from '../../src/engine/ports/outbound.ts';
import { type WaitingCall, waitingGateway } from './waiting-calls.ts';

/** The present, a past that the journal holds, and the tail that a kill cut off it. */
type Time = 'live' | 'known' | 'tail';

export class RigPorts {
  readonly entries: JournalEntry[] = [];
  readonly sent: (
    | { readonly call: 'place'; readonly order: ApprovedOrder }
    | { readonly call: 'modify'; readonly modify: ApprovedModify }
    | { readonly call: 'cancel'; readonly cancel: ApprovedCancel }
  )[] = [];
  readonly waiting: WaitingCall[] = [];
  readonly reads: ReportKind[] = [];
  readonly tempos: string[] = [];
  wakeAt = -1;
  readonly #untold: JournalEntry[] = [];
  #time: Time = 'live';

  /** The rows of a tail are told with the first live event. */
  mute(time: Time): void {
    this.#time = time;
    if (time === 'live') this.entries.push(...this.#untold.splice(0));
  }

  outbound(canWait: boolean): Outbound {
    const wait = waitingGateway((call) => this.#leave(() => this.waiting.push(call)));
    return {
      gateway: {
        submit: (order) => this.#leave(() => this.sent.push({ call: 'place', order })),
        modify: (modify) => this.#leave(() => this.sent.push({ call: 'modify', modify })),
        cancel: (cancel) => this.#leave(() => this.sent.push({ call: 'cancel', cancel })),
      },
      ...(canWait ? { conditions: wait } : {}),
      reports: {
        read: (what) => this.#leave(() => this.reads.push(what)),
        bookTempo: (tempo) => this.#leave(() => this.tempos.push(tempo)),
      },
      journal: { append: (entry) => (this.#time === 'tail' ? this.#untold : this.entries).push(entry) },
      alarm: {
        wakeAt: (at) =>
          this.#leave(() => {
            this.wakeAt = at;
          }),
      },
    };
  }

  #leave(send: () => void): void {
    if (this.#time === 'live') send();
  }
}
