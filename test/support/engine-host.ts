/** Strategies as plain handlers, and all updates that they got. */
import { limit } from './engine-facts.ts';
import { type StrategyIndex, strategyIndex } from '../../src/domain/units.ts';
import type { BookTick, FeedGap, TradeTick } from '../../src/domain/ticks.ts';
import type {
  ContractListeners,
  TraderPort,
  FeedChange,
  LegChange,
  OrderUpdate,
  PhaseChange,
  StrategyHost,
  TimerId,
} from '../../src/engine/ports/strategy-port.ts';

export interface ScriptedStrategy {
  onStart?: (desk: TraderPort, me: StrategyIndex) => void;
  onTrade?: (tick: TradeTick, desk: TraderPort, me: StrategyIndex) => void;
  onBook?: (tick: BookTick, desk: TraderPort, me: StrategyIndex) => void;
  onOrder?: (update: OrderUpdate, desk: TraderPort, me: StrategyIndex) => void;
  onTimer?: (timer: TimerId, desk: TraderPort, me: StrategyIndex) => void;
}

export class ScriptedHost implements StrategyHost {
  readonly strategies: readonly ScriptedStrategy[];
  readonly updates: { strategy: StrategyIndex; update: OrderUpdate }[] = [];
  readonly trades: TradeTick[] = [];
  readonly books: BookTick[] = [];
  readonly gaps: FeedGap[] = [];
  readonly phases: PhaseChange[] = [];
  readonly feeds: FeedChange[] = [];
  readonly legs: LegChange[] = [];
  readonly stopped: StrategyIndex[] = [];
  #desk: TraderPort | null = null;

  constructor(strategies: readonly ScriptedStrategy[]) {
    this.strategies = strategies;
  }

  get desk(): TraderPort {
    if (this.#desk === null) throw new Error('the strategies have not been started');
    return this.#desk;
  }

  hasCodeOf(strategy: StrategyIndex): boolean {
    return strategy < this.strategies.length;
  }

  start(desk: TraderPort): void {
    this.#desk = desk;
    this.#each('connect', (strategy, me) => strategy.onStart?.(desk, me));
  }

  onTrade(tick: TradeTick): void {
    this.trades.push(tick);
    this.#each('trades', (strategy, me) => strategy.onTrade?.(tick, this.desk, me));
  }

  onBook(tick: BookTick): void {
    this.books.push(tick);
    this.#each('books', (strategy, me) => strategy.onBook?.(tick, this.desk, me));
  }

  listenersOf(): ContractListeners {
    return { hasBookListener: true, trade: (tick) => this.onTrade(tick) };
  }

  onSummary(): void {}

  onGap(gap: FeedGap): void {
    this.gaps.push(gap);
  }

  onPhase(change: PhaseChange): void {
    this.phases.push(change);
  }

  onFeed(change: FeedChange): void {
    this.feeds.push(change);
  }

  onLegs(_strategy: StrategyIndex, legs: readonly LegChange[]): void {
    this.legs.push(...legs);
  }

  hasOrderListener(): boolean {
    return true;
  }

  onOrder(me: StrategyIndex, update: OrderUpdate): void {
    this.updates.push({ strategy: me, update });
    this.#guard('orders', me, (strategy) => strategy.onOrder?.(update, this.desk, me));
  }

  onTimer(me: StrategyIndex, timer: TimerId): void {
    this.#guard('timer', me, (strategy) => strategy.onTimer?.(timer, this.desk, me));
  }

  stop(strategy: StrategyIndex): void {
    this.stopped.push(strategy);
  }

  #each(where: string, run: (strategy: ScriptedStrategy, me: StrategyIndex) => void): void {
    this.strategies.forEach((_, place) => {
      const me = strategyIndex(place);
      this.#guard(where, me, (strategy) => run(strategy, me));
    });
  }

  #guard(where: string, me: StrategyIndex, run: (strategy: ScriptedStrategy) => void): void {
    const strategy = this.strategies[me];
    if (strategy === undefined || this.stopped.includes(me)) return;
    try {
      run(strategy);
    } catch (error) {
      this.stopped.push(me);
      this.desk.fault(me, error, where);
    }
  }
}

/** Buys one at the price of every third trade, and takes back what rests when the price has moved away. */
export function everyThird(side: 'buy' | 'sell' = 'buy'): ScriptedStrategy {
  let count = 0;
  return {
    onTrade: (tick, desk, me) => {
      count += 1;
      if (count % 3 === 0) desk.submit(me, limit(side, 1, tick.price));
      for (const order of desk.workingOrders(me)) {
        if (order.status === 'accepted' && order.limitPrice !== tick.price)
          desk.cancel(me, order.clientOrderId);
      }
    },
  };
}
