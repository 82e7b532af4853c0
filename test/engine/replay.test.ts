/** Restart is replay: recorded decisions win, the first difference stops a strategy, a lost tail was never sent. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { everyThird, type ScriptedStrategy } from '../support/engine-host.ts';
import { limit, traded } from '../support/engine-facts.ts';
import { replay } from '../support/engine-replay.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';

/** A morning with fills, a cancel, a refusal and an unknown order. */
function morning(rig: EngineRig): EngineRig {
  rig.start();
  rig.trade(13_000).trade(13_001).trade(13_002);
  const [first] = rig.places();
  rig.accepted(first!.clientOrderId, '1').pass(1);
  rig.book([{ no: '1', ref: first!.clientOrderId, price: 13_002, ...traded(13_002) }]);
  rig.trade(13_003).trade(13_004).trade(13_005);
  const second = rig.places().at(-1)!;
  rig.accepted(second.clientOrderId, '2').pass(1).trade(13_006);
  rig.trade(13_007).trade(13_008);
  const third = rig.places().at(-1)!;
  rig.unknown(third.clientOrderId).pass(1).clock();
  return rig;
}

const bookAfter = (rig: EngineRig) => {
  const [first, second, third] = rig.places().map(({ clientOrderId }) => clientOrderId);
  return [
    { no: '1', ref: first!, price: 13_002, ...traded(13_002) },
    { no: '2', ref: second!, price: 13_005, status: 'canceled' },
    { no: '3', ref: third!, price: 13_008, ...traded(13_008) },
  ] as const;
};

describe('a restart', () => {
  it('comes to the same state with the same entries, and sends nothing', () => {
    const live = morning(new EngineRig({ strategies: [everyThird(), {}] }));
    const again = new EngineRig({ strategies: [everyThird(), {}] });
    replay(again, live.inputs, live.entries);
    expect(again.entries).toEqual(live.entries);
    expect(again.engine.snapshot()).toEqual(live.engine.snapshot());
    expect([again.sent, again.reads, again.tempos]).toEqual([[], [], []]);
  });

  it('goes on: what had no answer is unknown, and is found in the book', () => {
    const live = morning(new EngineRig({ strategies: [everyThird(), {}] }));
    live.trade(13_008).trade(13_009).trade(13_010);
    const inFlight = live.places().at(-1)!.clientOrderId;
    const again = new EngineRig({ strategies: [everyThird(), {}] });
    replay(again, live.inputs, live.entries);
    again.pass(5).boot(2);
    expect(again.of('strategy_fault')).toEqual([]);
    expect(again.statusOf(inFlight)).toBe('unknown');
    expect(new Set(again.reads)).toEqual(new Set(['contracts', 'triggers', 'book', 'positions', 'account']));
    const book = [...bookAfter(live), { no: '4', ref: inFlight, price: 13_010 }];
    again.look(book).pass(1).positions(2).look(book);
    expect(again.statusOf(inFlight)).toBe('accepted');
    expect(again.position(FIRST)).toBe(2);
    expect(again.engine.snapshot().unproven).toBeNull();
    expect(again.places(), 'nothing is sent twice').toEqual([]);
  });
});

/** Asks for something on a timer that is due while nobody runs. */
const alarmed = (): ScriptedStrategy => ({
  onStart: (desk, me) => void desk.setTimer(me, seconds(60)),
  onTimer: (_timer, desk, me) => void desk.submit(me, limit('buy', 1, 12_990)),
});

