/** `data record`: the history of a feed as frame logs. */
import type { Command } from 'commander';
import { configuredFeed } from '../../host/cluster-access.ts';
import { formatNumber } from '../../text/numbers.ts';
import { type CliContext, failed, wrongUsage } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { example } from '../state-option.ts';

export function addDataRecord(data: Command, { io }: CliContext): void {
  data
    .command('record')
    .description('write all that a feed has as .frames files, one a day')
    .requiredOption('--config <file>', 'configuration with cluster.feed')
    .option('--out <dir>', 'folder for the files', 'frames')
    .addHelpText('after', example('tickwright data record --config config/reader.yaml --out frames'))
    .action(async ({ config: file, out }: Readonly<Record<'config' | 'out', string>>) => {
      const config = readConfig(file);
      const feed = configuredFeed(config);
      if (feed === undefined) throw wrongUsage(`${file}: expected cluster.feed, was missing`);
      const { recordFeed } = await import('../../cluster/feed-reader.ts');
      const days = await recordFeed(feed, out, config.exchangeCalendar.utcOffsetMinutes).catch(
        (error: Error) => {
          throw failed(error.message);
        },
      );
      for (const [day, frames] of days) io.out(`${out}/${day}.frames: ${framesText(frames)}\n`);
    });
}

const framesText = (frames: number | null): string =>
  frames === null
    ? 'left out, as the server no longer has the begin of the day'
    : `${formatNumber(frames)} frames`;
