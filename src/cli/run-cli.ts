/** The command line as a function: arguments in, exit code out. */
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../app/host/package-version.ts';
import { NothingThere } from '../app/inspect/read-state.ts';
import { addBacktestCommand } from './research/backtest-command.ts';
import { addBrokerCommands } from './broker/broker-commands.ts';
import { type CliContext, CliFailure, type CliIo, EXIT, processIo } from './cli-io.ts';
import { addControlCommands } from './control/control-commands.ts';
import { addDataCommands } from './data/data-commands.ts';
import { addRecordCommand } from './data/data-record.ts';
import { addDoctorCommand, addInspectCommands } from './inspect/inspect-commands.ts';
import { addAgreeCommand, addReplayCommand } from './inspect/replay-commands.ts';
import { addRunCommands } from './run-commands.ts';
import { addSimulatorCommand } from './simulator-command.ts';
import { addStateCommands } from './inspect/state-commands.ts';
import { addSweepCommand } from './research/sweep-command.ts';

const AFTER_HELP = `
Exit codes:
  0  done
  1  failed
  2  wrong usage or configuration; nothing was started
  3  another Tickwright is running for this account
  4  nothing there: no journal, no data or no running daemon

Examples:
  tickwright paper --config config/paper.yaml
  tickwright orders --last 20
  tickwright halt --reason "lunch"
`;

export async function runCli(argv: readonly string[], io: CliIo = processIo): Promise<number> {
  let exitCode: number = EXIT.ok;
  const context: CliContext = {
    io,
    finish: (code) => {
      exitCode = code;
    },
  };
  try {
    await createProgram(context).parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return failureCode(error, io);
  }
}

function createProgram(context: CliContext): Command {
  const program = new Command('tickwright')
    // An option after a subcommand is its own: `orders` and `orders resolve` both have --state.
    .enablePositionalOptions()
    .description('An unattended, event-driven trading daemon for index futures.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.io.out(text), writeErr: (text) => context.io.err(text) })
    // Arguments stand in the help of each command; here they would leave no room for the descriptions.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', AFTER_HELP);
  addRunCommands(program, context);
  addSimulatorCommand(program, context);
  addInspectCommands(program, context);
  addControlCommands(program, addStateCommands(program, context), context);
  addBrokerCommands(program, context);
  addReplayCommand(program, context);
  addAgreeCommand(program, context);
  addRecordCommand(program, context);
  addDataCommands(program, context);
  addBacktestCommand(program, context);
  addSweepCommand(program, context);
  addDoctorCommand(program, context);
  return program;
}

function failureCode(error: unknown, io: CliIo): number {
  // Commander has already written its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CliFailure) {
    io.err(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof NothingThere) {
    io.err(`${error.message}\n`);
    return EXIT.nothingThere;
  }
  io.err(`failed: ${error instanceof Error ? textOf(error) : String(error)}\n`);
  return EXIT.failed;
}

/** A broken invariant is a bug of this program and needs its stack; other failures do not. */
const textOf = (error: Error): string =>
  error.message.startsWith('Invariant') || error.name !== 'Error'
    ? (error.stack ?? error.message)
    : error.message;
