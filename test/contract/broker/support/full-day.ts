/** A market in the middle of everything: all that the books of one customer can show is in them at once. */
import { seconds } from '../../../../src/domain/units.ts';
import { firstRow } from './bare-client.ts';
import { type Market, openMarket, order, placed } from './market.ts';

const GATEWAY = seconds(1);

/** One order in each state that the letters can show, conditional orders of each kind, positions open and closed. */
export async function openFullDay(): Promise<Market> {
  const day = await openMarket({ rules: { gatewayDelay: GATEWAY } });
  const { alice, bob, front, next, time } = day;
  const settle = (): void => time.advance(GATEWAY);
  const hit = async (price: number, volume: number): Promise<void> => {
    await placed(bob, 'S', front, price, volume);
    settle();
  };
  const move = { refId: 'H.move', nvol: 2 };
  const at = (price: number) => placed(alice, 'B', front, price, 2);
  const wait = { side: 'S', symbol: front, price: 1_270, volume: 1 };
  await alice.call('condition-place', { ...wait, orderType: 'SOU', soPrice: 1_275 });
  const gone = firstRow(await alice.call('condition-place', { ...wait, orderType: 'SOU', soPrice: 1_274 }));
  await alice.call('condition-cancel', { orderNo: gone['pk_orderNo'] });
  const trailing = { orderType: 'TSO', soPrice: 1_330, activationPrice: 1_330, callbackPoint: 2 };
  await alice.call('condition-place', { ...wait, ...trailing });
  await alice.call('condition-place', { ...wait, side: 'B', price: 1_310, orderType: 'SOL', soPrice: 1_299 });
  await alice.call('condition-place', {
    ...wait,
    side: 'B',
    price: 1_310,
    volume: 500,
    orderType: 'SOL',
    soPrice: 1_299,
  });
  await order(alice, 'S', front, 1_335, 1, { orderType: `ABI=${next}` });
  await placed(alice, 'B', front, 1_300, 1, { orderType: 'SLP=28,30' });
  settle();
  await hit(1_300, 1);
  // The child of the stop that the first trade triggered.
  await hit(1_300, 1);
  const prices = [1_299, 1_298, 1_297, 1_283, 1_282, 1_281, 1_280, 1_278];
  const numbers: string[] = [];
  for (const price of prices) numbers.push(await at(price));
  const [, left, leaving, canceled, moving, moved, canceling] = numbers;
  settle();
  for (const price of [1_299, 1_299, 1_298]) await hit(price, 1);
  await alice.call('cancel', { orderNo: left });
  await alice.call('cancel', { orderNo: canceled });
  await alice.call('change', { ...move, orderNo: moved, nprice: 1_281.5 });
  settle();
  await hit(1_297, 1);
  await alice.call('cancel', { orderNo: leaving });
  await alice.call('change', { ...move, orderNo: moving, nprice: 1_282.5 });
  await alice.call('cancel', { orderNo: canceling });
  await at(1_279);
  return day;
}
