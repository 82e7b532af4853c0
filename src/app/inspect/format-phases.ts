import type { TradingCalendar } from '../../domain/calendar.ts';
import { US_PER_MINUTE } from '../../domain/units.ts';

const clockText = (us: number): string => {
  const minutes = Math.round(us / US_PER_MINUTE);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
};

/** `08:45-09:00 opening auction, 09:00-11:30 continuous, ...`; breaks are left out. */
export const formatPhases = ({ phases }: TradingCalendar): string =>
  phases
    .filter(({ phase }) => phase !== 'break')
    .map(({ phase, fromUs, toUs }) => `${clockText(fromUs)}-${clockText(toUs)} ${phase.replaceAll('_', ' ')}`)
    .join(', ');
