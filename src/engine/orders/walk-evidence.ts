/** Counts complete walks over the book that agree on something: enough of them, over enough time, are evidence (rulings, 8). */
import type { LookUpSettings } from '../../domain/settings.ts';
import type { TsUs } from '../../domain/units.ts';

export class WalkEvidence {
  readonly #sinceUs: TsUs;
  #walks = 0;
  #firstUs = 0;
  #lastUs = 0;

  /** Only walks that began after `sinceUs` say anything. */
  constructor(sinceUs: TsUs) {
    this.#sinceUs = sinceUs;
  }

  get walks(): number {
    return this.#walks;
  }

  add(startedUs: TsUs): void {
    if (startedUs <= this.#sinceUs || (this.#walks > 0 && startedUs <= this.#lastUs)) return;
    if (this.#walks === 0) this.#firstUs = startedUs;
    this.#lastUs = startedUs;
    this.#walks += 1;
  }

  isEnough(settings: LookUpSettings): boolean {
    return this.#walks >= settings.walks && this.#lastUs - this.#firstUs >= settings.spread;
  }
}
