import { assert } from '../domain/assert.ts';
import { type BarBounds, barBounds, type BarSpec } from '../domain/bars.ts';
import type { TradingCalendar } from '../domain/calendar.ts';
import { type BarTick, isBarTick, type RecordedBar, type TradeTick } from '../domain/ticks.ts';
import {
  addUs,
  type DurationUs,
  durationUs,
  type InstrumentIndex,
  minutes,
  type PriceTicks,
  priceTicks,
  seconds,
  type TsUs,
  tsUs,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../domain/units.ts';
import type { FeedChange, TimerId, TraderPort } from '../engine/ports/strategy-port.ts';
import { Channel, type LegChannels } from './tick-hub.ts';
import type { Containment, StrategyTimers } from './containment.ts';
import type { Bar, Rollover } from './leg-ticks.ts';

/** A bar closed later than this, or than its own length, is not fresh: 83 ms of a busy machine at 60 times the speed of life. */
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
  seenFromUs: number;
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
    this.seenFromUs = now;
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

  onGap(at: TsUs): void {
    this.seenFromUs = Math.max(this.seenFromUs, at + 1);
  }

  /** Trades are missed until `onFeedBack`. */
  onFeedLost(): void {
    this.seenFromUs = Infinity;
  }

  onFeedBack(from: TsUs): void {
    if (this.#last !== null && from < this.#last.tsUs) this.#setClockBack();
    this.seenFromUs = from + 1;
  }

  /** Forgets the open bar: its contract is not followed any more. */
  restart(now: TsUs): void {
    this.#forget();
    if (this.seenFromUs !== Infinity) this.seenFromUs = now;
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
      complete: bounds.startUs >= this.seenFromUs,
      fresh: onTime && bounds.startUs >= this.#settledFromUs,
      skipped: skipped(this.#before, bounds, this.#every),
    };
    this.#before = bounds;
    this.#first = null;
    this.endUs = Infinity;
    return bar;
  }

  /** A pause between two sessions is no silence. */
  #endSilence(at: TsUs): void {
    if (this.#bounds !== null && at < this.#bounds.sessionEndUs) this.#distrustUntil(addUs(at, SETTLE));
  }

  #distrustUntil(at: TsUs): void {
    this.#settledFromUs = at;
    this.seenFromUs = Math.max(this.seenFromUs, at);
  }
}

interface BarSources {
  readonly leg: string;
  readonly channels: LegChannels;
  readonly feed: Channel<FeedChange>;
  readonly rollovers: Channel<Rollover>;
}

/** Bars of one leg, closed by the clock too. A stretch without a trade makes none: after a standby at most one comes, marked late. */
export class BarChannel extends Channel<Bar> {
  readonly #builder: BarBuilder;
  readonly #port: Pick<TraderPort, 'nowUs' | 'calendar'>;
  readonly #timers: StrategyTimers;
  /** Undefined: bars of the data as they are. */
  readonly #spec: BarSpec | undefined;
  #joiner: BarJoiner | null = null;
  #timer: TimerId | null = null;
  #timerAtUs = Infinity;

