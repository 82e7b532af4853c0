/** What cannot be an order at all. */
import { firstPrice, type RiskRule } from '../risk-rule.ts';

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

/** The exchange's largest order and ours; a larger position is closed in several orders. */
export const qtyAboveMax: RiskRule = {
  name: 'qty_above_max',
  appliesTo: 'entry_and_reduce',
  check({ qty, contract }, { settings }) {
    const max = Math.min(settings.risk.orderQtyMax, contract.spec.orderQtyMax);
    return qty <= max ? undefined : { code: 'qty_above_max', qty, max };
  },
};
