/** The exchange's own calendar, read from the data the daemon ships with: real holidays for real dates. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { EXCHANGE_DAY } from './strategy-fixtures.ts';

interface ClosuresFile {
  readonly closures: readonly string[];
  readonly validFrom: string;
  readonly validTo: string;
}

const FILE = join(import.meta.dirname, '../../config/closures.json');
const file = JSON.parse(readFileSync(FILE, 'utf8')) as ClosuresFile;

export const MARKET_CALENDAR: TradingCalendar = {
  ...EXCHANGE_DAY,
  name: 'vn30f',
  closures: new Set(file.closures.map(tradingDay)),
  validFrom: tradingDay(file.validFrom),
  validTo: tradingDay(file.validTo),
};
