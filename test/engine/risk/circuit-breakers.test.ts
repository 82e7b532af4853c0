/** What halts entries other than a loss of the day: refusals, messages, and a fall from the peak (failure cases, 32). */
import { describe, expect, it } from 'vitest';
import { money } from '../../../src/domain/units.ts';
import { accountWith, traded } from '../../support/engine-facts.ts';
import { replay } from '../../support/engine-replay.ts';
import { EngineRig, FIRST, type RigOptions, SECOND } from '../../support/engine-rig.ts';

const halts = (rig: EngineRig) => rig.of('halt').map(({ halted, reason }) => [halted, reason]);

const refuse = (rig: EngineRig, price: number): void => {
  const id = rig.submit(FIRST, 'buy', 1, price);
  rig.answered(id, { status: 'rejected', code: '-6019', text: 'refused' });
};

describe('refused orders', () => {
  it('halt entries when there are too many within a minute', () => {
    const rig = new EngineRig({ risk: { rejectionsPerMinuteMax: 3 } }).start();
    for (let i = 0; i < 5; i += 1) {
      refuse(rig, 12_990 + i);
      rig.pass(31);
    }
    expect(halts(rig)).toEqual([]);
    for (let i = 0; i < 3; i += 1) refuse(rig, 12_980 + i);
    expect(halts(rig)).toEqual([
      [true, 'the broker refused 3 orders within a minute, the limit is 3 (risk.rejectionsPerMinuteMax)'],
    ]);
  });
});

it('messages of every kind halt entries when there are too many within a minute', () => {
  const rig = new EngineRig({ risk: { messagesPerMinuteMax: 6 } }).start();
  for (let no = 1; no <= 3; no += 1) {
    const id = rig.resting(FIRST, 'buy', 1, 12_990, String(no));
    rig.cancel(FIRST, id).pass(1);
  }
  expect(rig.sent).toHaveLength(6);
  expect(halts(rig)).toEqual([
    [true, '6 messages within a minute, the limit is 6 (risk.messagesPerMinuteMax)'],
  ]);
});

it('a rate that is reached during another halt is alerted once, and halts with the next message after it', () => {
  const rig = new EngineRig({ risk: { rejectionsPerMinuteMax: 2 } }).start();
  const id = rig.submit(FIRST, 'buy', 1, 12_990);
  const more = rig.submit(FIRST, 'buy', 1, 12_991);
  const last = rig.submit(FIRST, 'buy', 1, 12_992);
  rig.command({ name: 'halt', reason: 'news' });
  for (const each of [id, more, last]) rig.answered(each, { status: 'rejected', code: 'X', text: 'no' });
  expect(rig.of('alert').filter(({ code }) => code === 'rejections')).toMatchObject([
    {
      severity: 'critical',
      text: expect.stringContaining('the limit is 2 (risk.rejectionsPerMinuteMax), while'),
    },
  ]);
  expect(rig.engine.snapshot().halted).toBe('news');
  rig.command({ name: 'resume', reason: 'seen' });
  refuse(rig, 12_993);
  expect(rig.engine.snapshot().halted).toContain('the broker refused 4 orders');
});

const value = (rig: EngineRig, netAssetValue: number): EngineRig =>
  rig.pass(20).post({
    kind: 'account_snapshot',
    startedUs: rig.now,
    account: { ...accountWith(1_000_000_000), netAssetValue: money(netAssetValue) },
  });
const limited = () => new EngineRig({ risk: { drawdownMax: money(50_000_000) } });

describe('a fall from the peak', () => {
  it('halts entries, and is measured again once a person has accepted it', () => {
    const rig = limited().start();
    value(value(rig, 1_000_000_000), 1_020_000_000);
    value(rig, 975_000_000);
    expect(halts(rig)).toEqual([]);
    value(rig, 970_000_000);
    expect(halts(rig)).toEqual([
      [
        true,
        'the account has lost 50,000,000 VND since its peak of 1,020,000,000, the limit is 50,000,000 (risk.drawdownMax)',
      ],
    ]);
    rig.command({ name: 'resume', reason: 'seen' });
    value(rig, 921_000_000);
    expect(rig.engine.snapshot().halted).toBeNull();
    value(rig, 920_000_000);
    expect(rig.engine.snapshot().halted).toContain('since its peak of 970,000,000');
  });

  it('withdraws entries, as in a backtest nobody else does', () => {
    const rig = limited().start();
    const id = rig.resting(FIRST, 'buy', 1, 12_990, '1');
    value(value(rig, 1_000_000_000), 950_000_000);
    expect(rig.cancels().map(({ clientOrderId }) => clientOrderId)).toEqual([id]);
  });

  it('that comes during another halt is alerted at once, and takes a resume of its own', () => {
    const rig = limited().start();
    value(rig, 1_000_000_000).command({ name: 'halt', reason: 'lunch' });
    value(value(rig, 940_000_000), 941_000_000);
    expect(rig.alerts()).toEqual(['drawdown']);
    rig.command({ name: 'resume', reason: 'back' });
    expect(rig.engine.snapshot().halted).toContain('lost 59,000,000 VND since its peak of 1,000,000,000');
    rig.command({ name: 'resume', reason: 'seen' });
    value(rig, 900_000_000);
    expect(rig.engine.snapshot().halted).toBeNull();
  });

  it('that halted the day before is accepted by one resume', () => {
    const rig = limited();
    const equityPeak = money(1_000_000_000);
    rig.session({ halted: { reason: 'it fell', code: 'drawdown' }, equityPeak });
    rig.boot(1).contracts().stream('live').reference();
    value(rig, 940_000_000).command({ name: 'resume', reason: 'seen' });
    expect([rig.engine.snapshot().halted, rig.alerts()]).toEqual([null, []]);
  });

  it('is measured over nights and restarts, from the journaled peak', () => {
    const before = limited().start();
    value(value(before, 1_000_000_000), 1_030_000_000);
    const peak = before.of('equity_peak').at(-1)!.value;
    expect(peak).toBe(1_030_000_000);
    const rig = limited();
    rig.session({ equityPeak: peak });
    rig.boot(1).contracts().stream('live').reference();
    value(rig, 980_000_000);
    expect(rig.engine.snapshot().halted).toContain('since its peak of 1,030,000,000');
    expect(rig.of('equity_peak'), 'the session after finds it again').toMatchObject([{ value: peak }]);
  });
});

