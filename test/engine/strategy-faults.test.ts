/** Strategies that break, ask without end, or reach for the desk at the wrong time: only they are stopped. */
import { describe, expect, it } from 'vitest';
import type { ScriptedStrategy } from '../support/engine-host.ts';
import { limit } from '../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';

describe('a strategy that throws', () => {
  it('is stopped, its orders are canceled, it is alerted; the other goes on', () => {
    let isBroken = false;
    const rig = new EngineRig({
      strategies: [
        {
          onTrade: () => {
            if (isBroken) throw new Error('no such level');
          },
        },
        {},
      ],
    }).start();
    const mine = rig.resting(FIRST, 'buy', 1, 12_990, '7');
    const other = rig.resting(SECOND, 'buy', 1, 12_980, '8');
    isBroken = true;
    rig.trade(13_000);
    expect(rig.of('strategy_fault')).toMatchObject([
      { strategy: FIRST, message: 'no such level', where: 'trades' },
    ]);
    expect(rig.of('strategy_stopped')).toMatchObject([{ strategy: FIRST }]);
    expect(rig.alerts()).toEqual(['strategy_fault']);
    expect(rig.statusOf(mine)).toBe('pending_cancel');
    expect(rig.statusOf(other)).toBe('accepted');
    const id = rig.submit(SECOND, 'buy', 1, 12_970);
    expect(rig.statusOf(id)).toBe('submitted');
    expect(rig.engine.snapshot().strategies.map(({ stopped }) => stopped)).toEqual(['fault', null]);
  });

  it('has what it asked for before the throw refused or canceled, never left working', () => {
    const rig = new EngineRig().start();
    rig.parts.refuse = ({ registry }) =>
      registry.isStopped(FIRST) ? { denial: { code: 'strategy_stopped' } } : null;
    rig.act(FIRST, () => {
      rig.host.desk.submit(FIRST, limit('buy', 1, 12_990));
      throw new Error('too late');
    });
    expect(rig.of('denied').map(({ denial }) => denial.code)).toEqual(['strategy_stopped']);
    expect(rig.sent).toEqual([]);
  });
});

describe('a desk', () => {
  it('used outside an event is a fault, reported with the next one', () => {
    const rig = new EngineRig().start();
    expect(() => rig.host.desk.submit(FIRST, limit('buy', 1, 12_990))).toThrow('outside the event');
    rig.clock();
    expect(rig.of('strategy_fault')).toMatchObject([{ strategy: FIRST, where: 'submit' }]);
    expect(rig.sent).toEqual([]);
  });

  it('that is asked without end stops who asks', () => {
    const again: ScriptedStrategy = {
      onOrder: ({ status }, desk, me) => {
        if (status === 'denied') desk.submit(me, limit('buy', 1, 12_990));
      },
    };
    const rig = new EngineRig({ strategies: [again, {}] }).start();
    rig.parts.refuse = () => ({ denial: { code: 'stream_down' } });
    rig.submit(FIRST, 'buy', 1, 12_990);
    expect(rig.of('strategy_fault')).toMatchObject([{ strategy: FIRST, where: 'trader' }]);
    expect(rig.of('denied').length).toBeLessThan(300);
    rig.trade(13_000);
    expect(rig.of('strategy_fault')).toHaveLength(1);
  });
});

describe('an exit that needs a fresh position', () => {
  const stale = { denial: { code: 'daily_loss', loss: 1, max: 1 }, readFirst: true } as const;

  it('waits for the read and is asked again', () => {
    const rig = new EngineRig().start();
    rig.parts.refuse = ({ context, positionReconciler }) =>
      context.nowUs - positionReconciler.readUs > 1_000_000 ? stale : null;
    rig.pass(4);
    const id = rig.submit(FIRST, 'sell', 1, 12_990);
    expect(rig.sent).toEqual([]);
    expect(rig.reads.at(-1)).toBe('positions');
    rig.pass(0.5).positions();
    expect(rig.places().map(({ clientOrderId }) => clientOrderId)).toEqual([id]);
    expect(rig.of('denied')).toEqual([]);
  });

  it.each([
    [
      'the read fails',
      (rig: EngineRig) => rig.post({ kind: 'read_failed', what: 'positions', reason: 'test' }),
    ],
    ['no read comes', (rig: EngineRig) => rig.pass(6).clock()],
  ])('is refused with its reason when %s', (_what, happens) => {
    const rig = new EngineRig().start();
    rig.parts.refuse = () => stale;
    rig.submit(FIRST, 'sell', 1, 12_990);
    expect(rig.of('denied')).toEqual([]);
    happens(rig);
    expect(rig.of('denied').map(({ denial }) => denial.code)).toEqual(['daily_loss']);
    expect(rig.host.updates.at(-1)).toMatchObject({
      update: { status: 'denied', denial: { code: 'daily_loss' } },
    });
  });
});

it.each([
  ['operator', 'warning'],
  ['process', 'critical'],
] as const)('a stop by the %s is a %s alert: only the person who stops it knows of it', (by, severity) => {
  const rig = new EngineRig().start();
  rig.post({ kind: 'command', by, command: { name: 'stop_strategy', strategy: FIRST, reason: 'test' } });
  expect(rig.of('alert')).toMatchObject([{ code: 'strategy_stopped', severity }]);
});