  constructor(
    containment: Containment,
    spec: BarSpec | undefined,
    { leg, channels, feed, rollovers }: BarSources,
    port: TraderPort,
    timers: StrategyTimers,
  ) {
    super(containment, `bars of ${leg}`);
    this.#port = port;
    this.#timers = timers;
    this.#spec = spec;
    const builder = new BarBuilder(spec ?? { everyTicks: Infinity }, port.calendar(), port.nowUs());
    this.#builder = builder;
    channels.trades.subscribe(
      spec === undefined ? (tick) => this.#onDataBar(tick) : (tick) => this.#onTrade(tick),
    );
    channels.gaps.subscribe((gap) => builder.onGap(gap.tsUs));
    feed.subscribe((change) => {
      if (change.state === 'live') builder.onFeedBack(change.tsUs);
      else builder.onFeedLost();
    });
    rollovers.subscribe((rollover) => {
      if (rollover.leg !== leg) return;
      this.#joiner = null;
      builder.restart(port.nowUs());
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

// Bars out of recorded bars: as they are, or several as one. None is ever cut.

interface OpenBar {
  readonly instrument: InstrumentIndex;
  readonly bounds: BarBounds;
  readonly open: PriceTicks;
  high: PriceTicks;
  low: PriceTicks;
  close: PriceTicks;
  volume: number;
  readonly isWhole: boolean;
}

class BarJoiner {
  /** When the open bar ends by time; infinite while none is open. */
  endUs = Infinity;
  readonly #spec: BarSpec;
  readonly #calendar: TradingCalendar;
  readonly #seenFromUs: number;
  #open: OpenBar | null = null;
  #before: BarBounds | null = null;

  /** Joined bars that begin before `seenFromUs` are not complete. */
  constructor(spec: BarSpec, calendar: TradingCalendar, seenFromUs: number) {
    this.#spec = spec;
    this.#calendar = calendar;
    this.#seenFromUs = seenFromUs;
  }

  /** Adds a bar that is over; returns the joined one if it is full with it. */
  add(instrument: InstrumentIndex, bar: RecordedBar, close: PriceTicks): Bar | null {
    const open = (this.#open ??= this.#begin(instrument, bar));
    if (bar.endUs > this.endUs)
      throw new Error(
        `${this.#mismatch(bar)}: they do not lie on its grid from midnight, so one would be cut in two`,
      );
    if (bar.high > open.high) open.high = bar.high;
    if (bar.low < open.low) open.low = bar.low;
    open.close = close;
    open.volume += bar.volume;
    const isFull = 'everyVolume' in this.#spec && open.volume >= this.#spec.everyVolume;
    return isFull ? this.#close(bar.endUs) : null;
  }

  closeDue(now: TsUs): Bar | null {
    return now < this.endUs ? null : this.#close(tsUs(this.endUs));
  }

  #begin(instrument: InstrumentIndex, bar: RecordedBar): OpenBar {
    const { open, high, low } = bar;
    const bounds = this.#boundsOf(bar);
    this.endUs = bounds.endUs;
    return {
      instrument,
      bounds,
      open,
      high,
      low,
      close: open,
      volume: 0,
      isWhole: this.#isWhole(bounds, bar),
    };
  }

  #boundsOf(bar: RecordedBar): BarBounds {
    const spec = this.#spec;
    const window = barBounds(this.#calendar, bar.startUs, null);
    if ('everyVolume' in spec) return { ...window, endUs: tsUs(Math.max(window.endUs, bar.endUs)) };
    if ('everyTicks' in spec)
      throw new Error(`the data are bars of ${lengthText(bar.every)}: they have no single trades to count`);
    const { every } = spec;
    if (every === bar.every) return { ...window, endUs: bar.endUs };
    if (every % bar.every !== 0 || every > US_PER_DAY)
      throw new Error(`${this.#mismatch(bar)}: expected that length, or a multiple of it up to a day`);
    const bounds = barBounds(this.#calendar, bar.startUs, every);
    // A bar of the data may hold an auction, and with it the change of a phase.
    return bounds.endUs === bounds.sessionEndUs && bar.endUs > bounds.endUs
      ? { ...bounds, endUs: bar.endUs }
      : bounds;
  }

  /** A bar of the data holds all its trades, whenever the strategy began. */
  #isWhole({ startUs }: BarBounds, { every }: RecordedBar): boolean {
    const isAsItIs = 'every' in this.#spec && this.#spec.every === every;
    return isAsItIs || startUs >= this.#seenFromUs;
  }

  #mismatch({ every }: RecordedBar): string {
    const wanted = 'every' in this.#spec ? ` of ${lengthText(this.#spec.every)}` : '';
    return `the data are bars of ${lengthText(every)}, bars${wanted} cannot be made of them`;
  }

  #close(endUs: TsUs): Bar {
    const open = this.#open;
    assert(open !== null, 'only an open bar can be closed');
    const { bounds } = open;
    const made: Bar = {
      kind: 'bar',
      instrument: open.instrument,
      startUs: bounds.startUs,
      endUs,
      open: open.open,
      high: open.high,
      low: open.low,
      close: open.close,
      volume: open.volume,
      trades: 0,
      phase: bounds.phase,
      complete: open.isWhole,
      fresh: true,
      skipped: skipped(this.#before, bounds, 'every' in this.#spec ? this.#spec.every : null),
    };
    this.#before = { ...bounds, endUs };
    this.#open = null;
    this.endUs = Infinity;
    return made;
  }
}

/** Time bars of the session between two bars; other bars skip none. */
function skipped(
  before: BarBounds | null,
  { startUs, sessionEndUs }: BarBounds,
  every: DurationUs | null,
): number {
  if (every === null || before === null || before.sessionEndUs !== sessionEndUs) return 0;
  return Math.round((startUs - before.endUs) / every);
}

const LENGTHS = [
  [US_PER_DAY, 'd'],
  [US_PER_HOUR, 'h'],
  [US_PER_MINUTE, 'm'],
] as const;

function lengthText(us: number): string {
  const [unit, letter] = LENGTHS.find(([each]) => us % each === 0) ?? [US_PER_SECOND, 's'];
  return `${us / unit}${letter}`;
}
