/** `replay`: a session of the journal, decided again. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { NothingThere } from '../app/read-state.ts';
import type { SessionReplay } from '../app/replay-session.ts';
import { sessionDay } from './argument-values.ts';
import { CliFailure, EXIT } from './cli-failure.ts';
import { type CliContext, printJson } from './cli-io.ts';
import { readConfig } from './read-config.ts';

interface ReplayFlags {
  readonly config: string;
  readonly state?: string;
  readonly tape?: string;
  readonly json?: boolean;
}

export function addReplayCommand(program: Command, context: CliContext): void {
  const command = program
    .command('replay')
    .description(
      'drive a recorded session through the engine again and compare every decision with the journal',
    )
    .argument('[session]', 'trading day; the latest when none is named', sessionDay)
    .option('--config <file>', 'configuration of that session', 'config/paper.yaml')
    .option('--tape <file>', 'the recorded day that it traded (paper --replay)')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'for machines')
    .addHelpText(
      'after',
      '\nExit code 1 when a decision differs.\n\nExample:\n  tickwright replay 2026-03-04 --config config/paper.yaml\n',
    );
  command.action(async (session: string | undefined) => {
    const flags = command.opts<ReplayFlags>();
    const found = await replayed(session ?? null, flags);
    if (flags.json === true) printJson(context.io, found);
    else context.io.out(shown(found));
    if (found.difference !== null) context.finish(EXIT.failed);
  });
}

async function replayed(session: string | null, flags: ReplayFlags): Promise<SessionReplay> {
  const { config: file, tape = null, state = null } = flags;
  if (tape !== null && !existsSync(tape))
    throw new CliFailure(EXIT.usage, `--tape: expected a file that is there, was ${tape}`);
  const config = readConfig(file);
  const { replayStored } = await import('../app/replay-session.ts');
  try {
    return replayStored({ config, tape, stateDir: state, session });
  } catch (error) {
    if (error instanceof NothingThere) throw new CliFailure(EXIT.nothingThere, error.message);
    throw error;
  }
}

function shown({
  session,
  events,
  starts,
  facts,
  journalHash,
  replayHash,
  difference,
}: SessionReplay): string {
  const head = `session ${session}: ${events} events, ${starts} ${starts === 1 ? 'start' : 'starts'}, ${facts} facts compared\n`;
  if (difference === null) return `${head}journal and replay agree: ${journalHash}\n`;
  const killed =
    starts === 1
      ? ''
      : 'A start after a kill leaves out what was decided and never written: such a difference is expected.\n';
  return `${head}journal ${journalHash}
replay  ${replayHash}
first difference at event ${difference.seq}
  journal  ${difference.journal ?? '(nothing)'}
  replay   ${difference.replay ?? '(nothing)'}
${killed}`;
}
