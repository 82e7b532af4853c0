/** Orders of one day as data: what a trader asks for, and when. Drawn from a seed and the prices of the tape, never from fills. */
import { tradingDay } from '../../src/domain/civil-date.ts';
import type { PriceBand } from '../../src/domain/contract.ts';
import type { Side } from '../../src/domain/order.ts';
import { priceTicks, type TsUs, tsUs, US_PER_SECOND } from '../../src/domain/units.ts';
import type { OrderChange, SubmitRequest } from '../../src/strategy/index.ts';
import { Random } from '../../src/venue/market/random.ts';
import type { TestTape } from '../support/backtest-plan.ts';
import { at } from '../support/strategy-fixtures.ts';

/** `order` names an order of the script: the place of its step. */
export type Ask =
  | { readonly do: 'submit'; readonly request: SubmitRequest }
  | { readonly do: 'modify'; readonly order: number; readonly change: OrderChange }
  | { readonly do: 'cancel'; readonly order: number };

export interface Step {
  readonly atUs: TsUs;
  readonly ask: Ask;
}

const reason = 'drawn';
/** Seconds around these moments are drawn more often: there the phase changes, or a cross is printed. */
const EDGES = ['08:46:00', '09:00:00', '11:30:00', '13:00:00', '14:30:00', '14:45:00'] as const;
const EDGE_SECONDS = 40;
/** An order is asked about again within this many steps. */
const RECENT = 12;

/** Steps in the order of their times; several may share one. */
export function drawScript(
  tape: TestTape,
  { floor, ceiling }: Pick<PriceBand, 'floor' | 'ceiling'>,
  seed: number,
  steps: number,
): readonly Step[] {
  const random = new Random(seed);
  const day = tradingDay(tape.day);
  const [fromUs, toUs] = [at('08:46:00', day), at('14:45:02', day)];
  const moment = (): number => {
    if (!random.chance(250)) return fromUs + random.below((toUs - fromUs) / US_PER_SECOND) * US_PER_SECOND;
    const edge = at(EDGES[random.below(EDGES.length)] ?? '09:00:00', day);
    return edge + (random.below(2 * EDGE_SECONDS) - EDGE_SECONDS) * US_PER_SECOND;
  };
  const times = Array.from({ length: steps }, moment).toSorted((a, b) => a - b);
  const draw = new AskDraw(random, floor, ceiling);
  const { priceTicks: prices, tsUs: printed, rows } = tape.rows;
  let row = 0;
  return times.map((atUs, place) => {
    while (row + 1 < rows && (printed[row + 1] ?? Infinity) <= atUs) row += 1;
    return { atUs: tsUs(atUs), ask: draw.next(place, prices[row] ?? 0) };
  });
}

class AskDraw {
  readonly #random: Random;
  readonly #floor: number;
  readonly #ceiling: number;
  /** Orders of the last steps, the latest last. */
  #orders: { readonly order: number; readonly kind: SubmitRequest['kind'] }[] = [];

  constructor(random: Random, floor: number, ceiling: number) {
    this.#random = random;
    this.#floor = floor;
    this.#ceiling = ceiling;
  }

  next(place: number, last: number): Ask {
    const random = this.#random;
    const known = this.#orders[random.below(Math.max(1, this.#orders.length))];
    const what = random.below(1_000);
    if (known === undefined || what < 620) return this.#submit(place, last);
    const { order, kind } = known;
    if (what > 860) return { do: 'cancel', order };
    if (kind === 'stop' || kind === 'trailing_stop')
      return { do: 'modify', order, change: { trigger: this.#near(last) } };
    if (what > 740) return { do: 'modify', order, change: { qty: 1 + random.below(12) } };
    return { do: 'modify', order, change: { price: this.#near(last) } };
  }

  #submit(place: number, last: number): Ask {
    const request = this.#request(last);
    this.#orders = [...this.#orders.slice(1 - RECENT), { order: place, kind: request.kind }];
    return { do: 'submit', request };
  }

  #request(last: number): SubmitRequest {
    const random = this.#random;
    const side: Side = random.chance(500) ? 'buy' : 'sell';
    const qty = 1 + random.below(random.chance(850) ? 9 : 80);
    const head = { side, qty, price: this.#near(last), reason } as const;
    const against = side === 'buy' ? 1 : -1;
    const draw = random.below(100);
    if (draw < 64) return { ...head, kind: 'limit' };
    if (draw < 72) return { ...head, kind: 'limit', price: this.#inside(last + against * 400) };
    if (draw < 82) {
      const trigger = this.#inside(last + against * random.below(25));
      return { ...head, kind: 'stop', trigger, price: this.#inside(trigger + against * random.below(20)) };
    }
    if (draw < 90) {
      const activation = this.#inside(last + random.below(21) - 10);
      const offset = 1 + random.below(20);
      const price = this.#inside(activation + against * (offset + random.below(60)));
      return { ...head, kind: 'trailing_stop', activation, offset, price };
    }
    const stopLoss = this.#inside(head.price - against * (1 + random.below(20)));
    const takeProfit = this.#inside(head.price + against * (1 + random.below(20)));
    return { ...head, kind: 'bracket', stopLoss, takeProfit };
  }

  #near(last: number): ReturnType<typeof priceTicks> {
    const reach = this.#random.chance(800) ? 5 : 60;
    return this.#inside(last + this.#random.below(2 * reach + 1) - reach);
  }

  #inside(price: number): ReturnType<typeof priceTicks> {
    return priceTicks(Math.min(this.#ceiling, Math.max(this.#floor, price)));
  }
}
