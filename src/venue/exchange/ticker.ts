/** Price stream of one contract: trades as they happen, levels and summary when they change. */
import type { ContractSpec } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { type PriceTicks, qty, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { DayTally, TradePhase } from './settlement-price.ts';
import type { BookView, Outbox } from '../venue-event.ts';
import type { TriggerWatch } from '../triggers/trigger.ts';

/** Levels a side on the stream (contract, 6.3). */
export const LEVELS_SHOWN = 3;
/** The average changes with every trade: alone it is sent at most this often. */
const AVERAGE_EVERY_US = US_PER_SECOND;

const NOTHING_SHOWN: BookView = { bids: [], asks: [], inferred: false, auctionPrice: null };

export class Ticker {
  readonly #orderCode: OrderCode;
  readonly #hundredthsPerTick: number;
  readonly #tally: DayTally;
  readonly #outbox: Outbox;
  readonly #watch: TriggerWatch;
  shown: BookView = NOTHING_SHOWN;
  #sent = { open: 0, high: 0, low: 0, average: 0, tsUs: 0 };

  constructor(spec: ContractSpec, tally: DayTally, outbox: Outbox, watch: TriggerWatch) {
    this.#orderCode = watch.orderCode;
    this.#hundredthsPerTick = spec.hundredthsPerTick;
    this.#tally = tally;
    this.#outbox = outbox;
    this.#watch = watch;
  }

  trade(price: PriceTicks, quantity: number, aggressor: Side | null, source: TradePhase, at: TsUs): void {
    this.#tally.record(price, quantity, at, source);
    this.#outbox.emit({
      kind: 'trade',
      tsUs: at,
      orderCode: this.#orderCode,
      price,
      qty: qty(quantity),
      totalVolume: this.#tally.volume,
      aggressor,
    });
    this.#watch.note(price);
  }

  book(view: BookView, at: TsUs): void {
    const bidsChanged = !sameLevels(view.bids, this.shown.bids);
    const asksChanged = !sameLevels(view.asks, this.shown.asks);
    const { auctionPrice } = this.shown;
    this.shown = view;
    if (!bidsChanged && !asksChanged && auctionPrice === view.auctionPrice) return;
    this.#outbox.emit({
      kind: 'book',
      tsUs: at,
      orderCode: this.#orderCode,
      bids: view.bids,
      asks: view.asks,
      bidsChanged,
      asksChanged,
      inferred: view.inferred,
      auctionPrice: view.auctionPrice,
    });
  }

  summary(at: TsUs): void {
    const { open, high, low } = this.#tally;
    const average = this.#tally.average(this.#hundredthsPerTick);
    if (open === null || high === null || low === null || average === null) return;
    const sent = this.#sent;
    const sameRange = open === sent.open && high === sent.high && low === sent.low;
    if (sameRange && (average === sent.average || at - sent.tsUs < AVERAGE_EVERY_US)) return;
    this.#sent = { open, high, low, average, tsUs: at };
    this.#outbox.emit({ kind: 'summary', tsUs: at, orderCode: this.#orderCode, open, high, low, average });
  }
}

function sameLevels(a: readonly BookLevel[], b: readonly BookLevel[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1)
    if (a[i]?.price !== b[i]?.price || a[i]?.qty !== b[i]?.qty) return false;
  return true;
}
