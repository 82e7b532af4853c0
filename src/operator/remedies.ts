/** The operator's next step after an alert, by its code. */
import type { EntryOf } from '../engine/ports/journal-entry.ts';

/** `order` is the order's id, `command` adds the daemon's state directory. */
type Remedy = (command: (text: string) => string, order: string) => string;

const resolve: Remedy = (command, order) =>
  `check the broker’s own book. If it lacks the order: ${command(`orders resolve ${order} absent`)} --reason "…". ` +
  `If it has it: ${command(`orders resolve ${order} live`)} --reason "…"`;

const protect: Remedy = (command) =>
  `${command('positions')} shows what is held. Unless another stop takes its place, place one in the broker’s own program, or close: ` +
  `${command('flatten')} --strategy … --reason "…"`;
const closeByHand: Remedy = (command) =>
  `${command('positions')} shows what is held; what cannot wait is closed in the broker’s own program`;
const makeRoom: Remedy = (command) =>
  `make room on the disk of the state directory, or repair it, then: ${command('resume')} --reason "…"`;
const readReason: Remedy = (command) => `check the reason, then: ${command('resume')} --reason "…"`;
const foreignOrder: Remedy = () =>
  'it belongs to the operator now: the daemon watches it and never changes it';
const limitReached =
  (key: string): Remedy =>
  (command) =>
    `${key} of the configuration is reached: find the cause, then: ${command('resume')} --reason "…"`;
const newToken: Remedy = (command) => `${command('token')} asks for a one-time password`;

const renew: Remedy = (command) =>
  `add the new year’s days without a session to the file that calendar.closures of the market file names, then: ${command('reload')} --reason "…"`;

