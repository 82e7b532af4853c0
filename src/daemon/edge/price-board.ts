/** Last trades, books and candles of the session for the page, on the main thread. Nothing decides by them. */
import { type Contract, pointsOf } from '../../domain/contract.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import {
  type InstrumentIndex,
  type PriceTicks,
  priceTicks,
  type Seq,
  type StrategyIndex,
  toMs,
  type TsUs,
  US_PER_MINUTE,
  US_PER_MS,
} from '../../domain/units.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import type { MarketEvent } from '../../engine/ports/engine-event.ts';
import type { PlotValue } from '../../engine/ports/outbound.ts';
import { InstrumentMarket } from '../../engine/market/market.ts';
import type { CockpitBar, ContractPrices, Level, PlotLine } from '../../operator/cockpit/cockpit-model.ts';
import type { PriceSource } from '../../operator/cockpit/event-streams.ts';

const MS_PER_MINUTE = US_PER_MINUTE / US_PER_MS;

const emptyRow = (contract: Contract | undefined) => ({
  contract,
  market: new InstrumentMarket(),
  candles: new Candles(),
  version: 0,
});

/** Plots of a session: at most one value a minute. */
interface BoardLine extends Pick<PlotValue, 'strategy' | 'instrument' | 'name'> {
  readonly minutes: Map<number, number>;
}

export class PriceBoard implements PriceSource {
  readonly #contracts: () => readonly Contract[];
  #rows = new Map<InstrumentIndex, ReturnType<typeof emptyRow>>();
  #lines = new Map<string, BoardLine>();
  /** The last prices of before, for contracts that had no trade since. */
  #past: readonly ContractPrices[] = [];
  #pastVersion = 0;
  #version = 0;
  /** Number of the first event that the candles know; null before it. */
  firstSeq: Seq | null = null;

  constructor(contracts: () => readonly Contract[]) {
    this.#contracts = contracts;
  }

  take(event: MarketEvent): void {
    if (event.kind === 'summary') return;
    this.firstSeq ??= event.seq;
    const row = this.#rowOf(event.instrument);
    if (event.kind === 'book_update') row.market.book.merge(event);
    else if (row.market.onTrade(event) === 'duplicate') return;
    else row.candles.add(event.tsUs, event.price, event.qty);
    row.market.seenUs = event.tsUs;
    this.#version += 1;
    row.version = this.#version;
  }

  /** The stream is down: levels of before do not fit those that come. */
  down(): void {
    for (const row of this.#rows.values()) {
      row.market.book.empty();
      this.#version += 1;
      row.version = this.#version;
    }
  }

  /** Another session, or a restart of the same one: the last prices stay until there are others. */
  restart(): void {
    const { prices } = this.since(0);
    this.#rows = new Map();
    this.#lines = new Map();
    this.firstSeq = null;
    this.remember(prices);
  }

  /** Prices of an earlier session or process. */
  remember(prices: readonly ContractPrices[]): void {
    const traded = new Set<string>();
    this.#version += 1;
    this.#pastVersion = this.#version;
    for (const row of this.#rows.values()) {
      row.version = this.#version;
      if (row.contract !== undefined && row.market.last.tick(row.contract.index) !== undefined)
        traded.add(row.contract.orderCode);
    }
    this.#past = prices.filter(({ contract, last }) => last !== null && !traded.has(contract));
  }

  since(version: number): ReturnType<PriceSource['since']> {
    const prices = this.#pastVersion > version ? [...this.#past] : [];
    for (const { contract, market, version: changed } of this.#rows.values()) {
      if (changed <= version || contract === undefined) continue;
      const now = pricesOf(contract, market);
      const old = this.#past.find((each) => each.contract === contract.orderCode);
      prices.push(now.last === null && old !== undefined ? { ...old, bids: now.bids, asks: now.asks } : now);
    }
    return { version: this.#version, prices };
  }

  /** Values of strategies as of the last view; each minute keeps its last one. */
  plot(plots: EngineSnapshot['plots']): void {
    for (const { strategy, instrument, name, tsUs, value } of plots) {
      const line = getOrCreate(this.#lines, `${strategy}/${instrument}/${name}`, () => ({
        strategy,
        instrument,
        name,
        minutes: new Map(),
      }));
      line.minutes.set(Math.floor(tsUs / US_PER_MINUTE), value);
    }
  }

  lines(contract: Contract, nameOf: (strategy: StrategyIndex) => string): readonly PlotLine[] {
    const size = pointsOf(contract.spec, priceTicks(1));
    return [...this.#lines.values()]
      .filter(({ instrument }) => instrument === contract.index)
      .map(({ strategy, name, minutes }) => ({
        strategy: nameOf(strategy),
        name,
        values: [...minutes].map(([minute, value]) => [minute * MS_PER_MINUTE, value * size] as const),
      }));
  }

  bars(contract: Contract): readonly CockpitBar[] {
    return this.#rows.get(contract.index)?.candles.bars(contract) ?? [];
  }

  /** No `getOrCreate`: its closure would be made for each price. */
  #rowOf(instrument: InstrumentIndex): ReturnType<typeof emptyRow> {
    const known = this.#rows.get(instrument);
    if (known !== undefined) return known;
    const row = emptyRow(this.#contracts()[instrument]);
    this.#rows.set(instrument, row);
    return row;
  }
}

/** More than a day has; older ones leave. */
const CANDLES_MAX = 1_500;

/** Prices in ticks. */
interface OpenCandle {
  readonly minute: number;
  readonly open: PriceTicks;
  high: PriceTicks;
  low: PriceTicks;
  close: PriceTicks;
  volume: number;
}

/** Candles of a minute from trades in order. */
class Candles {
  readonly #candles: OpenCandle[] = [];

  add(tsUs: TsUs, price: PriceTicks, qty: number): void {
    const minute = Math.floor(tsUs / US_PER_MINUTE);
    const last = this.#candles.at(-1);
    if (last === undefined || minute > last.minute) {
      this.#candles.push({ minute, open: price, high: price, low: price, close: price, volume: qty });
      if (this.#candles.length > CANDLES_MAX) this.#candles.shift();
      return;
    }
    if (price > last.high) last.high = price;
    if (price < last.low) last.low = price;
    last.close = price;
    last.volume += qty;
  }

  bars({ spec }: Contract): readonly CockpitBar[] {
    return this.#candles.map(({ minute, open, high, low, close, volume }) => [
      minute * MS_PER_MINUTE,
      pointsOf(spec, open),
      pointsOf(spec, high),
      pointsOf(spec, low),
      pointsOf(spec, close),
      volume,
    ]);
  }
}

function pricesOf(contract: Contract, market: InstrumentMarket): ContractPrices {
  const level = ({ price, qty }: BookLevel): Level => [pointsOf(contract.spec, price), qty];
  const last = market.last.tick(contract.index);
  const book = market.book.last;
  return {
    contract: contract.orderCode,
    atMs: toMs(market.seenUs),
    last: last === undefined ? null : level(last),
    volume: last?.totalVolume ?? 0,
    bids: book?.bids.map(level) ?? [],
    asks: book?.asks.map(level) ?? [],
  };
}
