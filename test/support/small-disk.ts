import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { thrownText } from '../../src/domain/failure.ts';

/** A real disk at `path`, which goes with the test. */
export function smallDisk(context: TestContext, path: string, size: '64k' | '24m') {
  context.skip(process.getuid?.() !== 0, 'only root can mount a small disk');
  const mount = (...options: readonly string[]) => execFileSync('mount', [...options, path]);
  mkdirSync(path);
  mount('-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs');
  onTestFinished(() => void execFileSync('umount', ['--lazy', path]));
  const filler = join(path, 'lost+found');
  return {
    fill(): void {
      const file = openSync(filler, 'a');
      for (let bytes = 1 << 20; bytes > 0; bytes >>= 1)
        while (thrownText(() => writeSync(file, Buffer.alloc(bytes))) === null);
      closeSync(file);
    },
    empty: (): void => rmSync(filler),
    allowReadsOnly: (): void => void mount('-o', 'remount,ro'),
  };
}
