/** Requests of the REST interface: what the client writes is what the broker reads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cancelOrder, changeOrder, placeOrder } from '../../src/wire/rest/order-calls.ts';
import { VN30 } from '../wire/support/listed-contracts.ts';
import { arrived, codes, orderNos, prices, refIds, sides, sizes, words } from './wire-arbitraries.ts';

describe('what the client writes is what the broker reads', () => {
  it('place, change, cancel', () => {
    fc.assert(
      fc.property(
        words,
        orderNos,
        refIds,
        codes,
        sides,
        prices,
        sizes,
        (account, orderNo, id, code, side, price, size) => {
          const accounts = { accountId: account, subAccountId: `${account}A` };
          const terms = { qty: size, limitPrice: price, spec: VN30 };
          const points = price / 10;
          const place = placeOrder.encodeRequest({
            ...accounts,
            ...terms,
            clientOrderId: id,
            orderCode: code,
            side,
          });
          expect(placeOrder.decodeRequest(arrived(place))).toEqual({
            ok: true,
            value: {
              ...accounts,
              side,
              symbol: code,
              points,
              volume: size,
              terms: { kind: 'regular' },
              refId: id,
            },
          });
          const change = changeOrder.encodeRequest({ ...accounts, ...terms, orderNo, callId: id });
          expect(changeOrder.decodeRequest(arrived(change))).toEqual({
            ok: true,
            value: { ...accounts, orderNo, refId: id, volume: size, points },
          });
          const cancel = cancelOrder.encodeRequest({ accountId: account, orderNo, callId: id });
          expect(cancelOrder.decodeRequest(arrived(cancel))).toEqual({
            ok: true,
            value: { accountId: account, orderNo, refId: id },
          });
        },
      ),
    );
  });
});
