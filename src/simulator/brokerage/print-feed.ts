/** A recorded day, handed out print by print as market time reaches each. */
import type { OrderCode } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { Print } from '../../recording/read-prints.ts';
import type { DataChannel } from '../../wire/stream/control-frame.ts';
import type { TapePrint } from '../../venue/venue-options.ts';

/** Trades of another market, with the frames that clients get as they are. */
export interface MarketSource {
  /** All of it is known, and it goes on: clients may connect. */
  readonly isLive: boolean;
  nextDueUs(): number;
  take(nowUs: TsUs): SourcePrint | undefined;
  /** What was played before a restart is left out. Returns the time of the first that is left, where it is known. */
  begin(after: TsUs | undefined): TsUs | undefined;
  follow(listener: SourceListener): void;
}

export interface SourceListener {
  /** There is more to take. */
  onMore(): void;
  /** What comes from now on does not continue what came before; nobody is admitted until `isLive`. */
  onCut(reason: string): void;
}

export interface SourcePrint extends TapePrint {
  /** Absent for what clients no longer want to hear. */
  readonly passed?: PassedFrame | undefined;
}

export interface PassedFrame {
  readonly channel: DataChannel;
  readonly symbol: string;
  readonly text: string;
}

export class PrintFeed {
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
