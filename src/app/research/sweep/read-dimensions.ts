/** Which parameters of which strategies are varied: names are those of the file and of the strategies, or told with the right ones. */
import type { Dimension } from '../../../backtest/research/parameter-space.ts';
import { nearest, type Problem } from '../../../config/problem.ts';
import type { Path } from '../../../config/yaml-source.ts';
import type { Backtest, BacktestStrategy } from '../backtest/load-backtest.ts';
import { type ChoiceIssue, readChoices } from './read-choices.ts';
import type { SweepSection } from './sweep-schema.ts';

export interface VaryFlag {
  /** As it was typed. */
  readonly text: string;
  readonly strategy: string;
  readonly param: string;
  /** As a file would write it. */
  readonly written: unknown;
}

interface Dimensions {
  readonly dimensions: readonly Dimension[];
  readonly problems: readonly (string | Problem)[];
}

export function dimensionsInFile(
  { source, strategies }: Backtest,
  parameters: SweepSection['parameters'],
  vary: readonly VaryFlag[],
  isGrid: boolean,
): Dimensions & { readonly problems: readonly Problem[] } {
  const dimensions: Dimension[] = [];
  const problems: Problem[] = [];
  for (const [id, params] of Object.entries(parameters)) {
    const path: Path = ['sweep', 'parameters'];
    const strategy = strategies.find((each) => each.id === id);
    if (strategy === undefined) {
      const ids = strategies.map((each) => each.id);
      problems.push(
        source.keyProblem(path, id, `the id of a strategy (${ids.join(', ')})`, meantOf(id, ids)),
      );
      continue;
    }
    for (const [param, written] of Object.entries(params)) {
      if (vary.some((each) => each.strategy === id && each.param === param)) continue;
      const names = namesOf(strategy);
      if (!names.includes(param)) {
        const expected = `a parameter of ${strategy.strategy}`;
        problems.push(source.keyProblem([...path, id], param, expected, meantOf(param, names)));
        continue;
      }
      const read = readChoices(strategy.definition, param, written, isGrid);
      if (read.ok) dimensions.push({ strategy: id, param, choices: read.choices });
      else
        for (const { at, expected, received, hint } of read.issues)
          problems.push(source.problem([...path, id, param, ...at], expected, hint, received));
    }
  }
  return { dimensions, problems };
}

export function dimensionsTyped(
  { strategies }: Backtest,
  vary: readonly VaryFlag[],
  isGrid: boolean,
): Dimensions & { readonly problems: readonly string[] } {
  const dimensions = new Map<string, Dimension>();
  const problems: string[] = [];
  for (const { text, strategy: id, param, written } of vary) {
    const tell = ({ expected, received, hint }: Omit<ChoiceIssue, 'at'>): void =>
      void problems.push(
        `--vary ${text}: expected ${expected}, was ${received}${hint === '' ? '' : ` (${hint})`}`,
      );
    const strategy = strategies.find((each) => each.id === id);
    if (strategy === undefined) {
      const ids = strategies.map((each) => each.id);
      tell({ expected: `the id of a strategy (${ids.join(', ')})`, received: id, hint: meantOf(id, ids) });
      continue;
    }
    const names = namesOf(strategy);
    if (!names.includes(param)) {
      tell({ expected: `a parameter of ${strategy.strategy}`, received: param, hint: meantOf(param, names) });
      continue;
    }
    const read = readChoices(strategy.definition, param, written, isGrid);
    if (read.ok) dimensions.set(`${id}.${param}`, { strategy: id, param, choices: read.choices });
    else for (const issue of read.issues) tell(issue);
  }
  return { dimensions: [...dimensions.values()], problems };
}

const namesOf = ({ definition }: BacktestStrategy): readonly string[] =>
  definition.paramRows.map(({ name }) => name);

function meantOf(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? `one of ${known.join(', ')}` : `did you mean ${meant}?`;
}
