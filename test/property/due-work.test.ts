/**
 * A price with nothing due and nothing waiting goes through the engine by a shorter way. Whatever happened before, it comes to the
 * same as the long way: an engine that is made to look at everything with each event writes the same journal and makes the same calls.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { priceTicks, qty, seconds } from '../../src/domain/units.ts';
import type { ApprovedOrder } from '../../src/engine/ports/approved.ts';
import { limit } from '../support/engine-facts.ts';
import type { ScriptedStrategy } from '../support/engine-host.ts';
import { EngineRig } from '../support/engine-rig.ts';
import { FRONT, NEXT, worth } from '../support/engine-world.ts';

const PRICE = fc.integer({ min: 12_750, max: 13_250 });

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('trade' as const), price: PRICE }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('other' as const), price: PRICE }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('quote' as const), price: PRICE }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), span: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fill' as const), price: PRICE }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { do: 'clock' as const },
      { do: 'account' as const },
      { do: 'miss' as const },
      { do: 'halt' as const },
      { do: 'resume' as const },
      { do: 'crash' as const },
    ),
  },
);

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

/** Sets itself timers of odd lengths, and writes when they ring. */
const restless: ScriptedStrategy = {
  onTrade({ price }, desk, me) {
    if (price % 7 === 0) desk.setTimer(me, seconds(price % 5));
    if (price % 11 === 0) desk.note(me, `saw ${price}`);
  },
  onTimer: (_, desk, me) => desk.note(me, 'rang'),
};

const trading: ScriptedStrategy = {
  onTrade({ instrument, price }, desk, me) {
    if (price % 3 === 0)
      desk.submit(me, { ...limit(price % 2 === 0 ? 'buy' : 'sell', 3, price), instrument });
  },
};

const newRig = (): EngineRig => new EngineRig({ isReal: true, strategies: [restless, trading] });

/** What happens, and the broker's answers to what was sent. */
function live(rig: EngineRig, actions: readonly Action[]): void {
  const open: ApprovedOrder[] = [];
  let answered = 0;
  rig.start().account();
  for (const each of actions) {
    happen(rig, each, open);
    for (const order of rig.places().slice(answered)) {
      answered += 1;
      rig.accepted(order.clientOrderId, String(answered));
      open.push(order);
    }
  }
}

function happen(rig: EngineRig, each: Action, open: ApprovedOrder[]): void {
  switch (each.do) {
    case 'trade':
      return void rig.trade(each.price);
    case 'other':
      return other(rig, each.price);
    case 'miss':
      return void rig.trade(13_000, 1, 3);
    case 'quote':
      return quote(rig, each.price);
    case 'pass':
      return void rig.pass(each.span);
    case 'clock':
      return void rig.clock();
    case 'account':
      return void rig.account();
    case 'halt':
      return void rig.command({ name: 'halt', reason: 'a look' });
    case 'resume':
      return void rig.command({ name: 'resume', reason: 'seen' });
    case 'crash':
      return void rig.trade(11_000);
    case 'fill':
      return fill(rig, open.shift(), each.price);
  }
}

function fill(rig: EngineRig, order: ApprovedOrder | undefined, price: number): void {
  if (order === undefined) return;
  const { clientOrderId: ref, side, limitPrice, qty: total, orderCode: code } = order;
  const no = String(rig.places().findIndex(({ clientOrderId }) => clientOrderId === ref) + 1);
  const value = worth(price, total);
  rig.book(
    [{ no, ref, code, side, price: limitPrice, qty: total, filled: total, value, status: 'matched' }],
    {
      complete: false,
    },
  );
}

/** A trade of the next month. */
function other(rig: EngineRig, price: number): void {
  const totalVolume = rig.inputs.length;
  rig.post({ kind: 'trade', instrument: NEXT.index, price: priceTicks(price), qty: qty(1), totalVolume });
}

function quote(rig: EngineRig, price: number): void {
  const levels = [{ price: priceTicks(price), qty: qty(1) }];
  rig.post({ kind: 'book_update', instrument: FRONT.index, side: 'bid', levels, halves: null });
}

const factsOf = ({ entries, sent, reads }: EngineRig): unknown => ({ entries, sent, reads });

it('comes to the same by the short way and by the long one', () => {
  const seen = { notes: 0, placed: 0, halts: 0 };
  fc.assert(
    fc.property(fc.array(action, { minLength: 10, maxLength: 80 }), (actions) => {
      const rig = newRig();
      live(rig, actions);
      const long = newRig();
      for (const event of rig.inputs) {
        // Nothing was replayed: all it does is to make the next event look at everything.
        long.engine.endReplay();
        long.process(event);
      }
      expect(factsOf(long)).toEqual(factsOf(rig));
      seen.notes += rig.of('strategy_note').length;
      seen.placed += rig.sent.length;
      seen.halts += rig.of('halt').length;
    }),
    { numRuns: 300 },
  );
  const seenOften = 'timers rang, orders were sent, limits were reached';
  expect(Math.min(seen.notes, seen.placed, seen.halts), seenOften).toBeGreaterThan(100);
});
