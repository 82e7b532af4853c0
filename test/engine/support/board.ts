import type { TradingCalendar } from '../../../src/domain/calendar.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { codedForm, expiryOf, listedMonths } from '../../../src/domain/contract-code.ts';
import { orderCode, streamCode } from '../../../src/domain/ids.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { contract } from '../../support/strategy-fixtures.ts';

/** The board of a day, nearest expiry first, indexed in that order. */
export function boardOn(day: string, calendar: TradingCalendar = MARKET_CALENDAR): readonly Contract[] {
  return listedMonths(calendar, 'VN30', tradingDay(day)).map((month, index) => ({
    ...contract(index),
    orderCode: orderCode(codedForm(month)),
    streamCode: streamCode(codedForm(month)),
    expiry: expiryOf(calendar, month),
  }));
}
