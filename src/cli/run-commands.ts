/** `paper`, `live`, `dry-run`: the daemon itself. */
import type { Command } from 'commander';
import type { Config, Mode } from '../config/config.ts';
import { type CliContext, needFile, wrongUsage } from './cli-io.ts';
import { valid } from './read-config.ts';
import { loadRunConfig } from '../host/run-plan.ts';
import { formatProblem } from '../config/problem.ts';
import { durationMs, example, speedFactor } from './options.ts';

interface RunFlags {
  readonly config: string;
  readonly replay?: string;
  readonly speed?: number;
  readonly state?: string;
  readonly fresh?: boolean;
  readonly duration?: number;
  readonly jsonLogs?: boolean;
}

const PAPER_CONFIG = 'config/paper.yaml';

export function addRunCommands(program: Command, context: CliContext): void {
  const paper = program
    .command('paper')
    .description('trade on the embedded simulated broker: no account, no key, no network')
    .option('--config <file>', 'configuration', PAPER_CONFIG)
    .option('--replay <tape>', 'trade a recorded day (.csv or .csv.gz), not the synthetic market')
    .option('--speed <n>', 'market seconds per real second', speedFactor)
    .option('--fresh', 'discard the paper account, its journal and its token first');
  finishRun(
    paper,
    'paper',
    context,
    'tickwright paper --replay data/sample/2026-06-03_vn30f2606.csv.gz --speed 60',
  );
  const live = program
    .command('live')
    .description('trade real money: needs live.arm: true and TICKWRIGHT_ARM=yes')
    .requiredOption('--config <file>', 'configuration');
  finishRun(live, 'live', context, 'TICKWRIGHT_ARM=yes tickwright live --config config/live.yaml');
  const dryRun = program
    .command('dry-run')
    .description('do everything that live does except sending: orders are only journaled')
    .requiredOption('--config <file>', 'configuration');
  finishRun(dryRun, 'dry-run', context, 'tickwright dry-run --config config/live.yaml');
}

function finishRun(command: Command, mode: Mode, context: CliContext, shown: string): void {
  command
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--duration <span>', 'stop after this real time: 30s, 15m, 8h', durationMs)
    .option('--json-logs', 'log one JSON object per line instead of text')
    .addHelpText('after', example(shown))
    .action(async (flags: RunFlags) => {
      const config = await configFor(mode, flags.config);
      const { replay = null } = flags;
      needFile('--replay', replay);
      // Modules and the simulated broker take seconds on a slow machine.
      if (context.io.isTerminal === true) context.io.err(`Starting ${mode} with ${flags.config}\n`);
      const { runDaemon } = await import('../daemon/program/run-daemon.ts');
      const code = await runDaemon({
        config,
        fresh: flags.fresh ?? false,
        replay,
        speed: flags.speed ?? null,
        stateDir: flags.state ?? null,
        durationMs: flags.duration ?? null,
        jsonLogs: flags.jsonLogs ?? config.operator.log === 'json',
      });
      context.finish(code);
    });
}

/** The command and the file must agree on the mode; `dry-run` also takes a file for live. */
async function configFor(mode: Mode, file: string): Promise<Config> {
  const loaded = await loadRunConfig(file);
  if (!loaded.ok && loaded.reach !== undefined) {
    const { alertNoStart } = await import('../daemon/program/run-daemon.ts');
    await alertNoStart(loaded.reach, loaded.problems.map(formatProblem).join('\n'));
  }
  const { config } = valid(loaded);
  if (config.mode === mode || (mode === 'dry-run' && config.mode === 'live')) return { ...config, mode };
  throw wrongUsage(
    `${file}: expected mode: ${mode} for tickwright ${mode}, was mode: ${config.mode} ` +
      `(use tickwright ${config.mode}, or another file)`,
  );
}
