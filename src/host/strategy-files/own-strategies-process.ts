/** Process that loads the strategies of a configuration and reads their parameters. */
import { withKeptPositions } from '../../config/config-rules.ts';
import { configSchema } from '../../config/config-schema.ts';
import { type OtherStrategies, readStrategies } from '../../config/config.ts';
import { readFile } from '../../config/read-file.ts';
import { assert } from '../../domain/assert.ts';
import type { Problem } from '../../config/problem.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import { catalogWith, loadOwnStrategies, type OwnStrategies } from './own-strategies.ts';
import { typeProblems } from './type-errors.ts';

async function strategiesIn(file: string): Promise<OtherStrategies> {
  const main = readFile(file, configSchema, 'a configuration');
  if ('problems' in main) return { asked: [], entries: [], problems: main.problems };
  const { source } = main;
  const value = withKeptPositions(main.value);
  const { loaded, problems } = await loadOwnStrategies(source, value.strategies);
  const isFaulty = problems.length > 0;
  const read = readStrategies(source, value, catalogWith(loaded), () => isFaulty);
  const types = typeProblems(source, value.strategies, loaded);
  return {
    asked: value.strategies,
    entries: read.entries,
    problems: [...problems, ...types, ...machineProblems(source, value.strategies, loaded), ...read.problems],
  };
}

/** A backtest runs such code and names it; a daemon could not replay its day. */
function machineProblems(
  source: YamlSource,
  entries: readonly { readonly strategy: string }[],
  loaded: OwnStrategies['loaded'],
): readonly Problem[] {
  return [...loaded].flatMap(([name, { loadUses }]) => {
    if (loadUses.length === 0) return [];
    const path = ['strategies', entries.findIndex(({ strategy }) => strategy === name), 'strategy'];
    const hint = 'a restart replays the day: ask trader.time(), trader.after() and the streams alone';
    return [source.problem(path, 'a strategy that reads nothing of the machine', hint, loadUses.join(', '))];
  });
}

const [, , file] = process.argv;
assert(
  file !== undefined && process.send !== undefined,
  'this file runs as a process of its own, with a path',
);
// The parent ends this process.
process.send(await strategiesIn(file));
