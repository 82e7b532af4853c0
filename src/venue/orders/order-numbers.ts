/** Hands out the broker's names: a counter that begins anew every day, and a key of seven digits that does not. */
const KEY_FIRST = 7_000_000;
const KEY_AFTER_LAST = 10_000_000;
const KEY_WRAPPED = 1_000_000;

export class OrderNumbers {
  #nextNo = 1;
  #nextKey = KEY_FIRST;

  get nextNo(): number {
    return this.#nextNo;
  }
  get nextKey(): number {
    return this.#nextKey;
  }

  resume(nextNo: number, nextKey: number): void {
    this.#nextNo = nextNo;
    this.#nextKey = nextKey;
  }

  beginDay(): void {
    this.#nextNo = 1;
  }

  take(): { orderNo: string; orderKey: string } {
    const orderNo = String(this.#nextNo);
    this.#nextNo += 1;
    return { orderNo, orderKey: this.takeKey() };
  }

  takeKey(): string {
    const taken = String(this.#nextKey);
    this.#nextKey = this.#nextKey + 1 === KEY_AFTER_LAST ? KEY_WRAPPED : this.#nextKey + 1;
    return taken;
  }
}
