/** A day in which every operation is called with success, and every book it shows has rows of every kind. */
import { firstRow, type Answer } from './bare-client.ts';
import { MARGIN, NORMAL } from './customers.ts';
import { openMarket, order, placed, trade } from './market.ts';

/** Answers by the name of the operation. */
export async function answersOfDay(): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const answers = new Map<string, unknown[]>();
  const note = (name: string, answer: Answer): Answer => {
    if (answer.status !== 200) throw new Error(`${name}: HTTP ${answer.status} ${answer.text}`);
    if (![undefined, '1'].includes(answer.json['rc'] as string | undefined))
      throw new Error(`${name}: ${answer.text}`);
    answers.set(name, [...(answers.get(name) ?? []), answer.json]);
    return answer;
  };
  const market = await openMarket();
  const { alice, bob, front, next } = market;
  const ask = async (name: string, values = {}): Promise<Answer> =>
    note(name, await alice.call(name, values));

  await ask('request-otp');
  await ask('token');

  // A position that is partly closed, another that stays; levels on both sides of the book.
  await trade(market, front, 1_299, 3);
  await placed(bob, 'B', front, 1_301, 1);
  note('place', await order(alice, 'S', front, 1_301, 1));
  for (const [at, price] of [1_298, 1_297.5, 1_297].entries()) await placed(bob, 'B', front, price, at + 1);
  for (const [at, price] of [1_302, 1_302.5, 1_303].entries()) await placed(bob, 'S', front, price, at + 1);
  await trade(market, next, 1_305, 1);

  // Normal orders: resting, changed, canceled, with a bracket.
  const resting = note('place', await order(alice, 'B', front, 1_290, 2, { orderType: 'SLP=5,20' }));
  const orderNo = String(firstRow(resting)['orderNo']);
  await ask('change', { orderNo, refId: 'H.c1', nvol: 2, nprice: 1_290.5 });
  const other = await placed(alice, 'B', front, 1_280, 1);
  await ask('cancel', { orderNo: other, refId: 'H.x1' });

  // Conditional orders: each kind, one of them moved, one withdrawn, one triggered.
  const condition = { side: 'S', symbol: front, price: 1_288, volume: 1, refId: undefined };
  const stop = await ask('condition-place', { ...condition, orderType: 'SOU', soPrice: 1_289 });
  const trailing = { orderType: 'TSO', soPrice: 1_310, activationPrice: 1_310, callbackPoint: 2 };
  const followed = await ask('condition-place', { ...condition, ...trailing, refId: 'H.t1' });
  await ask('condition-place', { ...condition, side: 'B', price: 1_306, orderType: 'SOL', soPrice: 1_302 });
  await ask('condition-change', { pkOrderNo: firstRow(stop)['pk_orderNo'], refId: 'H.m1', soPrice: 1_288.5 });
  await ask('condition-cancel', { orderNo: firstRow(followed)['pk_orderNo'] });
  note('place', await order(alice, 'B', front, 1_285, 1, { orderType: `ABI=${next}` }));
  await placed(bob, 'B', front, 1_302, 1);

  for (const name of ['profile', 'account-status', 'positions', 'closed-positions', 'in-day', 'conditions']) {
    await ask(name, { pageSize: '100', symbol: name === 'in-day' ? 'ALL,ALL' : '' });
  }
  for (const name of ['derivatives', 'contracts']) await ask(name);
  for (const name of ['deposit', 'withdraw'])
    await ask(name, { amount: 1_000_000, paymentContent: 'margin' });
  const transfer = {
    sourceAccountNumber: NORMAL,
    destinationAccountNumber: MARGIN,
    amount: 5,
    description: '-',
  };
  await ask('transfer', transfer);
  await ask('stock-assets', { accountNo: NORMAL });
  await ask('cash-balance', { accountNo: NORMAL });
  await ask('cash-balance', { accountNo: alice.subAccountId });
  await ask('loan-packages', { accountNo: MARGIN });
  await ask('cancel-stock-orders', { accountNo: NORMAL, ordersList: [{ orderID: 'S1' }] });
  return answers;
}
