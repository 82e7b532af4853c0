/** Labels of axes: whole numbers with a unit, and moments as fine as the span of the picture. */
import { US_PER_SECOND } from '../../domain/units.ts';
import { formatTimeOfDay } from '../../text/dates.ts';
import { DAY, MINUTE } from '../../text/durations.ts';

const LABEL_STEPS_MIN = 0.01;

/** Labels of one axis in one unit: `1,998 m`, `-2.5 m`, `0.25`. */
export function numberLabels(splits: readonly number[], unit = ''): string[] {
  const most = Math.max(0, ...splits.map(Math.abs));
  const step = Math.abs((splits[1] ?? most) - (splits[0] ?? 0)) || most;
  const scales = [
    [1e9, 'bn'],
    [1e6, 'm'],
  ] as const;
  const [scale, word] = scales.find(([size]) => most >= size && step / size >= LABEL_STEPS_MIN) ?? [1, ''];
  const digits = decimalsOf(step / scale);
  const format = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const after = [word, unit].filter((part) => part !== '').join(' ');
  return splits.map((value) => {
    const text = format.format(value / scale || 0);
    return after === '' || value === 0 ? text : `${text} ${after}`;
  });
}

/** From here on decimals are not shown. */
const WHOLE_FROM = 100_000;
/** People count money to the cent; less than one unit of the currency is shown to the last of its `digits`. */
const CENTS = 2;

export function moneyText(
  value: number,
  digits: number,
  signDisplay: 'auto' | 'exceptZero' = 'auto',
): string {
  const size = Math.abs(value);
  const shown = size < WHOLE_FROM ? Math.min(digits, CENTS) : 0;
  const format = {
    minimumFractionDigits: shown,
    maximumFractionDigits: size < 1 ? digits : shown,
    signDisplay,
  };
  return (value === 0 ? 0 : value).toLocaleString('en-US', format);
}

/** Digits behind the point that a step needs, at most six: 2 for 0.25. */
export const decimalsOf = (step: number): number =>
  Number(step.toFixed(6)).toString().split('.')[1]?.length ?? 0;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A moment as the clock at the exchange showed it: `4 Mar 2026 10:15`; the first and the last second of a day are the day alone. */
export function momentText(seconds: number, utcOffsetMinutes: number): string {
  const local = seconds + utcOffsetMinutes * MINUTE;
  const date = new Date(local * 1_000);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
  const time = local % DAY;
  return time === 0 || time === DAY - 1 ? day : `${day} ${formatTimeOfDay(time * US_PER_SECOND)}`;
}
