/** Hours and zones, as they are written. */
import { US_PER_HOUR, US_PER_MINUTE } from '../domain/units.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** `09:00`. */
export const formatTime = (us: number): string =>
  `${two(Math.floor(us / US_PER_HOUR))}:${two(Math.floor((us % US_PER_HOUR) / US_PER_MINUTE))}`;

export interface ZoneOffset {
  readonly minutes: number;
  /** `+07:00`. */
  readonly text: string;
}

/** One winter and one summer: a zone may keep two offsets. */
const SAMPLES = [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)] as const;

/** The offsets a zone keeps; undefined when there is no such zone. */
export function zoneOffsets(zone: string): readonly [ZoneOffset, ...ZoneOffset[]] | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const [winter, summer] = SAMPLES;
  return [offsetAt(format, winter), offsetAt(format, summer)];
}

function offsetAt(format: Intl.DateTimeFormat, at: number): ZoneOffset {
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const text = /[+-]\d{2}:\d{2}$/.exec(name)?.[0] ?? '+00:00';
  const sign = text.startsWith('-') ? -1 : 1;
  return { text, minutes: sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(4))) };
}
