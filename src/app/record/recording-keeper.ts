/** Has the recordings of days that are over looked after, once at the start and once after each day. */
import { Worker } from 'node:worker_threads';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { seconds } from '../../domain/units.ts';
import type { KeptRecordings, Recordings } from './keep-recordings.ts';

export interface RecordingKeeperParts extends Omit<Recordings, 'today'> {
  /** The day whose log is open; undefined between two days. */
  readonly today: () => TradingDay | undefined;
  readonly timers: Timers;
  readonly note: (text: string) => void;
  readonly onFailure: (text: string) => void;
}

const LOOK_EVERY = seconds(10);

/** Returns how to stop; what is half done then is begun again at the next start. */
export function startRecordingKeeper(parts: RecordingKeeperParts): () => Promise<void> {
  const { frames, data, calendar, contracts, timers, note, onFailure } = parts;
  let kept: TradingDay | undefined;
  let worker: Worker | undefined;
  let timer: CancelTimer | undefined;
  const look = (): void => {
    const today = parts.today();
    if (today !== undefined && today !== kept && worker === undefined) {
      kept = today;
      const workerData: Recordings = { frames, data, calendar, contracts, today };
      worker = new Worker(new URL('./recording-worker.js', import.meta.url), { workerData });
      worker.on('message', ({ done, failures }: KeptRecordings) => {
        done.forEach(note);
        for (const failure of failures) onFailure(`recordings: ${failure}`);
      });
      worker.on('error', (error: Error) => onFailure(`recordings: ${error.message}`));
      worker.on('exit', () => {
        worker = undefined;
      });
    }
    timer = timers.after(LOOK_EVERY, look);
  };
  look();
  return async () => {
    timer?.();
    await worker?.terminate();
  };
}
