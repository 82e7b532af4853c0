/** The promises of every strategy, whatever it trades. One call registers the tests. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { signOf } from '../../src/domain/order.ts';
import { seconds, strategyIndex } from '../../src/domain/units.ts';
import {
  createStrategyHost,
  defineStrategy,
  type Params,
  type StrategyDefinition,
} from '../../src/strategy/index.ts';
import { FakeTrader, type FakeTraderOptions } from '../support/fake-trader.ts';
import { at, contract, OPEN_ALL_DAY } from '../support/strategy-fixtures.ts';
import { answersOf, playMarket, type Trouble } from './random-market.ts';

export interface ContractCase {
  readonly definition: StrategyDefinition;
  /** Parameters that make it trade within minutes. */
  readonly params: Params;
  /** Most contracts of one leg. */
  readonly qtyMax: number;
}

const TROUBLE: Trouble = { gap: 0.01, feedDown: 0.004, tornBook: 0.05, refusal: 0.15, unknown: 0.1 };
const MINUTES_20 = 1_200;

const noisy = defineStrategy({
  name: 'noisy',
  summary: 'throws',
  params: z.object({}),
  legs: ['contract'],
  connect: (ticks) =>
    ticks.trades$.subscribe(() => {
      throw new Error('noisy');
    }),
});

/** Strategy 0 is the one under test. */
export function startOn(
  { definition, params }: Pick<ContractCase, 'definition' | 'params'>,
  options: FakeTraderOptions = {},
  others: readonly StrategyDefinition[] = [],
): FakeTrader {
  const parsed = definition.parseParams(params);
  if (!parsed.ok) throw new Error(`parameters: ${JSON.stringify(parsed.issues)}`);
  const instances = [definition, ...others].map((each, place) => ({
    index: strategyIndex(place),
    id: `${each.name}-${place}`,
    definition: each,
    params: place === 0 ? parsed.value : {},
  }));
  const trader = new FakeTrader({ contracts: [contract(0), contract(1), contract(2)], ...options });
  trader.start(createStrategyHost({ instances }));
  return trader;
}

const transcript = (trader: FakeTrader): readonly string[] =>
  [...trader.calls, ...trader.notes].filter((line) => line.startsWith('0 '));

function troubled(subject: ContractCase, seed: number): readonly string[] {
  const trader = startOn(subject, { calendar: OPEN_ALL_DAY, answer: answersOf(seed, TROUBLE), fillMax: 1 });
  playMarket(trader, seed, MINUTES_20, TROUBLE);
  return transcript(trader);
}

export function strategyContract(subject: ContractCase): void {
  const { definition, qtyMax } = subject;
  const sizes = (trader: FakeTrader): void => {
    for (const { index } of trader.contracts) {
      const working = trader.workingOrders(0).filter(({ instrument }) => instrument === index);
      const held = trader.held(0, index);
      const change = working.reduce((sum, { side, leavesQty }) => sum + signOf(side) * leavesQty, 0);
      const most = Math.max(Math.abs(held), Math.abs(held + change));
      if (working.length <= 1 && most <= qtyMax) continue;
      // `expect` itself would take most of the time here: this line is passed 100,000 times.
      throw new Error(
        `${working.length} working orders in contract ${index}, at most 1; position ${held}, with them ${held + change}, at most ${qtyMax}`,
      );
    }
  };

  describe(`${definition.name}: strategy contract`, () => {
    test('trades at all', () => {
      const trader = startOn(subject, { calendar: OPEN_ALL_DAY });
      playMarket(trader, 1, MINUTES_20);
      expect(trader.faults).toEqual([]);
      expect(trader.calls.filter((call) => call.includes('submit')).length).toBeGreaterThan(1);
    });

    test('same ticks, same intents', () => {
      expect(troubled(subject, 7)).toEqual(troubled(subject, 7));
    });

    test('says nothing before its first tick', () => {
      const trader = startOn(subject, { start: at('08:00:00') });
      trader.advanceTo(at('16:00:00'));
      expect(trader.calls).toEqual([]);
      expect(trader.faults).toEqual([]);
    });

    test('lives through a whole day with its auctions and its break', () => {
      const trader = startOn(subject, { start: at('08:40:00') });
      playMarket(trader, 3, 2_500, { stepSeconds: 10 }, () => sizes(trader));
      expect(trader.faults).toEqual([]);
    });

    test('never exceeds its own size, whatever goes wrong', () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 1, max: 3 }), (seed, fillMax) => {
          const trader = startOn(subject, {
            calendar: OPEN_ALL_DAY,
            answer: answersOf(seed, TROUBLE),
            fillMax,
          });
          playMarket(trader, seed, MINUTES_20 / 2, TROUBLE, () => sizes(trader));
          expect(trader.faults).toEqual([]);
        }),
        { numRuns: 15 },
      );
    });

    test('survives a rollover and sends nothing for the old contract', () => {
      const trader = startOn(subject, { calendar: OPEN_ALL_DAY });
      playMarket(trader, 5, 300);
      const places = definition.legs.map((_name, place) => place);
      trader.roll(
        0,
        places.map((leg) => ({ leg, contract: contract(leg + 1) })),
      );
      const before = trader.calls.length;
      playMarket(trader, 6, MINUTES_20, {}, () => sizes(trader));
      expect(trader.faults).toEqual([]);
      const later = trader.calls.slice(before);
      expect(later.filter((call) => call.includes('VN30F1M'))).toEqual([]);
      expect(
        later.filter((call) => call.includes('submit')),
        'it trades the new one',
      ).not.toEqual([]);
    });

    test('does not hear the fault of another', () => {
      const alone = startOn(subject, { calendar: OPEN_ALL_DAY });
      const withNoisy = startOn(subject, { calendar: OPEN_ALL_DAY }, [noisy]);
      for (const trader of [alone, withNoisy]) playMarket(trader, 9, 600);
      expect(withNoisy.faults.map(({ strategy }) => strategy)).toEqual([1]);
      expect(transcript(withNoisy)).toEqual(transcript(alone));
    });

    test('a standby makes no burst of orders', () => {
      const trader = startOn(subject, { calendar: OPEN_ALL_DAY });
      playMarket(trader, 11, 400);
      const before = trader.calls.filter((call) => call.includes('submit')).length;
      trader.jumpTo(at('11:30:00'));
      for (let i = 0; i < 200; i += 1) {
        trader.trade(13_000 + i, 1, 0);
        trader.trade(13_020 + i, 1, 1);
      }
      const during = trader.calls.filter((call) => call.includes('submit')).length - before;
      expect(during, 'at most the exit that was due').toBeLessThanOrEqual(1);
      trader.advance(seconds(1));
      expect(trader.faults).toEqual([]);
    });

    test('its parameters have defaults, and are the same when read twice', () => {
      const once = definition.parseParams({});
      expect(once.ok).toBe(true);
      expect(once.ok && definition.parseParams(once.value)).toEqual(once);
      expect(
        definition.paramRows.every(({ meaning }) => meaning.length > 10),
        'each says what it means',
      ).toBe(true);
    });
  });
}
