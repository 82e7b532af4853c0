/** One trading day of a run: its moments, reference prices and bands. */
import { phaseAt, type SessionPhase, type TradingCalendar } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import { type PriceBand, priceBand } from '../../domain/contract.ts';
import { minutes, type TsUs, tsUs, US_PER_DAY, US_PER_SECOND } from '../../domain/units.ts';
import type { ReferenceRow } from '../../engine/ports/engine-event.ts';
import type { BacktestDay } from '../backtest-plan.ts';

export interface PhaseBoundary {
  readonly atUs: TsUs;
  readonly phase: SessionPhase;
}

export interface DayMoments {
  /** From here on the day can be begun. */
  readonly beginUs: TsUs;
  readonly boundaries: readonly PhaseBoundary[];
  /** The market closes, and its last prints are over; null where trading goes on through midnight. */
  readonly closeUs: TsUs | null;
  readonly endUs: TsUs;
}

/** Strategies are connected this long before the first phase. */
const LEAD = minutes(15);
/** Prints of the closing cross carry the second in which the auction ended, and come up to a second after it. */
const LAST_PRINTS_US = US_PER_SECOND;

export function dayMoments(calendar: TradingCalendar, day: TradingDay): DayMoments {
  const at = (timeUs: number): TsUs => momentOf(day, timeUs, calendar.utcOffsetMinutes);
  const edges = new Set<number>();
  for (const { fromUs, toUs } of calendar.phases) edges.add(fromUs).add(toUs);
  const boundaries = [...edges]
    .filter((timeUs) => timeUs < US_PER_DAY)
    .toSorted((a, b) => a - b)
    .map((timeUs) => ({ atUs: at(timeUs), phase: phaseAt(calendar, at(timeUs)) }));
  const first = calendar.phases[0]?.fromUs ?? 0;
  const lastUs = calendar.phases.at(-1)?.toUs ?? US_PER_DAY;
  const closeUs = lastUs < US_PER_DAY ? at(lastUs) : null;
  return {
    beginUs: at(Math.max(0, first - LEAD)),
    boundaries,
    closeUs,
    endUs: closeUs === null ? at(US_PER_DAY) : tsUs(closeUs + LAST_PRINTS_US),
  };
}

/** Reference prices and bands of a day, for the engine and the venue. */
export class DayOpening {
  readonly references: readonly ReferenceRow[];
  /** By instrument. */
  readonly bands: Map<number, PriceBand>;

  constructor({ contracts, references }: BacktestDay) {
    this.bands = new Map();
    const rows: ReferenceRow[] = [];
    for (const contract of contracts) {
      const reference = references.get(contract);
      if (reference === undefined) continue;
      const band = priceBand(contract.spec, reference);
      this.bands.set(contract.index, band);
      rows.push({ instrument: contract.index, ...band, lastPrice: null });
    }
    this.references = rows;
  }
}
