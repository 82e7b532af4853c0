import type { TradeTick } from '../domain/ticks.ts';
import { durationUs, type TsUs } from '../domain/units.ts';
import type { TraderPort, FeedChange, TimerId } from '../engine/ports/strategy-port.ts';
import type { Bar, BarSpec } from './bar.ts';
import { BarBuilder } from './bar-builder.ts';
import { Channel } from './channel.ts';
import type { StrategyGuard } from './strategy-guard.ts';
import type { StrategyTimers } from './strategy-timers.ts';
import type { LegChannels } from './tick-hub.ts';
import type { Rollover } from './ticks.ts';

export interface BarSources {
  readonly leg: string;
  readonly channels: LegChannels;
  readonly feed: Channel<FeedChange>;
  readonly rollovers: Channel<Rollover>;
}

/**
 * Bars of one leg, closed by the clock also when no trade comes. Stretches without a trade make no bar, so after a standby
 * at most one bar comes out, and it says that it is late.
 */
export class BarChannel extends Channel<Bar> {
  readonly #builder: BarBuilder;
  readonly #port: Pick<TraderPort, 'nowUs'>;
  readonly #timers: StrategyTimers;
  #timer: TimerId | null = null;
  #timerAtUs = Infinity;

  constructor(
    guard: StrategyGuard,
    spec: BarSpec,
    sources: BarSources,
    port: TraderPort,
    timers: StrategyTimers,
  ) {
    super(guard, `bars of ${sources.leg}`);
    this.#port = port;
    this.#timers = timers;
    this.#builder = new BarBuilder(spec, port.calendar(), port.nowUs());
    sources.channels.trades.subscribe((tick) => this.#onTrade(tick));
    sources.channels.gaps.subscribe((gap) => this.#builder.missed(gap.tsUs));
    sources.feed.subscribe((change) => {
      if (change.state === 'live') this.#builder.seeing(change.tsUs);
      else this.#builder.blind();
    });
    sources.rollovers.subscribe(({ leg }) => {
      if (leg === sources.leg) this.#builder.restart(port.nowUs());
    });
  }

  #onTrade(tick: TradeTick): void {
    const builder = this.#builder;
    if (tick.tsUs >= builder.endUs) this.#closeDue(tick.tsUs);
    const full = builder.add(tick);
    if (full !== null) this.deliver(full);
    else if (this.#timerAtUs !== builder.endUs) this.#wakeAtEnd();
  }

  #closeDue(now: TsUs): void {
    const bar = this.#builder.closeDue(now);
    if (bar !== null) this.deliver(bar);
  }

  #wakeAtEnd(): void {
    if (this.#timer !== null) this.#timers.clear(this.#timer);
    const { endUs } = this.#builder;
    this.#timerAtUs = endUs;
    this.#timer = this.#timers.after(durationUs(endUs - this.#port.nowUs()), () => {
      this.#timer = null;
      this.#timerAtUs = Infinity;
      this.#closeDue(this.#port.nowUs());
    });
  }
}
