/** Console lines: one for each journal entry that an operator needs to see. */
import { type OrderCode, shortOrderId, type StrategyNames } from '../domain/ids.ts';
import type { Trigger } from '../domain/order.ts';
import {
  type InstrumentIndex,
  OPERATOR_INDEX,
  type PriceTicks,
  type StrategyIndex,
  toMs,
  type TsUs,
} from '../domain/units.ts';
import { denialText } from '../engine/ports/denial.ts';
import type { AlertSeverity, EntryKind, EntryOf, JournalEntry } from '../engine/ports/journal-entry.ts';
import { formatAverage, formatCompared, formatCount, formatNumber, formatSigned } from '../text/numbers.ts';
import { pad } from '../text/table.ts';
import { type TradingCalendar, tradingDayAt } from '../domain/calendar.ts';
import { formatTime } from '../domain/civil-date.ts';
import { withAliases } from '../domain/contract-code.ts';
import { avgPoints, type Contract, formatPoints } from '../domain/contract.ts';
import { remedyOf } from './remedies.ts';
import { oneLine, type Paint } from './terminal.ts';
import type { CockpitEntry } from './cockpit/cockpit-model.ts';

const NAME_WIDTH = 14;
const WORD_WIDTH = 9;

/** Null for entries that only the journal needs. */
export function entryLine(entry: JournalEntry, naming: Naming, paint: Paint): string | null {
  const line = lineOf(entry, naming);
  if (line === null) return null;
  const toned = (text: string): string => (line.tone === 'plain' ? text : paint[line.tone](text));
  const head = `${paint.dim(naming.time(entry.tsUs))}  ${pad(naming.strategy(entry.strategy), NAME_WIDTH)}`;
  const text = oneLine(line.text);
  const isLoud = line.tone === 'red';
  return `${head}  ${toned(pad(line.word, WORD_WIDTH))} ${isLoud ? toned(text) : text}`;
}

/** Null for entries that only the journal needs. */
export function lineOf(entry: JournalEntry, naming: Naming): LogLine | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- by the kind of the entry
  const line = (LINES[entry.kind] as LineMaker<EntryKind>)(entry, naming);
  return line === null ? null : { ...line, text: naming.named(line.text, entry.tsUs) };
}

type LineMaker<Kind extends EntryKind> = (entry: EntryOf<Kind>, naming: Naming) => LogLine | null;

const LINES: { readonly [Kind in EntryKind]: LineMaker<Kind> } = {
  equity_peak: () => null,
  // Its alert reports it.
  policy_acted: () => null,
  proposal: () => null,
  denied: ({ clientOrderId, denial }) =>
    logLine('denied', 'yellow', `${shortOrderId(clientOrderId)} ${denialText(denial)}`),
  place: placeLine,
  modify: modifyLine,
  cancel: ({ cancel, isLost }) =>
    callLine('cancel', `${shortOrderId(cancel.clientOrderId)} ${cancel.orderCode}`, isLost),
  outcome: outcomeLine,
  order_status: statusLine,
  fill: fillLine,
  fill_correction: correctionLine,
  order_adopted: adoptedLine,
  order_waiting: waitingLine,
  position_event: positionLine,
  position_mismatch: mismatchLine,
  position_agreed: () => logLine('agreed', 'green', 'our positions are the broker’s'),
  money_checked: moneyLine,
  phase: ({ phase, tradingDay }) =>
    logLine('phase', 'bold', `${phase.replaceAll('_', ' ')}, trading day ${tradingDay}`),
  gap: gapLine,
  command: commandLine,
  remote_command: ({ text, by, outcome }) => logLine('command', 'bold', `${text}, by ${by}: ${outcome}`),
  halt: haltLine,
  strategy_started: () => logLine('started', 'green', 'the strategy runs'),
  strategy_changed: (entry) => logLine('changed', 'yellow', changeText(entry)),
  strategy_stopped: ({ reason }) => logLine('stopped', 'yellow', reason),
  strategy_fault: ({ message, where }) => logLine('fault', 'red', `${message} (in ${where})`),
  strategy_note: ({ text }) => logLine('note', 'dim', text),
  stop_ready: ({ reason }) => logLine('stop', 'bold', `ready to stop${because(reason)}`),
  alert: (entry, { command }) => {
    const remedy = remedyOf(entry, command);
    const text = `${entry.code}: ${entry.text}${remedy === '' ? '' : ` -> ${remedy}`}`;
    return logLine(...ALERT_HEAD[entry.severity], text);
  },
};

