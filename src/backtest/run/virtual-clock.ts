/** The time of a run: it stands wherever the recording is. */
export class VirtualClock {
  nowUs = 0;
  /** When something is due next: compared with the time of each row. */
  nextUs = -Infinity;
  /** Number of the last event, over all engines of a run. */
  seq = 0;

  /** For another run. */
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
