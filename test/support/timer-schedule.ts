/** The `Schedule` of virtual time: timers fire, not node-cron. */
import type { Schedule } from '../../src/app/edge/schedule.ts';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { timeOfDayUs } from '../../src/domain/civil-date.ts';
import type { CancelTimer, Clock, Timers } from '../../src/domain/clock.ts';
import { durationUs, US_PER_DAY } from '../../src/domain/units.ts';

export const timerSchedule =
  ({ utcOffsetMinutes }: TradingCalendar, clock: Clock, timers: Timers): Schedule =>
  (timesUs, fire) => {
    let cancel: CancelTimer | undefined;
    const arm = (): void => {
      const now = timeOfDayUs(clock.nowUs(), utcOffsetMinutes);
      const waits = timesUs.map((us) => (us > now ? us - now : us - now + US_PER_DAY));
      cancel = timers.after(durationUs(Math.min(US_PER_DAY, ...waits)), () => {
        arm();
        fire();
      });
    };
    arm();
    return () => cancel?.();
  };
