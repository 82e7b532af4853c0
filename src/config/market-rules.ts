/** What the rows of a market file must be to each other: a wrong calendar or tariff would show only in mid-session. */
import { dayNumber, tradingDay } from '../domain/civil-date.ts';
import { US_PER_DAY } from '../domain/units.ts';
import { formatTimeOfDay, formatUtcOffset } from '../text/dates.ts';
import { namedZone } from '../text/time-zone.ts';
import type { ClosuresFile, MarketFile } from './market-schema.ts';
import type { Problem } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

export const marketProblems = (source: YamlSource, market: MarketFile): readonly Problem[] => [
  ...phaseProblems(source, market.calendar.phases),
  ...zoneProblems(source, market.calendar),
  ...tariffProblems(source, market.costs),
];

type Phases = MarketFile['calendar']['phases'];

function phaseProblems(source: YamlSource, phases: Phases): readonly Problem[] {
  const problems: Problem[] = [];
  let end = 0;
  for (const [i, { fromUs, toUs }] of phases.entries()) {
    const path = ['calendar', 'phases', i];
    if (fromUs < end)
      problems.push(
        source.problem(
          [...path, 'from'],
          `a time from ${formatTimeOfDay(end)} on`,
          'phases follow one another',
        ),
      );
    else if (toUs <= fromUs)
      problems.push(source.problem([...path, 'to'], `a time after ${formatTimeOfDay(fromUs)}`));
    end = Math.max(end, toUs);
  }
  return problems;
}

/** A zone with summer time has two offsets. */
const WINTER_US = dayNumber(tradingDay('2026-01-01')) * US_PER_DAY;
const SUMMER_US = dayNumber(tradingDay('2026-07-01')) * US_PER_DAY;

function zoneProblems(
  source: YamlSource,
  { timeZone, utcOffset }: MarketFile['calendar'],
): readonly Problem[] {
  const zone = namedZone(timeZone);
  const path = ['calendar', 'timeZone'];
  if (zone === undefined) return [source.problem(path, 'a zone like Asia/Ho_Chi_Minh')];
  const [winter, summer] = [zone.offsetAtMoment(WINTER_US), zone.offsetAtMoment(SUMMER_US)];
  if (winter === utcOffset || summer === utcOffset) return [];
  const text = formatUtcOffset(winter);
  const expected = `${text}, the offset of ${timeZone}`;
  return [source.problem(['calendar', 'utcOffset'], expected, `write '${text}', or another zone`)];
}

function tariffProblems(source: YamlSource, costs: MarketFile['costs']): readonly Problem[] {
  return Object.entries(costs).flatMap(([name, rows]) =>
    rows.flatMap(({ from }, i) =>
      rows.findIndex((row) => row.from === from) === i
        ? []
        : [source.problem(['costs', name, i, 'from'], 'each date once')],
    ),
  );
}

/** A cost without a rate on the first day of the calendar would end the program on that day. */
export function firstDayProblems(
  source: YamlSource,
  { costs }: MarketFile,
  { validFrom }: ClosuresFile,
): readonly Problem[] {
  return Object.entries(costs).flatMap(([name, rows]) =>
    rows.some(({ from }) => from <= validFrom)
      ? []
      : [
          source.problem(
            ['costs', name, 0, 'from'],
            `a first row from ${validFrom} or earlier`,
            'the calendar begins there',
          ),
        ],
  );
}

export function closureProblems(
  source: YamlSource,
  { validFrom, validTo, closures }: ClosuresFile,
): readonly Problem[] {
  if (validTo < validFrom) return [source.problem(['validTo'], `a date from ${validFrom} on`)];
  return closures.flatMap((day, i) =>
    day < validFrom || day > validTo
      ? [
          source.problem(
            ['closures', i],
            `a date from ${validFrom} to ${validTo}`,
            'validFrom and validTo say what the list knows',
          ),
        ]
      : [],
  );
}
