import { assert } from '../domain/assert.ts';
import { type BarBounds, barBounds, type BarSpec } from '../domain/bars.ts';
import type { TradingCalendar } from '../domain/calendar.ts';
import { type BarTick, isBarTick, type TradeTick } from '../domain/ticks.ts';
import {
  addUs,
  type DurationUs,
  durationUs,
  minutes,
  type PriceTicks,
  priceTicks,
  seconds,
  type TsUs,
  tsUs,
} from '../domain/units.ts';
import type { FeedChange, TimerId, TraderPort } from '../engine/ports/strategy-port.ts';
import { BarJoiner } from './bar-joiner.ts';
import { Channel } from './channel.ts';
import type { StrategyGuard, StrategyTimers } from './strategy-guard.ts';
import type { LegChannels } from './tick-hub.ts';
import type { Bar, Rollover } from './ticks.ts';

/**
 * A bar closed later than this after its end, or than its own length if that is more, is not fresh. At 60 times the speed
 * of life this is 83 ms of a busy machine.
 */
const LATE_MAX: DurationUs = seconds(5);
/** After a longer silence within a session, or than a bar, the first trades are not trusted: the machine may have slept. */
const SILENCE_MAX: DurationUs = minutes(2);
/** Trades that arrive this soon after such a silence may be old. */
const SETTLE: DurationUs = seconds(1);

/** Makes bars out of trades. It has no clock: `closeDue` passes the time. */
export class BarBuilder {
  /** When the open bar ends by time; infinite while none is open. The one comparison that each trade pays. */
  endUs = Infinity;
  readonly #every: DurationUs | null;
  readonly #silenceMax: number;
  readonly #ticksMax: number;
  readonly #volumeMax: number;
  readonly #calendar: TradingCalendar;
  #bounds: BarBounds | null = null;
  #first: TradeTick | null = null;
  #high: PriceTicks = priceTicks(0);
  #low: PriceTicks = priceTicks(0);
  #last: TradeTick | null = null;
  #volume = 0;
  #trades = 0;
  /** Bars that begin earlier have holes. */
  #seenFromUs: number;
  /** Bars that begin earlier may hold old ticks. */
  #settledFromUs = -Infinity;
  #before: BarBounds | null = null;

  constructor(spec: BarSpec, calendar: TradingCalendar, now: TsUs) {
    this.#every = 'every' in spec ? spec.every : null;
    this.#silenceMax = Math.max(SILENCE_MAX, this.#every ?? 0);
    this.#ticksMax = 'everyTicks' in spec ? spec.everyTicks : Infinity;
    this.#volumeMax = 'everyVolume' in spec ? spec.everyVolume : Infinity;
    const limit = this.#every ?? Math.min(this.#ticksMax, this.#volumeMax);
    assert(
      limit >= 1 && (limit === Infinity || Number.isSafeInteger(limit)),
      'a bar has a whole, positive size',
    );
    this.#calendar = calendar;
    this.#seenFromUs = now;
  }

  get seenFromUs(): number {
    return this.#seenFromUs;
  }

