/** `test-message`: proves that each channel reaches its owner, before it is needed. */
import type { Command } from 'commander';
import { noChannel, testMessage, trialLines } from '../../daemon/alerting.ts';
import { type CliContext, EXIT, wrongUsage } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { example, stateCommand, stateOf } from '../state-option.ts';
import { sendCommand } from './control-commands.ts';

interface TestFlags {
  readonly config?: string;
  readonly channel?: string;
  readonly state?: string;
}

/** The daemon gives each channel 30 s. */
const ANSWER_MS_MAX = 40_000;

export function addTestMessage(program: Command, context: CliContext): void {
  stateCommand(
    program,
    'test-message',
    'send a test message through each channel of the running daemon, or of a configuration',
    example('tickwright test-message\n  tickwright test-message --config config/live.yaml --channel phone'),
  )
    .option('--channel <id>', 'this channel only (all)')
    .option('--config <file>', 'without a daemon: the channels of this file, with the secrets found here')
    .action(async ({ config, channel, ...flags }: TestFlags) => {
      if (config === undefined) {
        await sendCommand(context, stateOf(flags), 'test-message', { channel }, ANSWER_MS_MAX);
        return;
      }
      const trials = await testMessage(readConfig(config), channel ?? null);
      if (trials.length === 0) throw wrongUsage(`${config}: ${noChannel(channel ?? null)}`);
      context.io.out(`${trialLines(trials)}\n`);
      if (trials.some(({ failure }) => failure !== null)) context.finish(EXIT.failed);
    });
}
