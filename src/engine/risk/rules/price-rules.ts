/** Rules on market data and prices. */
import type { Contract } from '../../../domain/contract.ts';
import { firstPrice, type RiskRule } from '../risk-rule.ts';
import type { RiskView } from '../risk-view.ts';

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
  check(request, { view }) {
    const band = view.band(request.contract.index);
    if (band === undefined) return undefined;
    const price = firstPrice(request, (each) => each < band.floor || each > band.ceiling);
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
    const price = firstPrice(request, (each) => Math.abs(each - last) * 10_000 > collarBps * last);
    if (price === undefined) return undefined;
    return { code: 'price_outside_collar', price, last, collarBps };
  },
};

function lastPrice(view: RiskView, { index, spec }: Contract): number | undefined {
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
