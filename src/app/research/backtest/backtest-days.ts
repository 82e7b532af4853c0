/** The days of a backtest: which contracts are listed, what their reference prices are, and their rows. */
import { endedWithSession } from '../../../backtest/bar-ticks.ts';
import type { BacktestData, BacktestDay, DayTape } from '../../../backtest/backtest-plan.ts';
import type { BacktestNotice } from '../../../backtest/backtest-result.ts';
import { firstPrice } from '../../../backtest/run/run-day.ts';
import { assert } from '../../../domain/assert.ts';
import {
  isStandstill,
  neverCloses,
  nextPhaseChange,
  phaseAt,
  sessionOnOrBefore,
  type TradingCalendar,
} from '../../../domain/calendar.ts';
import { addDays, type TradingDay } from '../../../domain/civil-date.ts';
import { legacyCode, listedMonths } from '../../../domain/contract-code.ts';
import { type Contract, hundredthsOf, NO_BAND_BPS } from '../../../domain/contract.ts';
import { orderCode, streamCode } from '../../../domain/ids.ts';
import {
  instrumentIndex,
  type PriceHundredths,
  priceHundredths,
  priceTicks,
  tsUs,
  type TsUs,
} from '../../../domain/units.ts';
import type { TickRows } from '../../../recording/columns/tick-columns.ts';
import { type BacktestMarket, familyOf, wallClock } from './backtest-market.ts';
import { codeOn, digestOf, type SourceDay, type SourceDays } from './source-days.ts';

export interface BacktestDaysOptions {
  readonly market: BacktestMarket;
  readonly sources: SourceDays;
  /** Underlyings that strategies name beside those of the data. */
  readonly symbols: readonly string[];
  /** Points, by code and day. */
  readonly references: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The price of a quote. */
  readonly quotePrice: 'mid' | 'bid' | 'ask';
  /** Columns of a day: from its file, or from memory that several threads share. */
  readonly readRows: (source: SourceDay) => TickRows;
}

const GUESSES_SHOWN = 6;

export class BacktestDays implements BacktestData {
  readonly digest: string;
  readonly days: readonly TradingDay[];
  readonly rows: number;
  readonly #options: BacktestDaysOptions;
  /** By code. */
  readonly #contracts = new Map<string, Contract>();
  readonly #byDay = new Map<TradingDay, SourceDay[]>();
  /** Codes that have data on some day. */
  readonly #codes: ReadonlySet<string>;
  /** Last price of each source that was read. */
  readonly #closes = new Map<SourceDay, number>();
  /** The latest day before with data of the same contract, by day and code. */
  readonly #before = new Map<string, SourceDay>();

  constructor(options: BacktestDaysOptions) {
    this.#options = options;
    const { all, days } = options.sources;
    const isPlayed = new Set(days);
    const played = all.filter(({ day }) => isPlayed.has(day));
    this.days = days;
    this.rows = played.reduce((sum, { rows }) => sum + rows, 0);
    this.digest = digestOf(played, options.references);
    this.#codes = new Set(all.map(({ code }) => code));
    const latest = new Map<string, SourceDay>();
    for (const source of all) {
      const before = latest.get(source.code);
      if (before !== undefined) this.#before.set(`${source.day} ${source.code}`, before);
      latest.set(source.code, source);
      const same = this.#byDay.get(source.day);
      if (same === undefined) this.#byDay.set(source.day, [source]);
      else same.push(source);
    }
    for (const day of days) this.#tableOf(day);
  }

