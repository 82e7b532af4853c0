/** The command line as a function: arguments in, exit code out. */
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../host/program-files.ts';
import { failureText, hasCode, InputFault, JournalFormatError, NotFoundError } from '../domain/failure.ts';
import { type CliContext, CliFailure, type CliIo, EXIT, processIo } from './cli-io.ts';

const AFTER_HELP = `
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration; nothing was started
  3  another Tickwright is running for this account
  4  nothing there: no journal, no data or no running daemon
  5  stopped by a person, where TICKWRIGHT_STOP_EXIT asks for this code

Examples:
  tickwright paper --config config/paper.yaml
  tickwright orders --last 20
  tickwright halt --reason "lunch"
`;

/** Commands that are loaded together: an operator in a hurry does not wait for the modules of the others. */
interface CommandPart {
  readonly commands: readonly string[];
  readonly load: () => Promise<(program: Command, context: CliContext) => void>;
}

async function loadStateCommands(): ReturnType<CommandPart['load']> {
  const { addStateCommands } = await import('./inspect/state-commands.ts');
  const { addOrderCommands } = await import('./control/control-commands.ts');
  return (program, context) => addOrderCommands(addStateCommands(program, context), context);
}

const part = (commands: string, load: CommandPart['load']): CommandPart => ({
  commands: commands.split(' '),
  load,
});

export const PARTS: readonly CommandPart[] = [
  part('init', async () => (await import('./init/init-command.ts')).addInitCommand),
  part('new-strategy', async () => (await import('./init/new-strategy-command.ts')).addNewStrategyCommand),
  part('paper live dry-run', async () => (await import('./run-commands.ts')).addRunCommands),
  part('simulator', async () => (await import('./simulator-command.ts')).addSimulatorCommand),
  part(
    'calendar check strategies doctor',
    async () => (await import('./inspect/inspect-commands.ts')).addInspectCommands,
  ),
  part('orders positions pnl journal', loadStateCommands),
  part(
    'status otp halt resume cancel-all rollover stop reconnect token seen stop-strategy start-strategy flatten reload open test-message',
    async () => (await import('./control/control-commands.ts')).addControlCommands,
  ),
  part('broker', async () => (await import('./broker/broker-commands.ts')).addBrokerCommands),
  part('replay agree', async () => (await import('./inspect/replay-commands.ts')).addReplayCommands),
  part('data', async () => (await import('./data/data-commands.ts')).addDataCommands),
  part('backtest', async () => (await import('./research/backtest-command.ts')).addBacktestCommand),
  part('worker sweep', async () => (await import('./research/sweep-command.ts')).addSweepCommands),
];

export async function runCli(argv: readonly string[], io: CliIo = processIo): Promise<number> {
  let exitCode: number = EXIT.ok;
  const context: CliContext = {
    io,
    finish: (code) => {
      exitCode = code;
    },
  };
  try {
    const program = await createProgram(argv, context);
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return failureCode(error, io);
  }
}

async function createProgram(argv: readonly string[], context: CliContext): Promise<Command> {
  const program = new Command('tickwright')
    // An option after a subcommand is its own: `orders` and `orders resolve` both have --state.
    .enablePositionalOptions()
    .description('An unattended, event-driven trading daemon for index futures.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.io.out(text), writeErr: (text) => context.io.err(text) })
    // Arguments are in the help of each command; here they would leave no room for the descriptions.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', AFTER_HELP);
  const part = PARTS.find(({ commands }) => commands.includes(argv[0] ?? ''));
  const isVersion = argv[0] === '--version' || argv[0] === '-V';
  const parts = part === undefined ? PARTS : [part];
  for (const { load } of isVersion ? [] : parts) (await load())(program, context);
  return program;
}

function failureCode(error: unknown, io: CliIo): number {
  // Commander has already written its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CliFailure) {
    io.err(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof NotFoundError || error instanceof JournalFormatError) {
    io.err(`${error.message}\n`);
    return error instanceof JournalFormatError ? EXIT.usage : EXIT.nothingThere;
  }
  if (error instanceof InputFault) {
    io.err(`${error.message}\n`);
    return error.of === 'arguments' ? EXIT.usage : EXIT.failed;
  }
  io.err(`failed: ${failureText(error)}\n`);
  return hasCode(error, 'ENOTDIR') ? EXIT.usage : EXIT.failed;
}
