/** Results by day: a year is twelve months of weeks, each day in the colour and strength of its result. */
import type { VNode } from 'preact';
import { getOrCreate } from '../../domain/lists.ts';
import type { ReportDaily } from '../../research/report/report-model.ts';
import './calendar.css';
import { moneyText } from './axis-text.ts';

const LEVELS = 8;
/** The best and worst days would pale the others. */
const STRONG = 0.95;
const OPEN_YEARS = 2;
const MONDAY_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
type Language = 'en' | 'vi';

const WORDS = {
  en: (up: number, down: number) => `${up} days up, ${down} down`,
  vi: (up: number, down: number) => `${up} ngày lãi, ${down} ngày lỗ`,
};

interface Day {
  readonly day: string;
  readonly profit: number;
}

/** Monday is 0. */
const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

export function Calendar(
  { days, profit }: ReportDaily,
  moneyDigits: number,
  language: Language = 'en',
): VNode {
  const money = (amount: number): string => moneyText(amount, moneyDigits, 'exceptZero');
  const all = days.map((day, i): Day => ({ day, profit: profit[i] ?? 0 }));
  const sizes = profit.map(Math.abs).toSorted((a, b) => a - b);
  const strong = sizes[Math.floor((sizes.length - 1) * STRONG)] || 1;
  const weekdays = all.some(({ day }) => weekdayOf(day) > 4) ? 7 : 5;
  const look = { weekdays, strong, money, language };
  const years = groups(all, ({ day }) => day.slice(0, 4));
  return (
    <>
      {years.map(([year, found], i) => (
        <details key={year} open={i >= years.length - OPEN_YEARS}>
          <summary>
            {year}: {monthText(found, money, language)}
          </summary>
          <div class="year">
            {groups(found, ({ day }) => day.slice(0, 7)).map(([month, inMonth]) => (
              <Month key={month} days={inMonth} look={look} />
            ))}
          </div>
        </details>
      ))}
    </>
  );
}

function groups(days: readonly Day[], keyOf: (day: Day) => string): readonly (readonly [string, Day[]])[] {
  const found = new Map<string, Day[]>();
  for (const day of days) getOrCreate(found, keyOf(day), () => []).push(day);
  return [...found];
}

type FormatMoney = (amount: number) => string;

function monthText(days: readonly Day[], money: FormatMoney, language: Language): string {
  const sum = days.reduce((total, { profit }) => total + profit, 0);
  const up = days.filter(({ profit }) => profit > 0).length;
  const down = days.filter(({ profit }) => profit < 0).length;
  return `${money(sum)}, ${WORDS[language](up, down)}`;
}

interface CalendarLook {
  readonly weekdays: number;
  /** A result that has the strongest colour. */
  readonly strong: number;
  readonly money: FormatMoney;
  readonly language: Language;
}

function Month({ days, look }: { readonly days: readonly Day[]; readonly look: CalendarLook }): VNode {
  const { weekdays, money, language } = look;
  const month = days[0]?.day.slice(0, 7) ?? '';
  const name = dateText(Date.parse(month), language, { month: 'short' });
  const results = new Map(days.map(({ day, profit }) => [day, profit]));
  const label = `${name} ${month.slice(0, 4)}: ${monthText(days, money, language)}`;
  return (
    <div
      class="month"
      style={{ gridTemplateColumns: `repeat(${weekdays}, 1fr)` }}
      role="img"
      aria-label={label}
    >
      <b title={label}>{name}</b>
      {Array.from({ length: weekdays }, (_, i) => (
        <i key={i}>{dateText(MONDAY_MS + i * DAY_MS, language, { weekday: 'narrow' })}</i>
      ))}
      {daysOf(month)
        .filter((day) => weekdayOf(day) < weekdays)
        .map((day) => (
          <Cell key={day} day={day} profit={results.get(day)} look={look} />
        ))}
    </div>
  );
}

const dateText = (at: number, language: Language, look: Intl.DateTimeFormatOptions): string =>
  new Date(at).toLocaleDateString(language, { ...look, timeZone: 'UTC' });

function daysOf(month: string): readonly string[] {
  const [year, number] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year ?? 0, number ?? 1, 0)).getUTCDate();
  return Array.from({ length: count }, (_, i) => `${month}-${String(i + 1).padStart(2, '0')}`);
}

interface CellProps {
  readonly day: string;
  readonly profit: number | undefined;
  readonly look: CalendarLook;
}

function Cell({ day, profit, look: { strong, money } }: CellProps): VNode {
  const level = Math.min(LEVELS, Math.ceil((Math.abs(profit ?? 0) / strong) * LEVELS));
  const colour = level === 0 ? 'flat' : `${(profit ?? 0) < 0 ? 'l' : 'g'}${level}`;
  return (
    <span
      class={profit === undefined ? 'idle' : colour}
      style={{ gridColumn: weekdayOf(day) + 1 }}
      title={profit === undefined ? undefined : `${day}: ${money(profit)}`}
    >
      {Number(day.slice(8))}
    </span>
  );
}
