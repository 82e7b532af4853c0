/** Console lines: one for each journal entry that an operator needs to see. */
import type { AlertSeverity, JournalEntry } from '../engine/ports/journal-entry.ts';
import { formatNumber, formatSigned } from '../text/numbers.ts';
import { pad } from '../text/table.ts';
import {
  adoptedLine,
  because,
  cancelLine,
  waitingLine,
  correctionLine,
  deniedLine,
  fillLine,
  logLine,
  type LogLine,
  modifyLine,
  outcomeLine,
  placeLine,
  shortId,
  statusLine,
} from './order-lines.ts';
import type { Naming } from './naming.ts';
import { oneLine, type Paint } from './terminal.ts';

const NAME_WIDTH = 14;
const WORD_WIDTH = 10;

type Of<K extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: K }>;

/** Null for entries that only the journal needs. */
export function entryLine(entry: JournalEntry, naming: Naming, paint: Paint): string | null {
  const line = lineOf(entry, naming);
  if (line === null) return null;
  const toned = (text: string): string => (line.tone === 'plain' ? text : paint[line.tone](text));
  const head = `${paint.dim(naming.time(entry.tsUs))}  ${pad(naming.strategy(entry.strategy), NAME_WIDTH)}`;
  const text = oneLine(line.text);
  const isLoud = line.tone === 'red';
  return `${head}  ${toned(pad(line.word, WORD_WIDTH))}  ${isLoud ? toned(text) : text}`;
}

function lineOf(entry: JournalEntry, naming: Naming): LogLine | null {
  switch (entry.kind) {
    case 'proposal':
      return null;
    case 'denied':
      return deniedLine(entry);
    case 'place':
      return placeLine(entry, naming);
    case 'modify':
      return modifyLine(entry, naming);
    case 'cancel':
      return cancelLine(entry);
    case 'outcome':
      return outcomeLine(entry);
    case 'order_status':
      return statusLine(entry);
    case 'fill':
      return fillLine(entry, naming);
    case 'fill_correction':
      return correctionLine(entry, naming);
    case 'order_adopted':
      return adoptedLine(entry, naming);
    case 'order_waiting':
      return waitingLine(entry, naming);
    case 'position_event':
      return positionLine(entry, naming);
    case 'position_mismatch':
      return mismatchLine(entry);
    case 'position_agreed':
      return logLine('agreed', 'green', 'our positions are the broker’s');
    case 'phase':
      return logLine('phase', 'bold', `${entry.phase.replaceAll('_', ' ')}, trading day ${entry.tradingDay}`);
    case 'gap':
      return gapLine(entry, naming);
    case 'command':
      return commandLine(entry, naming);
    case 'latch':
      return latchLine(entry);
    case 'strategy_started':
      return logLine('started', 'green', 'the strategy runs');
    case 'strategy_stopped':
      return logLine('stopped', 'yellow', entry.reason);
    case 'strategy_fault':
      return logLine('fault', 'red', `${entry.message} (in ${entry.where})`);
    case 'strategy_note':
      return logLine('note', 'dim', entry.text);
    case 'stop_ready':
      return logLine('stop', 'bold', `ready to stop${because(entry.reason)}`);
    case 'alert':
      break;
  }
  const remedy = REMEDIES[entry.code]?.(naming.command, ORDER.exec(entry.text)?.[0] ?? '<order>');
  const text = `${entry.code}: ${entry.text}${remedy === undefined ? '' : ` -> ${remedy}`}`;
  return logLine(ALERT_WORD[entry.severity], ALERT_TONE[entry.severity], text);
}

const ALERT_WORD: Readonly<Record<AlertSeverity, string>> = {
  info: 'info',
  warning: 'WARNING',
  critical: 'CRITICAL',
};

const ALERT_TONE: Readonly<Record<AlertSeverity, LogLine['tone']>> = {
  info: 'cyan',
  warning: 'yellow',
  critical: 'red',
};

const POSITION_TEXT: Readonly<Record<Of<'position_event'>['event'], string>> = {
  adopted: 'taken over from the account',
  settled: 'settled in cash at the expiry',
  forced_close: 'closed by the broker',
  carried: 'carried from the last session',
};