const ALERT_HEAD: Readonly<Record<AlertSeverity, readonly [word: string, tone: LogLine['tone']]>> = {
  info: ['info', 'cyan'],
  warning: ['WARNING', 'yellow'],
  critical: ['CRITICAL', 'red'],
};

const POSITION_TEXT: Readonly<Record<EntryOf<'position_event'>['event'], string>> = {
  adopted: 'taken over from the account',
  settled: 'settled in cash at the expiry',
  forced_close: 'closed by the broker',
  carried_over: 'carried over from the last session',
};

function positionLine({ event, instrument, qty, value }: EntryOf<'position_event'>, naming: Naming): LogLine {
  const { code, average } = naming.contract(instrument);
  const price = qty === 0 ? '' : ` at ${average(value, Math.abs(qty))}`;
  const text = `${formatSigned(qty)} ${code}${price}, value ${formatNumber(value)}: ${POSITION_TEXT[event]}`;
  return logLine('position', event === 'forced_close' ? 'red' : 'yellow', text);
}

function mismatchLine({ ours, broker }: EntryOf<'position_mismatch'>): LogLine {
  const codes = new Set<string>([...ours, ...broker].map(({ orderCode }) => orderCode));
  const rows = [...codes].map((code) => {
    const mine = ours.find(({ orderCode }) => orderCode === code)?.qty ?? 0;
    const theirs = broker.find(({ orderCode }) => orderCode === code)?.qty ?? 0;
    return `${code} ours ${formatSigned(mine)}, broker ${formatSigned(theirs)}`;
  });
  return logLine('MISMATCH', 'red', `positions differ: ${rows.join('; ')}`);
}

const MONEY_LINE = {
  agreed: ['agreed', 'green', 'our money of the day is the broker’s'],
  moved: ['cash', 'yellow', 'cash moved'],
  differs: ['MISMATCH', 'red', 'money differs'],
  accepted: ['accepted', 'yellow', 'the broker’s figures count, what they cost more is the operator’s'],
} as const;

function moneyLine({ verdict, figures }: EntryOf<'money_checked'>): LogLine {
  const [word, tone, text] = MONEY_LINE[verdict];
  const differing = figures.filter(({ ours, broker }) => ours !== broker);
  const rows = differing.map(formatCompared);
  return logLine(word, tone, rows.length === 0 ? text : `${text}: ${rows.join('; ')}`);
}

function gapLine({ instrument, missed }: EntryOf<'gap'>, naming: Naming): LogLine {
  const { code } = naming.contract(instrument);
  const what =
    missed >= 0 ? `${formatCount(missed, 'contract')} of trades missed` : 'the day’s volume went back';
  return logLine('gap', 'yellow', `${code}: ${what}`);
}

function haltLine({ halted, reason, strategy }: EntryOf<'halt'>): LogLine {
  const whose = strategy === null ? 'entries' : 'entries of this strategy';
  const until = strategy === null ? 'until you resume' : 'until you resume it';
  return halted
    ? logLine('HALTED', 'red', `${whose} are off ${until}: ${reason}`)
    : logLine('RESUMED', 'green', `${whose} are on again: ${reason}`);
}

