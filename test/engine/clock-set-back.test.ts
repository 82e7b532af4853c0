/** The clock of the machine: a process that starts behind the last one, a clock that is set, a standby over the end of the day. */
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { instrumentIndex, milliseconds, seconds, tsUs, US_PER_HOUR } from '../../src/domain/units.ts';
import { traded } from '../support/engine-facts.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';
import { timeOf } from '../support/engine-world.ts';
import { startWaiting, stopSell, waits } from './support/trigger-rows.ts';

/** A new process whose clock is behind the last one's. */
function restartAt(rig: EngineRig, at: number): EngineRig {
  rig.engine.endReplay();
  rig.now = tsUs(at);
  return rig.boot(2).stream('live').reference();
}

const start = (): EngineRig => new EngineRig({ startUs: timeOf(14) }).start();

describe('a start with a clock that was set back by an hour', () => {
  it('sends on, though a clock that was ahead had ended the day', () => {
    const rig = new EngineRig({ startUs: timeOf(14), isReal: true });
    rig.start().account().resting(FIRST, 'buy', 1, 12_990, '7');
    rig.now = timeOf(24, 1);
    rig.clock();
    restartAt(rig, timeOf(14, 5)).pass(1).positions().look().pass(1).positions().look().account();
    const id = rig.submit(FIRST, 'buy', 1, 12_980);
    expect([rig.of('denied'), rig.statusOf(id)]).toEqual([[], 'submitted']);
  });

  it("keeps the length of a strategy's timer", () => {
    const fired: number[] = [];
    let now = 0;
    const rig = new EngineRig({
      startUs: timeOf(14),
      strategies: [{ onTimer: () => void fired.push(now) }, {}],
    });
    rig.start().act(FIRST, () => void rig.host.desk.setTimer(FIRST, seconds(30)));
    const set = rig.now;
    restartAt(rig, set - US_PER_HOUR);
    for (let second = 0; second < 60; second += 1) {
      now = second;
      rig.clock().pass(1);
    }
    expect(fired).toEqual([30]);
  });

  it('takes the rows of the book, and still finds an order absent', () => {
    const rig = start();
    const [shown, gone] = [rig.submit(FIRST, 'buy', 1, 12_990), rig.submit(FIRST, 'buy', 1, 12_980)];
    rig
      .accepted(shown, '7')
      .unknown(gone)
      .look([{ no: '7', price: 12_990 }]);
    restartAt(rig, rig.now - US_PER_HOUR);
    const canceled = { no: '7', price: 12_990, status: 'canceled' } as const;
    rig.look([canceled]);
    expect(rig.engine.snapshot().orders.map(({ clientOrderId }) => clientOrderId)).toEqual([gone]);
    for (let scan = 0; scan < 5; scan += 1) rig.pass(20).book([canceled]);
    expect(rig.engine.snapshot().orders.map(({ status }) => status)).toEqual(['presumed_absent']);
  });

  it('knows a waiting row that came after its order as the order', () => {
    const rig = startWaiting({ startUs: timeOf(14) });
    const id = rig.ask(FIRST, stopSell(12_950));
    rig.pass(1).conditions([waits({ key: 'k1' })]);
    rig.unknown(id);
    restartAt(rig, rig.now - US_PER_HOUR);
    rig.pass(1).conditions([waits({ key: 'k1' })]);
    expect(rig.statusOf(id)).toBe('pending_trigger');
  });

  it('counts as of the last minute what was sent in the last minute', () => {
    const rig = new EngineRig({ startUs: timeOf(14), risk: { messagesPerMinuteMax: 2 } });
    const id = rig.start().resting(FIRST, 'buy', 1, 12_990, '3');
    restartAt(rig, timeOf(13));
    rig.now = timeOf(13, 30);
    rig.reference().cancel(FIRST, id);
    expect(rig.cancels()).toHaveLength(1);
    expect(rig.of('halt')).toEqual([]);
  });

  it('goes on with a flatten that waits for positions to be read', () => {
    const rig = new EngineRig({ isReal: true, startUs: timeOf(14) }).start().account().trade(13_000);
    const id = rig.submit(FIRST, 'buy', 1, 13_000);
    const bought = { no: '1', ref: id, ...traded(13_000) } as const;
    rig.accepted(id, '1').look([bought]).pass(1);
    rig.command({ name: 'flatten', strategy: null, reason: 'enough' });
    expect(rig.engine.snapshot().procedure).toMatch(/: reading$/);
    restartAt(rig, timeOf(13));
    rig.pass(1).trade(13_000).positions(1);
    expect(rig.places().at(-1)).toMatchObject({ side: 'sell', qty: 1, purpose: 'reduce' });
  });
});

describe('a wall clock that is set while the process runs', () => {
  it.each([US_PER_HOUR, -24 * US_PER_HOUR])('by %i us holds entries until both agree again', (stepUs) => {
    const rig = new EngineRig({ isReal: true });
    rig.start().account().trade(13_000);
    const codes = () => rig.of('denied').map(({ denial }) => denial.code);
    rig.post({ kind: 'clock_step', stepUs });
    rig.submit(FIRST, 'buy', 1, 12_990);
    expect(codes()).toEqual(['clock_skew']);
    expect(rig.alerts()).toContain('clock_step');
    rig.post({ kind: 'clock_step', stepUs: 0 });
    rig.submit(FIRST, 'buy', 1, 12_990);
    expect(codes().filter((code) => code === 'clock_skew')).toHaveLength(1);
  });
});

describe('25, 26: a standby over the end of the day', () => {
  it('lets no strategy go on under the session of yesterday', () => {
    const seen: string[] = [];
    const rig = new EngineRig({
      strategies: [{ onTrade: () => void seen.push('trade'), onTimer: () => void seen.push('timer') }, {}],
    });
    rig.start().act(FIRST, () => void rig.host.desk.setTimer(FIRST, milliseconds(500)));
    const before = rig.host.trades.length;
    seen.length = 0;
    rig.now = timeOf(10, 0, tradingDay('2026-03-05'));
    rig.clock().trade(13_000).trade(13_001);
    expect(seen).toEqual([]);
    expect(rig.host.trades).toHaveLength(before);
    expect(rig.engine.stretchOf(instrumentIndex(0)).hasBookListener).toBe(false);
    rig.session({ tradingDay: tradingDay('2026-03-05') }).trade(13_002);
    expect(seen).toEqual(['trade']);
  });
});
