/** Figures as people read them. What has no value is a dash. */
import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from '../../domain/units.ts';

const DASH = '–';

export interface MoneyFormat {
  readonly currency: string;
  /** Whole units of the books in one unit of the currency: 1 for VND, 100 for cents. */
  readonly moneyScale: number;
}

/** Digits behind the point that people count money in. */
const CENTS = 2;

export function formatAmount(value: number, { moneyScale }: MoneyFormat): string {
  const digits = moneyScale === 1 ? 0 : Math.round(Math.log10(moneyScale));
  const shown = Math.min(digits, CENTS);
  return (value / moneyScale).toLocaleString('en-US', {
    minimumFractionDigits: shown,
    // What is less than one is told to the last digit.
    maximumFractionDigits: Math.abs(value) < moneyScale ? digits : shown,
  });
}

export const formatSignedAmount = (value: number, format: MoneyFormat): string =>
  (value > 0 ? '+' : '') + formatAmount(value, format);

export const formatRatio = (value: number | undefined): string =>
  value === undefined ? DASH : value.toFixed(2);

export const formatPercent = (value: number | undefined): string =>
  value === undefined ? DASH : `${(value * 100).toFixed(2)} %`;

export const formatSignedPercent = (value: number | undefined): string =>
  (value !== undefined && value > 0 ? '+' : '') + formatPercent(value);

export function formatSpan(us: number): string {
  if (us >= US_PER_DAY) return `${(us / US_PER_DAY).toFixed(1)} days`;
  if (us >= US_PER_HOUR) return `${(us / US_PER_HOUR).toFixed(1)} h`;
  return `${Math.round(us / US_PER_MINUTE)} min`;
}
