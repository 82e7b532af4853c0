/**
 * Brings market messages to the channels that listen to their contract. A leg of a strategy owns one channel a kind; at a
 * rollover the channel moves to the new contract and its subscribers notice nothing but the prices.
 */
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';
import type { InstrumentIndex } from '../domain/units.ts';
import { Channel } from './channel.ts';
import type { StrategyGuard } from './strategy-guard.ts';

/** The channels of one leg. */
export interface LegChannels {
  readonly trades: Channel<TradeTick>;
  readonly books: Channel<BookTick>;
  readonly summaries: Channel<DaySummary>;
  readonly gaps: Channel<FeedGap>;
}

export function createLegChannels(guard: StrategyGuard, leg: string): LegChannels {
  return {
    trades: new Channel(guard, `trades$ of ${leg}`),
    books: new Channel(guard, `books$ of ${leg}`),
    summaries: new Channel(guard, `summaries$ of ${leg}`),
    gaps: new Channel(guard, `gaps$ of ${leg}`),
  };
}

/** Channels by contract; the lists are replaced, never changed, because a handler may cause a change while they are read. */
class Routes<T> {
  readonly #byInstrument: (readonly Channel<T>[] | undefined)[] = [];

  add(instrument: InstrumentIndex, channel: Channel<T>): void {
    while (this.#byInstrument.length <= instrument) this.#byInstrument.push(undefined);
    this.#byInstrument[instrument] = [...(this.#byInstrument[instrument] ?? []), channel];
  }

  remove(channel: Channel<T>): void {
    for (const [instrument, channels] of this.#byInstrument.entries()) {
      if (channels?.includes(channel) !== true) continue;
      this.#byInstrument[instrument] = channels.filter((kept) => kept !== channel);
    }
  }

  emit(instrument: InstrumentIndex, value: T): void {
    const channels = this.#byInstrument[instrument];
    if (channels === undefined) return;
    for (let i = 0; i < channels.length; i += 1) channels[i]?.emit(value);
  }
}

export class TickHub {
  readonly #trades = new Routes<TradeTick>();
  readonly #books = new Routes<BookTick>();
  readonly #summaries = new Routes<DaySummary>();
  readonly #gaps = new Routes<FeedGap>();

  listen(channels: LegChannels, instrument: InstrumentIndex): void {
    this.#trades.add(instrument, channels.trades);
    this.#books.add(instrument, channels.books);
    this.#summaries.add(instrument, channels.summaries);
    this.#gaps.add(instrument, channels.gaps);
  }

  leave(channels: LegChannels): void {
    this.#trades.remove(channels.trades);
    this.#books.remove(channels.books);
    this.#summaries.remove(channels.summaries);
    this.#gaps.remove(channels.gaps);
  }

  trade(tick: TradeTick): void {
    this.#trades.emit(tick.instrument, tick);
  }

  book(tick: BookTick): void {
    this.#books.emit(tick.instrument, tick);
  }

  summary(summary: DaySummary): void {
    this.#summaries.emit(summary.instrument, summary);
  }

  gap(gap: FeedGap): void {
    this.#gaps.emit(gap.instrument, gap);
  }
}
