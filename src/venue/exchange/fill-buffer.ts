/** The trades of one match, reused from one to the next: whoever caused them reads them before the next call. */
export class FillBuffer {
  count = 0;
  readonly price: number[] = [];
  readonly qty: number[] = [];
  /** Tag of the resting order; in an auction, of the buyer. */
  readonly restingTag: number[] = [];
  /** What the resting order has left; in an auction, the buyer. */
  readonly restingLeaves: number[] = [];
  /** Tag of the seller in an auction; unused otherwise. */
  readonly sellerTag: number[] = [];
  readonly sellerLeaves: number[] = [];

  clear(): void {
    this.count = 0;
  }

  add(price: number, quantity: number, restingTag: number, restingLeaves: number): void {
    this.addCross(price, quantity, restingTag, restingLeaves, 0, 0);
  }

  addCross(
    price: number,
    quantity: number,
    restingTag: number,
    restingLeaves: number,
    sellerTag: number,
    sellerLeaves: number,
  ): void {
    const i = this.count;
    this.price[i] = price;
    this.qty[i] = quantity;
    this.restingTag[i] = restingTag;
    this.restingLeaves[i] = restingLeaves;
    this.sellerTag[i] = sellerTag;
    this.sellerLeaves[i] = sellerLeaves;
    this.count = i + 1;
  }
}
