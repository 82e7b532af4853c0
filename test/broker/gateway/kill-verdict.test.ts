/** What a halt cancels of one owner's orders, by rows of both books. */
import { expect, it } from 'vitest';
import { killVerdict, nameOf } from '../../../src/broker/gateway/kill-verdict.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { priceHundredths, qty, signedQty } from '../../../src/domain/units.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { createBrokerOrder } from '../support/broker-orders.ts';
import { books, ONE, OTHER, owned, unnumbered } from '../support/our-books.ts';

const { orderCode } = createBrokerOrder('9');

it.each([
  ['a take-profit', 'at_or_above', []],
  ['a stop, one too many', 'at_or_below', ['9']],
] as const)('counts what %s has sent as that', (_, when, increasing) => {
  const sent = createBrokerOrder('9', { side: 'sell', qty: qty(2), source: 'system' });
  const terms = { code: orderCode, side: 'sell', qty: 2 } as const;
  const sender = waits({ ...terms, key: 't', when, status: 'activated', children: ['9'] });
  const stop = waits({ ...terms, key: 's', when: 'at_or_below' });
  const ours = books(
    [[ONE, 2]],
    owned(ONE, stop, { isReduction: true, isProtective: true }),
    owned(ONE, sent, { isReduction: true, isSent: true }),
  );
  const verdict = killVerdict({
    inDay: { complete: true, orders: [sent], reason: '' },
    waiting: { complete: true, orders: [sender, stop], reason: '' },
    positions: {
      ok: true,
      value: [{ orderCode, qty: signedQty(2), lastPrice: priceHundredths(130_000), openProfit: null }],
    },
    ours,
  });
  expect([...verdict.increasing].map(nameOf)).toEqual(increasing);
});

it.each(['unknown', 'gone'] as const)(
  'takes an entry of ours whose answer nobody has (%s) for no protection of another owner',
  (fate) => {
    const sold = createBrokerOrder('1', { side: 'sell', qty: qty(1), status: 'matched', filledQty: qty(1) });
    const entry = createBrokerOrder('3', { side: 'buy', qty: qty(1), refId: clientOrderId('H.3') });
    const ours = books([], owned(ONE, createBrokerOrder('1', { side: 'sell', qty: qty(1) })));
    const verdict = killVerdict({
      inDay: { complete: true, orders: [sold, entry], reason: '' },
      waiting: { complete: true, orders: [], reason: '' },
      positions: {
        ok: true,
        value: [{ orderCode, qty: signedQty(-1), lastPrice: priceHundredths(130_000), openProfit: null }],
      },
      ours: { ...ours, [fate]: [unnumbered(OTHER, 'H.3')] },
    });
    expect([[...verdict.increasing].map(nameOf), verdict.doubt]).toEqual([['3'], '']);
  },
);

it.each([
  ['another', createBrokerOrder('7', { side: 'sell', qty: qty(2) })],
  ['one that waits for a better price', waits({ code: orderCode, key: 't', qty: 2, when: 'at_or_above' })],
])(
  'leaves of two exits the older, as the engine does, whatever the books show first: next to %s',
  (_, younger) => {
    const older = createBrokerOrder('8', { side: 'sell', qty: qty(2) });
    const isWaiting = 'kind' in younger;
    const verdict = killVerdict({
      inDay: { complete: true, orders: isWaiting ? [older] : [younger, older], reason: '' },
      waiting: { complete: true, orders: isWaiting ? [younger] : [], reason: '' },
      positions: {
        ok: true,
        value: [{ orderCode, qty: signedQty(2), lastPrice: priceHundredths(130_000), openProfit: null }],
      },
      ours: books([[ONE, 2]], owned(ONE, older), owned(ONE, younger)),
    });
    expect([...verdict.increasing].map(nameOf)).toEqual([nameOf(younger)]);
  },
);
