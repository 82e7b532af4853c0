/** The market file and the closures it names: hours, contracts and costs of one exchange. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import { closureProblems, firstDayProblems, marketProblems } from './market-rules.ts';
import { calendarOf, closuresSchema, contractsOf, costsOf, marketSchema } from './market-schema.ts';
import type { Problem } from './problem.ts';
import { readNamed } from './read-file.ts';
import type { YamlSource } from './yaml-source.ts';

export interface Market {
  readonly calendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  readonly costs: CostSchedule;
}

export type ReadMarket =
  | ({ readonly ok: true } & Market)
  | { readonly ok: false; readonly problems: readonly Problem[] };

const CLOSURES = ['calendar', 'closures'] as const;

export function readMarket(parent: YamlSource, name: string): ReadMarket {
  const market = readNamed(parent, ['market'], name, marketSchema, 'a market file');
  if ('problems' in market) return { ok: false, problems: market.problems };
  const { source, value } = market;
  const closures = readNamed(source, CLOSURES, value.calendar.closures, closuresSchema, 'a file of closures');
  const problems = [...marketProblems(source, value)];
  if ('problems' in closures) return { ok: false, problems: [...problems, ...closures.problems] };
  problems.push(...closureProblems(closures.source, closures.value));
  if (problems.length === 0) problems.push(...firstDayProblems(source, value, closures.value));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    calendar: calendarOf(value, closures.value),
    contracts: contractsOf(value),
    costs: costsOf(value),
  };
}
