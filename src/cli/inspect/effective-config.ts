import type { Config } from '../../config/config.ts';

/** The configuration as plain data for people. There is no secret in it: keys and passwords are named, never held. */
export function effectiveConfig(config: Config): object {
  const { calendar, exchangeCalendar, ...rest } = config;
  return { ...rest, calendar: hoursOf(calendar), exchangeCalendar: hoursOf(exchangeCalendar) };
}

function hoursOf({ closures, ...calendar }: Config['calendar']): object {
  return { ...calendar, closures: `${closures.size} days` };
}
