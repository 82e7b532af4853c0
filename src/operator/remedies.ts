/** The operator's next step after an alert, by its code. */

/** `order` is the order's id, `command` adds the daemon's state directory. */
type Remedy = (command: (text: string) => string, order: string) => string;

const resolve: Remedy = (command, order) =>
  `look at the broker’s own book. Not there: ${command(`orders resolve ${order} absent`)} --reason "…". ` +
  `There: ${command(`orders resolve ${order} live`)} --reason "…"`;

const protect: Remedy = (command) => `nothing protects the position: ${command('positions')} shows it`;
const foreignOrder: Remedy = () => 'it belongs to the operator now: it is watched and never changed';

const renew: Remedy = (command) =>
  `add the new year’s days without a session to the file that calendar.closures of the market file names, then: ${command('reload')} --reason "…"`;

const REMEDIES: Readonly<Record<string, Remedy>> = {
  order_presumed_absent: resolve,
  look_up_ambiguous: resolve,
  status_contradicts: resolve,
  row_contradicts: resolve,
  order_held: (command) =>
    `look at the broker’s own list of conditional orders: it says which stop sent it. Entries go on once that list can be read ` +
    `(is it enabled for this account?); ${command('orders')} shows our stops`,
  order_missing: (command) => `look at the broker’s own book; ${command('orders')} shows ours`,
  money_mismatch: (command) =>
    `compare costs in the market file with the broker’s tariff, and transfers with its statement, then: ${command('resume')} --reason "…"`,
  position_mismatch: (command) =>
    `compare with the broker’s own positions, then: ${command('resume')} --reason "…"`,
  position_adopted: (command) => `it belongs to the operator now; ${command('positions')} shows it`,
  position_closed: (command) => `its stops are withdrawn; ${command('positions')} shows what is left of it`,
  order_adopted: foreignOrder,
  trigger_adopted: foreignOrder,
  second_daemon: (command) =>
    `look for the other daemon (an old server, a restored or copied machine) and stop it; is there none, compare ${command('orders')} and ` +
    `${command('positions')} with the broker’s own. Then: ${command('resume')} --reason "…"`,
  trigger_refused: protect,
  exits_missing: protect,
  journal_failed: (command) =>
    `make room on the disk of the state directory, or mend it, then: ${command('resume')} --reason "…"`,
  journal_damaged: (command) =>
    `${command('journal verify')} names the rows; compare ${command('orders')} and ${command('positions')} with the broker’s own, and find out what ` +
    'has changed the file: a bad disk, or a person. The last good copy is in its folder backups',
  simulator_ended: (command) =>
    `stop this program, remove the cause and start again: the paper account goes on as the disk has it. Then: ${command('resume')} --reason "…"`,
  entries_halted: (command) => `look at the reason, then: ${command('resume')} --reason "…"`,
  halt_unproven: () => 'look at the broker’s own book, and cancel there what can enlarge a position',
  strategy_fault: (command) => `mend it, then: ${command('reload')} --reason "…"`,
  token_expired: (command) => `${command('token')} asks for a one-time password`,
  token_rejected: (command) => `${command('token')} asks for a one-time password`,
  engine_gone: () =>
    'look at orders and positions in the broker’s own program; restart the daemon when the cause is found',
  process_died: (command) =>
    `look at the lines before its last starts; mend the strategy, then: ${command('reload')}, or ${command('start-strategy …')} --reason "…"`,
  no_room: () => 'make room on the disk of the state directory',
  calendar_ends: renew,
  calendar_ended: renew,
  emergency_record: (command) =>
    `compare ${command('orders')} with the broker’s own book, then: ${command('resume')} --reason "…"`,
  strategy_halted: (command) => `look at the reason, then: ${command('resume')} --strategy … --reason "…"`,
  engine_lost: (command) =>
    `the named strategy is left out until the next start; ${command('journal')} shows the entries before`,
};

/** An alert about one order begins with its id. */
const ORDER = /^H\.\w+/;

/** Empty where nothing has to be done, or the alert says it itself. */
export const remedyOf = (code: string, text: string, command: (text: string) => string): string =>
  REMEDIES[code]?.(command, ORDER.exec(text)?.[0] ?? '<order>') ?? '';
