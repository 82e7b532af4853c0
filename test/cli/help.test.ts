/** Every command explains itself: what it does, its options, an example. */
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { PARTS } from '../../src/cli/run-cli.ts';
import { cliRun } from './support/cli-run.ts';

/** Names in the list of commands that a help text has. */
const listed = (help: string): readonly string[] =>
  [...(help.split('\nCommands:\n')[1] ?? '').split('\n\n')[0]!.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help');

async function commands(above: readonly string[] = []): Promise<readonly (readonly string[])[]> {
  const { out } = await cliRun(...above, '--help');
  const found: (readonly string[])[] = [];
  for (const name of listed(out)) {
    const path = [...above, name];
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, for the order
    found.push(path, ...(await commands(path)));
  }
  return found;
}

it('lists every command, and each has a help of 80 columns with a description and an example', async () => {
  const all = await commands();
  expect(all.map((path) => path.join(' '))).toEqual(
    expect.arrayContaining(['paper', 'live', 'dry-run', 'simulator', 'orders', 'orders resolve', 'doctor']),
  );
  for (const path of all) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, for the message
    const { code, out, err } = await cliRun(...path, '--help');
    const name = path.join(' ');
    expect({ name, code, err }).toEqual({ name, code: 0, err: '' });
    expect(out, name).toContain(`Usage: tickwright ${name}`);
    expect(out, name).toMatch(/-h, --help/);
    expect(
      out.split('\n').filter((line) => line.length > 80),
      name,
    ).toEqual([]);
    const isExplained = out.includes('\nCommands:\n') || /\nExamples?:\n {2}\S/.test(out);
    expect(isExplained, `${name} has no example`).toBe(true);
  }
});

it('says its version, and the exit codes', async () => {
  expect(await cliRun('--version')).toEqual({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    err: '',
  });
  const { out } = await cliRun('--help');
  for (const code of [0, 1, 2, 3, 4]) expect(out).toMatch(new RegExp(`^  ${code}  \\S`, 'm'));
});

it('loads with the name of a command the part that has it', async () => {
  const context = { io: { out: () => {}, err: () => {} }, finish: () => {} };
  for (const { commands: names, load } of PARTS) {
    const program = new Command();
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, for the message
    (await load())(program, context);
    expect(program.commands.map((command) => command.name())).toEqual(names);
  }
});
