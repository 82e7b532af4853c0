/** What `replay` and `agree` share: a recorded session is named, looked at, shown, and judged. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { NothingThere, type SessionQuery } from '../../app/inspect/read-state.ts';
import { sessionDay } from '../argument-values.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { type CliContext, printJson } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';

interface SessionFlags {
  readonly config: string;
  readonly state?: string;
  readonly tape?: string;
  readonly json?: boolean;
}

export interface SessionLook<Found> {
  readonly name: string;
  readonly description: string;
  /** Behind `Exit code 1 when`. */
  readonly failsWhen: string;
  readonly look: (query: SessionQuery) => Promise<Found>;
  readonly shown: (found: Found) => string;
  readonly isGood: (found: Found) => boolean;
}

export function addSessionCommand<Found>(
  program: Command,
  context: CliContext,
  of: SessionLook<Found>,
): void {
  const command = program
    .command(of.name)
    .description(of.description)
    .argument('[session]', 'trading day; the latest when none is named', sessionDay)
    .option('--config <file>', 'configuration of that session', 'config/paper.yaml')
    .option('--tape <file>', 'the recorded day that it traded (paper --replay)')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'for machines')
    .addHelpText(
      'after',
      `\nExit code 1 when ${of.failsWhen}.\n\nExample:\n  tickwright ${of.name} 2026-03-04 --config config/paper.yaml\n`,
    );
  command.action(async (session: string | undefined) => {
    const flags = command.opts<SessionFlags>();
    const found = await looked(of.look, queryOf(session ?? null, flags));
    if (flags.json === true) printJson(context.io, found);
    else context.io.out(of.shown(found));
    if (!of.isGood(found)) context.finish(EXIT.failed);
  });
}

function queryOf(session: string | null, flags: SessionFlags): SessionQuery {
  const { config, tape = null, state = null } = flags;
  if (tape !== null && !existsSync(tape))
    throw new CliFailure(EXIT.usage, `--tape: expected a file that is there, was ${tape}`);
  return { config: readConfig(config), tape, stateDir: state, session };
}

async function looked<Found>(
  look: (query: SessionQuery) => Promise<Found>,
  query: SessionQuery,
): Promise<Found> {
  try {
    return await look(query);
  } catch (error) {
    if (error instanceof NothingThere) throw new CliFailure(EXIT.nothingThere, error.message);
    throw error;
  }
}
