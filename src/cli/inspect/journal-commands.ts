/** `journal verify`: proves that the journal is whole. */
import type { Command } from 'commander';
import { verifyJournal } from '../../app/inspect/read-state.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatRows } from '../../text/table.ts';
import { type CliContext, EXIT, printJson } from '../cli-io.ts';
import { stateOf, withState } from '../state-option.ts';

interface VerifyFlags {
  readonly state?: string;
  readonly json?: boolean;
}

/** Adds the subcommands of `journal`. */
export function addJournalCommands(journal: Command, { io, finish }: CliContext): void {
  const verify = withState(
    journal.command('verify').description('check that no row of the journal was changed, moved or lost'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code 1 when a fault is found.\n\nExample:\n  tickwright journal verify\n')
    .action(() => {
      const { json, ...flags } = verify.opts<VerifyFlags>();
      const check = verifyJournal(stateOf(flags));
      if (json === true) printJson(io, check);
      else io.out(verifyText(check));
      if (check.faults.length > 0) finish(EXIT.failed);
    });
}

function verifyText({ sessions, faults }: ReturnType<typeof verifyJournal>): string {
  const table = formatRows(sessions, {
    session: ({ session }) => session,
    inputs: ({ inputs }) => formatNumber(inputs),
    entries: ({ entries }) => formatNumber(entries),
    'last hashes': ({ isChained, ends }) =>
      isChained ? ends : 'none: an older format, whose rows cannot be checked',
  });
  const found = faults.map(({ session, text }) => `FAIL  ${session ?? 'journal'}: ${text}\n`).join('');
  const wayOn =
    'The rows are not as Tickwright wrote them. Stop the daemon, compare positions and orders with the broker, and take the newest ' +
    'backup that this command finds whole.\n';
  return `${table}\n${found === '' ? 'Every row follows from the row before it.\n' : `${found}${wayOn}`}`;
}
