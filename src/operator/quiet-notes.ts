/** Keeps a note that comes again and again from filling the log: a fault at night repeats every few seconds until morning. */
import type { Clock } from '../domain/clock.ts';
import { minutes } from '../domain/units.ts';

/** Notes of one kind before the log gets quiet. */
const WRITTEN_FIRST = 5;
const PAUSE_MIN = minutes(1);
const PAUSE_MAX = minutes(60);
/** A kind that stayed away for so long is new. */
const FORGOTTEN_AFTER = minutes(120);
/** Kinds that are remembered; one more forgets all. */
const KINDS_MAX = 500;

interface NoteKind {
  written: number;
  left: number;
  writtenUs: number;
  pauseUs: number;
}

/** Notes that differ in numbers alone are of one kind. Left-out notes are counted in the next one that is written. */
export function quietNotes(clock: Clock, write: (text: string) => void): (text: string) => void {
  const kinds = new Map<string, NoteKind>();
  return (text) => {
    const now = clock.nowUs();
    const key = text.replaceAll(/\d+/g, '#');
    const known = kinds.get(key);
    if (known === undefined || now - known.writtenUs > FORGOTTEN_AFTER) {
      if (kinds.size >= KINDS_MAX) kinds.clear();
      kinds.set(key, { written: 1, left: 0, writtenUs: now, pauseUs: PAUSE_MIN });
      return write(text);
    }
    if (known.written >= WRITTEN_FIRST && now - known.writtenUs < known.pauseUs) {
      known.left += 1;
      return undefined;
    }
    const { left } = known;
    known.written = known.written >= WRITTEN_FIRST && left === 0 ? 1 : known.written + 1;
    known.pauseUs = left === 0 ? PAUSE_MIN : Math.min(known.pauseUs * 2, PAUSE_MAX);
    known.left = 0;
    known.writtenUs = now;
    return write(left === 0 ? text : `${text} (and ${left} times since the last line of this kind)`);
  };
}
