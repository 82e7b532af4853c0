/** Counts complete scans of a book that agree on something: enough of them, over enough time, are evidence (rulings, 8). */
import type { LookUpSettings } from '../../domain/settings.ts';
import type { TsUs } from '../../domain/units.ts';

export class ScanEvidence {
  readonly #sinceUs: TsUs;
  #scans = 0;
  #firstUs = 0;
  #lastUs = 0;

  /** Only scans that began after `sinceUs` say anything. */
  constructor(sinceUs: TsUs) {
    this.#sinceUs = sinceUs;
  }

  get scans(): number {
    return this.#scans;
  }

  add(startedUs: TsUs): void {
    if (startedUs <= this.#sinceUs || (this.#scans > 0 && startedUs <= this.#lastUs)) return;
    if (this.#scans === 0) this.#firstUs = startedUs;
    this.#lastUs = startedUs;
    this.#scans += 1;
  }

  isEnough(settings: LookUpSettings): boolean {
    return this.#scans >= settings.scans && this.#lastUs - this.#firstUs >= settings.spread;
  }
}
