/** What the venue in process checks before it takes something in, and the names it gives. */
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import { CEILING_NONE, type PriceBand } from '../../domain/contract.ts';
import { type BrokerOrderKey, brokerOrderKey, type BrokerOrderNo, brokerOrderNo } from '../../domain/ids.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { priceHundredths, priceTicks } from '../../domain/units.ts';
import type { Listing } from '../../venue/venue-event.ts';
import type { VenueOrder } from './venue-order.ts';
import type { RunInstrument } from './run-instrument.ts';

export type DeskRefusal = Extract<CallOutcome, { readonly status: 'rejected' }>;

export const refused = (code: string, text: string): DeskRefusal => ({ status: 'rejected', code, text });

export const GONE = refused('GONE', 'the order is not in the book');

const NO_BAND: PriceBand = {
  ceiling: priceTicks(CEILING_NONE),
  floor: priceTicks(0),
  reference: priceHundredths(0),
};

export class VenueGate {
  phase: SessionPhase = 'closed';
  /** By instrument. */
  bands: ReadonlyMap<number, PriceBand> = new Map();
  readonly #instruments: readonly RunInstrument[];
  #lastNo = 0;
  #lastKey = 0;

  constructor(instruments: readonly RunInstrument[]) {
    this.#instruments = instruments;
  }

  takeNo(): BrokerOrderNo {
    this.#lastNo += 1;
    return brokerOrderNo(String(this.#lastNo));
  }

  takeKey(): BrokerOrderKey {
    this.#lastKey += 1;
    return brokerOrderKey(`K${this.#lastKey}`);
  }

  instrumentOf(code: OrderCode): RunInstrument | undefined {
    return this.#instruments.find(({ contract }) => contract.orderCode === code);
  }

  /** Undefined for a contract that is not traded today. */
  listing(code: OrderCode): Listing | undefined {
    const instrument = this.instrumentOf(code);
    if (instrument === undefined || instrument.exchange === null) return undefined;
    return { contract: instrument.contract, band: this.bands.get(instrument.contract.index) ?? NO_BAND };
  }

  /** Why no order can be entered at this price now. */
  refusalOf(instrument: number, price: number): DeskRefusal | null {
    if (this.phase === 'closed' || this.phase === 'break')
      return refused('SESSION', 'the market takes no orders now');
    if ((this.#instruments[instrument]?.exchange ?? null) === null)
      return refused('SYMBOL', 'the contract is not traded today');
    return this.#outsideBand(instrument, price);
  }

  refusalOfCancel(order: VenueOrder | undefined): DeskRefusal | null {
    if (order === undefined) return GONE;
    return this.phase === 'continuous'
      ? null
      : refused('SESSION', 'nothing can be changed or taken back now');
  }

  refusalOfChange(order: VenueOrder | undefined, price: number, total: number): DeskRefusal | null {
    const no = this.refusalOfCancel(order) ?? this.#outsideBand(order?.instrument ?? -1, price);
    if (no !== null || order === undefined || total > order.filledQty) return no;
    return refused('VOLUME', 'the new volume is filled already');
  }

  #outsideBand(instrument: number, price: number): DeskRefusal | null {
    const band = this.bands.get(instrument);
    const isInside = band === undefined || (price >= band.floor && price <= band.ceiling);
    return isInside ? null : refused('PRICE', 'the price is outside floor and ceiling');
  }
}
