/** Around each call by hand: flags, configuration, address, token, and closing. */
import type { Command } from 'commander';
import { type ManualTrader, openBroker } from '../../app/manual/manual-trader.ts';
import { type CliContext, CliFailure, EXIT, readConfig } from '../cli-io.ts';

export interface BrokerFlags {
  readonly config: string;
  readonly state?: string;
  readonly json?: boolean;
}

export const brokerCommand = (parent: Command, name: string, description: string, example: string): Command =>
  parent
    .command(name)
    .description(description)
    .option('--config <file>', 'configuration', 'config/paper.yaml')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${example}\n`);

/** Opens the broker, runs, and closes it. */
export async function withBroker<T>(
  { config, state }: BrokerFlags,
  { io }: CliContext,
  run: (trader: ManualTrader) => Promise<T>,
): Promise<T> {
  const trader = openBroker(readConfig(config), state ?? null, (text) => io.err(`${text}\n`));
  if (trader === undefined) {
    throw new CliFailure(
      EXIT.nothingThere,
      'the embedded broker is not running: start the paper daemon with tickwright paper, then repeat',
    );
  }
  try {
    return await run(trader);
  } finally {
    await trader.close();
  }
}

/** Exits when no token can be had. */
export async function needToken(trader: ManualTrader): Promise<void> {
  const token = await trader.token('needed');
  if (!token.ok) throw new CliFailure(EXIT.failed, `no token: ${token.reason}`);
}
