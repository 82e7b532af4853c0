/**
 * The last word before the wire (rulings, 32). It stands in the main thread, where no strategy can keep it from being
 * heard: a halt holds entries back at once, before the engine has even read it.
 */
export class Latch {
  #reason: string | null = null;

  get reason(): string | null {
    return this.#reason;
  }

  close(reason: string): void {
    this.#reason ??= reason;
  }

  open(): void {
    this.#reason = null;
  }

  /** Why a call may not leave now, or null: exits always may. */
  refuse(purpose: 'entry' | 'reduce' | 'cancel'): string | null {
    return purpose === 'entry' ? this.#reason : null;
  }
}
