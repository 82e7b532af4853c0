/** A data frame with the time at which another daemon received it behind it: the simulated broker of a feed sends it so, no real one does. */
import { type TsUs, tsUs } from '../../domain/units.ts';

/** `receivedUs` null: now. */
export interface ReceivedFrame {
  readonly text: string;
  readonly receivedUs: TsUs | null;
}

export const timedFrame = (text: string, at: TsUs): string => `${text}@${at}`;

/** A payload ends with its brace. */
export function readTimedFrame(frame: string): ReceivedFrame {
  if (frame.endsWith('}')) return { text: frame, receivedUs: null };
  const end = frame.lastIndexOf('@');
  const at = Number(frame.slice(end + 1));
  return end > 0 && at > 0 && Number.isSafeInteger(at)
    ? { text: frame.slice(0, end), receivedUs: tsUs(at) }
    : { text: frame, receivedUs: null };
}
