/** At a terminal each question is a prompt: lists to choose from, refused answers asked again, secrets that are not shown. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { openDialog } from '../../../src/cli/init/dialog.ts';
import { Interview } from '../../../src/cli/init/interview.ts';

/** Keys that are pressed one after the other, each when something new is asked or shown. */
function terminal(keys: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const left = [...keys];
  let shown = '';
  const io = {
    out: () => undefined,
    err: (text: string) => {
      shown += text;
      setImmediate(() => {
        const key = left.shift();
        if (key !== undefined) input.write(key);
      });
    },
  };
  return { dialog: openDialog(io, input), screen: () => stripVTControlCharacters(shown) };
}

const [ENTER, DOWN, CTRL_C] = ['\r', '\u001B[B', '\u0003'];

it('shows a choice as a list: the second one is one key away', async () => {
  const { dialog, screen } = terminal([DOWN, ENTER]);
  expect(await new Interview({}, dialog).mode()).toBe('live');
  expect(screen()).toMatch(/paper[^]*live/);
});

it('takes Enter for the default, and asks again after an answer that cannot be', async () => {
  const { dialog } = terminal([ENTER]);
  expect(await dialog.ask('Largest order', '5', Number)).toBe(5);
});

it('does not show a secret', async () => {
  const { dialog, screen } = terminal(['hunter2', ENTER]);
  expect(await dialog.secret('API key')).toBe('hunter2');
  expect(screen()).not.toContain('hunter2');
});

it('ends with Ctrl-C, and says that nothing was written', async () => {
  const { dialog } = terminal([CTRL_C]);
  await expect(dialog.ask('Largest order', '5', Number)).rejects.toThrow('nothing was written');
});
