/** What becomes of the recordings of days that are over: their frame logs are packed. */
import type { TradingDay } from '../domain/civil-date.ts';
import { packFrameLogs } from '../recording/frame-archive.ts';

export interface Recordings {
  /** Where the frame logs are. */
  readonly frames: string;
  /** The day whose log is being written: nothing of it or of a later one is touched. */
  readonly today: TradingDay;
}

/** Returns what was done, for people; nothing where nothing was to be done. */
export async function keepRecordings({ frames, today }: Recordings): Promise<readonly string[]> {
  const packed = await packFrameLogs(frames, today);
  return packed.length === 0 ? [] : [`frames packed: ${packed.join(', ')}`];
}
