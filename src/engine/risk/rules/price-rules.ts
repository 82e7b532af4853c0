/** Rules on market data and prices. */
import { type Contract, isMarketLimit, marketLimit } from '../../../domain/contract.ts';
import { type Side, signOf } from '../../../domain/order.ts';
import type { EngineSettings } from '../../../domain/settings.ts';
import { type PriceTicks, priceTicks } from '../../../domain/units.ts';
import { firstPrice, type RiskRequest, type RiskRule } from '../risk-rule.ts';
import type { RiskView } from '../risk-view.ts';

const BPS = 10_000;

export const streamDown: RiskRule = {
  name: 'stream_down',
  appliesTo: 'entry',
  check: (_, { view }) => (view.isStreamLive() ? undefined : { code: 'stream_down' }),
};

/** After a disconnect the prices of before are not traded on (failure cases, 23). */
export const bookUnknown: RiskRule = {
  name: 'book_unknown',
  appliesTo: 'entry',
  check: ({ contract }, { view }) =>
    view.isBookAwaited(contract.index) ? { code: 'book_unknown' } : undefined,
};

/** Entries wait for the reference prices after every connect (rulings, 20). */
export const bandUnknown: RiskRule = {
  name: 'band_unknown',
  appliesTo: 'entry',
  check({ contract }, { view }) {
    const isKnown = view.isReferenceFresh() && view.band(contract.index) !== undefined;
    return isKnown ? undefined : { code: 'band_unknown' };
  },
};

/** The band of the day is the exchange's: it holds for exits too, whenever it is known. */
export const priceOutsideBand: RiskRule = {
  name: 'price_outside_band',
  appliesTo: 'entry_and_reduce',
  check(request, { view, settings }) {
    const band = view.band(request.contract.index);
    if (band === undefined) return undefined;
    const price = firstPrice(
      request,
      (each) => (each < band.floor || each > band.ceiling) && !isAtMarket(request, each, settings),
    );
    if (price === undefined) return undefined;
    return { code: 'price_outside_band', price, floor: band.floor, ceiling: band.ceiling };
  },
};

export const dataStale: RiskRule = {
  name: 'data_stale',
  appliesTo: 'entry',
  check({ contract }, { view, settings }) {
    const ageUs = view.dataAgeUs(contract.index);
    const maxUs = settings.risk.dataAgeMax;
    return ageUs <= maxUs ? undefined : { code: 'data_stale', ageUs, maxUs };
  },
};

/** Against the last trade; a contract that has not traded yet is measured against its reference price. */
export const priceOutsideCollar: RiskRule = {
  name: 'price_outside_collar',
  appliesTo: 'entry',
  check(request, { view, settings }) {
    const last = lastPrice(view, request.contract);
    if (last === undefined) return { code: 'band_unknown' };
    const { collarBps } = settings.risk;
    const price = firstPrice(
      request,
      (each) => Math.abs(each - last) * BPS > collarBps * last && !isAtMarket(request, each, settings),
    );
    if (price === undefined) return undefined;
    return { code: 'price_outside_collar', price, last, collarBps };
  },
};

/** A market order has no price of its own to look at. */
const isAtMarket = ({ side }: RiskRequest, price: number, { marketOrders }: EngineSettings): boolean =>
  marketOrders === true && isMarketLimit(side, price);

/**
 * Limit of an order that takes any price. Where the exchange has no market orders that is the furthest price inside the band of
 * the day and the collar.
 */
export function marketPrice(
  view: PriceView,
  { marketOrders, risk }: EngineSettings,
  contract: Contract,
  side: Side,
): PriceTicks {
  if (marketOrders === true) return marketLimit(side);
  const band = view.band(contract.index);
  const last = lastPrice(view, contract);
  const sign = signOf(side);
  const edge = (side === 'buy' ? band?.ceiling : band?.floor) ?? marketLimit(side);
  if (last === undefined) return edge;
  const room = Math.floor((last * risk.collarBps) / BPS);
  const furthest = sign > 0 ? Math.floor(last) + room : Math.ceil(last) - room;
  return priceTicks(sign * Math.min(sign * edge, sign * furthest));
}

type PriceView = Pick<RiskView, 'band' | 'tradedPrice'>;

/** Of the last trade, else of the reference. */
export function lastPrice(view: PriceView, { index, spec }: Contract): number | undefined {
  const last = view.tradedPrice(index);
  if (last !== undefined) return last;
  const reference = view.band(index)?.reference;
  return reference === undefined ? undefined : reference / spec.hundredthsPerTick;
}

export const qtyNotPositive: RiskRule = {
  name: 'qty_not_positive',
  appliesTo: 'entry_and_reduce',
  check: ({ qty }) => (Number.isSafeInteger(qty) && qty > 0 ? undefined : { code: 'qty_not_positive', qty }),
};

export const priceOffGrid: RiskRule = {
  name: 'price_off_grid',
  appliesTo: 'entry_and_reduce',
  check(request) {
    const price = firstPrice(request, (each) => !Number.isSafeInteger(each) || each <= 0);
    return price === undefined ? undefined : { code: 'price_off_grid', price };
  },
};

/** The exchange's largest order and ours; a larger position is closed in several orders, and protected by one. */
export const qtyAboveMax: RiskRule = {
  name: 'qty_above_max',
  appliesTo: 'entry_and_reduce',
  check({ qty, contract, isProtective }, { settings }) {
    const ours = isProtective ? Infinity : settings.risk.orderQtyMax;
    const max = Math.min(ours, contract.spec.orderQtyMax);
    return qty <= max ? undefined : { code: 'qty_above_max', qty, max };
  },
};
