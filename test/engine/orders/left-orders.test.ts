/** Orders that are over leave an engine whose broker reports each end once, and no other. Of the last ones whoever names one is answered. */
import { expect, it } from 'vitest';
import { qty } from '../../../src/domain/units.ts';
import { FINAL_KEPT_MAX } from '../../../src/engine/orders/orders.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';

it.each([
  { reportsOnce: true, ends: FINAL_KEPT_MAX - 1, code: 'order_not_working' },
  { reportsOnce: true, ends: FINAL_KEPT_MAX, code: 'order_not_found' },
  { reportsOnce: false, ends: FINAL_KEPT_MAX, code: 'order_not_working' },
])('once more have ended after it: %o', ({ reportsOnce, ends, code }) => {
  const rig = new EngineRig({ reportsOnce }).start();
  const end = (no: number) => {
    const id = rig.resting(FIRST, no % 2 === 0 ? 'buy' : 'sell', 1, 13_000, `${no}`);
    const side = no % 2 === 0 ? ('buy' as const) : ('sell' as const);
    rig.look([{ no: `${no}`, side, qty: 1, filled: 1, value: 1_300_000_000, quality: 'exact' }]);
    return id;
  };
  const id = end(0);
  for (let no = 1; no <= ends; no += 1) end(no);
  rig.act(FIRST, () => rig.host.desk.modify(FIRST, { kind: 'qty', clientOrderId: id, qty: qty(1) }));
  expect(rig.of('denied').at(-1)?.denial.code).toBe(code);
});
