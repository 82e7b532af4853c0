/** A recorded day, handed out print by print as market time reaches each. */
import type { OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { Print } from '../../recording/read-prints.ts';
import type { TapePrint } from '../../venue/venue-options.ts';

/** Trades of another market, handed out as market time reaches each. */
export interface PrintSource {
  /** What was played before a restart is left out. Returns the time of the first that is left, where it is known. */
  begin(after: TsUs | undefined): TsUs | undefined;
  nextDueUs(): number;
  take(nowUs: TsUs): TapePrint | undefined;
  /** Calls back when there is one again; a recording has no more. */
  onMore?(run: () => void): void;
}

export class PrintFeed implements Omit<PrintSource, 'begin'> {
  readonly #prints: readonly Print[];
  readonly #orderCode: OrderCode;
  #next = 0;

  /** Prints at or before `after` count as seen: a restart carries on from the venue's last state. */
  constructor(prints: readonly Print[], orderCode: OrderCode, after: TsUs | undefined) {
    this.#prints = prints;
    this.#orderCode = orderCode;
    if (after !== undefined) this.#next = prints.findIndex(({ tsUs }) => tsUs > after);
    if (this.#next < 0) this.#next = prints.length;
  }

  nextDueUs(): number {
    return this.#prints[this.#next]?.tsUs ?? Infinity;
  }

  take(nowUs: TsUs): TapePrint | undefined {
    const print = this.#prints[this.#next];
    if (print === undefined || print.tsUs > nowUs) return undefined;
    this.#next += 1;
    const { tsUs, price, qty, aggressor } = print;
    return { tsUs, orderCode: this.#orderCode, price, qty, aggressor };
  }
}
