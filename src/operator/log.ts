/** The log for machines: one JSON object per line, without secrets. */
import { type DestinationStream, type Level, pino, stdTimeFunctions } from 'pino';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import { formatUtc } from '../text/dates.ts';
import type { Clock } from '../domain/clock.ts';
import { minutes } from '../domain/units.ts';
import { entryLine, lineOf, type Naming } from './entry-line.ts';
import { redactValue, type Secrets } from './redact.ts';
import { PLAIN } from './terminal.ts';

interface LogOptions {
  /** Standard output, a file, or a test. */
  readonly destination: DestinationStream;
  /** Values that must never be written, whatever field they are in. */
  readonly secrets: Secrets;
  /** For the console line of an entry, which is its message. */
  readonly naming: Naming;
}

export interface Log {
  note(text: string): void;
  entry(entry: JournalEntry): void;
  block(text: string): void;
  /** A status line, with the state as data. */
  status(text: string, facts?: object): void;
}

export function createLog({ destination, secrets, naming }: LogOptions): Log {
  const logger = pino(
    {
      base: null,
      level: 'debug',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const write = (level: Level, event: string, facts: object, text: string): void => {
    logger[level]({ event, ...facts }, secrets.hide(text));
  };
  return {
    note: (text) => write('info', 'note', {}, text),
    entry: (entry) => {
      const facts = { marketTime: formatUtc(entry.tsUs), entry: redactValue(entry, secrets.values) };
      write(levelOf(entry, naming), entry.kind, facts, entryLine(entry, naming, PLAIN) ?? entry.kind);
    },
    block: (text) => write('info', 'block', {}, text),
    status: (text, facts = {}) =>
      write('info', 'status', { facts: redactValue(facts, secrets.values) }, text),
  };
}

const LEVELS: ReadonlyMap<string, Level> = new Map([
  ['red', 'error'],
  ['yellow', 'warn'],
]);

/** As loud as its line; what needs no line is for a search. */
function levelOf(entry: JournalEntry, naming: Naming): Level {
  const line = lineOf(entry, naming);
  return line === null ? 'debug' : (LEVELS.get(line.tone) ?? 'info');
}

/** Notes of one kind before the log gets quiet. */
const WRITTEN_FIRST = 5;
const PAUSE_MIN = minutes(1);
const PAUSE_MAX = minutes(60);
/** A kind that stayed away for this long is new. */
const FORGOTTEN_AFTER = minutes(120);
/** Kinds that are remembered; one more forgets all. */
const KINDS_MAX = 500;

interface NoteKind {
  written: number;
  left: number;
  writtenUs: number;
  pauseUs: number;
}

/**
 * Keeps a note that comes again and again from filling the log: a fault at night repeats every few seconds until morning. Notes that differ
 * in numbers alone are of one kind; left-out ones are counted in the next one that is written.
 */
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
