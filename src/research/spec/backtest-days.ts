/** The days of a backtest: listed contracts, their reference prices, and their rows. */
import type { BacktestData, BacktestDay, BacktestNotice, DayTape } from '../backtest-plan.ts';
import { firstPrice } from '../run/run-day.ts';
import { assert } from '../../domain/assert.ts';
import { sessionOnOrBefore } from '../../domain/calendar.ts';
import { type TradingDay, addDays } from '../../domain/civil-date.ts';
import { legacyCode, listedMonths, underlyingOf } from '../../domain/contract-code.ts';
import { type Contract, NO_BAND_BPS, hundredthsOf } from '../../domain/contract.ts';
import { orderCode, streamCode } from '../../domain/ids.ts';
import { type PriceHundredths, instrumentIndex, priceHundredths, priceTicks } from '../../domain/units.ts';
import type { TickRows } from '../../recording/columns/tick-file.ts';
import { listed } from '../../text/numbers.ts';
import type { BacktestMarket } from './backtest-market.ts';
import type { Backtest } from './load-backtest.ts';
import {
  type DayReader,
  type SourceDay,
  type SourceDays,
  codeOn,
  digestOfSources,
  rowReader,
} from './source-days.ts';

const GUESSES_SHOWN = 6;

export class BacktestDays implements BacktestData {
  readonly digest: string;
  readonly days: readonly TradingDay[];
  readonly rows: number;
  readonly #backtest: Backtest;
  readonly #readRows: DayReader;
  readonly #contracts = new Map<string, Contract>();
  readonly #byDay = new Map<TradingDay, SourceDay[]>();
  /** Codes that have data on some day. */
  readonly #codes: ReadonlySet<string>;
  /** Last price of each source that was read. */
  readonly #closes = new Map<SourceDay, number>();
  /** The latest day before with data of the same contract, by day and code. */
  readonly #before = new Map<string, SourceDay>();

