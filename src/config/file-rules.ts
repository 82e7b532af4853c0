/** Files that a configuration names are looked for before anything starts. */
import { statSync } from 'node:fs';
import type { ConfigFile } from './config-schema.ts';
import type { Problem } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

export function fileProblems(source: YamlSource, { mode, auth, simulator }: ConfigFile): readonly Problem[] {
  const named =
    mode === 'paper'
      ? [{ path: ['simulator', 'tape'], file: simulator.tape, what: 'a tape that is there' }]
      : [{ path: ['auth', 'apiKeyFile'], file: auth.apiKeyFile, what: 'a file with the API key' }];
  return named
    .filter(({ file }) => file !== undefined && !isFile(file))
    .map(({ path, what }) => source.problem(path, what, 'the path counts from where the program is started'));
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
