/** Frames as the broker sends them, from the synthetic market: four contracts, trades, both sides of the book, summaries. */
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import type { Contract } from '../../src/domain/contract.ts';
import {
  priceHundredths,
  priceTicks,
  type TsUs,
  tsUs,
  US_PER_HOUR,
  US_PER_MINUTE,
} from '../../src/domain/units.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { Venue } from '../../src/venue/venue.ts';
import { encodeBook, encodeSummary, encodeTrade } from '../../src/wire/stream/data-frame.ts';
import { CATALOG } from '../../strategies/catalog.ts';

export interface Frame {
  readonly text: string;
  readonly tsUs: TsUs;
}

export interface MarketDay {
  readonly config: Config;
  readonly contracts: readonly Contract[];
  /** Where the market day begins, before the first frame. */
  readonly startUs: TsUs;
  readonly frames: readonly Frame[];
}

export const DAY = tradingDay('2026-06-03');
export const START_TICKS = priceTicks(19_000);
export const REFERENCE = priceHundredths(190_000);
const SEED = 7;

function loadPaperConfig(): Config {
  const loaded = loadConfig(join('config', 'paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

/** The first `count` frames of continuous trading. */
export function marketDay(count: number): MarketDay {
  const config = loadPaperConfig();
  const calendar = config.exchangeCalendar;
  const spec = config.contracts['VN30'];
  if (spec === undefined) throw new Error('config/paper.yaml: expected contracts of VN30');
  const at = (hour: number): TsUs => momentOf(DAY, hour * US_PER_HOUR, calendar.utcOffsetMinutes);
  const market = { kind: 'synthetic', seed: SEED, startPrice: START_TICKS } as const;
  const { costs } = config;
  const venue = new Venue({ calendar, spec, costs, startUs: at(8), accounts: [], market, codes: 'coded' });
  venue.advance(at(9));
  const contracts = venue.contracts();
  const frames: Frame[] = [];
  for (let now = at(9); frames.length < count && now < at(15);) {
    now = tsUs(now + US_PER_MINUTE);
    for (const event of venue.advance(now)) {
      for (const text of textsOf(event, contracts)) frames.push({ text, tsUs: event.tsUs });
    }
  }
  if (frames.length < count) throw new Error(`expected ${count} frames in a day, was ${frames.length}`);
  return { config, contracts, startUs: at(9), frames: frames.slice(0, count) };
}

function textsOf(event: VenueEvent, contracts: readonly Contract[]): readonly string[] {
  if (event.kind !== 'trade' && event.kind !== 'book' && event.kind !== 'summary') return [];
  const contract = contracts.find(({ orderCode }) => orderCode === event.orderCode);
  if (contract === undefined) return [];
  if (event.kind === 'trade') return [encodeTrade(contract, event, REFERENCE)];
  if (event.kind === 'summary') return [encodeSummary(contract, event)];
  return [
    ...(event.bidsChanged ? [encodeBook('bid', contract, event.bids)] : []),
    ...(event.asksChanged ? [encodeBook('ask', contract, event.asks)] : []),
  ];
}
