/** Reads the simulator's YAML file: all of it, or every problem with its line. */
import type { Problem } from '../../config/problem.ts';
import { readFile } from '../../config/read-file.ts';
import { readMarket } from '../../config/read-market.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import { parseScenario } from '../../simulator/scenario/parse-scenario.ts';
import type { Scenario } from '../../simulator/scenario/scenario.ts';
import { accountProblems } from './simulator-accounts.ts';
import { type SimulatorFile, simulatorFileSchema } from './simulator-file.ts';

export interface ReadSimulatorFile {
  readonly file: SimulatorFile;
  /** Null: the demo's own. */
  readonly market: { readonly calendar: TradingCalendar; readonly costs: CostSchedule } | null;
  readonly scenario: Scenario | null;
}

type Read<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

export function readSimulatorFile(path: string): Read<ReadSimulatorFile> {
  const main = readFile(path, simulatorFileSchema, 'a simulator file');
  if ('problems' in main) return main;
  const { source, value: file } = main;
  const problems = accountProblems(file.accounts ?? []).map((problem) =>
    source.problem(problem.path, problem.expected),
  );
  const scenario = readScenario(source, file.scenario);
  if ('problems' in scenario) problems.push(...scenario.problems);
  const market = file.market === undefined ? null : readMarket(source, file.market);
  if (market?.ok === false) problems.push(...market.problems);
  if (problems.length > 0 || 'problems' in scenario || market?.ok === false) return { problems };
  return { value: { file, market: market && pick(market), scenario: scenario.value } };
}

const pick = ({ calendar, costs }: NonNullable<ReadSimulatorFile['market']>) => ({ calendar, costs });

function readScenario(source: YamlSource, raw: unknown): Read<Scenario | null> {
  if (raw === undefined) return { value: null };
  const read = parseScenario(raw);
  if (read.ok) return { value: read.value };
  const problems = read.issues.map(({ path, expected, received }) =>
    source.problem(['scenario', ...placesOf(path)], expected, '', received),
  );
  return { problems };
}

/** `steps.0.fault` as the keys and places that the file has. */
const placesOf = (path: string): (string | number)[] =>
  path
    .split('.')
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
