import { sample, scan, startWith, Subscription, take } from 'rxjs';
import { nextPhaseChange, phaseAt, type SessionPhase } from '../../src/domain/calendar.ts';
import type { TradeTick } from '../../src/domain/ticks.ts';
import { durationUs, type PriceTicks, priceTicks } from '../../src/domain/units.ts';
import {
  type LegTrader,
  type LegTicks,
  PositionWorker,
  ProtectiveStop,
  seconds,
} from '../../src/strategy/index.ts';

export interface BreakoutParams {
  readonly rangeSeconds: number;
  readonly bufferTicks: number;
  readonly qty: number;
  readonly stopTicks: number;
  readonly trailTicks: number;
  readonly entriesMax: number;
  readonly entrySeconds: number;
  readonly restSeconds: number;
  readonly slipTicks: number;
}

type Side = 'long' | 'short';

/** State of the strategy. `waiting`: for the next open. `over`: nothing more in this session. */
type State =
  | { readonly kind: 'waiting' | 'measuring' | 'over' }
  | { readonly kind: 'watching'; isArmed: boolean }
  | { readonly kind: 'holding'; readonly side: Side; best: PriceTicks }
  | { readonly kind: 'leaving' };

interface Range {
  readonly low: number;
  readonly high: number;
}

const NOTHING: Range = { low: Infinity, high: -Infinity };

const widened = ({ low, high }: Range, { price }: TradeTick): Range => ({
  low: Math.min(low, price),
  high: Math.max(high, price),
});

/** A range whose end comes later than this was not watched: the machine slept. */
const LATE_MAX = seconds(10);

export class Breakout {
  readonly #ticks: LegTicks;
  readonly #trader: LegTrader;
  readonly #params: BreakoutParams;
  readonly #worker: PositionWorker;
  readonly #stop = new ProtectiveStop();
  #state: State = { kind: 'waiting' };
  #phase: SessionPhase;
  #bounds = { high: priceTicks(0), low: priceTicks(0) };
  #entries = 0;
  #measurement = Subscription.EMPTY;

