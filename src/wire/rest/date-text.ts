/** Dates as the service writes them, `dd/MM/yyyy` (notes, section 6). */
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';

export const dateText = (day: TradingDay): string =>
  `${day.slice(8, 10)}/${day.slice(5, 7)}/${day.slice(0, 4)}`;

/** Also takes `yyyy-MM-dd` and `yyyyMMdd`; null for what is no date. */
export function readDate(text: string): TradingDay | null {
  const parts = /^(\d{2})\/(\d{2})\/(\d{4})/.exec(text.trim());
  const compact = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text.trim());
  const iso = parts
    ? `${parts[3] ?? ''}-${parts[2] ?? ''}-${parts[1] ?? ''}`
    : compact
      ? `${compact[1] ?? ''}-${compact[2] ?? ''}-${compact[3] ?? ''}`
      : '';
  return isTradingDay(iso) ? tradingDay(iso) : null;
}
