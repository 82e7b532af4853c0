import { BollingerBands } from 'trading-signals';
import type { LegTrader } from '../../src/strategy/index.ts';

/** How far the spread stands from its recent mean. */
export interface SpreadReading {
  /** Middle of next month less middle of front month, in ticks. */
  readonly spread: number;
  readonly mean: number;
  /** Distance from the mean in standard deviations; 0 while the spread has not moved. */
  readonly z: number;
}

/** Remembers the last samples of a spread. */
export class SpreadGauge {
  readonly #window: number;
  #bands: BollingerBands;

  constructor(window: number) {
    this.#window = window;
    this.#bands = new BollingerBands(window, 1);
  }

  forget(): void {
    this.#bands = new BollingerBands(this.#window, 1);
  }

  /** Undefined until the window is full, or while one of the books has no two sides. */
  sample(next: LegTrader, front: LegTrader): SpreadReading | undefined {
    const [far, near] = [middleOf(next), middleOf(front)];
    if (far === undefined || near === undefined) return undefined;
    const spread = far - near;
    this.#bands.add(spread);
    if (!this.#bands.isStable) return undefined;
    const { middle: mean, upper } = this.#bands.getResultOrThrow();
    const deviation = upper - mean;
    return { spread, mean, z: deviation === 0 ? 0 : (spread - mean) / deviation };
  }
}

function middleOf(leg: LegTrader): number | undefined {
  const book = leg.lastBook();
  const bid = book?.bids[0]?.price;
  const ask = book?.asks[0]?.price;
  return book === undefined || book.crossed || bid === undefined || ask === undefined
    ? undefined
    : (bid + ask) / 2;
}
