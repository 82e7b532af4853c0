/** `orders`, `positions`, `pnl`, `journal`: what the journal says, also while the daemon runs. */
import { type Command, InvalidArgumentError } from 'commander';
import {
  type JournalRow,
  journalView,
  NothingThere,
  ordersView,
  pnlView,
  positionsView,
  type StateQuery,
  type StateView,
} from '../../app/inspect/read-state.ts';
import { countAboveZero, sessionDay } from '../argument-values.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { type CliContext, printJson } from '../cli-io.ts';
import { journalTable, ordersTable, pnlTable, positionsTable } from './state-tables.ts';

interface StateFlags {
  readonly state: string;
  readonly session?: string;
  readonly strategy?: string;
  readonly last?: number;
  readonly json?: boolean;
  readonly kind?: readonly string[];
}

export const DEFAULT_STATE = 'var/paper';

interface Look<Row> {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly view: (query: StateQuery, flags: StateFlags) => StateView<Row>;
  readonly table: (view: StateView<Row>, query: StateQuery, flags: StateFlags) => string;
  /** Rows that are shown when nothing is said. */
  readonly lastByDefault: number | null;
}

/** Adds the commands and returns `orders`, which has a command of its own below it. */
export function addStateCommands(program: Command, context: CliContext): Command {
  const orders = addLook(program, context, {
    name: 'orders',
    description: 'the orders of a session, each with what became of it',
    example: 'tickwright orders --strategy ema-front --last 20',
    view: ordersView,
    table: ordersTable,
    lastByDefault: 50,
  });
  addLook(program, context, {
    name: 'positions',
    description: 'what each strategy holds',
    example: 'tickwright positions --json',
    view: positionsView,
    table: positionsTable,
    lastByDefault: null,
  });
  addLook(program, context, {
    name: 'pnl',
    description: 'profit and loss of each strategy, with fees and tax',
    example: 'tickwright pnl --session 2026-03-04 --state var/replay-2026-03-04',
    view: pnlView,
    table: pnlTable,
    lastByDefault: null,
  });
  addLook(program, context, {
    name: 'journal',
    description: 'the facts as they were written, newest at the end',
    example: 'tickwright journal --kind alert --kind denied --last 100',
    view: (query, { kind }) => journalView(query, kind === undefined ? null : kind),
    table: journalShown,
    lastByDefault: 50,
  }).option('--kind <kind>', 'only facts of this kind; may be said again', collected);
  return orders;
}

const KIND = /^[a-z_]+$/;

function collected(text: string, before: readonly string[] | undefined): readonly string[] {
  if (!KIND.test(text))
    throw new InvalidArgumentError(`expected a kind like alert or order_status, was ${JSON.stringify(text)}`);
  return [...(before ?? []), text];
}

function addLook<Row>(program: Command, { io }: CliContext, look: Look<Row>): Command {
  const command = program.command(look.name).description(look.description);
  return command
    .option('--session <day>', 'trading day; the latest one when not given', sessionDay)
    .option('--strategy <id>', 'only this strategy')
    .option(
      '--last <n>',
      `the newest so many rows${look.lastByDefault === null ? '' : ` (${look.lastByDefault})`}`,
      countAboveZero,
    )
    .option('--state <dir>', 'state directory of the daemon', DEFAULT_STATE)
    .option('--json', 'as JSON, with whole numbers of money and microseconds')
    .addHelpText('after', `\nExample:\n  ${look.example}\n`)
    .action(() => {
      const flags = command.opts<StateFlags>();
      const query = queryOf(look.lastByDefault, flags);
      const view = looked(() => look.view(query, flags));
      if (flags.json === true) printJson(io, view);
      else io.out(look.table(view, query, flags));
    });
}

const queryOf = (lastByDefault: number | null, flags: StateFlags): StateQuery => ({
  stateDir: flags.state,
  session: flags.session ?? null,
  strategy: flags.strategy ?? null,
  last: flags.last ?? lastByDefault,
});

function looked<View>(look: () => View): View {
  try {
    return look();
  } catch (error) {
    if (error instanceof NothingThere) throw new CliFailure(EXIT.nothingThere, error.message);
    throw error;
  }
}

/** Nothing of a kind may be good news, or a slip of the pen: the kinds that were written tell. */
function journalShown(view: StateView<JournalRow>, query: StateQuery, { kind }: StateFlags): string {
  if (view.rows.length > 0 || kind === undefined) return journalTable(view);
  const { rows } = journalView({ ...query, last: null }, null);
  const written = [...new Set(rows.map((row) => row.kind))].toSorted().join(', ');
  return `${journalTable(view)}no ${kind.join(' and no ')} in it; its kinds are ${written}\n`;
}
