/** `record`: writes the price stream to disk, without trading. */
import { formatNumber } from '../../text/numbers.ts';
import type { Command } from 'commander';
import type { Recorded } from '../../app/record/record-stream.ts';
import { durationMs, speedFactor } from '../argument-values.ts';
import { type CliContext, CliFailure, type CliIo, EXIT, printJson } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { keyed } from '../run-commands.ts';

interface RecordFlags {
  readonly config: string;
  readonly state?: string;
  readonly speed?: number;
  readonly duration?: number;
  readonly json?: boolean;
}

const AFTER_HELP = `
Keeps every frame exactly as received, with its time, in <state>/record/frames,
one file a trading day. A finished day becomes columns in <state>/record/data
(see tickwright data ls --dir) and is compressed. A paper configuration records
the embedded simulator. Only the log-in and the subscription are sent. Stop the
daemon of the same account first: the broker allows one connection a token.

Exit codes:
  0  done
  1  frames were lost
  2  wrong usage
  3  another Tickwright is running for this account

Examples:
  tickwright record --config config/live.yaml
  tickwright record --duration 30s --speed 60
`;

export function addRecordCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('record')
    .description('record every frame of the price stream, without trading')
    .option('--config <file>', 'configuration', 'config/paper.yaml')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--speed <n>', 'market seconds per real second, on paper', speedFactor)
    .option('--duration <span>', 'stop after this real time: 30s, 15m, 8h', durationMs)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async () => {
      const flags = command.opts<RecordFlags>();
      const recorded = await run(flags, io);
      if (flags.json === true) printJson(io, recorded);
      else io.out(summary(recorded));
      if (recorded.lost > 0) finish(EXIT.failed);
    });
}

async function run(flags: RecordFlags, io: CliIo): Promise<Recorded> {
  const config = keyed(readConfig(flags.config));
  const { AlreadyRunning, recordStream } = await import('../../app/record/record-stream.ts');
  try {
    return await recordStream({
      config,
      stateDir: flags.state ?? null,
      speed: flags.speed ?? null,
      durationMs: flags.duration ?? null,
      note: (text) => io.err(`${text}\n`),
    });
  } catch (error) {
    if (error instanceof AlreadyRunning) throw new CliFailure(EXIT.alreadyRunning, error.message);
    throw error;
  }
}

function summary({ frames, lost, path }: Recorded): string {
  const missing = lost === 0 ? '' : `; ${formatNumber(lost)} were LOST`;
  if (path === null) return `no frame received${missing}\n`;
  return `${formatNumber(frames)} frames recorded${missing}: ${path}\n`;
}
