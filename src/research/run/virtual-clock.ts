/** The time of a run: the time of the recording's present row. */
import type { Seq, TsUs } from '../../domain/units.ts';

export class VirtualClock {
  nowUs = 0;
  /** When something is due next: compared with the time of each row. */
  nextUs = -Infinity;
  /** Number of the last event, over all engines of a run. */
  seq = 0;

  reset(): void {
    this.nowUs = 0;
    this.nextUs = -Infinity;
    this.seq = 0;
  }

  /** Something is due earlier than was known. */
  wake(atUs: number): void {
    if (atUs < this.nextUs) this.nextUs = atUs;
  }
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- numbers of the run's own clock */
export const seqOf = (seq: number): Seq => seq as Seq;
export const timeOf = (atUs: number): TsUs => atUs as TsUs;
/* oxlint-enable typescript/no-unsafe-type-assertion */