  open(day: TradingDay): BacktestDay {
    const { sources } = this.#options;
    const notices: BacktestNotice[] = [];
    const note = (code: string, text: string): void => void notices.push({ tsUs: null, code, text });
    if (day === this.days[0]) {
      for (const remark of sources.remarks) note('data_left_out', remark);
      for (const [code, text] of this.#quoteNotes()) note(code, text);
      const guesses = this.#guesses();
      if (guesses !== null) note('reference_guessed', guesses);
    }
    const references = new Map<Contract, PriceHundredths>();
    const guessed = new Set<Contract>();
    const today = this.#byDay.get(day) ?? [];
    const tapes = today.map((source): DayTape => {
      const contract = this.#contractOf(source.code);
      const rows = this.#read(source);
      const known = this.#reference(source, contract);
      if (known === null) guessed.add(contract);
      references.set(
        contract,
        known ?? hundredthsOf(contract.spec, priceTicks(firstPrice(contract, rows).price)),
      );
      if (source.missed > 0)
        note('trades_missing', `${source.code} on ${day}: ${source.missed} stretches with missing trades`);
      return { contract, rows: this.#played(rows, source) };
    });
    return { day, contracts: this.#tableOf(day), references, guessed, tapes, notices };
  }

  /** At the moments of the run. */
  #played(rows: TickRows, { bars }: SourceDay): TickRows {
    const { market } = this.#options;
    const moved = onWallClock(rows, wallClock(market, bars?.everyUs ?? null));
    return endedWithSession(moved, (at) => sessionEnd(market.calendar, tsUs(at)));
  }

  /** Listed contracts of the day. Each keeps its index through the run. */
  #tableOf(day: TradingDay): readonly Contract[] {
    const { market, symbols } = this.#options;
    const today = (this.#byDay.get(day) ?? []).map(({ code }) => code);
    if (market.kind === 'own') {
      const known = Object.keys(market.contracts).filter((code) => this.#codes.has(code));
      return known.map((code) => this.#contractOf(code)).filter(({ expiry }) => expiry >= day);
    }
    const families = new Set([...symbols, ...today].map(familyOf).filter((each) => each !== undefined));
    const listed = [...families].flatMap((family) =>
      listedMonths(market.calendar, family, day).map(legacyCode),
    );
    return [...new Set([...listed, ...today])].map((code) => this.#contractOf(code));
  }

  #contractOf(code: string): Contract {
    const known = this.#contracts.get(code);
    if (known !== undefined) return known;
    const { market } = this.#options;
    const spec = market.specOf(code);
    assert(spec !== undefined, 'the data has only contracts of the market');
    const contract: Contract = {
      index: instrumentIndex(this.#contracts.size),
      orderCode: orderCode(code),
      streamCode: streamCode(code),
      expiry: market.expiryOf(code),
      spec,
    };
    this.#contracts.set(code, contract);
    return contract;
  }

  /** From the file, else the close of the session before; null where nobody knows it before the first trade. */
  #reference(source: SourceDay, { spec }: Contract): PriceHundredths | null {
    const { references } = this.#options;
    const points = references[source.code]?.[source.day];
    if (points !== undefined) return priceHundredths(Math.round(points * (spec.partsPerPoint ?? 100)));
    const before = this.#sessionBefore(source);
    const close = before === undefined ? 0 : this.#closeOf(before);
    return close <= 0 ? null : hundredthsOf(spec, priceTicks(close));
  }

  /** Where a price has a band the exchange's own session counts, else the latest day with data. */
  #sessionBefore({ code, day }: SourceDay): SourceDay | undefined {
    const { market } = this.#options;
    if ((market.specOf(code)?.bandBps ?? NO_BAND_BPS) >= NO_BAND_BPS)
      return this.#before.get(`${day} ${code}`);
    const before = sessionOnOrBefore(market.calendar, addDays(day, -1));
    return this.#byDay.get(before)?.find((source) => source.code === code);
  }

  /** Where the data are quotes: the sizes of fills, and the price that stands for trades. */
  #quoteNotes(): readonly (readonly [code: string, text: string])[] {
    const { sources, quotePrice } = this.#options;
    const played = new Set(this.days);
    const noteOf = (kind: 'sized' | 'unsized', size: string): readonly (readonly [string, string])[] => {
      const found = sources.all.filter(({ day, quotes }) => quotes === kind && played.has(day));
      const codes = [...new Set(found.map(({ code }) => code))].join(', ');
      if (codes === '') return [];
      return [
        ['quotes', `${codes}: fills are at bid and ask, ${size}; bars and values count at the ${quotePrice}`],
      ];
    };
    return [
      ...noteOf('sized', 'up to the sizes quoted'),
      ...noteOf('unsized', 'of any size, because the data have no sizes'),
    ];
  }

  /** Notice of the days whose price band rests on a guessed reference price; null without one. */
  #guesses(): string | null {
    const { references } = this.#options;
    const guessed = this.days.flatMap((day) =>
      (this.#byDay.get(day) ?? [])
        .filter(({ code }) => this.#contractOf(code).spec.bandBps < NO_BAND_BPS)
        .filter(({ code }) => references[code]?.[day] === undefined)
        .filter((source) => this.#sessionBefore(source) === undefined)
        .map(({ code }) => `${code} on ${day}`),
    );
    if (guessed.length === 0) return null;
    const shown = guessed.slice(0, GUESSES_SHOWN).join(', ');
    const more = guessed.length > GUESSES_SHOWN ? ` and ${guessed.length - GUESSES_SHOWN} more` : '';
    return `no close of the session before for ${shown}${more}: the first price stands for the reference price, and nothing is entered before it (data.references can say it)`;
  }

  #closeOf(source: SourceDay): number {
    return this.#closes.get(source) ?? (this.#read(source), this.#closes.get(source) ?? 0);
  }

  #read(source: SourceDay): TickRows {
    const rows = this.#options.readRows(source);
    this.#closes.set(source, rows.priceTicks[rows.rows - 1] ?? 0);
    return rows;
  }
}

/** Some day of the run has prices of the contract that `symbol` names on that day. */
export function isPlayed(market: BacktestMarket, { all, days }: SourceDays, symbol: string): boolean {
  const played = new Set(days);
  return all.some(({ day, code }) => played.has(day) && code === codeOn(market, symbol, day));
}

/** A copy with moved times where the wall clock changed. */
function onWallClock(rows: TickRows, shiftAt: (atUs: number) => number): TickRows {
  const shift = shiftAt(rows.tsUs[0] ?? 0);
  return shift === 0 ? rows : { ...rows, tsUs: rows.tsUs.map((at) => at + shift) };
}

/**
 * Where trading stops next after the beginning of a bar: the break or the close, not an auction, whose price may be in the bar.
 * Infinite where it never stops, and while it stands still.
 */
function sessionEnd(calendar: TradingCalendar, startUs: TsUs): number {
  const stands = (at: TsUs): boolean => isStandstill(phaseAt(calendar, at));
  if (neverCloses(calendar) || stands(startUs)) return Infinity;
  let endUs = nextPhaseChange(calendar, startUs);
  for (let step = 0; !stands(endUs); step += 1) {
    if (step > 2 * calendar.phases.length) return Infinity;
    endUs = nextPhaseChange(calendar, endUs);
  }
  return endUs;
}
