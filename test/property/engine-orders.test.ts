import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScriptedStrategy } from '../support/engine-host.ts';
import { limit } from '../support/engine-facts.ts';
import { replay } from '../support/engine-replay.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';
import {
  answer,
  type OrderPlan,
  orderPlan,
  type Placed,
  placeAll,
  rowAfter,
  showBook,
  signedTotal,
} from '../support/engine-stories.ts';

const plans = fc.array(orderPlan, { minLength: 1, maxLength: 5 });
/** Reads that began before the engine do not count. */
const AGO_MAX = 20;

/** How far each walk of a story has come with each order, and how long ago it began. */
const walk = fc.record({
  counts: fc.array(fc.nat(4), { minLength: 5, maxLength: 5 }),
  ago: fc.constantFrom(0.1, 0.5, 3, AGO_MAX),
});
const walks = fc.array(walk, { maxLength: 8 });
const LAST = [4, 4, 4, 4, 4];

function showAll(
  rig: EngineRig,
  story: readonly { counts: readonly number[]; ago: number }[],
  placed: readonly Placed[],
): void {
  for (const { counts, ago } of story) showBook(rig, placed, counts, ago);
}

/** What is realised and what is open may trade places with the order of fills; their sum may not. */
const figures = (rig: EngineRig) => {
  const { dayPnl, fee, tax, strategies, orders } = rig.engine.snapshot();
  const profits = strategies.map(({ positions, ...each }) => ({
    strategy: each.strategy,
    fee: each.fee,
    tax: each.tax,
    dayPnl: each.dayPnl,
    positions: positions.map(({ qty, realised, open }) => [qty, realised + open]),
  }));
  return { dayPnl, fee, tax, profits, orders };
};

describe('however the book is read', () => {
  it('the sum of fills is the position, and nothing is left below zero', () => {
    fc.assert(
      fc.property(plans, walks, (planned, story) => {
        const rig = new EngineRig().start();
        const placed = placeAll(rig, planned);
        showAll(rig, [...story, { counts: LAST, ago: 0.1 }], placed);
        for (const [strategy, isSecond] of [
          [FIRST, false],
          [SECOND, true],
        ] as const) {
          expect(rig.position(strategy)).toBe(signedTotal(planned, isSecond));
          const booked = rig
            .of('fill')
            .filter((fill) => fill.strategy === strategy)
            .reduce((sum, { side, qty }) => sum + (side === 'buy' ? qty : 0 - qty), 0);
          expect(booked).toBe(rig.position(strategy));
        }
        for (const { update } of rig.host.updates) expect(update.leavesQty).toBeGreaterThanOrEqual(0);
        expect(rig.of('fill').every(({ qty }) => qty > 0)).toBe(true);
      }),
    );
  });

  it('position, profit and costs do not depend on how fills were split, merged, repeated or reordered', () => {
    fc.assert(
      fc.property(plans, walks, (planned, story) => {
        const once = new EngineRig().start();
        showAll(once, [{ counts: LAST, ago: 0.1 }], placeAll(once, planned));
        const often = new EngineRig().start();
        showAll(often, [...story, { counts: LAST, ago: 0.1 }], placeAll(often, planned));
        expect(figures(often)).toEqual(figures(once));
      }),
    );
  });

  it('any order of the same walks, doubled at will, gives the same position and money', () => {
    const shuffled = walks.chain((story) =>
      fc.tuple(fc.constant(story), fc.shuffledSubarray([...story, ...story], { minLength: story.length })),
    );
    fc.assert(
      fc.property(plans, shuffled, (planned, [, story]) => {
        const rig = new EngineRig().start().pass(AGO_MAX);
        const placed = placeAll(rig, planned);
        showAll(rig, story, placed);
        const most = planned.map((_, i) => Math.max(0, ...story.map(({ counts }) => counts[i] ?? 0)));
        for (const [i, { plan, id, no }] of placed.entries()) {
          const last = rig.host.updates.findLast(({ update }) => update.clientOrderId === id)?.update;
          const expected = rowAfter(plan, no, id, most[i] ?? 0);
          expect([last?.filledQty ?? 0, last?.filledValue ?? 0]).toEqual([expected.filled, expected.value]);
        }
      }),
    );
  });
});

describe('the same events', () => {
  it('replayed after a kill at any moment, lead on without a divergence to the same state', () => {
    fc.assert(
      fc.property(plans, walks, fc.nat(1_000), (planned, story, cut) => {
        const live = new EngineRig({ strategies: scripted(planned) }).start();
        showAll(live, story, placeByScript(live, planned));
        // The journal ends somewhere; frames go on for a little while, answers to what was not written do not.
        const kept = live.entries.slice(0, cut % (live.entries.length + 1));
        const lastKept = kept.at(-1)?.cause ?? 0;
        const whole = live.entries.filter(({ cause }) => cause <= lastKept);
        const inputs = live.inputs.filter(
          ({ seq, kind }) => seq <= lastKept || (seq < lastKept + 5 && kind === 'trade'),
        );
        const again = new EngineRig({ strategies: scripted(planned) });
        replay(again, inputs, whole);
        const written = again.entries.length;
        again.pass(1).boot(2);
        expect(again.of('strategy_fault')).toEqual([]);
        expect(again.alerts()).not.toContain('system_diverged');
        const third = new EngineRig({ strategies: scripted(planned) });
        replay(third, again.inputs, [...whole, ...again.entries.slice(written)]);
        third.clock();
        expect(third.of('strategy_fault')).toEqual([]);
        expect({ ...third.engine.snapshot(), counts: null, seq: 0 }).toEqual({
          ...again.engine.snapshot(),
          counts: null,
          seq: 0,
        });
        const sentBefore = new Set(
          whole.flatMap((entry) => (entry.kind === 'place' ? [entry.order.clientOrderId] : [])),
        );
        const open = again.engine.snapshot().orders.map(({ clientOrderId }) => clientOrderId);
        expect(
          open.every((id) => sentBefore.has(id)),
          'nothing is open that was not sent',
        ).toBe(true);
        expect(again.sent).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

/** Strategies that submit the planned orders by themselves: the n-th trade submits the n-th order. */
function scripted(planned: readonly OrderPlan[]): ScriptedStrategy[] {
  return [false, true].map((isSecond) => {
    let count = 0;
    return {
      onTrade: (_tick, desk, me) => {
        const plan = planned[count];
        count += 1;
        if (plan?.isSecond === isSecond) desk.submit(me, limit(plan.side, plan.qty, 13_000));
      },
    };
  });
}

function placeByScript(rig: EngineRig, planned: readonly OrderPlan[]): Placed[] {
  return planned.map((plan, i) => {
    const no = String(i + 1);
    rig.trade(13_000);
    const id = rig.places().at(-1)!.clientOrderId;
    answer(rig, plan, id, no);
    return { plan, id, no };
  });
}
