/** Orders that are not ours: told once each, and counted in the limits of the account. */
import { expect, it } from 'vitest';
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
      rig.pass(1).book([row]).conditions(waiting).pass(1).positions({ VN30F2603: net });
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
