/** `tickwright init`: asks for the content of a first configuration, writes it with comments, and ends with `doctor`. */
import { example } from '../options.ts';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { diagnose } from '../../daemon/inspect/doctor.ts';
import { pathText } from '../../config/values.ts';
import { failureText } from '../../domain/failure.ts';
import { SCREEN_WIDTH, wrapText } from '../../text/table.ts';
import { type CliContext, failed, wrongUsage } from '../cli-io.ts';
import { findingLines } from '../inspect/inspect-commands.ts';
import { type Dialog, openDialog } from './dialog.ts';
import { ANSWERS, type InitFlags, Interview, type NewSecrets } from './interview.ts';

const EXAMPLE = 'tickwright init\n  tickwright init my.yaml --yes --mode paper --strategies ema-cross';

/** `dialog`: absent for the terminal. */
export function addInitCommand(program: Command, context: CliContext, dialog?: Dialog): void {
  const command = program
    .command('init')
    .description('write a first configuration: asks for mode, account, strategies, limits, channels')
    .argument('[file]', 'its place (config/my-paper.yaml or config/live.yaml)')
    .option('--yes', 'ask nothing: take the default of each answer without an option')
    .option('--force', 'replace a file that is there');
  for (const [name, [value, text]] of Object.entries(ANSWERS)) command.option(`--${name} <${value}>`, text);
  command
    .addHelpText('after', example(EXAMPLE))
    .action(
      async (
        given: string | undefined,
        { yes = false, force = false }: Readonly<Partial<Record<'yes' | 'force', boolean>>>,
      ) => {
        const named = command.opts<InitFlags>();
        const flags = command.options.map((each) => [each.name(), named[each.attributeName()]] as const);
        const open = (): Dialog => dialog ?? openDialog(context.io, process.stdin);
        await init(context, yes ? null : open(), given, Object.fromEntries(flags), force);
      },
    );
}

async function init(
  { io }: CliContext,
  dialog: Dialog | null,
  given: string | undefined,
  flags: InitFlags,
  force: boolean,
): Promise<void> {
  try {
    // Before the first question: twenty answers must not be lost.
    if (given !== undefined) assertFree(given, force);
    dialog?.print('Enter takes the answer that is shown; Ctrl-C ends without writing anything.\n');
    const interview = new Interview(flags, dialog);
    const mode = await interview.mode();
    const file = given ?? `config/${mode === 'paper' ? 'my-paper' : 'live'}.yaml`;
    assertFree(file, force);
    const text = await interview.configuration(mode, file);
    const { newSecrets } = interview;
    const files = [file, ...newSecrets.keys()].join(' and ');
    if (!(await interview.isConfirmed(`Write ${files}?`))) throw failed('nothing was written');
    write(file, text, newSecrets, force);
    io.out(`wrote ${files}\n\n`);
    io.out(`${findingLines(await diagnose(file, null)).join('\n')}\n\n${nextSteps(file, mode, interview)}`);
  } finally {
    dialog?.close();
  }
}

function assertFree(file: string, replaces: boolean): void {
  const hint = pathText.safeParse(file);
  if (!hint.success) throw wrongUsage(`expected a plain path, was ${JSON.stringify(file)}`);
  if (!existsSync(file)) return;
  if (!statSync(file).isFile())
    throw wrongUsage(`${file} is no plain file: name another; nothing was written`);
  if (!replaces)
    throw wrongUsage(
      `${file} is there already: name another file, or replace it with --force; nothing was written`,
    );
}

function write(file: string, text: string, newSecrets: NewSecrets, replaces: boolean): void {
  const partial = `${file}.partial`;
  const written: string[] = [];
  try {
    for (const [path, secret] of newSecrets) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
      written.push(path);
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(partial, text);
    if (replaces) renameSync(partial, file);
    else linkSync(partial, file);
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw failed(`${failureText(error)}; nothing was written`);
  } finally {
    if (existsSync(partial)) rmSync(partial);
  }
}

function nextSteps(file: string, mode: 'paper' | 'live', { strategies, variables, hasChannels }: Interview) {
  const commands =
    mode === 'paper'
      ? [`tickwright paper --config ${file}`, 'tickwright status']
      : [
          hasChannels ? `tickwright test-message --config ${file}` : `tickwright doctor ${file}`,
          `tickwright dry-run --config ${file}`,
        ];
  const where = `Parameters of ${strategies.join(', ')} are in ${file} under params, each with its range and meaning.`;
  return [
    ...wrapText(where, SCREEN_WIDTH),
    ...(variables.length === 0 ? [] : [`Put into the environment first: ${variables.join(', ')}`]),
    'Next:',
    ...commands.map((command) => `  ${command}`),
    '',
  ].join('\n');
}
