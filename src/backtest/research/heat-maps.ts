/** A sweep as pictures: the objective by each pair of parameters. */
import { quantileSorted } from 'simple-statistics';
import type { ReportHeatMap } from '../report/report-model.ts';
import { type Assignment, dimensionNames, type ParameterSpace, type ParamValue } from './parameter-space.ts';

export interface ScoredTrial {
  readonly assignment: Assignment;
  readonly score: number | null;
}

const MAPS_MAX = 6;
/** More different values than this are put together in classes. */
const CELLS_MAX = 16;
const DIGITS = 4;

/** Rows and columns of a map: the class of a value, and its label. */
interface Classes {
  readonly names: readonly string[];
  readonly of: (value: ParamValue) => number;
}

/** A cell is the median of all trials in it: a lone peak in a poor neighbourhood does not shine. Null where nothing was tried. */
export function heatMaps(
  space: ParameterSpace,
  trials: readonly ScoredTrial[],
  words: string,
): readonly ReportHeatMap[] {
  const names = dimensionNames(space);
  const varied = [...space.keys()].filter((i) => valuesOf(trials, i).length > 1);
  const [first] = varied;
  if (first === undefined) return [];
  const pairs = varied.flatMap((y, i) => varied.slice(i + 1).map((x) => [x, y] as const));
  const shown: readonly (readonly [number, number | null])[] =
    pairs.length === 0 ? [[first, null]] : pairs.slice(0, MAPS_MAX);
  return shown.map(([x, y]) => {
    const [columns, rows] = [classesOf(trials, x), y === null ? ALONE : classesOf(trials, y)];
    const cells = rows.names.map(() => columns.names.map((): number[] => []));
    for (const { assignment, score } of trials) {
      const [across, down] = [assignment[x], y === null ? true : assignment[y]];
      if (score === null || across === undefined || down === undefined) continue;
      cells[rows.of(down)]?.[columns.of(across)]?.push(score);
    }
    const yName = y === null ? '' : (names[y] ?? '');
    const xName = names[x] ?? '';
    return {
      title: `${words[0]?.toUpperCase() ?? ''}${words.slice(1)} by ${y === null ? '' : `${yName} and `}${xName}`,
      xName,
      yName,
      xValues: columns.names,
      yValues: rows.names,
      cells: cells.map((row) => row.map(median)),
    };
  });
}

const ALONE: Classes = { names: ['all'], of: () => 0 };

const median = (values: readonly number[]): number | null =>
  values.length === 0
    ? null
    : quantileSorted(
        values.toSorted((a, b) => a - b),
        0.5,
      );

const valuesOf = (trials: readonly ScoredTrial[], place: number): readonly ParamValue[] => [
  ...new Set(trials.flatMap(({ assignment }) => assignment[place] ?? [])),
];

function classesOf(trials: readonly ScoredTrial[], place: number): Classes {
  const values = valuesOf(trials, place);
  const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
  if (numbers.length < values.length)
    return { names: values.map(String), of: (value) => values.indexOf(value) };
  if (numbers.length <= CELLS_MAX) {
    return { names: numbers.map(String), of: (value) => numbers.findIndex((each) => each === value) };
  }
  const [low, high] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
  const width = (high - low) / CELLS_MAX;
  const edge = (i: number): string => String(Number((low + i * width).toPrecision(DIGITS)));
  return {
    names: Array.from({ length: CELLS_MAX }, (_, i) => `${edge(i)} to ${edge(i + 1)}`),
    of: (value) => Math.min(CELLS_MAX - 1, Math.floor((Number(value) - low) / width)),
  };
}
