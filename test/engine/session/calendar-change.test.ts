/** Days that a newer calendar knows reach the running engine, and a replay decides with those that it knew at each moment. */
import { describe, expect, it } from 'vitest';
import { coverageOf } from '../../../src/domain/calendar.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { limit } from '../../support/engine-facts.ts';
import { EngineRig, type RigOptions } from '../../support/engine-rig.ts';
import { replay } from '../../support/engine-replay.ts';
import { CALENDAR, FRONT, SETTINGS, timeOf } from '../../support/engine-world.ts';

/** The front month expires on the day after. */
const WEDNESDAY = tradingDay('2026-03-18');

/** Its first strategy buys at each trade, so that a replay does. */
const overnight = (calendar = CALENDAR): RigOptions => ({
  isReal: true,
  startUs: timeOf(10, 0, WEDNESDAY),
  calendar,
  seats: SETTINGS.strategies.map((each) => ({ ...each, overnight: true })),
  strategies: [{ onTrade: (_, desk, me) => void desk.submit(me, limit('buy', 1, 13_000)) }, {}],
});

const known = (change: object) => ({ kind: 'calendar', ...coverageOf(CALENDAR), ...change }) as const;
const HOLIDAY = known({ closures: [FRONT.expiry] });

function begun(options = overnight(), first = known({})): EngineRig {
  const rig = new EngineRig(options).contracts().post(first).session({ tradingDay: WEDNESDAY }).boot(1);
  rig.stream('live').reference().look().pass(1).positions().look().pass(1).account();
  return rig;
}

/** The first strategy is long, proven by book and positions. */
function long(rig: EngineRig): EngineRig {
  rig.trade(13_000);
  const { clientOrderId: id } = rig.places()[0]!;
  rig.accepted(id, '1');
  const filled = { no: '1', ref: id, qty: 1, filled: 1, value: 130_000_000, status: 'matched' } as const;
  return rig.look([filled]).pass(1).positions(1).look([filled]);
}

/** Sells of the first strategy until shortly after the time at which a contract is closed on its last day. */
function exits(rig: EngineRig): number {
  rig.now = timeOf(14, 26, WEDNESDAY);
  rig.clock().pass(1).positions(1, 0).pass(1);
  return rig.places().filter(({ side }) => side === 'sell').length;
}

describe('a holiday that is added while the engine runs', () => {
  it('and that is taken back leaves the contract its last session', () => {
    expect(exits(long(begun()).post(HOLIDAY).post(known({})))).toBe(0);
  });

  it('is what a restart decides with from there on, whatever the file says by then', () => {
    const rig = long(begun()).post(HOLIDAY);
    expect(exits(rig)).toBe(1);
    const again = new EngineRig(overnight({ ...CALENDAR, closures: new Set([WEDNESDAY]) }));
    replay(again, rig.inputs, rig.entries);
    expect(again.engine.replayFaults()).toEqual([]);
    expect(again.engine.snapshot()).toEqual(rig.engine.snapshot());
  });
});
