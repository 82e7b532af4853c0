/** That skipping rows of the in-day book decides nothing otherwise is a law (`property/unchanged-rows.test.ts`); this is what is skipped. */
import { expect, it, vi } from 'vitest';
import { RowReader } from '../../../src/engine/orders/row-reader.ts';
import type { RowFacts } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';

it('rows of orders that are over are read again when they change, and the others are not', () => {
  const rig = new EngineRig().start();
  const read = vi.spyOn(RowReader.prototype, 'applyOrderRow');
  const over = (place: number): RowFacts => {
    const no = String(place);
    const price = 12_990 + place;
    return { no, ref: rig.resting(FIRST, 'buy', 1, price, no), price, status: 'canceled' };
  };
  const [one, two, three] = [over(1), over(2), over(3)];
  const scan = (rows: readonly RowFacts[]): readonly string[] => {
    read.mockClear();
    rig.look(rows, { ago: 0.1 });
    return read.mock.calls.map(([, { orderNo }]) => orderNo);
  };
  scan([one, two, three]);
  const changed = { ...one, text: 'PWX' };
  expect(scan([changed, two])).toEqual(['1']);
  expect(scan([changed, two, three])).toEqual([]);
});