describe('a restart after a while', () => {
  it('decides nothing before the new process says that it booted', () => {
    const live = new EngineRig({ strategies: [alarmed(), {}] }).start().trade(13_000);
    const again = new EngineRig({ strategies: [alarmed(), {}] });
    replay(again, live.inputs, live.entries);
    const before = again.entries.length;
    // The phase has changed and the timer is due; the contract list comes first.
    again.pass(2 * 3600).contracts();
    expect([again.entries.length, again.sent]).toEqual([before, []]);
    again.boot(2);
    expect(again.places().map(({ clientOrderId }) => clientOrderId)).toEqual(['H.12345600002000001']);
    expect(again.of('phase').at(-1)).toMatchObject({ phase: 'break', tsUs: again.now });
    const third = new EngineRig({ strategies: [alarmed(), {}] });
    replay(third, again.inputs, [...live.entries, ...again.entries.slice(before)]);
    third.boot(3);
    expect(third.of('strategy_fault')).toEqual([]);
  });
});

describe('a strategy that decides otherwise', () => {
  it('is stopped after the replay; what it had sent stays known and is canceled; the other goes on', () => {
    const live = new EngineRig({ strategies: [everyThird('buy'), everyThird('sell')] }).start();
    live.trade(13_000).trade(13_001).trade(13_002);
    for (const [i, { clientOrderId }] of live.places().entries()) live.accepted(clientOrderId, String(i + 1));
    live.trade(13_002).trade(13_002).trade(13_002);
    const [mine, other] = live.places().map(({ clientOrderId }) => clientOrderId);
    const again = new EngineRig({ strategies: [everyThird('sell'), everyThird('sell')] });
    replay(again, live.inputs, live.entries);
    expect(again.engine.snapshot().strategies.map(({ stopped }) => stopped)).toEqual([
      'replay_diverged',
      null,
    ]);
    expect(again.engine.snapshot().orders).toEqual(live.engine.snapshot().orders);
    const before = again.entries.length;
    again.pass(1).boot(2);
    const later = again.entries.slice(before);
    expect(later.find(({ kind }) => kind === 'strategy_fault')).toMatchObject({
      strategy: FIRST,
      message: expect.stringContaining('replay_diverged') as string,
    });
    expect(later.filter(({ kind }) => kind === 'strategy_fault')).toHaveLength(1);
    expect(again.alerts(), 'nobody is asked to fix its code').toContain('replay_diverged');
    expect(again.cancels().map(({ clientOrderId }) => clientOrderId)).toEqual([mine]);
    expect(again.statusOf(other!)).toBe('accepted');
    expect(again.host.desk.workingOrders(SECOND)).toHaveLength(2);
  });

  it('differs too when it asks for less, for more, or at another price', () => {
    const live = new EngineRig({ strategies: [everyThird(), {}] }).start();
    live
      .trade(13_000)
      .trade(13_001)
      .trade(13_002)
      .clock()
      .command({ name: 'halt', reason: 'an entry after it' });
    const other: readonly ScriptedStrategy[] = [
      {},
      { onTrade: (tick, desk, me) => void desk.submit(me, limit('buy', 1, tick.price)) },
      {
        onTrade: (tick, desk, me) => {
          if (tick.price === 13_002) desk.submit(me, limit('buy', 1, 13_001));
        },
      },
    ];
    for (const strategy of other) {
      const again = new EngineRig({ strategies: [strategy, {}] });
      replay(again, live.inputs, live.entries);
      expect(again.engine.snapshot().strategies.map(({ stopped }) => stopped)).toEqual([
        'replay_diverged',
        null,
      ]);
      expect(again.engine.snapshot().orders, 'what was recorded wins').toEqual(live.engine.snapshot().orders);
    }
  });

  it('stays stopped in the next restart, with its code repaired', () => {
    const live = new EngineRig({ strategies: [everyThird(), {}] }).start();
    live.trade(13_000).trade(13_001).trade(13_002);
    const second = new EngineRig({ strategies: [{}, {}] });
    replay(second, live.inputs, live.entries);
    const kept = second.entries.length;
    second.pass(1).boot(2).trade(13_003).trade(13_004).trade(13_005);
    const journal = [...live.entries, ...second.entries.slice(kept)];
    const third = new EngineRig({ strategies: [everyThird(), {}] });
    replay(third, second.inputs, journal);
    expect(third.engine.snapshot().strategies[0]?.stopped).not.toBeNull();
    const before = third.entries.length;
    third.pass(1).boot(3);
    expect(third.entries.slice(before).filter(({ kind }) => kind === 'strategy_fault')).toEqual([]);
  });
});

