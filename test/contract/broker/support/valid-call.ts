/** For each operation, values with which it succeeds: what it needs to find is made first. */
import { firstRow, type Values } from './bare-client.ts';
import { MARGIN, NORMAL } from './customers.ts';
import { type Market, placed } from './market.ts';

let calls = 0;

export async function validCall(market: Market, name: string): Promise<Values> {
  const { alice, front } = market;
  calls += 1;
  const refId = `H.v${calls}`;
  const wish = { side: 'B', symbol: front, price: 1_290, volume: 1, refId };
  const resting = (): Promise<string> => placed(alice, 'B', front, 1_289, 1);
  const waiting = async (): Promise<unknown> =>
    firstRow(await alice.call('condition-place', { ...wish, orderType: 'SOL', soPrice: 1_310 }))[
      'pk_orderNo'
    ];
  switch (name) {
    case 'token': {
      const { json } = await alice.call('request-otp');
      return { otpId: json['otpId'] };
    }
    case 'place':
      return { ...wish, orderType: '0' };
    case 'change':
      return { orderNo: await resting(), refId, nvol: 1, nprice: 1_289.5 };
    case 'cancel':
      return { orderNo: await resting(), refId };
    case 'in-day':
      return { symbol: 'ALL,ALL', refId: '' };
    case 'closed-positions':
      return { symbol: '' };
    case 'condition-place':
      return { ...wish, orderType: 'SOL', soPrice: 1_310 };
    case 'condition-change':
      return { pkOrderNo: await waiting(), refId, soPrice: 1_311 };
    case 'condition-cancel':
      return { orderNo: await waiting() };
    case 'deposit':
    case 'withdraw':
      return { amount: 1_000, paymentContent: 'a note' };
    case 'transfer':
      return {
        sourceAccountNumber: NORMAL,
        destinationAccountNumber: MARGIN,
        amount: 1_000,
        description: 'a note',
      };
    case 'stock-assets':
    case 'cash-balance':
      return { accountNo: NORMAL };
    case 'cancel-stock-orders':
      return { accountNo: NORMAL, ordersList: [{ orderID: 'S1' }] };
    case 'loan-packages':
      return { accountNo: MARGIN };
    default:
      return {};
  }
}
