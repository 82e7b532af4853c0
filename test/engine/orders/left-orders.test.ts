/** Orders that are over leave an engine whose broker reports each end once. Whoever still names one is answered as if it were there. */
import { expect, it } from 'vitest';
import { brokerOrderNo, type ClientOrderId } from '../../../src/domain/ids.ts';
import { qty } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';

/** Returns the id of an order that is over. */
type Play = (rig: EngineRig) => ClientOrderId;

const filled: Play = (rig) => {
  const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
  rig.look([{ no: '7', qty: 2, filled: 2, value: 2_600_000_000, quality: 'exact' }]);
  return id;
};

const crossed: Play = (rig) => {
  const id = rig.resting(FIRST, 'sell', 3, 13_010, '7');
  rig.cancel(FIRST, id);
  const [cancel] = rig.cancels();
  rig.look([{ no: '7', side: 'sell', price: 13_010, qty: 3, filled: 3 }]);
  if (cancel !== undefined)
    rig.outcome('cancel', id, cancel.callId, { status: 'rejected', code: '-8004', text: 'filled' });
  return id;
};

const canceled: Play = (rig) => {
  const id = rig.resting(FIRST, 'buy', 2, 13_000, '7');
  rig.cancel(FIRST, id);
  const [cancel] = rig.cancels();
  const accepted = { status: 'accepted', orderNo: brokerOrderNo('7'), orderKey: null } as const;
  if (cancel !== undefined) rig.outcome('cancel', id, cancel.callId, accepted);
  rig.look([{ no: '7', qty: 2, filled: 1, status: 'matched_canceled' }]);
  return id;
};

const refused: Play = (rig) => {
  const id = rig.submit(FIRST, 'buy', 2, 13_000);
  rig.answered(id, { status: 'rejected', code: '-6012', text: 'no money' });
  return id;
};

it.each(Object.entries({ filled, crossed, canceled, refused }))('one that is %s', (_name, play) => {
  const [stays, leaves] = [false, true].map((reportsOnce) => {
    const rig = new EngineRig({ reportsOnce }).start();
    const id = play(rig);
    // The next order must not be taken for it.
    rig.resting(SECOND, 'buy', 1, 12_900, '8');
    rig.cancel(FIRST, id).cancel(SECOND, id);
    for (const strategy of [FIRST, SECOND])
      rig.act(strategy, () =>
        rig.host.desk.modify(strategy, { kind: 'qty', clientOrderId: id, qty: qty(1) }),
      );
    return { updates: rig.host.updates, entries: rig.entries, view: rig.engine.snapshot() };
  });
  expect(leaves).toEqual(stays);
  expect(stays?.updates.at(-1)?.update.denial?.code).toBe('order_not_working');
});