function commandLine({ by, command }: EntryOf<'command'>, naming: Naming): LogLine {
  const what = `${command.name.replaceAll('_', ' ')}${commandTarget(command, naming)}`;
  return logLine('command', 'bold', `${what}, by ${by}${because(command.reason)}`);
}

function commandTarget(command: EntryOf<'command'>['command'], naming: Naming): string {
  switch (command.name) {
    case 'flatten':
      return ` ${command.strategy === null ? 'everything' : naming.strategy(command.strategy)}${command.inAuction === true ? ', into an auction too' : ''}`;
    case 'halt':
    case 'resume':
      return typeof command.strategy === 'number' ? ` ${naming.strategy(command.strategy)}` : '';
    case 'stop_strategy':
    case 'start_strategy':
      return ` ${naming.strategy(command.strategy)}`;
    case 'cancel_order':
      return ` ${shortOrderId(command.clientOrderId)}`;
    case 'resolve_order':
      return ` ${shortOrderId(command.clientOrderId)} as ${command.as}`;
    case 'cancel_all':
    case 'reload':
    case 'rollover':
    case 'stop':
      break;
  }
  return '';
}

/** A journal entry as one line for people: a word to scan for, and the rest. */
interface LogLine {
  readonly word: string;
  readonly tone: keyof Paint | 'plain';
  readonly text: string;
}

const logLine = (word: string, tone: LogLine['tone'], text: string): LogLine => ({ word, tone, text });

/** `: reason`, or nothing without one. */
const because = (reason: string): string => (reason === '' ? '' : `: ${reason}`);

const TRIGGER_WORDS = { at_or_above: 'rises to', at_or_below: 'falls to' } as const;

/** `, when the price falls to 1299.0`. */
function triggerText(trigger: Trigger | null, { points }: ContractNaming): string {
  switch (trigger?.kind) {
    case undefined:
      return '';
    case 'stop':
      return `, when the price ${TRIGGER_WORDS[trigger.triggerWhen]} ${points(trigger.triggerPrice)}`;
    case 'trailing_stop':
      return `, trailing by ${trigger.trailingOffset} ticks from ${points(trigger.activationPrice)} on`;
    case 'bracket':
      return `, stop-loss ${points(trigger.stopLossPrice)}, take-profit ${points(trigger.takeProfitPrice)}`;
    case 'arbitrage':
      return `, when our orders in ${trigger.legCode} fill`;
  }
}

function waitingLine(entry: EntryOf<'order_waiting'>, naming: Naming): LogLine {
  const { clientOrderId, parent, row } = entry;
  const { points } = naming.contract(row.orderCode);
  const trigger = row.triggerPrice === null ? '' : `, trigger ${points(row.triggerPrice)}`;
  const whose = parent === null ? '' : ` of ${shortOrderId(parent)}`;
  const what = `${row.kind.replace('_', ' ')}${whose}: ${row.side} ${row.qty} ${row.orderCode}${trigger}`;
  return logLine('waits', 'green', `${shortOrderId(clientOrderId)} conditional no. ${row.orderNo} ${what}`);
}

function placeLine({ order, isLost }: EntryOf<'place'>, naming: Naming): LogLine {
  const contract = naming.contract(order.instrument);
  const waits = triggerText(order.trigger, contract);
  const what = `${order.side} ${order.qty} ${contract.code} at ${contract.points(order.limitPrice)}${waits}`;
  const purpose = order.shrinks ? 'reduce' : order.purpose;
  return callLine('placed', `${shortOrderId(order.clientOrderId)} ${what} (${purpose})`, isLost);
}

function modifyLine({ modify, isLost }: EntryOf<'modify'>, naming: Naming): LogLine {
  const { code, points } = naming.contract(modify.orderCode);
  const to =
    modify.triggerPrice !== null
      ? `to the trigger ${points(modify.triggerPrice)}`
      : `to ${modify.qty} ${code} at ${points(modify.limitPrice)}`;
  return callLine('change', `${shortOrderId(modify.clientOrderId)} ${to}`, isLost);
}

