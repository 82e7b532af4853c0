/** The log for machines: one JSON object per line, without secrets. */
import { type DestinationStream, type Level, pino, stdTimeFunctions } from 'pino';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import { formatUtc } from '../text/dates.ts';
import { entryLine, lineOf } from './entry-line.ts';
import type { Naming } from './naming.ts';
import { redactValue, type Secrets } from './redact.ts';
import { PLAIN } from './terminal.ts';

export interface LogOptions {
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