  /** Adds a trade; returns the bar if it is full with it. The bar before must have been closed by `closeDue`. */
  add(tick: TradeTick): Bar | null {
    assert(tick.tsUs < this.endUs, 'a bar whose time has passed is closed before the next trade');
    if (this.#last !== null && tick.tsUs - this.#last.tsUs > this.#silenceMax) this.#endSilence(tick.tsUs);
    if (this.#first === null) this.#open(tick);
    if (tick.price > this.#high) this.#high = tick.price;
    if (tick.price < this.#low) this.#low = tick.price;
    this.#last = tick;
    this.#volume += tick.qty;
    this.#trades += 1;
    if (this.#trades < this.#ticksMax && this.#volume < this.#volumeMax) return null;
    return this.#close(tick.tsUs, true);
  }

  /** The open bar, if its time has passed at `now`. */
  closeDue(now: TsUs): Bar | null {
    if (now < this.endUs) return null;
    const late = now - this.endUs > Math.max(this.#every ?? 0, LATE_MAX);
    if (late) this.#distrustUntil(addUs(now, SETTLE));
    return this.#close(tsUs(this.endUs), !late);
  }

  /** Trades were missed at or before `at`. */
  missed(at: TsUs): void {
    this.#seenFromUs = Math.max(this.#seenFromUs, at + 1);
  }

  /** Trades are missed until `seeing`. */
  blind(): void {
    this.#seenFromUs = Infinity;
  }

  seeing(from: TsUs): void {
    if (this.#last !== null && from < this.#last.tsUs) this.#setClockBack();
    this.#seenFromUs = from + 1;
  }

  /** Forgets the open bar: its contract is not followed any more. */
  restart(now: TsUs): void {
    this.#forget();
    if (this.#seenFromUs !== Infinity) this.#seenFromUs = now;
  }

  /** The open bar would not end before the old time comes again. */
  #setClockBack(): void {
    this.#forget();
    this.#settledFromUs = -Infinity;
  }

  #forget(): void {
    this.#first = null;
    this.#last = null;
    this.#before = null;
    this.endUs = Infinity;
  }

  #open(tick: TradeTick): void {
    this.#bounds = barBounds(this.#calendar, tick.tsUs, this.#every);
    this.endUs = this.#bounds.endUs;
    this.#first = tick;
    this.#high = tick.price;
    this.#low = tick.price;
    this.#volume = 0;
    this.#trades = 0;
  }

  #close(endUs: TsUs, onTime: boolean): Bar {
    const first = this.#first;
    const last = this.#last;
    const bounds = this.#bounds;
    assert(first !== null && last !== null && bounds !== null, 'only an open bar can be closed');
    const bar: Bar = {
      kind: 'bar',
      instrument: first.instrument,
      startUs: bounds.startUs,
      endUs,
      open: first.price,
      high: this.#high,
      low: this.#low,
      close: last.price,
      volume: this.#volume,
      trades: this.#trades,
      phase: bounds.phase,
      complete: bounds.startUs >= this.#seenFromUs,
      fresh: onTime && bounds.startUs >= this.#settledFromUs,
      skipped: this.#skippedBefore(bounds),
    };
    this.#before = bounds;
    this.#first = null;
    this.endUs = Infinity;
    return bar;
  }

  #skippedBefore(bounds: BarBounds): number {
    const before = this.#before;
    if (this.#every === null || before === null || before.sessionEndUs !== bounds.sessionEndUs) return 0;
    return Math.round((bounds.startUs - before.endUs) / this.#every);
  }

  /** A pause between two sessions is no silence. */
  #endSilence(at: TsUs): void {
    if (this.#bounds !== null && at < this.#bounds.sessionEndUs) this.#distrustUntil(addUs(at, SETTLE));
  }

  #distrustUntil(at: TsUs): void {
    this.#settledFromUs = at;
    this.#seenFromUs = Math.max(this.#seenFromUs, at);
  }
}

export interface BarSources {
  readonly leg: string;
  readonly channels: LegChannels;
  readonly feed: Channel<FeedChange>;
  readonly rollovers: Channel<Rollover>;
}

/** Tells a builder what the feed of its leg missed; `onRollover` starts anew with another contract. */
export function followFeed(
  builder: BarBuilder,
  { leg, channels, feed, rollovers }: BarSources,
  onRollover: () => void,
): void {
  channels.gaps.subscribe((gap) => builder.missed(gap.tsUs));
  feed.subscribe((change) => {
    if (change.state === 'live') builder.seeing(change.tsUs);
    else builder.blind();
  });
  rollovers.subscribe((rollover) => {
    if (rollover.leg === leg) onRollover();
  });
}

/**
 * Bars of one leg, closed by the clock also when no trade comes. Stretches without a trade make no bar, so after a standby
 * at most one bar comes out, and it says that it is late.
 */
export class BarChannel extends Channel<Bar> {
  readonly #builder: BarBuilder;
  readonly #port: Pick<TraderPort, 'nowUs' | 'calendar'>;
  readonly #timers: StrategyTimers;
  /** Undefined: bars of the data as they are. */
  readonly #spec: BarSpec | undefined;
  /** Where the data are bars. */
  #joiner: BarJoiner | null = null;
  #timer: TimerId | null = null;
  #timerAtUs = Infinity;

  constructor(
    guard: StrategyGuard,
    spec: BarSpec | undefined,
    sources: BarSources,
    port: TraderPort,
    timers: StrategyTimers,
  ) {
    super(guard, `bars of ${sources.leg}`);
    this.#port = port;
    this.#timers = timers;
    this.#spec = spec;
    this.#builder = new BarBuilder(spec ?? { everyTicks: Infinity }, port.calendar(), port.nowUs());
    sources.channels.trades.subscribe(
      spec === undefined ? (tick) => this.#onDataBar(tick) : (tick) => this.#onTrade(tick),
    );
    followFeed(this.#builder, sources, () => {
      this.#joiner = null;
      this.#builder.restart(port.nowUs());
    });
  }

  #onTrade(tick: TradeTick): void {
    if (isBarTick(tick)) return this.#onBar(tick);
    const builder = this.#builder;
    if (tick.tsUs >= builder.endUs) this.#closeDue(tick.tsUs);
    const full = builder.add(tick);
    if (full !== null) this.deliver(full);
    else if (this.#timerAtUs !== builder.endUs) this.#wakeAtEnd();
  }

  #onDataBar(tick: TradeTick): void {
    if (!isBarTick(tick))
      throw new Error(
        'the data are single trades: expected a length of bars, like ticks.bars({ every: minutes(1) })',
      );
    this.#onBar(tick);
  }

  #onBar({ instrument, bar, price }: BarTick): void {
    const joiner = (this.#joiner ??= new BarJoiner(
      this.#spec ?? { every: bar.every },
      this.#port.calendar(),
      this.#builder.seenFromUs,
    ));
    if (bar.startUs >= joiner.endUs) this.#closeDue(bar.startUs);
    const full = joiner.add(instrument, bar, price);
    if (full !== null) this.deliver(full);
    else if (this.#timerAtUs !== joiner.endUs) this.#wakeAtEnd();
  }

  #closeDue(now: TsUs): void {
    const bar = (this.#joiner ?? this.#builder).closeDue(now);
    if (bar !== null) this.deliver(bar);
  }

  #wakeAtEnd(): void {
    if (this.#timer !== null) this.#timers.clear(this.#timer);
    const { endUs } = this.#joiner ?? this.#builder;
    this.#timerAtUs = endUs;
    this.#timer = this.#timers.after(durationUs(endUs - this.#port.nowUs()), () => {
      this.#timer = null;
      this.#timerAtUs = Infinity;
      this.#closeDue(this.#port.nowUs());
    });
  }
}