const restarted = (before: EngineRig, risk: RigOptions['risk']): EngineRig => {
  const again = new EngineRig({ isReal: true, ...(risk === undefined ? {} : { risk }) });
  replay(again, before.inputs, before.entries);
  return again;
};
/** FIRST has lost `ticks` of one contract bought at 13,000. */
const losing = (ticks: number, risk: RigOptions['risk'] = {}): EngineRig => {
  const rig = new EngineRig({ isReal: true, risk }).start().account();
  const id = rig.submit(FIRST, 'buy', 1, 13_000);
  const row = { no: '1', ref: id, ...traded(13_000) } as const;
  rig.accepted(id, '1').look([row]);
  return rig.trade(13_000 - ticks);
};
const haltedOf = (rig: EngineRig): readonly (string | null)[] => {
  const { halted: account, strategies } = rig.engine.snapshot();
  return [account, ...strategies.map((each) => each.halted)].map((each) => each?.split(',')[0] ?? null);
};

it('a loss of the day of one strategy withdraws its entries, and nobody else’s', () => {
  const rig = losing(0);
  const entry = rig.resting(FIRST, 'buy', 1, 12_990, '2');
  rig.resting(SECOND, 'buy', 1, 12_990, '3');
  rig.trade(13_000 - 2_000);
  expect(haltedOf(rig)).toEqual([null, 'its loss of the day', null]);
  expect(rig.cancels().map(({ clientOrderId }) => clientOrderId)).toEqual([entry]);
});

describe('a limit that was edited between two starts', () => {
  it('and lowered judges no past: neither its messages nor a loss that was made good', () => {
    const busy = new EngineRig({ isReal: true }).start();
    for (let no = 1; no <= 3; no += 1) busy.cancel(FIRST, busy.resting(FIRST, 'buy', 1, 12_990, String(no)));
    expect(haltedOf(restarted(busy, { messagesPerMinuteMax: 3 }))).toEqual([null, null, null]);
    const rig = losing(1_500).trade(13_000);
    const again = restarted(rig, { dailyLossMax: money(10_000_000) });
    expect(haltedOf(again)).toEqual([null, null, null]);
    again.pass(1).boot(2).contracts().stream('live').trade(13_000);
    expect(haltedOf(again)).toEqual([null, null, null]);
  });

  it('and raised ends no halt: a person does', () => {
    const rig = losing(2_100, { dailyLossMax: money(10_000_000) });
    const before = ["the account's loss of the day", 'its loss of the day', null];
    expect(haltedOf(rig)).toEqual(before);
    const again = restarted(rig, { dailyLossMax: money(900_000_000) });
    again.pass(1).boot(2).contracts().stream('live').clock();
    expect(haltedOf(again)).toEqual(before);
    again.command({ name: 'resume', strategy: null, reason: 'seen' }).pass(1).clock();
    expect(haltedOf(again)).toEqual([null, 'its loss of the day', null]);
  });

  it('and raised finds its halt in the journal, and nothing else that the engine did', () => {
    const rig = new EngineRig({ isReal: true, risk: { rejectionsPerMinuteMax: 1 } }).start().account();
    rig.resting(FIRST, 'buy', 1, 12_990, '1');
    refuse(rig, 12_980);
    expect(haltedOf(rig)[0]).toBe('the broker refused 1 orders within a minute');
    const again = restarted(rig.pass(1).clock(), {});
    again.pass(1).boot(2).contracts().stream('live').clock();
    expect(haltedOf(again)[0]).toBe('the broker refused 1 orders within a minute');
    expect(again.alerts()).not.toContain('system_diverged');
  });
});
