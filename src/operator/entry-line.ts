/** One line for each fact that a person wants to read at 3 a.m.; the journal has the rest. */
import type { AlertSeverity, JournalEntry } from '../engine/ports/journal-entry.ts';
import { conditionKnownSaid } from './condition-said.ts';
import { formatNumber, formatSigned } from '../text/numbers.ts';
import { pad } from '../text/table.ts';
import type { Naming } from './naming.ts';
import * as orders from './order-said.ts';
import { because, said, type Said } from './said.ts';
import { shortId } from './short-id.ts';
import { oneLine, type Paint } from './terminal.ts';
import { whatToDo } from './what-to-do.ts';

const NAME_WIDTH = 14;
const WORD_WIDTH = 10;

type Of<K extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: K }>;

/** Null for what is noise to a person. */
export function entryLine(entry: JournalEntry, naming: Naming, paint: Paint): string | null {
  const what = entrySaid(entry, naming);
  if (what === null) return null;
  const toned = (text: string): string => (what.tone === 'plain' ? text : paint[what.tone](text));
  const head = `${paint.dim(naming.time(entry.tsUs))}  ${pad(naming.strategy(entry.strategy), NAME_WIDTH)}`;
  const text = oneLine(what.text);
  const isLoud = what.tone === 'red';
  return `${head}  ${toned(pad(what.word, WORD_WIDTH))}  ${isLoud ? toned(text) : text}`;
}

function entrySaid(entry: JournalEntry, naming: Naming): Said | null {
  switch (entry.kind) {
    case 'proposal':
      return null;
    case 'denied':
      return orders.deniedSaid(entry);
    case 'place':
      return orders.placeSaid(entry, naming);
    case 'modify':
      return orders.modifySaid(entry, naming);
    case 'cancel':
      return orders.cancelSaid(entry);
    case 'outcome':
      return orders.outcomeSaid(entry);
    case 'order_status':
      return orders.statusSaid(entry);
    case 'fill':
      return orders.fillSaid(entry, naming);
    case 'fill_correction':
      return orders.correctionSaid(entry, naming);
    case 'order_adopted':
      return orders.adoptedSaid(entry, naming);
    case 'order_waiting':
      return conditionKnownSaid(entry, naming);
    case 'position_event':
      return positionSaid(entry, naming);
    case 'position_mismatch':
      return mismatchSaid(entry);
    case 'position_agreed':
      return said('agreed', 'green', 'our positions are the broker’s');
    case 'phase':
      return said('phase', 'bold', `${entry.phase.replaceAll('_', ' ')}, trading day ${entry.tradingDay}`);
    case 'gap':
      return gapSaid(entry, naming);
    case 'command':
      return commandSaid(entry, naming);
    case 'latch':
      return latchSaid(entry);
    case 'strategy_started':
      return said('started', 'green', 'the strategy runs');
    case 'strategy_stopped':
      return said('stopped', 'yellow', entry.reason);
    case 'strategy_fault':
      return said('fault', 'red', `${entry.message} (in ${entry.where})`);
    case 'strategy_note':
      return said('note', 'dim', entry.text);
    case 'stop_ready':
      return said('stop', 'bold', `ready to stop${because(entry.reason)}`);
    case 'alert':
      break;
  }
  const next = whatToDo(entry.code, entry.text, naming.command);
  const text = `${entry.code}: ${entry.text}${next === undefined ? '' : ` -> ${next}`}`;
  return said(ALERT_WORD[entry.severity], ALERT_TONE[entry.severity], text);
}

const ALERT_WORD: Readonly<Record<AlertSeverity, string>> = {
  info: 'info',
  warning: 'WARNING',
  critical: 'CRITICAL',
};

const ALERT_TONE: Readonly<Record<AlertSeverity, Said['tone']>> = {
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

function positionSaid({ event, instrument, qty, value }: Of<'position_event'>, naming: Naming): Said {
  const { code, average } = naming.contract(instrument);
  const price = qty === 0 ? '' : ` at ${average(value, Math.abs(qty))}`;
  const text = `${formatSigned(qty)} ${code}${price}, value ${formatNumber(value)}: ${POSITION_TEXT[event]}`;
  return said('position', event === 'forced_close' ? 'red' : 'yellow', text);
}

function mismatchSaid({ ours, broker }: Of<'position_mismatch'>): Said {
  const codes = new Set<string>([...ours, ...broker].map(({ orderCode }) => orderCode));
  const rows = [...codes].map((code) => {
    const mine = ours.find(({ orderCode }) => orderCode === code)?.qty ?? 0;
    const theirs = broker.find(({ orderCode }) => orderCode === code)?.qty ?? 0;
    return `${code} ours ${formatSigned(mine)}, broker ${formatSigned(theirs)}`;
  });
  return said('MISMATCH', 'red', `positions differ: ${rows.join('; ')}`);
}

function gapSaid({ instrument, missed }: Of<'gap'>, naming: Naming): Said {
  const { code } = naming.contract(instrument);
  const what =
    missed >= 0 ? `${formatNumber(missed)} contracts of trades missed` : 'the day’s volume went back';
  return said('gap', 'yellow', `${code}: ${what}`);
}

function latchSaid({ latched, reason, strategy }: Of<'latch'>): Said {
  const whose = strategy === null ? 'entries' : 'entries of this strategy';
  return latched
    ? said('HALTED', 'red', `${whose} are off until you resume: ${reason}`)
    : said('RESUMED', 'green', `${whose} are on again: ${reason}`);
}

function commandSaid({ by, command }: Of<'command'>, naming: Naming): Said {
  return said(
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
