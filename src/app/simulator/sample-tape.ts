/** The sample tape in `data/`: every trade of one contract on one synthetic day. The same seed gives the same file. */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { formatTime, momentOf, tradingDay } from '../../domain/civil-date.ts';
import { type ContractSpec, pointsOf } from '../../domain/contract.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import { priceTicks, US_PER_SECOND } from '../../domain/units.ts';
import { Venue } from '../../venue/venue.ts';
import type { VenueEvent } from '../../venue/venue-event.ts';

export interface SampleMarket {
  readonly calendar: TradingCalendar;
  readonly spec: ContractSpec;
  readonly costs: CostSchedule;
}

export interface SampleTape {
  /** Names the day and the contract, as an import expects. */
  readonly name: string;
  readonly text: string;
}

const DAY = tradingDay('2026-06-03');
const SEED = 7;
const START_TICKS = priceTicks(19_000);
const SIDES = { buy: 'M', sell: 'B' } as const;

export function sampleTape({ calendar, spec, costs }: SampleMarket): SampleTape {
  const opening = calendar.phases[0];
  const closing = calendar.phases.at(-1);
  assert(opening !== undefined && closing !== undefined, 'a trading day has phases');
  const at = (timeUs: number) => momentOf(DAY, timeUs, calendar.utcOffsetMinutes);
  const venue = new Venue({
    calendar,
    spec,
    costs,
    startUs: at(opening.fromUs - US_PER_SECOND),
    accounts: [],
    market: { kind: 'synthetic', seed: SEED, startPrice: START_TICKS },
    codes: 'legacy',
  });
  const front = venue.contracts()[0];
  assert(front !== undefined, 'a trading day has a front month');
  const rows = ['Time,Price,Volume,Side'];
  const take = (event: VenueEvent): void => {
    if (event.kind !== 'trade' || event.orderCode !== front.orderCode) return;
    const time = formatTime(event.tsUs, calendar.utcOffsetMinutes).slice(0, 8);
    const side = event.aggressor === null ? '-' : SIDES[event.aggressor];
    rows.push(`${time},${pointsOf(spec, event.price).toFixed(1)},${event.qty},${side}`);
  };
  venue.advance(at(closing.toUs + US_PER_SECOND)).forEach(take);
  return { name: `${DAY}_${front.orderCode.toLowerCase()}.csv.gz`, text: `${rows.join('\n')}\n` };
}
