/** `replay`: a session of the journal, decided again. */
import type { Command } from 'commander';
import type { SessionReplay } from '../../app/inspect/replay-session.ts';
import type { CliContext } from '../cli-io.ts';
import { addSessionCommand } from './session-command.ts';

export function addReplayCommand(program: Command, context: CliContext): void {
  addSessionCommand<SessionReplay>(program, context, {
    name: 'replay',
    description:
      'drive a recorded session through the engine again and compare every decision with the journal',
    failsWhen: 'a decision differs',
    look: async (query) => (await import('../../app/inspect/replay-session.ts')).replayStored(query),
    shown,
    isGood: ({ difference }) => difference === null,
  });
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
