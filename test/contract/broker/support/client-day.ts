/** A day in which our client calls every operation once or more, and everything is accepted. */
import { money, qty } from '../../../../src/domain/units.ts';
import type { CallOutcome } from '../../../../src/domain/broker-order.ts';
import type { ConditionTrigger } from '../../../../src/wire/rest/condition-calls.ts';
import { orderCode } from '../../../../src/domain/ids.ts';
import {
  type ClientMarket,
  MOVE,
  newCallId,
  openClientMarket,
  READ,
  SEND,
  ticksOf,
  wishOf,
} from './client-market.ts';
import { MARGIN, NORMAL } from './customers.ts';

type Accepted = Extract<CallOutcome, { readonly status: 'accepted' }>;

function accepted(outcome: CallOutcome): Accepted {
  if (outcome.status !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** The order's number and key. */
function refOf(outcome: CallOutcome) {
  const { orderNo, orderKey } = accepted(outcome);
  if (orderKey === null) throw new Error('no order key');
  return { orderNo, orderKey };
}

export async function clientDay(): Promise<ClientMarket> {
  const market = await openClientMarket();
  const { client, auth, alice, front, next } = market;
  const { apiKey, otp } = alice;
  const requested = await auth.requestOtp(apiKey);
  const otpId = requested.status === 'ok' ? requested.value : '';
  await auth.exchangeToken({ apiKey, otp, otpId }, () => {});
  await auth.exchangeToken({ apiKey, otp, otpId: undefined }, () => {});

  const code = orderCode(front);
  const wish = wishOf('buy', front, 1_290.5, 2);
  const { orderNo } = accepted(await client.place(wish, SEND));
  const to = { orderNo, orderCode: code, qty: qty(2), limitPrice: ticksOf(1_290) };
  accepted(await client.change({ ...to, callId: newCallId() }, SEND));
  accepted(await client.cancel({ orderNo, callId: newCallId() }, SEND));
  const bracket = {
    kind: 'bracket',
    stopLossPrice: ticksOf(1_280),
    takeProfitPrice: ticksOf(1_310.5),
  } as const;
  const second = accepted(await client.place({ ...wishOf('buy', front, 1_289, 1), terms: bracket }, SEND));
  accepted(await client.cancel({ orderNo: second.orderNo, callId: null }, SEND));
  const arbitrage = { kind: 'arbitrage', leg: orderCode(next) } as const;
  accepted(await client.place({ ...wishOf('sell', front, 1_320, 1), terms: arbitrage }, SEND));

  const condition = {
    orderCode: code,
    side: 'sell',
    qty: qty(1),
    limitPrice: ticksOf(1_279),
  } as const;
  const stop = { kind: 'stop', triggerPrice: ticksOf(1_280.1) } as const;
  const triggers: readonly ConditionTrigger[] = [
    { ...stop, triggerWhen: 'at_or_above' },
    { ...stop, triggerWhen: 'at_or_below' },
    { kind: 'trailing_stop', activationPrice: ticksOf(1_310), trailingOffset: 25 },
  ];
  for (const trigger of triggers) {
    const placed = await client.conditions.place({ ...condition, callId: newCallId(), trigger }, SEND);
    const ref = refOf(placed);
    const change = { ...ref, callId: newCallId(), orderCode: code, triggerPrice: ticksOf(1_300.2) };
    accepted(await client.conditions.change(change, SEND));
    accepted(await client.conditions.cancel(ref, SEND));
  }

  await client.inDayBook(READ);
  await client.conditions.book(READ);
  await client.positions(READ);
  await client.account(READ);
  await client.quotes(READ);
  await client.contracts(READ);
  await client.subAccounts(READ);
  await client.accounts.closedPositions(null, READ);
  await client.accounts.closedPositions(front, READ);
  await client.accounts.stockAssets(NORMAL, READ);
  await client.accounts.cashBalance(NORMAL, READ);
  await client.accounts.loanPackages(MARGIN, READ);
  await client.accounts.cancelStockOrders(NORMAL, ['S1', 'S2'], MOVE);
  await client.money.deposit({ amount: money(2_000), note: 'margin' }, MOVE);
  await client.money.withdraw({ amount: money(1_000), note: '' }, MOVE);
  await client.money.transfer({ from: NORMAL, to: MARGIN, amount: money(500), note: 'between my own' }, MOVE);
  return market;
}
