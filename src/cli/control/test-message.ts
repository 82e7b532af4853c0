/** `test-message`: proves that each channel reaches its owner, before it is needed. */
import type { Command } from 'commander';
import { noChannel, testMessage, trialLines } from '../../daemon/operator-channels.ts';
import { type CliContext, EXIT, wrongUsage } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { stateOf, withState } from '../state-option.ts';
import { sendCommand } from './control-commands.ts';

interface TestFlags {
  readonly config?: string;
  readonly channel?: string;
  readonly state?: string;
}

/** The daemon gives each channel 30 s. */
const ANSWER_MS_MAX = 40_000;

export function addTestMessage(program: Command, context: CliContext): void {
  const command = withState(
    program
      .command('test-message')
      .description('send a test message through each channel of the running daemon, or of a configuration'),
  )
    .option('--channel <id>', 'this channel only (all)')
    .option('--config <file>', 'without a daemon: the channels of this file, with the secrets found here')
    .addHelpText(
      'after',
      '\nExample:\n  tickwright test-message\n  tickwright test-message --config config/live.yaml --channel phone\n',
    )
    .action(async () => {
      const { config, channel, ...flags } = command.opts<TestFlags>();
      if (config === undefined) {
        const body = channel === undefined ? {} : { channel };
        await sendCommand(context, stateOf(flags), 'test-message', body, ANSWER_MS_MAX);
        return;
      }
      const trials = await testMessage(readConfig(config), channel ?? null);
      if (trials.length === 0) throw wrongUsage(`${config}: ${noChannel(channel ?? null)}`);
      context.io.out(`${trialLines(trials)}\n`);
      if (trials.some(({ failure }) => failure !== null)) context.finish(EXIT.failed);
    });
}
