/** What is to happen at a moment of virtual time, in order. */
export interface Due {
  readonly atUs: number;
  readonly id: number;
  readonly run: () => void;
}

export class DueQueue {
  readonly #waiting = new Map<number, Due>();
  #lastId = 0;

  add(atUs: number, run: () => void): number {
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, { atUs, id: this.#lastId, run });
    return this.#lastId;
  }

  drop(id: number): void {
    this.#waiting.delete(id);
  }

  first(): Due | undefined {
    return [...this.#waiting.values()].toSorted((a, b) => a.atUs - b.atUs || a.id - b.id)[0];
  }
}
