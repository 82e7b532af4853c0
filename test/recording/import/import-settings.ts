/** How tests import. */
import {
  type ImportOptions,
  type ImportWatch,
  VIETNAMESE_SIDES,
} from '../../../src/recording/import/import-table.ts';
import { timeZone } from '../../../src/text/time-zone.ts';
import { minutes } from '../../../src/domain/units.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

export const QUIET: ImportWatch = { progress: () => undefined, bad: () => undefined };

export const vietnamese = (dir: string): ImportOptions => ({
  dir,
  symbol: null,
  day: null,
  zone: timeZone('+07:00')!,
  dateOrder: null,
  tickSize: '0.1',
  lotSize: '1',
  columns: {},
  sides: VIETNAMESE_SIDES,
  hasHeader: true,
  delimiter: null,
  hasComma: false,
  calendar: MARKET_CALENDAR,
  silence: minutes(5),
  isRounding: false,
  skipBad: false,
  replace: false,
});
