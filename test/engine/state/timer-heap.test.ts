import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerHeap } from '../../../src/engine/state/timer-heap.ts';

describe('timers', () => {
  it('come in order of time, then of setting', () => {
    const heap = new TimerHeap();
    heap.set(1, 50, 1);
    heap.set(1, 10, 2);
    heap.set(2, 50, 3);
    expect(heap.nextDueUs).toBe(10);
    expect(heap.takeDue(50).map(({ tag }) => tag)).toEqual([2, 1, 3]);
    expect(heap.nextDueUs).toBe(Infinity);
  });

  it('fire like a sorted list, whatever is set and cleared', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), due: fc.nat(50) }),
      fc.record({ do: fc.constant('clear' as const), which: fc.nat(30) }),
      fc.record({ do: fc.constant('take' as const), at: fc.nat(50) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new TimerHeap();
        let model: { id: number; due: number }[] = [];
        const fired: number[] = [];
        const expected: number[] = [];
        const ids: ReturnType<TimerHeap['set']>[] = [];
        for (const each of steps) {
          if (each.do === 'set') {
            const id = heap.set(0, each.due, 0);
            ids.push(id);
            model.push({ id, due: each.due });
          } else if (each.do === 'clear') {
            const id = ids[each.which];
            if (id !== undefined) heap.clear(id);
            model = model.filter((timer) => timer.id !== id);
          } else {
            const due = model.filter((timer) => timer.due <= each.at);
            model = model.filter((timer) => timer.due > each.at);
            due.sort((a, b) => a.due - b.due || a.id - b.id);
            fired.push(...heap.takeDue(each.at).map(({ id }) => id));
            expected.push(...due.map(({ id }) => id));
          }
          expect(fired).toEqual(expected);
          expect(heap.nextDueUs).toBe(Math.min(Infinity, ...model.map(({ due }) => due)));
          expect(heap.count(0)).toBe(model.length);
        }
      }),
    );
  });
});
