/** The log for machines: one JSON object per line, without secrets. */
import { type DestinationStream, type Level, pino, stdTimeFunctions } from 'pino';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import { formatUtc } from '../text/dates.ts';
import { redactValue, Secrets } from './redact.ts';

export interface LogOptions {
  /** Standard output, a file, or a test. */
  readonly destination: DestinationStream;
  /** Values that must never be written, whatever field they are in. */
  readonly secrets?: Secrets;
  /** Console line of an entry, used as the message; null falls back to the entry's kind. */
  readonly say?: (entry: JournalEntry) => string | null;
}

export interface Log {
  note(text: string): void;
  entry(entry: JournalEntry): void;
  block(text: string): void;
  /** A status line, with the state as data. */
  status(text: string, facts?: object): void;
}

export function createLog({ destination, secrets = new Secrets([]), say = () => null }: LogOptions): Log {
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
      write(levelOf(entry), entry.kind, facts, say(entry) ?? entry.kind);
    },
    block: (text) => write('info', 'block', {}, text),
    status: (text, facts = {}) =>
      write('info', 'status', { facts: redactValue(facts, secrets.values) }, text),
  };
}

const ALERT_LEVEL = { info: 'info', warning: 'warn', critical: 'error' } as const;

function levelOf(entry: JournalEntry): Level {
  switch (entry.kind) {
    case 'alert':
      return ALERT_LEVEL[entry.severity];
    case 'money_checked':
      return entry.verdict === 'differs' ? 'error' : 'info';
    case 'position_mismatch':
    case 'strategy_fault':
      return 'error';
    case 'halt':
      return entry.halted ? 'error' : 'info';
    case 'order_status':
      return NEEDS_ATTENTION.has(entry.to) ? 'warn' : 'info';
    case 'denied':
    case 'gap':
    case 'strategy_stopped':
    case 'order_adopted':
      return 'warn';
    case 'proposal':
      return 'debug';
    case 'place':
    case 'modify':
    case 'cancel':
    case 'outcome':
    case 'fill':
    case 'fill_correction':
    case 'order_waiting':
    case 'position_event':
    case 'position_agreed':
    case 'phase':
    case 'command':
    case 'remote_command':
    case 'strategy_started':
    case 'strategy_changed':
    case 'strategy_note':
    case 'stop_ready':
    case 'equity_peak':
    case 'policy_acted':
      break;
  }
  return 'info';
}

const NEEDS_ATTENTION: ReadonlySet<string> = new Set([
  'unknown',
  'presumed_absent',
  'rejected',
  'not_sent',
  'expired_unproven',
]);