function positionLine({ event, instrument, qty, value }: Of<'position_event'>, naming: Naming): LogLine {
  const { code, average } = naming.contract(instrument);
  const price = qty === 0 ? '' : ` at ${average(value, Math.abs(qty))}`;
  const text = `${formatSigned(qty)} ${code}${price}, value ${formatNumber(value)}: ${POSITION_TEXT[event]}`;
  return logLine('position', event === 'forced_close' ? 'red' : 'yellow', text);
}

function mismatchLine({ ours, broker }: Of<'position_mismatch'>): LogLine {
  const codes = new Set<string>([...ours, ...broker].map(({ orderCode }) => orderCode));
  const rows = [...codes].map((code) => {
    const mine = ours.find(({ orderCode }) => orderCode === code)?.qty ?? 0;
    const theirs = broker.find(({ orderCode }) => orderCode === code)?.qty ?? 0;
    return `${code} ours ${formatSigned(mine)}, broker ${formatSigned(theirs)}`;
  });
  return logLine('MISMATCH', 'red', `positions differ: ${rows.join('; ')}`);
}

function gapLine({ instrument, missed }: Of<'gap'>, naming: Naming): LogLine {
  const { code } = naming.contract(instrument);
  const what =
    missed >= 0 ? `${formatNumber(missed)} contracts of trades missed` : 'the day’s volume went back';
  return logLine('gap', 'yellow', `${code}: ${what}`);
}

function latchLine({ latched, reason, strategy }: Of<'latch'>): LogLine {
  const whose = strategy === null ? 'entries' : 'entries of this strategy';
  return latched
    ? logLine('HALTED', 'red', `${whose} are off until you resume: ${reason}`)
    : logLine('RESUMED', 'green', `${whose} are on again: ${reason}`);
}

function commandLine({ by, command }: Of<'command'>, naming: Naming): LogLine {
  return logLine(
    'command',
    'bold',
    `${command.name.replaceAll('_', ' ')}${target(command, naming)}, by ${by}${because(command.reason)}`,
  );
}

function target(command: Of<'command'>['command'], naming: Naming): string {
  switch (command.name) {
    case 'flatten':
      return ` ${command.strategy === null ? 'everything' : naming.strategy(command.strategy)}`;
    case 'stop_strategy':
      return ` ${naming.strategy(command.strategy)}`;
    case 'resolve_order':
      return ` ${shortId(command.clientOrderId)} as ${command.as}`;
    case 'halt':
    case 'resume':
    case 'cancel_all':
    case 'rollover':
    case 'stop':
      break;
  }
  return '';
}

/** The operator's next step after an alert; `order` is the order's id, `command` adds the daemon's state directory. */
type Remedy = (command: (text: string) => string, order: string) => string;

const resolve: Remedy = (command, order) =>
  `look at the broker’s own book. Not there: ${command(`orders resolve ${order} absent`)} --reason "…". ` +
  `There: ${command(`orders resolve ${order} live`)} --reason "…"`;

const protect: Remedy = (command) => `nothing protects the position: ${command('positions')} shows it`;
const foreignOrder: Remedy = () => 'it belongs to the operator now: it is watched and never changed';

const REMEDIES: Readonly<Record<string, Remedy>> = {
  order_presumed_absent: resolve,
  look_up_ambiguous: resolve,
  order_missing: (command) => `look at the broker’s own book; ${command('orders')} shows ours`,
  position_mismatch: (command) =>
    `compare with the broker’s own positions, then: ${command('resume')} --reason "…"`,
  position_adopted: (command) => `it belongs to the operator now; ${command('positions')} shows it`,
  order_adopted: foreignOrder,
  trigger_adopted: foreignOrder,
  trigger_refused: protect,
  exits_missing: protect,
  engine_lost: (command) =>
    `the named strategy is left out until the next start; ${command('journal')} shows the entries before`,
};

/** An alert about one order begins with its id. */
const ORDER = /^H\.\d+/;
