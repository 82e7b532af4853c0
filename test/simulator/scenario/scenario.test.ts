import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/simulator/scenario/scenario.ts';

describe('a scenario', () => {
  it('is a seed and steps, each with a moment and what is done', () => {
    const read = parseScenario({
      seed: 7,
      steps: [
        { afterSeconds: 30, fault: { name: 'http_429', times: 3 } },
        { everySeconds: [20, 40], chancePercent: 50, fault: 'half_open' },
        { at: '10:15', fault: 'roll_contract' },
        { on: 'place', nth: 3, each: 2, fault: { name: 'accept_then_drop', operation: 'place', times: 1 } },
        { on: 'fill', clear: 'http_429' },
        { afterSeconds: 60, clear: 'all' },
      ],
    });
    expect(read).toMatchObject({
      ok: true,
      value: {
        seed: 7,
        steps: [
          {
            when: { kind: 'after', span: { from: 30, to: 30 } },
            chancePercent: 100,
            action: { kind: 'set', fault: { name: 'http_429', times: 3 } },
          },
          { when: { kind: 'every', span: { from: 20, to: 40 } }, chancePercent: 50 },
          { when: { kind: 'at', secondOfDay: 36_900 } },
          { when: { kind: 'on', event: 'place', nth: 3, each: 2 } },
          {
            when: { kind: 'on', event: 'fill', nth: 1, each: null },
            action: { kind: 'clear', name: 'http_429' },
          },
          { action: { kind: 'clear', name: null } },
        ],
      },
    });
  });

  it('without anything does nothing', () => {
    expect(parseScenario({})).toEqual({ ok: true, value: { seed: 1, steps: [] } });
  });

  it.each([
    [null, ''],
    [[], ''],
    [{ sead: 1 }, 'sead'],
    [{ seed: -1 }, 'seed'],
    [{ seed: 1.5 }, 'seed'],
    [{ steps: {} }, 'steps'],
    [{ steps: ['half_open'] }, 'steps.0'],
    [{ steps: [{ fault: 'half_open' }] }, 'steps.0'],
    [{ steps: [{ afterSeconds: 1, at: '10:00', fault: 'half_open' }] }, 'steps.0'],
    [{ steps: [{ afterSeconds: 1 }] }, 'steps.0'],
    [{ steps: [{ afterSeconds: 1, fault: 'half_open', clear: 'all' }] }, 'steps.0'],
    [{ steps: [{ afterSeconds: -1, fault: 'half_open' }] }, 'steps.0.afterSeconds'],
    [{ steps: [{ afterSeconds: [2, 1], fault: 'half_open' }] }, 'steps.0.afterSeconds'],
    [{ steps: [{ afterSeconds: '30s', fault: 'half_open' }] }, 'steps.0.afterSeconds'],
    [{ steps: [{ everySeconds: 0, fault: 'half_open' }] }, 'steps.0.everySeconds'],
    [{ steps: [{ at: '25:00', fault: 'half_open' }] }, 'steps.0.at'],
    [{ steps: [{ at: 930, fault: 'half_open' }] }, 'steps.0.at'],
    [{ steps: [{ on: 'plaice', fault: 'half_open' }] }, 'steps.0.on'],
    [{ steps: [{ on: 'place', nth: 0, fault: 'half_open' }] }, 'steps.0.nth'],
    [{ steps: [{ on: 'place', each: 1.5, fault: 'half_open' }] }, 'steps.0.each'],
    [{ steps: [{ afterSeconds: 1, nth: 2, fault: 'half_open' }] }, 'steps.0.nth'],
    [{ steps: [{ afterSeconds: 1, chancePercent: 0, fault: 'half_open' }] }, 'steps.0.chancePercent'],
    [{ steps: [{ afterSeconds: 1, chancePercent: 101, fault: 'half_open' }] }, 'steps.0.chancePercent'],
    [{ steps: [{ afterSeconds: 1, fault: 'half_close' }] }, 'steps.0.fault.name'],
    [{ steps: [{ afterSeconds: 1, fault: { name: 'late_answer' } }] }, 'steps.0.fault.delayMs'],
    [{ steps: [{ afterSeconds: 1, fault: { name: 'half_open', times: 1 } }] }, 'steps.0.fault.times'],
    [{ steps: [{ afterSeconds: 1, clear: 'everything' }] }, 'steps.0.clear'],
    [{ steps: [{ afterSeconds: 1, fault: 'half_open', probability: 1 }] }, 'steps.0.probability'],
  ])('is refused as %j, at %s', (raw, path) => {
    const read = parseScenario(raw);
    expect(read.ok ? [] : read.issues.map((issue) => issue.path)).toContain(path);
  });

  it('says everything that is wrong at once', () => {
    const read = parseScenario({ seed: 'x', steps: [{ on: 'x', fault: 'y' }, { at: 'z' }] });
    expect(read.ok ? 0 : read.issues.length).toBe(5);
  });
});
