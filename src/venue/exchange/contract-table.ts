/** Which contracts are listed on a day, and under which codes. */
import { sessionOnOrBefore, tradingDayAt } from '../../domain/calendar.ts';
import { addDays, type TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import {
  codedForm,
  type ContractMonth,
  contractMonthOf,
  expiryOf,
  legacyCode,
  listedMonths,
} from '../../domain/contract-code.ts';
import { type OrderCode, orderCode, streamCode } from '../../domain/ids.ts';
import { instrumentIndex } from '../../domain/units.ts';
import type { VenueOptions } from '../venue-options.ts';

/** Life given to a contract whose code names no month. */
const OPAQUE_LIFE_DAYS = 30;

/** The contracts of `day`, nearest expiry first. A tape lists the recorded contract alone. */
export function contractsOn(options: VenueOptions, day: TradingDay): Contract[] {
  const { calendar, market, spec } = options;
  if (market.kind === 'tape') {
    const expiry = expiryOfCode(options, market.orderCode);
    return expiry < day ? [] : [contractOf(options, market.orderCode, expiry, 0)];
  }
  const underlying = spec.underlying === 'VN100' ? 'VN100' : 'VN30';
  return listedMonths(calendar, underlying, day).map((month, i) => {
    const code = keepsOldCode(options, month) ? legacyCode(month) : codedForm(month);
    return contractOf(options, orderCode(code), expiryOf(calendar, month), i);
  });
}

function keepsOldCode({ calendar, codes }: VenueOptions, month: ContractMonth): boolean {
  if (codes === 'legacy' || codes === 'coded') return codes === 'legacy';
  const lastOldDay = sessionOnOrBefore(calendar, addDays(codes.codedFrom, -1));
  const listed = listedMonths(calendar, month.underlying, lastOldDay);
  return expiryOf(calendar, month) < lastOldDay || listed.some((old) => codedForm(old) === codedForm(month));
}

function contractOf(options: VenueOptions, code: OrderCode, expiry: TradingDay, index: number): Contract {
  return {
    index: instrumentIndex(index),
    orderCode: code,
    streamCode: streamCode(options.streamCodeOf?.(code) ?? code),
    expiry,
    spec: options.spec,
  };
}

function expiryOfCode(options: VenueOptions, code: OrderCode): TradingDay {
  const month = contractMonthOf(code);
  if (month !== undefined) return expiryOf(options.calendar, month);
  return addDays(tradingDayAt(options.calendar, options.startUs), OPAQUE_LIFE_DAYS);
}
