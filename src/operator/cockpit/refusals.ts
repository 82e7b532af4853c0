/** Counts requests that the cockpit refuses, and logs those that look like an attack, once in a while. */
import type { Clock } from '../../domain/clock.ts';
import { minutes, type TsUs } from '../../domain/units.ts';
import { formatCount } from '../../text/numbers.ts';

const MEANING = {
  host: 'asked by a foreign name, as a page does whose name was made to point here',
  origin: 'sent by another page',
  site: 'sent by another page',
  query_secret: 'a secret in the address, where logs keep it',
  guess: 'a wrong secret',
  locked: 'asked during a lock after wrong secrets',
  session: 'without a session that lasts',
  role: 'a command of a session that may only look',
  confirm: 'a command without the code that its page shows',
  malformed: 'not a request of a browser',
  slow: 'too slow, or read too slowly',
  streams: 'more open pages than allowed',
  connections: 'more connections than allowed',
} as const;

export type CockpitRefusal = keyof typeof MEANING;

/** An owner's own page causes these: a session that is over, a second look, a phone out of reach. */
const ORDINARY: ReadonlySet<CockpitRefusal> = new Set(['session', 'role', 'confirm', 'slow', 'streams']);
/** More of them are no accident. */
const ORDINARY_MAX = 100;
const LOG_EVERY = minutes(10);

export interface RefusalsOptions {
  readonly clock: Clock;
  readonly count: (reason: CockpitRefusal) => void;
  readonly alert: (text: string) => void;
}

export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #since = new Map<CockpitRefusal, number>();
  #source = '';
  #loggedUs: TsUs | null = null;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  note(reason: CockpitRefusal, source: string): void {
    this.#options.count(reason);
    const times = (this.#since.get(reason) ?? 0) + 1;
    this.#since.set(reason, times);
    if (source !== '') this.#source = source;
    if (ORDINARY.has(reason) && times < ORDINARY_MAX) return;
    const now = this.#options.clock.nowUs();
    if (this.#loggedUs !== null && now - this.#loggedUs < LOG_EVERY) return;
    this.#loggedUs = now;
    this.#options.alert(this.#text());
    this.#since.clear();
  }

  #text(): string {
    const parts = [...this.#since].map(
      ([reason, times]) => `${formatCount(times, 'request')} ${MEANING[reason]}`,
    );
    const from = this.#source === '' ? '' : `, the last from ${this.#source}`;
    return `the cockpit refused ${parts.join('; ')}${from}; trading goes on; if this was not you, find the program that asks`;
  }
}