function callLine(name: string, text: string, isLost: boolean): LogLine {
  if (!isLost) return logLine(name, 'cyan', text);
  return logLine(name, 'yellow', `${text}: the process was killed before it was sent`);
}

/** The order's status reports how a placement ended; a change or cancel may fail without a change of status. */
function outcomeLine({ clientOrderId, call, outcome }: EntryOf<'outcome'>): LogLine | null {
  if (call === 'place' || outcome.status === 'accepted') return null;
  const what = `${shortOrderId(clientOrderId)} ${call === 'modify' ? 'change' : 'cancel'}`;
  if (outcome.status === 'rejected')
    return logLine('refused', 'red', `${what} rejected by the broker: ${outcome.code} ${outcome.text}`);
  if (outcome.status === 'unknown')
    return logLine('unknown', 'yellow', `${what} has no answer: ${outcome.reason}; looked up in the book`);
  return logLine('not sent', 'yellow', `${what} was not sent: ${outcome.reason}`);
}

/** Another entry of the same moment shows these: the call itself, or the fill. */
const SHOWN_ALREADY: ReadonlySet<string> = new Set(['modify_sent', 'cancel_sent', 'part_filled']);

const CALL_FAILED: ReadonlySet<string> = new Set([
  'modify_rejected',
  'modify_not_sent',
  'modify_lost',
  'cancel_rejected',
  'cancel_not_sent',
  'cancel_lost',
]);

function statusLine(entry: EntryOf<'order_status'>): LogLine | null {
  const { event, to, detail } = entry;
  if (SHOWN_ALREADY.has(event)) return null;
  if (event === 'modify_confirmed')
    return logLine('changed', 'green', `${shortOrderId(entry.clientOrderId)} as asked`);
  const id = numbered(entry);
  if (CALL_FAILED.has(event)) {
    const call = event.startsWith('modify') ? 'change' : 'cancel';
    const text = `${id} is ${to.replaceAll('_', ' ')} again, the ${call} came to nothing${because(detail)}`;
    return logLine('remains', 'yellow', text);
  }
  const line = STATUS_LINES[to];
  return line === null ? null : logLine(line[0], line[1], line[2](id, entry));
}

type Status = EntryOf<'order_status'>['to'];
type StatusText = (id: string, entry: EntryOf<'order_status'>) => string;

const reasonText: StatusText = (id, { detail }) => `${id}${because(detail)}`;
const foundText: StatusText = (id, { event, detail }) => `${id}${howFound(event)}${because(detail)}`;

/** Null for a status that the call itself shows. */
const STATUS_LINES: Readonly<Record<Status, readonly [string, LogLine['tone'], StatusText] | null>> = {
  submitted: null,
  pending_modify: null,
  pending_cancel: null,
  accepted: ['accepted', 'green', foundText],
  pending_trigger: ['waits', 'green', (id, entry) => foundText(`${id} at the broker for its trigger`, entry)],
  triggering: [
    'triggers',
    'yellow',
    (id, entry) => reasonText(`${id} trigger reached, the broker is sending its order`, entry),
  ],
  triggered: ['triggered', 'green', (id, entry) => reasonText(`${id} the broker sent its order`, entry)],
  partially_filled: ['working', 'green', (id, entry) => foundText(`${id} partly filled`, entry)],
  filled: ['complete', 'green', (_, { clientOrderId }) => shortOrderId(clientOrderId)],
  canceled: ['canceled', 'plain', (_, entry) => reasonText(shortOrderId(entry.clientOrderId), entry)],
  rejected: ['rejected', 'red', (id, entry) => reasonText(`${id} by the broker`, entry)],
  denied: ['denied', 'yellow', reasonText],
  not_sent: ['not sent', 'yellow', foundText],
  // `tickwright orders resolve` needs the whole id.
  unknown: [
    'unknown',
    'yellow',
    (id, entry) => `${reasonText(`${id} (${entry.clientOrderId}) no answer`, entry)}; being looked up`,
  ],
  presumed_absent: [
    'absent',
    'red',
    (id, entry) => `${reasonText(`${id} (${entry.clientOrderId}) not in the book`, entry)}; still counted`,
  ],
  expired: ['expired', 'plain', (id, entry) => reasonText(`${id} with the day`, entry)],
  expired_unproven: [
    'unproven',
    'red',
    (id, entry) => reasonText(`${id} (${entry.clientOrderId}) the day ended before it was proven`, entry),
  ],
};