  constructor(ticks: LegTicks, trader: LegTrader, params: BreakoutParams) {
    this.#ticks = ticks;
    this.#trader = trader;
    this.#params = params;
    this.#phase = trader.phase();
    this.#worker = new PositionWorker(ticks, trader, {
      rest: seconds(params.restSeconds),
      reprice: seconds(1),
      slipTicks: params.slipTicks,
    });
    ticks.trades$.subscribe(({ price }) => this.#onPrice(price));
    ticks.orders$.subscribe(() => this.#onOrders());
    ticks.phases$.subscribe(({ phase }) => this.#onPhase(phase));
    ticks.gaps$.subscribe(() => this.#onHole('trades were missed'));
    ticks.feed$.subscribe(({ state }) => {
      if (state === 'down') this.#onHole('the price stream went down');
    });
    ticks.rollovers$.subscribe(() => this.#onRollover());
    if (this.#isAlwaysOpen()) this.#openDay();
  }

  // Sessions: when a range is measured.

  /** A market without hours has no opening: the range is measured from the start, and again each day. */
  #isAlwaysOpen(): boolean {
    const now = this.#trader.time();
    const calendar = this.#trader.calendar();
    return (
      phaseAt(calendar, now) === 'continuous' &&
      phaseAt(calendar, nextPhaseChange(calendar, now)) === 'continuous'
    );
  }

  #openDay(): void {
    const now = this.#trader.time();
    const toMidnight = nextPhaseChange(this.#trader.calendar(), now) - now;
    this.#trader.after(durationUs(toMidnight), () => this.#openDay());
    this.#openSession();
  }

  #onPhase(phase: SessionPhase): void {
    const before = this.#phase;
    this.#phase = phase;
    // The afternoon is the same session.
    if (phase === 'continuous' && before !== 'break') this.#openSession();
    if (phase === 'closed' && !this.#hasPosition()) this.#state = { kind: 'waiting' };
  }

  #openSession(): void {
    this.#entries = 0;
    if (!this.#hasPosition()) this.#measure();
  }

  #hasPosition(): boolean {
    return this.#state.kind === 'holding' || this.#state.kind === 'leaving';
  }

  #measure(): void {
    this.#state = { kind: 'measuring' };
    const span = seconds(this.#params.rangeSeconds);
    const dueUs = this.#trader.time() + span;
    this.#measurement.unsubscribe();
    this.#measurement = this.#ticks.trades$
      .pipe(scan(widened, NOTHING), startWith(NOTHING), sample(this.#ticks.every(span)), take(1))
      .subscribe((range) => this.#endMeasuring(range, dueUs));
  }

  #endMeasuring({ low, high }: Range, dueUs: number): void {
    if (this.#state.kind !== 'measuring') return;
    if (this.#trader.time() - dueUs > LATE_MAX) return this.#onHole('its end was missed');
    if (low > high) return this.#onHole('nothing was traded');
    this.#bounds = { low: this.#trader.nearest(low), high: this.#trader.nearest(high) };
    this.#state = { kind: 'watching', isArmed: true };
    this.#trader.note(`range ${this.#points(this.#bounds.low)} to ${this.#points(this.#bounds.high)}`);
  }

  /** A range with a hole is no range: this session is left out, or measured again where no session ends. */
  #onHole(why: string): void {
    if (this.#state.kind !== 'measuring') return;
    this.#trader.note(`no range: ${why}`);
    if (this.#isAlwaysOpen()) this.#measure();
    else this.#state = { kind: 'over' };
  }

  #onRollover(): void {
    this.#stop.clear();
    this.#state = { kind: 'over' };
    if (this.#isAlwaysOpen()) this.#measure();
  }

  // Prices: when to enter, and when to give up.

  #onPrice(price: PriceTicks): void {
    const state = this.#state;
    if (state.kind === 'holding') this.#guardPosition(state, price);
    else if (state.kind !== 'leaving' && this.#trader.position().qty !== 0)
      this.#leave('a position without a stop');
    else if (state.kind === 'watching') this.#watch(state, price);
  }

  #watch(state: { isArmed: boolean }, price: PriceTicks): void {
    const above = price > this.#bounds.high + this.#params.bufferTicks;
    const below = price < this.#bounds.low - this.#params.bufferTicks;
    // After an exit the price must have come back before it can break out again.
    if (!above && !below) state.isArmed = true;
    else if (state.isArmed) this.#enter(above ? 'long' : 'short', price);
  }

  #enter(side: Side, price: PriceTicks): void {
    const { qty, stopTicks, entrySeconds } = this.#params;
    const { high, low } = this.#bounds;
    // The nearer of the far end of the range and the configured distance.
    const level = side === 'long' ? Math.max(low, high - stopTicks) : Math.min(high, low + stopTicks);
    this.#stop.clear();
    this.#stop.protect(side, this.#trader.nearest(level));
    this.#entries += 1;
    const state: State = { kind: 'holding', side, best: price };
    this.#state = state;
    this.#trader.after(seconds(entrySeconds), () => {
      if (this.#state === state) this.#endEntry();
    });
    this.#worker.aim(side === 'long' ? qty : -qty, `broke out at ${this.#points(price)}`);
  }

  /** A breakout is old after a while: what is filled by then is the position. */
  #endEntry(): void {
    const held = this.#trader.position().qty;
    if (held === 0) this.#leave('the breakout was not filled in time');
    else if (this.#worker.target !== null) this.#worker.aim(held, 'the rest was not filled in time');
  }

  #guardPosition(state: { readonly side: Side; best: PriceTicks }, price: PriceTicks): void {
    if (this.#stop.isHit(price)) {
      this.#leave(`stop at ${this.#points(price)}`);
      return;
    }
    const isLong = state.side === 'long';
    if (isLong ? price <= state.best : price >= state.best) return;
    state.best = price;
    const { trailTicks } = this.#params;
    if (trailTicks > 0)
      this.#stop.tighten(this.#trader.nearest(isLong ? price - trailTicks : price + trailTicks));
  }

  // The way out.

  /** Gives up the whole position as it is proven then; the worker follows it down to zero. */
  #leave(why: string): void {
    this.#state = { kind: 'leaving' };
    this.#worker.aim(0, why, 'urgent');
    this.#onOrders();
  }

  #onOrders(): void {
    const isFlat = this.#trader.position().qty === 0;
    if (this.#state.kind === 'holding' && isFlat && this.#worker.target === null) this.#endSession();
    else if (this.#state.kind === 'leaving' && isFlat && !this.#worker.isWorking) this.#endTrade();
    else if (this.#state.kind === 'leaving' && !isFlat) this.#worker.aim(0, 'leaving', 'urgent');
  }

  /** Somebody else closed the position: it is not fought. */
  #endSession(): void {
    this.#stop.clear();
    this.#state = { kind: 'over' };
    this.#trader.note('closed by another hand: no more entries in this session');
  }

  #endTrade(): void {
    this.#stop.clear();
    this.#worker.release();
    const isMore = this.#entries < this.#params.entriesMax && this.#bounds.high > 0;
    this.#state = isMore ? { kind: 'watching', isArmed: false } : { kind: 'over' };
  }

  #points(price: PriceTicks): string {
    return this.#trader.points(price).toFixed(1);
  }
}
