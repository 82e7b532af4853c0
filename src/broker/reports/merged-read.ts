/**
 * One kind of read: whoever asks while one is waiting is served by it; whoever asks while one is under way gets another
 * one afterwards, because that one may not show what he asks for.
 */
export class MergedRead<T> {
  readonly #run: (ask: T, onStart: () => void) => Promise<void>;
  #stage: 'idle' | 'waiting' | 'running' = 'idle';
  #again: T | undefined = undefined;

  constructor(run: (ask: T, onStart: () => void) => Promise<void>) {
    this.#run = run;
  }

  ask(ask: T): void {
    if (this.#stage === 'running') this.#again = ask;
    if (this.#stage !== 'idle') return;
    this.#stage = 'waiting';
    void this.#run(ask, () => {
      this.#stage = 'running';
    }).finally(() => {
      this.#stage = 'idle';
      const again = this.#again;
      this.#again = undefined;
      if (again !== undefined) this.ask(again);
    });
  }
}