/** By code. */
export const REMEDIES: Readonly<Record<string, Remedy>> = {
  order_presumed_absent: resolve,
  look_up_ambiguous: resolve,
  status_contradicts: resolve,
  row_contradicts: resolve,
  order_held: (command) =>
    `check the broker’s own list of conditional orders: it says which stop sent the order. Entries go on once the daemon can read that list ` +
    `(is it enabled for this account?); ${command('orders')} shows our stops`,
  failure_policy: (command) =>
    `${command('positions')} and ${command('orders')} show what is held and what works: a stop that a gap jumped over rests as a limit order ` +
    `that does not fill. If the daemon does not close it: ${command('flatten')} --strategy … --reason "…"`,
  order_missing: (command) => `check the broker’s own book; ${command('orders')} shows ours`,
  money_mismatch: (command) =>
    `compare costs in the market file with the broker’s tariff, and transfers with its statement, then: ${command('resume')} --reason "…"`,
  position_mismatch: (command) =>
    `resolve unknown and missing orders first, compare with the broker’s own positions, then: ${command('resume')} --reason "…"`,
  position_unsettled: (command) =>
    `${command('orders resolve')} the order that it names, or wait for prices; then: ${command('resume')} --reason "…"`,
  position_adopted: (command) => `it belongs to the operator now; ${command('positions')} shows it`,
  position_closed: (command) => `its stops are withdrawn; ${command('positions')} shows what is left of it`,
  order_adopted: foreignOrder,
  trigger_adopted: foreignOrder,
  second_daemon: (command) =>
    `stop the other daemon (an old server, a restored or copied machine). If there is none, compare ${command('orders')} and ` +
    `${command('positions')} with the broker’s own. Then: ${command('resume')} --reason "…"`,
  trigger_refused: protect,
  exits_missing: protect,
  journal_failed: makeRoom,
  sent_on_emergency: makeRoom,
  exit_not_sent: closeByHand,
  flatten_dropped: closeByHand,
  flatten_queued: closeByHand,
  flatten_waits: closeByHand,
  held_overnight: closeByHand,
  loss_unmeasured: closeByHand,
  held_outside_symbols: (command) => `if you do not want it: ${command('flatten')} --strategy … --reason "…"`,
  locked_limit: closeByHand,
  stop_leaves: closeByHand,
  stream_paused: (command) => command('reconnect'),
  prices_stale: (command) =>
    `if prices move in the broker’s own program: ${command('reconnect')}. On a feed: look at the daemon that publishes it`,
  clock_step: () => 'set the clock of the machine right, best by NTP, or restart the daemon to take its time',
  frames_missing: (command) =>
    `put the day’s file back into frames and start again; or look at ${command('positions')}, then: ${command('start-strategy …')} --reason "…"`,
  frames_dropped: (command) => `the strategy that is slow: ${command('stop-strategy …')} --reason "…"`,
  strategy_stopped: (command) => `once its cause is fixed: ${command('start-strategy …')} --reason "…"`,
  journal_damaged: (command) =>
    `${command('journal verify')} names the rows; compare ${command('orders')} and ${command('positions')} with the broker’s own, and find out what ` +
    'has changed the file: a bad disk, or a person. The last good copy is in its folder backups',
  simulator_ended: (command) =>
    `stop this program, remove the cause and start again: the paper account goes on as the disk has it. Then: ${command('resume')} --reason "…"`,
  drawdown: limitReached('risk.drawdownMax'),
  message_rate: limitReached('risk.messagesPerMinuteMax'),
  rejections: limitReached('risk.rejectionsPerMinuteMax'),
  entries_halted: readReason,
  halted: readReason,
  flatten_failed: (command) =>
    `close the rest in the broker’s own program, or try again: ${command('flatten')} --reason "…"`,
  orphan_position: (command) =>
    `${command('positions')} shows it. Start its strategy again, or: ${command('flatten')} --strategy … --reason "…"`,
  halt_unproven: () => 'check the broker’s own book, and cancel there what can enlarge a position',
  replay_diverged: (command) =>
    `prices of the day are missing (frames_damaged says so), or its code has changed: look at ${command('positions')}, then: ${command('start-strategy …')} --reason "…"`,
  strategy_fault: (command) => `fix the strategy, then: ${command('reload')} --reason "…"`,
  token_expired: newToken,
  token_rejected: newToken,
  token_refresh_failed: newToken,
  engine_gone: () =>
    'check orders and positions in the broker’s own program; restart the daemon when you know the cause',
  process_died: (command) =>
    `read the log before its last starts; fix the strategy, then: ${command('reload')} --reason "…", or ${command('start-strategy …')} --reason "…"`,
  program_waits: (command) => `${command('stop')} --reason "…", then start it again`,
  terms_changed: (command) =>
    `put tick and pointValue of the market file back, then: ${command('stop')} --reason "…", and start it again; the next day takes others`,
  no_room: () =>
    'make room on the disk of the state directory, mount it for writing, or end the program that holds the journal; the session opens by itself then',
  calendar_ends: renew,
  calendar_ended: renew,
  emergency_record: (command) =>
    `compare ${command('orders')} with the broker’s own book, then: ${command('resume')} --reason "…"`,
  strategy_halted: (command) => `check the reason, then: ${command('resume')} --strategy … --reason "…"`,
  engine_lost: (command) =>
    `${command('journal')} shows the entries before; a strategy that is named starts again, once fixed, by ${command('start-strategy …')} --reason "…"`,
};

/** An alert about one order has its id. */
const ORDER = /\bH\.\w+/;

/** Of a critical alert without a row: our books and the broker’s contradict each other, or nobody foresaw it. */
const COMPARE: Remedy = (command) =>
  `compare ${command('orders')} and ${command('positions')} with the broker’s own program; ${command('journal')} shows what led to it; ` +
  `in doubt: ${command('halt')} --reason "…"`;

/** Never empty for a critical alert, always for an `info`: that is for the record. */
export function remedyOf(
  { code, text, severity }: Pick<EntryOf<'alert'>, 'code' | 'text' | 'severity'>,
  command: (text: string) => string,
): string {
  if (severity === 'info') return '';
  const remedy = REMEDIES[code] ?? (severity === 'critical' ? COMPARE : undefined);
  return remedy?.(command, ORDER.exec(text)?.[0] ?? '<order>') ?? '';
}
