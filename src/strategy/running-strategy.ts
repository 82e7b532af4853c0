/** One configured strategy at work: its containment, channels, timers and trader. */
import { assert } from '../domain/assert.ts';
import type { Contract } from '../domain/contract.ts';
import type { DurationUs, StrategyIndex, TsUs } from '../domain/units.ts';
import type {
  TraderPort,
  FeedChange,
  LegChange,
  OrderUpdate,
  PhaseChange,
  TimerId,
} from '../engine/ports/strategy-port.ts';
import { BarChannel } from './bar-streams.ts';
import { Channel } from './channel.ts';
import type { Params, StrategyDefinition } from './define-strategy.ts';
import type { Trader, LegTrader } from './trader.ts';
import { createLegTrader, frozen, NoteBudget, type TraderParts } from './leg-trader.ts';
import { type Containment, StrategyTimers } from './containment.ts';
import { createLegChannels, type LegChannels, type TickHub } from './tick-hub.ts';
import type { LegTicks, Rollover, Ticks } from './leg-ticks.ts';
import { assertPace, check, TEXT } from './trader-arguments.ts';

/** One strategy of the configuration. `params` come from the definition's `parseParams`. */
export interface StrategyInstance {
  readonly index: StrategyIndex;
  readonly id: string;
  readonly definition: StrategyDefinition;
  readonly params: Params;
}

const NO_QUOTE_BARS = 'ticks.bars: bars are made of trades, without a price; books$ has each quote';

interface RunningLeg {
  readonly name: string;
  readonly channels: LegChannels;
  readonly ticks: LegTicks;
  readonly trader: LegTrader;
  contract: Contract;
}

/** The time at a pace, while somebody listens. */
class Moments extends Channel<TsUs> {
  constructor(containment: Containment, span: DurationUs, port: TraderPort, timers: StrategyTimers) {
    super(containment, 'every');
    let timer: TimerId | null = null;
    const wait = (): void => {
      timer = timers.after(span, () => {
        wait();
        this.deliver(port.nowUs());
      });
    };
    this.onHandlers = () => {
      if (this.handlers.length > 0 && timer === null) wait();
      if (this.handlers.length > 0 || timer === null) return;
      timers.clear(timer);
      timer = null;
    };
  }
}

export class RunningStrategy {
  readonly #instance: StrategyInstance;
  readonly #hub: TickHub;
  readonly #port: TraderPort;
  readonly #containment: Containment;
  readonly #timers: StrategyTimers;
  readonly #phases: Channel<PhaseChange>;
  readonly #feed: Channel<FeedChange>;
  readonly #orders: Channel<OrderUpdate>;
  readonly #rollovers: Channel<Rollover>;
  readonly #legs: readonly RunningLeg[];

  constructor(instance: StrategyInstance, hub: TickHub, port: TraderPort, containment: Containment) {
    this.#instance = instance;
    this.#hub = hub;
    this.#port = port;
    this.#containment = containment;
    this.#timers = new StrategyTimers(containment, port);
    this.#phases = new Channel(containment, 'phases$');
    this.#feed = new Channel(containment, 'feed$');
    this.#orders = new Channel(containment, 'orders$');
    this.#rollovers = new Channel(containment, 'rollovers$');
    const parts: TraderParts = { containment, port, timers: this.#timers, notes: new NoteBudget() };
    this.#legs = instance.definition.legs.map((name, index) => this.#createLeg(name, index, parts));
    containment.atClose(() => {
      for (const leg of this.#legs) hub.leave(leg.channels);
    });
  }

  connect(): void {
    const { definition, id, params } = this.#instance;
    const [first] = this.#legs;
    assert(first !== undefined, 'a strategy has a leg');
    const ticks: Ticks<string> = { ...first.ticks, leg: (name) => this.#leg(name).ticks };
    const trader: Trader<Params, string> = Object.defineProperties(Object.create(first.trader), {
      id: { value: id },
      params: { value: params },
      leg: { value: (name: string) => this.#leg(name).trader },
    });
    for (const leg of this.#legs) this.#hub.listen(leg.channels, leg.contract.index);
    this.#containment.run('connect', () => definition.connect(ticks, trader));
  }

  phase(change: PhaseChange): void {
    this.#phases.emit(frozen(change));
  }

  feed(change: FeedChange): void {
    this.#feed.emit(frozen(change));
  }

  get hasOrderListener(): boolean {
    return this.#orders.handlers.length > 0;
  }

  order(update: OrderUpdate): void {
    frozen(update.denial); // the journal has it too
    this.#orders.emit(update);
  }

  timer(timer: Parameters<StrategyTimers['fire']>[0]): void {
    this.#timers.fire(timer);
  }

  /** Moves all legs first, then calls the strategy: it never sees one leg of a roll without the other. */
  legsChanged(changes: readonly LegChange[]): void {
    if (this.#containment.closed) return;
    const rolled: Rollover[] = [];
    for (const { leg: place, contract } of changes) {
      const leg = this.#legs[place];
      assert(leg !== undefined, 'a rollover names a leg of the strategy');
      this.#hub.leave(leg.channels);
      leg.contract = frozen(contract);
      this.#hub.listen(leg.channels, contract.index);
      rolled.push({ leg: leg.name, contract });
    }
    for (const rollover of rolled) this.#rollovers.emit(rollover);
  }

  stop(): void {
    this.#containment.close();
  }

  #leg(name: string): RunningLeg {
    check('leg', 'name', TEXT, name);
    const leg = this.#legs.find((candidate) => candidate.name === name);
    if (leg === undefined)
      throw new Error(`no leg ${name}: expected one of ${this.#instance.definition.legs.join(', ')}`);
    return leg;
  }

  #createLeg(name: string, place: number, parts: TraderParts): RunningLeg {
    const channels = createLegChannels(this.#containment, name);
    const leg: RunningLeg = {
      name,
      channels,
      ticks: {
        trades$: channels.trades,
        books$: channels.books,
        summaries$: channels.summaries,
        gaps$: channels.gaps,
        bars: (spec) => {
          this.#containment.assertInEvent('bars', 'ticks');
          if (spec !== undefined && 'price' in spec) throw new Error(NO_QUOTE_BARS);
          const sources = { leg: name, channels, feed: this.#feed, rollovers: this.#rollovers };
          return new BarChannel(this.#containment, spec, sources, this.#port, this.#timers);
        },
        every: (span) => {
          this.#containment.assertInEvent('every', 'ticks');
          assertPace(span);
          return new Moments(this.#containment, span, this.#port, this.#timers);
        },
        phases$: this.#phases,
        feed$: this.#feed,
        orders$: this.#orders,
        rollovers$: this.#rollovers,
      },
      trader: createLegTrader(parts, () => leg.contract),
      contract: frozen(this.#port.leg(this.#instance.index, place)),
    };
    return leg;
  }
}
