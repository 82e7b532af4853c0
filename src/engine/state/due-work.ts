/**
 * What makes an event more than a price: when the engine does something by itself next, and whether anything was asked for, told
 * or changed that is to be seen to after the event. Each price looks here once; whoever leaves something to do opens it.
 */
export class DueWork {
  #isOpen = true;
  #dueUs = -Infinity;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Market time at which the next timer or change of phase is due; what comes before it can be seen through at once. */
  get dueUs(): number {
    return this.#dueUs;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** All that was on it is done. */
  close(dueUs: number): void {
    this.#isOpen = false;
    this.#dueUs = dueUs;
  }
}
