/** Orders that are not ours: alerted once each, and counted in the limits of the account. */
import { describe, expect, it } from 'vitest';
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { OPERATOR_INDEX } from '../../../src/domain/units.ts';
import type { RowFacts } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { worth } from '../../support/engine-world.ts';
import { waits } from '../support/trigger-rows.ts';

/** As the account allows. */
const MOST = 20;

it('takes the orders of a second installation on the account for foreign, with its limits', () => {
  const rig = new EngineRig({ isReal: true, canWait: true }).start().account();
  rig.conditions([]).trade(13_000);
  const look = (row: RowFacts, net: number, waiting: readonly BrokerTriggerOrder[] = []): void => {
    for (let i = 0; i < 4; i += 1) {
      rig.look([row]).conditions(waiting).pass(1).positions(net);
      rig.pass(0.5).book([row]).account();
    }
  };
  const limits = (): readonly string[] => rig.of('denied').map(({ denial }) => denial.code);
  const ref = clientOrderId('H.0000AB000000000126030900001000007');
  const theirs: RowFacts = { no: '5', ref, side: 'buy', qty: MOST, price: 12_990 };
  look(theirs, 0);
  rig.submit(FIRST, 'buy', 1, 12_995);
  expect(limits(), 'what works').toEqual(['account_position_limit']);

  const filled: RowFacts = { ...theirs, filled: MOST, value: worth(12_990, MOST), status: 'matched' };
  look(filled, MOST);
  rig.submit(FIRST, 'buy', 1, 12_995);
  expect(limits(), 'and what is held').toEqual(['account_position_limit', 'account_position_limit']);

  look(filled, MOST, [waits({ key: 'their stop', side: 'sell', qty: MOST })]);
  expect([rig.position(FIRST), rig.position(OPERATOR_INDEX)]).toEqual([0, MOST]);
  expect([rig.alerts(), rig.engine.snapshot().unproven]).toEqual([
    ['order_adopted', 'trigger_adopted'],
    null,
  ]);
  expect([rig.cancels(), rig.places()]).toEqual([[], []]);
});

const THEIRS = clientOrderId('H.123456fedcba012326030400001000007');
const started = (): EngineRig => {
  const rig = new EngineRig().start();
  return rig.boot(2, [], 'abcdef0123').stream('live').reference().account().pass(1);
};
const halted = (rig: EngineRig) => rig.engine.snapshot().halted;

describe('a row with a reference of our form that no start of this journal minted', () => {
  it('stops entries and withdraws ours, until a person resumes; the next one stops them again', () => {
    const rig = started();
    rig.resting(FIRST, 'buy', 1, 12_990, '3');
    const theirs = { no: '5', ref: THEIRS } as const;
    const ours = { no: '3', price: 12_990 } as const;
    rig.look([ours, theirs]);
    expect(halted(rig)).toMatch(/second daemon.*order no\. 5.*installation fedcba/);
    expect([rig.alerts(), rig.cancels().map(({ orderNo }) => orderNo)]).toEqual([
      ['second_daemon', 'order_adopted'],
      ['3'],
    ]);
    rig.look([ours, theirs, { no: '6', ref: clientOrderId(`${THEIRS.slice(0, -1)}8`) }]);
    expect(rig.alerts().filter((code) => code === 'second_daemon')).toHaveLength(1);
    rig.command({ name: 'resume', reason: 'it is off' });
    expect(halted(rig)).toBeNull();
    rig.look([ours, theirs, { no: '7', ref: clientOrderId(`${THEIRS.slice(0, -1)}9`) }]);
    expect(halted(rig)).toMatch(/order no\. 7/);
  });

  it('is alerted where entries are off for another reason', () => {
    const rig = started().command({ name: 'halt', reason: 'test' });
    rig.book([{ no: '5', ref: THEIRS }]);
    expect([halted(rig), rig.alerts()]).toEqual(['test', ['second_daemon', 'order_adopted']]);
  });

  it('is none where an emergency record, a start of this journal or another program explains it', () => {
    const rig = new EngineRig({ isReal: true, canWait: true }).start();
    rig
      .boot(2, [{ clientOrderId: THEIRS, strategy: FIRST }], 'abcdef0123')
      .stream('live')
      .reference();
    const refs = [THEIRS, 'H.1234561772600000000', 'H.000001fedcba012326030400001000007'];
    rig.look(refs.map((ref, at) => ({ no: `${at + 5}`, ref: clientOrderId(ref) })));
    expect([halted(rig), rig.alerts().includes('second_daemon')]).toEqual([null, false]);
  });
});
