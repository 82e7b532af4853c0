/** `tickwright simulator`: the simulated broker alone, for a client in any language. */
import { hasCode } from '../domain/failure.ts';
import type { Command } from 'commander';
import { Shutdown } from '../host/shutdown.ts';
import type {
  simulatorFaults,
  SimulatorRun,
  SimulatorRunOptions,
} from '../daemon/simulator/run-simulator.ts';
import { portNumber, speedFactor, wholeNumber, example } from './options.ts';
import { type CliContext, type CliIo, EXIT, jsonText, failed, needFile } from './cli-io.ts';
import { formatTable } from '../text/table.ts';

interface SimulatorFlags extends SimulatorRunOptions {
  readonly json?: boolean;
}

export function addSimulatorCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('simulator')
    .description('run the simulated broker alone: REST and price stream on one port of 127.0.0.1')
    .option('--port <n>', 'port; 0 takes any free one (8700)', portNumber)
    .option('--control-port <n>', 'port of the control API: faults, exact figures; 0 any', portNumber)
    .option('--config <file>', 'YAML file of the simulator')
    .option('--fresh', 'discard accounts, orders and positions of earlier runs')
    .option('--state <dir>', 'where accounts, orders and keys are kept (var/simulator)')
    .option('--json', 'print one line of JSON on stdout once it listens')
    .option('--speed <n>', 'market seconds per real second', speedFactor)
    .option('--seed <n>', 'seed of the synthetic market', wholeNumber)
    .option('--tape <file>', 'play a recorded day instead of the synthetic market')
    .addHelpText('after', example('tickwright simulator --port 8700 --json'))
    .action(async (flags: SimulatorFlags) => {
      const run = await started(flags);
      io.out(flags.json === true ? `${JSON.stringify(run.description)}\n` : block(run.description));
      const signal = await new Shutdown().wait();
      io.err(`${signal}: the simulator stops\n`);
      await run.close();
      finish(EXIT.ok);
    });
  addFaultsCommand(command, io);
}

/** Needs no running simulator. */
function addFaultsCommand(simulator: Command, io: CliIo): void {
  const faults = simulator
    .command('faults')
    .description('list the faults it can simulate, with their parameters')
    .option('--json', 'print JSON')
    .addHelpText('after', example('tickwright simulator faults'))
    .action(async () => {
      const { simulatorFaults } = await import('../daemon/simulator/run-simulator.ts');
      const known = simulatorFaults();
      // The parent command has a --json of its own and takes the flag first.
      io.out(
        faults.optsWithGlobals<{ readonly json?: boolean }>().json === true
          ? jsonText(known)
          : faultTable(known),
      );
    });
}

function faultTable(known: readonly ListedFault[]): string {
  const operations = known
    .map(({ parameters }) => parameters['operation'])
    .find((text) => text !== undefined);
  const table = formatTable(['fault', 'what happens', 'parameters'], known.flatMap(faultLines));
  // The long list of operations would widen every line of the table.
  return `${table}\n\noperation is ${operations ?? ''}; every one when it is left out\n`;
}

/** A line for each parameter; the first one names the fault. */
function faultLines({ name, effect, parameters }: ListedFault): readonly string[][] {
  const texts = Object.entries(parameters).map(([parameter, expected]) =>
    parameter === 'operation' ? 'operation: see below' : `${parameter}: ${expected}`,
  );
  const [first = '', ...rest] = texts;
  return [[name, effect, first], ...rest.map((text) => ['', '', text])];
}

type ListedFault = ReturnType<typeof simulatorFaults>[number];

async function started(flags: SimulatorFlags): Promise<SimulatorRun> {
  needFile('--config', flags.config);
  needFile('--tape', flags.tape);
  const { runSimulator } = await import('../daemon/simulator/run-simulator.ts');
  try {
    return await runSimulator(flags);
  } catch (error) {
    throw explained(error, flags);
  }
}

function explained(error: unknown, { port, controlPort }: SimulatorFlags): unknown {
  if (!hasCode(error, 'EADDRINUSE')) return error;
  const taken = 'port' in error ? String(error.port) : String(port ?? '');
  const flag = taken === String(controlPort) ? '--control-port' : '--port';
  return failed(
    `port ${taken} of 127.0.0.1 is taken: choose another with ${flag}, or ${flag} 0 for any free one`,
  );
}

function block(it: SimulatorRun['description']): string {
  return [
    'The simulated broker is running.',
    `  REST         ${it.rest}`,
    `  stream       ${it.stream}`,
    `  control      ${it.control}`,
    `               Authorization: Bearer ${it.controlToken}`,
    `  API key      ${it.apiKey}`,
    `  OTP          ${it.otp}`,
    `  custody      ${it.custodyCode}`,
    `  account      ${it.accountId}`,
    `  sub-account  ${it.subAccountId}`,
    `  front month  ${it.frontMonth}`,
    `  contracts    ${it.contracts.join(', ')}`,
    'Ctrl-C stops it; accounts and orders are kept for the next run.',
    '',
  ].join('\n');
}
