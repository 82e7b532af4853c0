/** An engine as the daemon builds it, in a session that is open, with prices, account and positions known. */
import type { Config } from '../../src/config/config.ts';
import type { Contract } from '../../src/domain/contract.ts';
import type { EngineSettings } from '../../src/domain/settings.ts';
import {
  durationUs,
  money,
  priceTicks,
  seq,
  strategyIndex,
  tsUs,
  US_PER_DAY,
  US_PER_SECOND,
} from '../../src/domain/units.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineEvent, UnnumberedInput } from '../../src/engine/ports/engine-event.ts';
import type { Outbound } from '../../src/engine/ports/outbound.ts';
import { createStrategyHost, type StrategyInstance } from '../../src/strategy/strategy-host.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { DAY, type MarketDay, REFERENCE, START_TICKS } from './market-day.ts';

/** The strategies of config/paper.yaml, as configured. */
export const paperStrategies = ({ strategies }: Config): StrategyInstance[] =>
  strategies.map(({ id, strategy, params }, at) => {
    const definition = CATALOG.find(({ name }) => name === strategy);
    if (definition === undefined) throw new Error(`expected ${strategy} in the catalogue`);
    return { index: strategyIndex(at), id, definition, params };
  });

/**
 * The limits of config/paper.yaml, but nothing gets too old and nobody asks too often: reports are not part of what is
 * measured, so the figures of the opening must last. Every rule is still applied.
 */
function benchSettings({ engine }: Config, strategies: number): EngineSettings {
  const long = durationUs(US_PER_DAY);
  const one = engine.strategies[0];
  return {
    ...engine,
    risk: {
      ...engine.risk,
      ordersPerSecondMax: 1_000_000,
      ordersPerMinuteMax: 1_000_000,
      messagesPerMinuteMax: 1_000_000,
      rejectionsPerMinuteMax: 1_000_000,
      accountAgeMax: long,
      dataAgeMax: long,
    },
    poll: { bookFast: long, bookSlow: long, positions: long, account: long },
    strategies:
      one === undefined ? [] : Array.from({ length: strategies }, (_, at) => engine.strategies[at] ?? one),
  };
}

export function createEngine(
  { config }: MarketDay,
  instances: readonly StrategyInstance[],
  outbound: Outbound,
): Engine {
  return new Engine({
    settings: benchSettings(config, instances.length),
    calendar: config.exchangeCalendar,
    costs: config.costs,
    host: createStrategyHost({ instances }),
    outbound,
  });
}

/** What is known before the first frame. */
export function openingEvents({ contracts, startUs }: MarketDay): EngineEvent[] {
  const events: EngineEvent[] = [];
  let now = tsUs(startUs - 10 * US_PER_SECOND);
  const post = (event: UnnumberedInput<EngineEvent>): void => {
    events.push({ ...event, seq: seq(events.length + 1), tsUs: now });
    now = tsUs(now + US_PER_SECOND);
  };
  const before = (): ReturnType<typeof tsUs> => tsUs(now - US_PER_SECOND / 10);
  post({ kind: 'contracts', contracts });
  post({ kind: 'session_started', tradingDay: DAY, carriedOver: [], halted: null });
  post({ kind: 'booted', boot: 1, accountTail: '000001' });
  post({ kind: 'stream', state: 'live', reason: 'bench' });
  post({ kind: 'reference', rows: contracts.map(referenceRow) });
  post({ kind: 'account_snapshot', startedUs: before(), account: ACCOUNT });
  post({ kind: 'book_snapshot', list: 'orders', startedUs: before(), complete: true, orders: [] });
  post({ kind: 'position_snapshot', startedUs: before(), positions: [] });
  post({ kind: 'book_snapshot', list: 'orders', startedUs: before(), complete: true, orders: [] });
  return events;
}

const referenceRow = ({ index }: Contract) => ({
  instrument: index,
  ceiling: priceTicks(START_TICKS * 1.07),
  floor: priceTicks(START_TICKS * 0.93),
  reference: REFERENCE,
  lastPrice: START_TICKS,
});

const CASH = money(2_000_000_000);
const ZERO = money(0);
export const ACCOUNT = {
  cash: CASH,
  netAssetValue: CASH,
  initialMargin: ZERO,
  requiredMargin: ZERO,
  buyingPower: CASH,
  profit: ZERO,
  uncollected: ZERO,
  fee: ZERO,
  tax: ZERO,
  withdrawable: null,
  usageBps: 0,
};

/** Counts what the engine asks for and gives no answer. */
export class CountingOutbound implements Outbound {
  orders = 0;
  denials = 0;
  readonly gateway: Outbound['gateway'] = {
    submit: () => {
      this.orders += 1;
    },
    modify: () => undefined,
    cancel: () => undefined,
  };
  readonly reports: Outbound['reports'] = { read: () => undefined, pollPace: () => undefined };
  readonly journal: Outbound['journal'] = {
    append: ({ kind }) => {
      if (kind === 'denied') this.denials += 1;
    },
  };
  readonly alarm: Outbound['alarm'] = { wakeAt: () => undefined };
}