function howFound(event: string): string {
  if (event === 'seen_working') return ' (seen in the book)';
  return event.startsWith('resolved_') ? ' (resolved by the operator)' : '';
}

function fillLine(entry: EntryOf<'fill'>, naming: Naming): LogLine {
  const { code, average } = naming.contract(entry.instrument);
  const price = `${entry.quality === 'average' ? 'avg ' : ''}${average(entry.value, entry.qty)}`;
  const sure = entry.quality === 'estimated' ? ' (estimated)' : '';
  const what = `${entry.side} ${entry.qty} ${code} at ${price}${sure}`;
  const inAll = entry.cumQty === entry.qty ? '' : `, ${entry.cumQty} in all`;
  return logLine('filled', 'green', `${shortOrderId(entry.clientOrderId)} ${what}${inAll}`);
}

function correctionLine(entry: EntryOf<'fill_correction'>, naming: Naming): LogLine {
  const { code } = naming.contract(entry.instrument);
  const change = `value ${formatSigned(entry.value)}, tax ${formatSigned(entry.tax)}`;
  const now = `now ${formatNumber(entry.cumValue)} (${entry.quality})`;
  return logLine('corrected', 'plain', `${numbered(entry)} ${entry.side} ${code} ${change}, ${now}`);
}

function adoptedLine(entry: EntryOf<'order_adopted'>, naming: Naming): LogLine {
  const { clientOrderId, order, strategy, parent } = entry;
  const { points } = naming.contract(order.orderCode);
  const price = order.limitPrice === null ? 'without a price' : `at ${points(order.limitPrice)}`;
  const id = `${shortOrderId(clientOrderId)} no. ${order.orderNo}`;
  const what = `${id} ${order.side} ${order.qty} ${order.orderCode} ${price}, ${order.filledQty} filled`;
  if (parent !== undefined) return logLine('triggered', 'cyan', `${what}: sent by ${shortOrderId(parent)}`);
  const isOurs = strategy !== null && strategy !== OPERATOR_INDEX;
  const foreign = order.source === 'forced' ? 'placed by the broker to close' : 'not placed by us';
  const by = isOurs ? 'placed when no row could be written' : foreign;
  return logLine('adopted', 'yellow', `${what}: ${by}`);
}

const numbered = (entry: { readonly clientOrderId: string; readonly orderNo: string | null }): string =>
  shortOrderId(entry.clientOrderId) + (entry.orderNo === null ? '' : ` no. ${entry.orderNo}`);

function changeText({ from, to, heldQty, openOrders }: EntryOf<'strategy_changed'>): string {
  const keeps =
    heldQty === 0 && openOrders === 0
      ? ''
      : `; keeps position ${heldQty} and ${formatCount(openOrders, 'open order')}`;
  if (from === null) return `added; the strategy runs${keeps}`;
  const changes = [
    ...(from.params === to.params ? [] : [`parameters ${from.params} to ${to.params}`]),
    ...(from.code === to.code ? [] : [`code ${from.code} to ${to.code}`]),
    ...(from.run === to.run ? [] : ['started again']),
  ];
  return `${changes.join(', ')}; its memory is rebuilt from the prices of today${keeps}`;
}

// Names of strategies, contracts, prices and times in console lines.

