/** Remembers identical requests that were refused, in a row (failure cases, 32). */
import type { OrderIntent } from '../../domain/order.ts';
import type { StrategyIndex, TsUs } from '../../domain/units.ts';
import type { RejectionRecord } from '../risk/risk-view.ts';

/** Requests remembered; the one refused longest ago leaves first. */
const REQUESTS_MAX = 256;

type Request = Pick<OrderIntent, 'instrument' | 'side' | 'qty' | 'limitPrice'>;

const keyOf = (strategy: StrategyIndex, { instrument, side, qty, limitPrice }: Request): string =>
  `${strategy}|${instrument}|${side}|${qty}|${limitPrice}`;

export class RejectionMemory {
  readonly #records = new Map<string, RejectionRecord>();

  rejected(strategy: StrategyIndex, request: Request, text: string, at: TsUs): void {
    const key = keyOf(strategy, request);
    const count = (this.#records.get(key)?.count ?? 0) + 1;
    this.#records.delete(key);
    this.#records.set(key, { count, text, lastUs: at });
    if (this.#records.size <= REQUESTS_MAX) return;
    for (const oldest of this.#records.keys()) {
      this.#records.delete(oldest);
      break;
    }
  }

  accepted(strategy: StrategyIndex, request: Request): void {
    if (this.#records.size > 0) this.#records.delete(keyOf(strategy, request));
  }

  of(strategy: StrategyIndex, request: Request): RejectionRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(keyOf(strategy, request));
  }
}
