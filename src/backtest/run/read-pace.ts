/**
 * Reads of one kind, so many a second, as a client's own limit makes them: what is wanted beyond waits for the next second, one read
 * for all who ask meanwhile. Where answers take no time, who asks again with each answer would ask for ever.
 */
import { US_PER_SECOND } from '../../domain/units.ts';

export class ReadPace {
  /** When the read that waits is made; infinite while none does. */
  nextUs = Infinity;
  readonly #aSecond: number;
  #second = -1;
  #reads = 0;

  constructor(aSecond: number) {
    this.#aSecond = aSecond;
  }

  want(nowUs: number): void {
    if (this.nextUs !== Infinity) return;
    const second = Math.floor(nowUs / US_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#reads = 0;
    }
    this.#reads += 1;
    this.nextUs = this.#reads <= this.#aSecond ? nowUs : (second + 1) * US_PER_SECOND;
  }

  wantAt(atUs: number): void {
    this.nextUs = atUs;
  }

  /** True once when a read is due. */
  takeDue(nowUs: number): boolean {
    if (this.nextUs > nowUs) return false;
    this.nextUs = Infinity;
    return true;
  }
}
