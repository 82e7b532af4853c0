/** What the next session is told of orders that wait at the broker. */
import { expect, it } from 'vitest';
import { waitingOrders } from '../../../src/app/restart/carry-over.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import type { StoredEntry } from '../../../src/journal/journal-reader.ts';
import { strategyIndex } from '../../../src/domain/units.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../../engine/support/trigger-rows.ts';

const stored = (entries: readonly JournalEntry[]): readonly StoredEntry[] =>
  entries.map((entry) => ({ entry, strategyName: entry.strategy === FIRST ? 'first' : null }) as StoredEntry);

const carried = (rig: EngineRig) => waitingOrders(stored(rig.entries), () => strategyIndex(0));

it('is what still waited, with its owner, as the book showed it last', () => {
  const rig = startWaiting();
  const one = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, one, 'k1');
  const other = rig.ask(FIRST, stopSell(12_900));
  acceptWaiting(rig, other, 'k2');
  rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2', trigger: 12_900 })]);
  expect(carried(rig).map(({ clientOrderId, strategy }) => [clientOrderId, strategy])).toEqual([
    [one, FIRST],
    [other, FIRST],
  ]);
  rig.pass(1).conditions([waits({ key: 'k1', status: 'canceled' }), waits({ key: 'k2', trigger: 12_900 })]);
  expect(carried(rig)).toMatchObject([
    { clientOrderId: other, row: { orderKey: 'k2', triggerPrice: 12_900 } },
  ]);
});

it('is nothing where nothing waited', () => {
  expect(carried(new EngineRig().start())).toEqual([]);
});
