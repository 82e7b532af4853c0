/** Numbers, money and shares for people. A missing value is a dash. */
const DASH = '–';
const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** `1,234,567`, with at most four digits behind the point. */
export const formatNumber = (value: number): string => GROUPED.format(value === 0 ? 0 : value);

/** `+1,234,567`, and `0` without a sign. */
export const formatSigned = (value: number): string => signed(value, formatNumber(value));

/** Averages lie between two ticks: `1295.0`, `1295.233`. */
export const averageDecimals = (points: number): number => (points.toFixed(3).endsWith('00') ? 1 : 3);

export const formatAverage = (points: number): string => points.toFixed(averageDecimals(points));

/** `1 order`, `2,000 orders`. */
export const formatCount = (count: number, noun: string, many = `${noun}s`): string =>
  `${formatNumber(count)} ${count === 1 ? noun : many}`;

/** `+2 VN30F2603, -1 VN30F2604`; empty when flat. */
export const positionText = (
  positions: readonly { readonly orderCode: string; readonly qty: number }[],
): string =>
  positions
    .filter(({ qty }) => qty !== 0)
    .map(({ orderCode, qty }) => `${formatSigned(qty)} ${orderCode}`)
    .join(', ');

/** A figure of ours next to the broker's, in VND. */
export const formatCompared = (figure: {
  readonly what: string;
  readonly ours: number;
  readonly broker: number;
}): string => `${figure.what} ours ${formatNumber(figure.ours)}, broker ${formatNumber(figure.broker)} VND`;

/** People count money to the cent. */
const MONEY_DECIMALS = 2;

export interface MoneyFormat {
  readonly currency: string;
  /** Whole units of the books in one unit of the currency: 1 for VND, 100 for cents. */
  readonly moneyScale: number;
}

export function formatAmount(value: number, { moneyScale }: MoneyFormat): string {
  const digits = Math.round(Math.log10(moneyScale));
  const shown = Math.min(digits, MONEY_DECIMALS);
  return (value / moneyScale).toLocaleString('en-US', {
    minimumFractionDigits: shown,
    // Less than one unit of the currency is shown to the last digit.
    maximumFractionDigits: Math.abs(value) < moneyScale ? digits : shown,
  });
}

export const formatSignedAmount = (value: number, format: MoneyFormat): string =>
  signed(value, formatAmount(value, format));

/** An amount in a table, as in the figures: a column has one number of digits. */
export const formatCell = (value: number, digits: number): string =>
  formatAmount(value * 10 ** digits || 0, { currency: '', moneyScale: 10 ** digits });

/** A column of whole numbers alone may be one of counts. */
export const columnDigits = (rows: readonly (readonly unknown[])[], column: number, digits: number): number =>
  rows.every((row) => typeof row[column] !== 'number' || Number.isInteger(row[column])) ? 0 : digits;

export const formatRatio = (value: number | null | undefined): string => value?.toFixed(2) ?? DASH;

/** A share of one: 0.125 is `12.50 %`. */
export const formatPercent = (value: number | null | undefined): string =>
  typeof value === 'number' ? `${(value * 100).toFixed(2).replace(/^-(?=0\.00$)/, '')} %` : DASH;

export const formatSignedPercent = (value: number | undefined): string =>
  signed(value ?? 0, formatPercent(value));

const signed = (value: number, text: string): string => (value > 0 ? `+${text}` : text);

/** Smaller numbers are shown with decimals. */
const SLOW = 10;

/** `0.16`, `850`, `12.3 thousand`, `4.1 million`. */
export function formatRate(rate: number): string {
  if (rate >= 1e6) return `${(rate / 1e6).toFixed(1)} million`;
  if (rate >= 1e3) return `${(rate / 1e3).toFixed(1)} thousand`;
  return rate >= SLOW ? String(Math.round(rate)) : String(Number(rate.toPrecision(2)));
}

/** `a, b and 7 more`. */
export const listed = (items: readonly string[], most: number): string =>
  items.length <= most
    ? items.join(', ')
    : `${items.slice(0, most).join(', ')} and ${formatNumber(items.length - most)} more`;

export function sumsOf<Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): Readonly<Record<Name, number>> {
  const sums = names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]);
  return Object.fromEntries(sums) as Record<Name, number>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it has these names
}
