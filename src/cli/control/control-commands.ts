/** Commands to the daemon that runs. Each asks for a reason, which is journaled with it. */
import { Argument, type Command } from 'commander';
import { reasonText } from '../argument-values.ts';
import { type CliContext, printJson } from '../cli-io.ts';
import { getStatus, sendCommand } from './control-client.ts';
import { formatTree } from '../format-tree.ts';
import { DEFAULT_STATE } from '../inspect/state-commands.ts';

interface ControlFlags {
  readonly state: string;
  readonly reason?: string;
  readonly strategy?: string;
  readonly json?: boolean;
}

interface Order {
  readonly name: string;
  readonly description: string;
  /** A command that changes what is traded needs to be explained. */
  readonly needsReason: boolean;
  readonly example: string;
}

const ORDERS: readonly Order[] = [
  {
    name: 'halt',
    description: 'no new entries until resume; exits and cancels go on',
    needsReason: true,
    example: 'tickwright halt --reason "news at noon"',
  },
  {
    name: 'resume',
    description: 'allow entries again, after halt or after a loss limit',
    needsReason: true,
    example: 'tickwright resume --reason "looked at the loss, it is understood"',
  },
  {
    name: 'cancel-all',
    description: 'cancel every working order of the account',
    needsReason: true,
    example: 'tickwright cancel-all --reason "wrong parameters"',
  },
  {
    name: 'rollover',
    description: 'read the contract list again and move to the new front month',
    needsReason: true,
    example: 'tickwright rollover --reason "contract list came late"',
  },
  {
    name: 'stop',
    description: 'end the daemon in order, as its configuration says',
    needsReason: true,
    example: 'tickwright stop --reason "maintenance"',
  },
  {
    name: 'reconnect',
    description: 'connect the price stream again after its attempts were used up',
    needsReason: false,
    example: 'tickwright reconnect',
  },
  {
    name: 'token',
    description: 'ask the broker for a new token now',
    needsReason: false,
    example: 'tickwright token',
  },
];

export function addControlCommands(program: Command, orders: Command, context: CliContext): void {
  addStatus(program, context);
  for (const { name, description, needsReason, example } of ORDERS) {
    const command = named(program.command(name).description(description), example);
    if (needsReason) withReason(command);
    command.action(async () => {
      const { state, reason } = command.opts<ControlFlags>();
      await tell(context, state, name, needsReason ? { reason } : {});
    });
  }
  addFlatten(program, context);
  addStopStrategy(program, context);
  addResolve(orders, context);
}

function addStatus(program: Command, { io }: CliContext): void {
  const command = named(
    program.command('status').description('what the daemon is doing now'),
    'tickwright status --json',
  )
    .option('--json', 'as JSON')
    .action(async () => {
      const { state, json } = command.opts<ControlFlags>();
      const status = await getStatus(state);
      if (json === true) printJson(io, status);
      else io.out(formatTree(status));
    });
}

function addFlatten(program: Command, context: CliContext): void {
  const command = withReason(
    named(
      program.command('flatten').description('cancel, then close the positions of one strategy or of all'),
      'tickwright flatten --strategy ema-front --reason "enough for today"',
    ),
  )
    .option('--strategy <id>', 'only this strategy; all when not given')
    .action(async () => {
      const { state, reason, strategy } = command.opts<ControlFlags>();
      await tell(context, state, 'flatten', { reason, ...(strategy === undefined ? {} : { strategy }) });
    });
}

function addStopStrategy(program: Command, context: CliContext): void {
  const command = withReason(
    named(
      program
        .command('stop-strategy')
        .description('stop one strategy; the others go on')
        .argument('<id>', 'its id in the configuration'),
      'tickwright stop-strategy spread --reason "next month is too thin"',
    ),
  ).action(async (strategy: string) => {
    const { state, reason } = command.opts<ControlFlags>();
    await tell(context, state, 'stop-strategy', { strategy, reason });
  });
}

function addResolve(orders: Command, context: CliContext): void {
  const command = withReason(
    named(
      orders
        .enablePositionalOptions()
        .command('resolve')
        .description('say what became of an order whose outcome nobody could find out')
        .argument('<id>', 'the order, as tickwright orders shows it')
        .addArgument(
          new Argument('<state>', 'absent: the broker never had it; live: it has it').choices([
            'absent',
            'live',
          ]),
        ),
      'tickwright orders resolve H.00000100001000042 absent --reason "broker says so on the phone"',
    ),
  ).action(async (clientOrderId: string, as: string) => {
    const { state, reason } = command.opts<ControlFlags>();
    await tell(context, state, 'resolve-order', { clientOrderId, as, reason });
  });
}

async function tell({ io }: CliContext, state: string, name: string, body: object): Promise<void> {
  io.out(`${await sendCommand(state, name, body)}\n`);
}

const withReason = (command: Command): Command =>
  command.requiredOption('--reason <text>', 'why; it is journaled', reasonText);

const named = (command: Command, example: string): Command =>
  command
    .option('--state <dir>', 'state directory of the daemon', DEFAULT_STATE)
    .addHelpText('after', `\nExample:\n  ${example}\n`);
