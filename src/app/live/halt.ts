/**
 * The halt state of the main thread (rulings, 32): the last check before a call leaves. No strategy code runs here, so a halt
 * stops entries at once, before the engine has read the command.
 */
export class Halt {
  #reason: string | null = null;

  /** Null while entries are allowed. */
  get reason(): string | null {
    return this.#reason;
  }

  /** The first reason stays until `end`. */
  begin(reason: string): void {
    this.#reason ??= reason;
  }

  end(): void {
    this.#reason = null;
  }

  /** Why a call may not leave now, or null; exits always may. */
  refuse(purpose: 'entry' | 'reduce' | 'cancel'): string | null {
    return purpose === 'entry' ? this.#reason : null;
  }
}
