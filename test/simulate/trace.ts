/** The last events of a run, and the story of each order, for a seed that fails. */
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { VirtualTime } from './virtual-time.ts';

const KEPT = 4_000;

interface Line {
  readonly atUs: number;
  readonly who: string;
  readonly text: string;
}

export class Trace {
  readonly #time: VirtualTime;
  readonly #startUs: number;
  #lines: Line[] = [];

  constructor(time: VirtualTime) {
    this.#time = time;
    this.#startUs = time.nowUs;
  }

  say(who: string, text: string): void {
    this.#lines.push({ atUs: this.#time.nowUs, who, text });
    if (this.#lines.length > 2 * KEPT) this.#lines = this.#lines.slice(-KEPT);
  }

  journaled({ cause, strategy, kind, ...rest }: JournalEntry): void {
    const whose = strategy === null ? '' : `, ${strategy}`;
    this.say(
      'journal',
      `${kind} [${cause}${whose}] ${JSON.stringify({ ...rest, tsUs: undefined }).slice(0, 400)}`,
    );
  }

  /** A long run keeps no more than this of what is over. */
  forget(kept: number): void {
    this.#lines = this.#lines.slice(-kept);
  }

  last(count: number): string {
    return this.#lines
      .slice(-count)
      .map((line) => this.#text(line))
      .join('\n');
  }

  /** Lines that name one of these. */
  storyOf(names: readonly string[]): string {
    return this.#lines
      .filter(({ text }) => names.some((name) => text.includes(name)))
      .slice(-60)
      .map((line) => this.#text(line))
      .join('\n');
  }

  #text({ atUs, who, text }: Line): string {
    return `${((atUs - this.#startUs) / 1e6).toFixed(3).padStart(9)} s  ${who.padEnd(9)} ${text}`;
  }
}
