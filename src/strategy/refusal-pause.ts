import { addUs, type DurationUs, seconds, type TsUs } from '../domain/units.ts';

const PAUSE_FIRST: DurationUs = seconds(2);
const ENTRY_PAUSE_MAX: DurationUs = seconds(60);
/** An exit is tried again sooner: what it leaves open may cost more than a refused order. */
const EXIT_PAUSE_MAX: DurationUs = seconds(5);

/** After each refusal in a row the next order waits twice as long. */
export class RefusalPause {
  #refusals = 0;
  #lastUs: TsUs | null = null;

  get refusals(): number {
    return this.#refusals;
  }

  refused(now: TsUs): void {
    this.#refusals += 1;
    this.#lastUs = now;
  }

  accepted(): void {
    this.#refusals = 0;
    this.#lastUs = null;
  }

  isOver(now: TsUs, isExit: boolean): boolean {
    if (this.#lastUs === null) return true;
    const doubled = PAUSE_FIRST * 2 ** Math.min(this.#refusals - 1, 10);
    return now >= addUs(this.#lastUs, Math.min(doubled, isExit ? EXIT_PAUSE_MAX : ENTRY_PAUSE_MAX));
  }
}
