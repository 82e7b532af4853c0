import type { TradingCalendar } from '../../domain/calendar.ts';
import { US_PER_DAY, US_PER_HOUR, US_PER_MINUTE, US_PER_SECOND } from '../../domain/units.ts';

export type MomentKind = 'token_refresh' | 'rollover' | 'session_open' | 'session_close';

/** A moment of every session, counted from the exchange's midnight; at most the end of the day. */
export interface DailyMoment {
  readonly kind: MomentKind;
  readonly timeUs: number;
}

export interface DailyTimes {
  /** `HH:MM` of the exchange. */
  readonly tokenRefresh: readonly string[];
  readonly rollover: string;
}

/** Hours from midnight to midnight have no open and no close. */
export function dailyMoments(calendar: TradingCalendar, times: DailyTimes): readonly DailyMoment[] {
  const refreshes = times.tokenRefresh.map((text) => momentOfDay('token_refresh', text));
  const openUs = calendar.phases[0]?.fromUs ?? 0;
  const closeUs = calendar.phases.at(-1)?.toUs ?? US_PER_DAY;
  const edges: readonly DailyMoment[] =
    openUs === 0 && closeUs === US_PER_DAY
      ? []
      : [
          { kind: 'session_open', timeUs: openUs },
          { kind: 'session_close', timeUs: closeUs },
        ];
  const moments = [...refreshes, momentOfDay('rollover', times.rollover), ...edges];
  // The end of a day comes before what falls on the same midnight and belongs to the next one.
  return moments.toSorted((a, b) => (a.timeUs % US_PER_DAY) - (b.timeUs % US_PER_DAY) || b.timeUs - a.timeUs);
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

function momentOfDay(kind: MomentKind, text: string): DailyMoment {
  const match = TIME.exec(text);
  if (match === null)
    throw new Error(`${kind}: expected a time of day like 08:15, was ${JSON.stringify(text)}`);
  return { kind, timeUs: Number(match[1]) * US_PER_HOUR + Number(match[2]) * US_PER_MINUTE };
}

/** The moment as cron writes it: second, minute, hour of every day. The end of the day is the next midnight. */
export function cronExpression({ timeUs }: DailyMoment): string {
  const seconds = Math.floor((timeUs % US_PER_DAY) / US_PER_SECOND);
  return `${seconds % 60} ${Math.floor(seconds / 60) % 60} ${Math.floor(seconds / 3600)} * * *`;
}