const thirdBuyer = () => new EngineRig({ strategies: [everyThird(), {}] });

/** One order rests when the strategy is stopped; the process dies before it has journaled that. */
function stoppedInTail(again: number): readonly EngineRig[] {
  const first = thirdBuyer().start().trade(13_000).trade(13_001).trade(13_002);
  const id = first.places()[0]!.clientOrderId;
  first.accepted(id, '1');
  const rigs = [first];
  let journal: readonly JournalEntry[] = first.entries.slice();
  const stop = { name: 'stop_strategy', strategy: FIRST, reason: 'enough' } as const;
  for (let i = 0; i <= again; i += 1) first.command(stop);
  for (const boot of [2, 3]) {
    const rig = thirdBuyer();
    replay(rig, rigs.at(-1)!.inputs, journal);
    rig.pass(1).boot(boot);
    const at = rig.inputs.findLast(({ kind }) => kind === 'command')!.seq;
    journal = [
      ...journal.filter(({ cause }) => cause < at),
      ...rig.entries.filter(({ cause }) => cause >= at),
    ];
    expect(rig.alerts()).not.toContain('system_diverged');
    expect(rig.statusOf(id)).toBe('pending_cancel');
    rigs.push(rig);
  }
  return rigs;
}

describe('a stop that a kill cut off the journal', () => {
  it.each([0, 1])(
    'is carried out by the next start, and so again by each later one (repeated: %i)',
    (again) => {
      const [, second, third] = stoppedInTail(again);
      expect(second?.cancels()).toHaveLength(1);
      expect(third?.cancels()).toEqual([]);
      const lasting = second?.of('strategy_stopped').map(({ isLasting }) => isLasting);
      expect(lasting).toEqual([true]);
      expect(third?.of('strategy_stopped')).toEqual(second?.of('strategy_stopped'));
    },
  );
});

it('a stop that a kill cut off the journal comes before the timers of the next start', () => {
  const strategy: ScriptedStrategy = {
    onTrade: (_, desk, me) => void desk.setTimer(me, seconds(5)),
    onTimer: (__, desk, me) => void desk.submit(me, limit('buy', 1, 13_000)),
  };
  const create = () => new EngineRig({ strategies: [strategy, {}] });
  const first = create().start().trade(13_000);
  const journal = first.entries.slice();
  first.command({ name: 'stop_strategy', strategy: FIRST, reason: 'enough' });
  const second = create();
  replay(second, first.inputs, journal);
  second.pass(60).boot(2);
  const third = create();
  replay(third, second.inputs, [...journal, ...second.entries.slice(journal.length)]);
  third.pass(1).boot(3);
  expect([second.places(), third.places()]).toEqual([[], []]);
  expect([second.of('strategy_fault'), third.of('strategy_fault')]).toEqual([[], []]);
});

describe('what the journal says of risk', () => {
  const refusal = { denial: { code: 'stream_down' } } as const;

  it('holds: what was refused stays refused, what was placed stays placed', () => {
    for (const wasRefused of [true, false]) {
      const live = new EngineRig({ strategies: [everyThird(), {}] }).start();
      live.parts.refuse = () => (wasRefused ? refusal : null);
      live.trade(13_000).trade(13_001).trade(13_002);
      const again = new EngineRig({ strategies: [everyThird(), {}] });
      again.parts.refuse = () => (wasRefused ? null : refusal);
      replay(again, live.inputs, live.entries);
      expect(again.entries).toEqual(live.entries);
      expect(again.engine.snapshot().strategies[0]?.stopped).toBeNull();
    }
  });
});