  /** `readRows`: columns of a day from its file, or from memory that several threads share. */
  constructor(
    backtest: Backtest,
    days: readonly TradingDay[] = backtest.sources.days,
    readRows: DayReader = rowReader(backtest.read, backtest.market),
  ) {
    this.#backtest = backtest;
    this.#readRows = readRows;
    const { all } = backtest.sources;
    const isPlayed = new Set(days);
    const played = all.filter(({ day }) => isPlayed.has(day));
    this.days = days;
    this.rows = played.reduce((sum, { rows }) => sum + rows, 0);
    this.digest = digestOfSources(played, backtest.read.data.references);
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
    const { sources } = this.#backtest;
    const notices: BacktestNotice[] = [];
    const note = (code: string, text: string): void => void notices.push({ tsUs: null, code, text });
    if (day === this.days[0]) {
      for (const remark of sources.remarks) note('data_left_out', remark);
      for (const text of this.#quoteNotes()) note('quotes', text);
      const guesses = this.#guesses();
      if (guesses !== null) note('reference_guessed', guesses);
    }
    const references = new Map<Contract, PriceHundredths>();
    const guessed = new Set<Contract>();
    const today = this.#byDay.get(day) ?? [];
    const tapes = today.map((source): DayTape => {
      const contract = this.#contractOf(source.code);
      const rows = this.#read(source);
      let reference = this.#reference(source, contract);
      if (reference === null) {
        guessed.add(contract);
        reference = hundredthsOf(contract.spec, priceTicks(firstPrice(contract, rows).price));
      }
      references.set(contract, reference);
      if (source.missed > 0)
        note('trades_missing', `${source.code} on ${day}: ${source.missed} stretches with missing trades`);
      return { contract, rows };
    });
    return { day, contracts: this.#tableOf(day), references, guessed, tapes, notices };
  }

  /** Listed contracts of the day. Each keeps its index through the run. */
  #tableOf(day: TradingDay): readonly Contract[] {
    const { market, strategies } = this.#backtest;
    const today = (this.#byDay.get(day) ?? []).map(({ code }) => code);
    if (market.kind === 'own') {
      const known = Object.keys(market.contracts).filter((code) => this.#codes.has(code));
      return known.filter((code) => market.expiryOf(code) >= day).map((code) => this.#contractOf(code));
    }
    const families = new Set(
      [...strategies.flatMap(({ symbols }) => symbols), ...today]
        .map(underlyingOf)
        .filter((each) => each !== undefined),
    );
    const listed = [...families].flatMap((family) =>
      listedMonths(market.calendar, family, day).map(legacyCode),
    );
    return [...new Set([...listed, ...today])].map((code) => this.#contractOf(code));
  }

  #contractOf(code: string): Contract {
    const known = this.#contracts.get(code);
    if (known !== undefined) return known;
    const { market } = this.#backtest;
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

  /** From the file, else the close of the session before; null where it is unknown before the first trade. */
  #reference(source: SourceDay, { spec }: Contract): PriceHundredths | null {
    const { references } = this.#backtest.read.data;
    const points = references[source.code]?.[source.day];
    if (points !== undefined) return priceHundredths(Math.round(points * (spec.partsPerPoint ?? 100)));
    const before = this.#sessionBefore(source);
    const close = before === undefined ? 0 : this.#closeOf(before);
    return close <= 0 ? null : hundredthsOf(spec, priceTicks(close));
  }

  /** Where a price has a band the exchange's own session counts, else the latest day with data. */
  #sessionBefore({ code, day }: SourceDay): SourceDay | undefined {
    const { market } = this.#backtest;
    if ((market.specOf(code)?.bandBps ?? NO_BAND_BPS) >= NO_BAND_BPS)
      return this.#before.get(`${day} ${code}`);
    const before = sessionOnOrBefore(market.calendar, addDays(day, -1));
    return this.#byDay.get(before)?.find((source) => source.code === code);
  }

  /** Where the data are quotes: the sizes of fills, and the price that serves as trades. */
  #quoteNotes(): readonly string[] {
    const { sources, read } = this.#backtest;
    const played = new Set(this.days);
    const sizes = { sized: 'up to the sizes quoted', unsized: 'of any size, because the data have no sizes' };
    return (['sized', 'unsized'] as const).flatMap((kind) => {
      const found = sources.all.filter(({ day, quotes }) => quotes === kind && played.has(day));
      const codes = [...new Set(found.map(({ code }) => code))].join(', ');
      const text = `${codes}: fills are at bid and ask, ${sizes[kind]}; bars and values count at the ${read.data.quotePrice}`;
      return codes === '' ? [] : [text];
    });
  }

  /** Notice of the days whose price band rests on a guessed reference price; null without one. */
  #guesses(): string | null {
    const { references } = this.#backtest.read.data;
    const guessed = this.days.flatMap((day) =>
      (this.#byDay.get(day) ?? [])
        .filter(({ code }) => this.#contractOf(code).spec.bandBps < NO_BAND_BPS)
        .filter(({ code }) => references[code]?.[day] === undefined)
        .filter((source) => this.#sessionBefore(source) === undefined)
        .map(({ code }) => `${code} on ${day}`),
    );
    if (guessed.length === 0) return null;
    return `no close of the session before for ${listed(guessed, GUESSES_SHOWN)}: the first price is the reference price, and nothing is entered before it (data.references can say it)`;
  }

  #closeOf(source: SourceDay): number {
    return this.#closes.get(source) ?? (this.#read(source), this.#closes.get(source) ?? 0);
  }

  #read(source: SourceDay): TickRows {
    const rows = this.#readRows(source);
    this.#closes.set(source, rows.priceTicks[rows.rows - 1] ?? 0);
    return rows;
  }
}

/** Rows of the run with the contract that `symbol` names on their day. */
export function rowsPlayed(market: BacktestMarket, { all, days }: SourceDays, symbol: string): number {
  const played = new Set(days);
  const own = all.filter(({ day, code }) => played.has(day) && code === codeOn(market, symbol, day));
  return own.reduce((sum, { rows, bars }) => sum + (bars === null ? rows : bars.to - bars.from), 0);
}