interface ContractNaming {
  readonly code: string;
  /** Points as people write them, `1305.2`. */
  readonly points: (ticks: PriceTicks) => string;
  /** Average price in points of `qty` contracts worth `value` money. */
  readonly average: (value: number, qty: number) => string;
}

interface NamingFacts {
  readonly contracts: () => readonly Contract[];
  /** Null where it cannot be read any more: times are in UTC then, and contracts are codes. */
  readonly calendar: TradingCalendar | null;
  /** State directory; null for the default of the commands. */
  readonly stateDir?: string | null;
}

export type Naming = Readonly<ReturnType<typeof createNaming>>;

export function createNaming(
  names: Pick<StrategyNames, 'nameOf'>,
  { contracts, calendar, stateDir = null }: NamingFacts,
) {
  return {
    strategy: (index: StrategyIndex | null): string => (index === null ? 'system' : names.nameOf(index)),
    contract: (instrument: InstrumentIndex | OrderCode): ContractNaming => {
      const found = contracts().find(({ index, orderCode }) =>
        typeof instrument === 'number' ? index === instrument : orderCode === instrument,
      );
      return found === undefined ? unlisted(instrument) : listed(found);
    },
    /** Names the contracts in a text of that moment. */
    named: (text: string, at: TsUs): string =>
      calendar === null ? text : withAliases(text, calendar, tradingDayAt(calendar, at)),
    /** To the second: the journal has the microseconds. */
    time: (tsUs: TsUs): string => formatTime(tsUs, calendar?.utcOffsetMinutes ?? 0).slice(0, 8),
    /** A command line of the program with this daemon's state directory. */
    command: (text: string): string => `tickwright ${text}${stateDir === null ? '' : ` --state ${stateDir}`}`,
  };
}

const listed = ({ orderCode, spec }: Contract): ContractNaming => ({
  code: orderCode,
  points: (ticks) => formatPoints(spec, ticks),
  average: (value, qty) => (qty === 0 ? '-' : formatAverage(avgPoints(spec, value, qty))),
});

/** Prices stay ticks without the contract's terms. */
const unlisted = (instrument: InstrumentIndex | OrderCode): ContractNaming => ({
  code: typeof instrument === 'number' ? `contract ${instrument}` : instrument,
  points: (ticks) => `${ticks} ticks`,
  average: () => 'unknown price',
});

// A row of the journal as the page shows it.

interface JournalRowFacts {
  readonly id: number;
  readonly session: string;
  /** Null for the daemon itself. */
  readonly strategyName: string | null;
  readonly order: string | null;
  readonly entry: JournalEntry;
}

export function cockpitEntry(
  { id, session, strategyName, order, entry }: JournalRowFacts,
  naming: Naming,
): CockpitEntry {
  const line = lineOf(entry, naming);
  return {
    id: `${session}-${id}`,
    day: session,
    seq: id,
    atMs: toMs(entry.tsUs),
    kind: entry.kind,
    cause: entry.cause,
    order,
    strategy: strategyName ?? 'system',
    contract: contractOf(entry, naming),
    word: line?.word ?? entry.kind.replaceAll('_', ' '),
    tone: line?.tone ?? 'dim',
    text: line?.text ?? '',
  };
}

function contractOf(entry: JournalEntry, { contract }: Naming): string | null {
  if (entry.kind === 'policy_acted') return null;
  if (entry.kind === 'order_waiting') return entry.row.orderCode;
  if ('instrument' in entry) return contract(entry.instrument).code;
  if ('order' in entry) return entry.order.orderCode;
  if (entry.kind === 'modify') return entry.modify.orderCode;
  if (entry.kind === 'cancel') return entry.cancel.orderCode;
  const intent = entry.kind === 'proposal' && entry.proposal.do === 'submit' ? entry.proposal.intent : null;
  return intent === null ? null : contract(intent.instrument).code;
}
