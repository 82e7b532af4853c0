import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tsUs } from '../../../src/domain/units.ts';
import { DueWork } from '../../../src/engine/state/event-context.ts';
import { type Timer, MarketTimers } from '../../../src/engine/state/timers.ts';

const create = () => new MarketTimers({ nowUs: tsUs(0) }, new DueWork());

function take(timers: MarketTimers, nowUs: number): readonly Timer[] {
  const due = timers.dueBy(nowUs);
  for (const { id } of due) timers.clear(id);
  return due;
}

describe('timers', () => {
  it('fire like a sorted list, whatever is set and cleared', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), due: fc.nat(50) }),
      fc.record({ do: fc.constant('clear' as const), which: fc.nat(30) }),
      fc.record({ do: fc.constant('take' as const), at: fc.nat(50) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const timers = create();
        let model: { id: number; due: number }[] = [];
        const fired: number[] = [];
        const expected: number[] = [];
        const ids: ReturnType<MarketTimers['set']>[] = [];
        for (const each of steps) {
          if (each.do === 'set') {
            const id = timers.set(0, each.due);
            ids.push(id);
            model.push({ id, due: each.due });
          } else if (each.do === 'clear') {
            const id = ids[each.which];
            if (id !== undefined) timers.clear(id);
            model = model.filter((timer) => timer.id !== id);
          } else {
            const due = model.filter((timer) => timer.due <= each.at);
            model = model.filter((timer) => timer.due > each.at);
            due.sort((a, b) => a.due - b.due || a.id - b.id);
            fired.push(...take(timers, each.at).map(({ id }) => id));
            expected.push(...due.map(({ id }) => id));
          }
          expect(fired).toEqual(expected);
          expect(timers.nextDueUs).toBe(Math.min(Infinity, ...model.map(({ due }) => due)));
        }
      }),
    );
  });
});
