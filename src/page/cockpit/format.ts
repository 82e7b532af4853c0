/** Figures, times and ages as people read them. One way of writing numbers in all languages: that of the exchange's boards and of the daemon's messages. */
import { computed } from '@preact/signals';
import { decimalsOf } from '../charts/axis-text.ts';
import { marketMs, state } from './store.ts';
import { t } from './text.ts';

const MINUS = '\u2212';
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

const two = (value: number): string => String(value).padStart(2, '0');

const unsigned = (value: number, decimals: number): string =>
  Math.abs(value).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });

export const count = (value: number): string => whole.format(value).replace('-', MINUS);

export const signed = (value: number): string =>
  value === 0 ? '0' : `${value < 0 ? MINUS : '+'}${whole.format(Math.abs(value))}`;

export const points = (value: number | null, tick: number): string =>
  value === null ? '–' : `${value < 0 ? MINUS : ''}${unsigned(value, decimalsOf(tick))}`;

export const signedPoints = (value: number, tick: number): string =>
  `${value > 0 ? '+' : ''}${points(value, tick)}`;

export const toneOf = (value: number): string => (value > 0 ? 'gain' : value < 0 ? 'loss' : 'flat');

const localTime = (atMs: number): string =>
  new Date(atMs + (state.value?.session.utcOffsetMinutes ?? 0) * 60_000).toISOString();

/** At the exchange: `2026-03-04`. */
export const dayOf = (atMs: number): string => localTime(atMs).slice(0, 10);

/** Time of day at the exchange. */
export const clockTime = (atMs: number): string => localTime(atMs).slice(11, 19);

const today = computed(() => (marketMs.value === null ? null : dayOf(marketMs.value)));

/** With the date, where that is another one than today's. */
export const moment = (atMs: number): string =>
  dayOf(atMs) === today.value ? clockTime(atMs) : `${dayOf(atMs).slice(5)} ${clockTime(atMs)}`;

/** `57:12`, `3:07:00` or `2 d 3 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3_600);
  if (days >= 2) return `${days} ${t.days} ${Math.floor((seconds % 86_400) / 3_600)} ${t.hours}`;
  const rest = `${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

/** Names of the daemon that have no text of their own lose their underscores. */
export const worded = (table: Readonly<Record<string, string>>, name: string): string =>
  table[name] ?? name.replaceAll('_', ' ');
