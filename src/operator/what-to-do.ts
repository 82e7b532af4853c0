/** The next step of who reads an alert at three in the morning; only where there is one. */
type Advice = (command: (text: string) => string, order: string) => string;

const resolve: Advice = (command, order) =>
  `look at the broker’s own book. Not there: ${command(`orders resolve ${order} absent`)} --reason "…". ` +
  `There: ${command(`orders resolve ${order} live`)} --reason "…"`;

const WHAT_TO_DO: Readonly<Record<string, Advice>> = {
  order_presumed_absent: resolve,
  look_up_ambiguous: resolve,
  order_missing: (command) => `look at the broker’s own book; ${command('orders')} shows ours`,
  position_mismatch: (command) =>
    `compare with the broker’s own positions, then: ${command('resume')} --reason "…"`,
  position_adopted: (command) => `it belongs to the operator now; ${command('positions')} shows it`,
  order_adopted: () => 'it belongs to the operator now: it is watched and never changed',
  trigger_adopted: () => 'it belongs to the operator now: it is watched and never changed',
  trigger_refused: (command) => `nothing protects the position: ${command('positions')} shows it`,
  exits_missing: (command) => `nothing protects the position: ${command('positions')} shows it`,
  engine_lost: (command) =>
    `the named strategy is left out until the next start; ${command('journal')} tells what came before`,
};

/** Alerts about one order begin with its id. */
const ORDER = /^H\.\d+/;

/** What is to be typed, whole: `text` is the alert's own, `command` adds where the daemon keeps its state. */
export const whatToDo = (code: string, text: string, command: (text: string) => string): string | undefined =>
  WHAT_TO_DO[code]?.(command, ORDER.exec(text)?.[0] ?? '<order>');
