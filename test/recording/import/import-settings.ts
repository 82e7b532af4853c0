/** How tests import. */
import {
  type ImportOptions,
  type ImportWatch,
  VIETNAMESE_SIDES,
} from '../../../src/recording/import/import-table.ts';
import { timeZone } from '../../../src/text/dates.ts';
import { minutes } from '../../../src/domain/units.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

export const QUIET: ImportWatch = { progress: () => undefined, bad: () => undefined };

export const vietnamese = (dir: string): ImportOptions => ({
  dir,
  zone: timeZone('+07:00')!,
  tickSize: '0.1',
  lotSize: '1',
  columns: {},
  sides: VIETNAMESE_SIDES,
  header: true,
  calendar: MARKET_CALENDAR,
  silence: minutes(5),
});
