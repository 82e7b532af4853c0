/** Labels of axes: whole numbers with a unit, and moments as fine as the span of the picture. */

export interface ScaleWords {
  readonly million: string;
  readonly billion: string;
}

const ENGLISH: ScaleWords = { million: 'm', billion: 'bn' };
const LABEL_STEPS_MIN = 0.01;

/** Labels of one axis in one unit: `1,998 m`, `-2.5 m`, `0.25`. */
export function numberLabels(splits: readonly number[], unit = '', words = ENGLISH): string[] {
  const most = Math.max(0, ...splits.map(Math.abs));
  const step = Math.abs((splits[1] ?? most) - (splits[0] ?? 0)) || most;
  const scales = [
    [1e9, words.billion],
    [1e6, words.million],
  ] as const;
  const [scale, word] = scales.find(([size]) => most >= size && step / size >= LABEL_STEPS_MIN) ?? [1, ''];
  const digits = Math.min(6, decimalsOf(step / scale));
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

/** From here on nobody reads decimals. */
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

function decimalsOf(step: number): number {
  for (let digits = 0; digits < 6; digits += 1) {
    const scaled = step * 10 ** digits;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6) return digits;
  }
  return 6;
}

/** A label at the place of a sample. */
export interface TimeTick {
  readonly at: number;
  /** Its moment, and below it the day or the year where that is another one than before. */
  readonly label: string;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (value: number): string => String(value).padStart(2, '0');
const dateOf = (local: number): Date => new Date(local * 1_000);
const monthNumber = (local: number): number => {
  const date = dateOf(local);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};
const clockText = (local: number): string =>
  `${two(Math.floor((local % DAY) / HOUR))}:${two(Math.floor((local % HOUR) / MINUTE))}`;
const dayText = (local: number): string => `${dateOf(local).getUTCDate()} ${monthText(local)}`;
const monthText = (local: number): string => MONTHS[dateOf(local).getUTCMonth()] ?? '';
const yearText = (local: number): string => String(dateOf(local).getUTCFullYear());
const dateText = (local: number): string => `${dayText(local)} ${yearText(local)}`;

/** A moment as the clock at the exchange showed it: `4 Mar 2026 10:15`; the first and the last second of a day are the day alone. */
export function momentText(seconds: number, utcOffsetMinutes: number): string {
  const local = seconds + utcOffsetMinutes * MINUTE;
  return local % DAY === 0 || local % DAY === DAY - 1
    ? dateText(local)
    : `${dateText(local)} ${clockText(local)}`;
}

/** Two samples with the same `part` share a tick; `text` labels it, `around` is the line below. */
interface TickLevel {
  readonly part: (local: number) => number;
  readonly text: (local: number) => string;
  readonly around: (local: number) => string;
}

const every = (seconds: number): TickLevel => ({
  part: (local) => Math.floor(local / seconds),
  // Where nothing happened on the full hour, the first moment after it stands for it.
  text: (local) => clockText(Math.floor(local / seconds) * seconds),
  around: dateText,
});
const months = (count: number): TickLevel => ({
  part: (local) => Math.floor(monthNumber(local) / count),
  text: monthText,
  around: yearText,
});
const years = (count: number): TickLevel => ({
  part: (local) => Math.floor(dateOf(local).getUTCFullYear() / count),
  text: yearText,
  around: () => '',
});
/** Weeks begin on Monday; 1970 began on a Thursday. */
const days = (count: number): TickLevel => ({
  part: (local) => Math.floor((local / DAY + 3) / count),
  text: dayText,
  around: yearText,
});

const LEVELS: readonly TickLevel[] = [
  ...[1, 5, 15, 30, 60, 120, 240].map((minutes) => every(minutes * MINUTE)),
  ...[1, 7, 14].map(days),
  ...[1, 3, 6].map(months),
  ...[1, 2, 5, 10].map(years),
];

/** At most `countMax` labels for samples `from` to `to`, which stand side by side: nights and breaks take no room. */
export function timeTicks(
  times: readonly number[],
  utcOffsetMinutes: number,
  [from, to]: readonly [from: number, to: number],
  countMax: number,
): readonly TimeTick[] {
  const first = Math.max(0, Math.ceil(from));
  const last = Math.min(times.length - 1, Math.floor(to));
  const local = (at: number): number => (times[at] ?? 0) + utcOffsetMinutes * MINUTE;
  for (const level of LEVELS) {
    const places = changes(level, local, first, last, countMax);
    if (places !== null && (places.length > 1 || level === LEVELS[0]))
      return labelled(level, local, spaced(places, level, local, (to - from) / countMax));
    if (places !== null) break;
  }
  return first <= last ? [{ at: first, label: momentText(times[first] ?? 0, utcOffsetMinutes) }] : [];
}

/** Places where another part begins; null when they are more than `countMax`. */
function changes(
  { part }: TickLevel,
  local: (at: number) => number,
  first: number,
  last: number,
  countMax: number,
): number[] | null {
  const places: number[] = [];
  let before = first > 0 ? part(local(first - 1)) : NaN;
  for (let at = first; at <= last; at += 1) {
    const now = part(local(at));
    if (now === before) continue;
    before = now;
    places.push(at);
    if (places.length > countMax) return null;
  }
  return places;
}

/** Leaves out labels that would overlap; one that begins a day or a year stays. */
function spaced(
  places: readonly number[],
  { around }: TickLevel,
  local: (at: number) => number,
  distance: number,
): number[] {
  const kept: number[] = [];
  for (const at of places) {
    const before = kept.at(-1);
    if (before === undefined || at - before >= distance) kept.push(at);
    else if (around(local(at)) !== around(local(before))) kept.splice(-1, 1, at);
  }
  return kept;
}

function labelled(
  { text, around }: TickLevel,
  local: (at: number) => number,
  places: readonly number[],
): readonly TimeTick[] {
  let before = '';
  return places.map((at) => {
    const now = around(local(at));
    const label = now === before || now === '' ? text(local(at)) : `${text(local(at))}\n${now}`;
    before = now;
    return { at, label };
  });
}
