/** Broken answers over real sockets against the REST client: each call ends in a value, none in a throw. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRestClient, type RestClient } from '../../src/broker/rest/rest-client.ts';
import { Transport } from '../../src/broker/rest/transport.ts';
import type { Clock, Timers } from '../../src/domain/clock.ts';
import {
  accountId,
  brokerOrderKey,
  brokerOrderNo,
  clientOrderId,
  subAccountId,
} from '../../src/domain/ids.ts';
import { money, priceTicks, qty, seconds, tsUs } from '../../src/domain/units.ts';
import { DriftLog } from '../../src/wire/drift.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { FRONT, specOf } from '../wire/support/listed-contracts.ts';
import { ANSWERS, type OperationName } from './answer-seeds.ts';
import { Noise } from './noise.ts';
import { Tally } from './tally.ts';
import { USUAL_TIMEOUTS } from '../broker/support/usual-timeouts.ts';

const READ = { priority: 'background' } as const;
const SEND = { priority: 'exit', refuse: () => null } as const;
const CALL = clientOrderId('H.1');
const CONDITION = { orderNo: brokerOrderNo('3'), orderKey: brokerOrderKey('7625321') };
const ORDER = {
  callId: CALL,
  clientOrderId: CALL,
  orderCode: FRONT.orderCode,
  side: 'buy',
  qty: qty(1),
  limitPrice: priceTicks(13_000),
} as const;
const MOVE = { amount: money(1), note: '' };

type Called = Exclude<OperationName, 'request-otp' | 'token'>;
type Answered = { readonly status: string } | { readonly ok: boolean } | { readonly complete: boolean };

/** Each method of the client, by the operation it calls. */
const callsOf = (rest: RestClient): Readonly<Record<Called, () => Promise<Answered>>> => ({
  profile: () => rest.subAccounts(READ),
  'account-status': () => rest.account(READ),
  positions: () => rest.positions(READ),
  'closed-positions': () => rest.accounts.closedPositions(null, READ),
  place: () => rest.place(ORDER, SEND),
  change: () => rest.change({ ...ORDER, orderNo: CONDITION.orderNo }, SEND),
  cancel: () => rest.cancel({ orderNo: CONDITION.orderNo, callId: CALL }, SEND),
  'in-day': () => rest.inDayBook(READ),
  'condition-place': () =>
    rest.conditions.place(
      { ...ORDER, trigger: { kind: 'stop', triggerPrice: priceTicks(13_000), triggerWhen: 'at_or_above' } },
      SEND,
    ),
  'condition-change': () =>
    rest.conditions.change({ ...ORDER, ...CONDITION, triggerPrice: priceTicks(13_000) }, SEND),
  'condition-cancel': () => rest.conditions.cancel(CONDITION, SEND),
  conditions: () => rest.conditions.book(READ),
  derivatives: () => rest.quotes(READ),
  contracts: () => rest.contracts(READ),
  deposit: () => rest.money.deposit(MOVE, SEND),
  withdraw: () => rest.money.withdraw(MOVE, SEND),
  transfer: () => rest.money.transfer({ ...MOVE, from: 'a', to: 'b' }, SEND),
  'stock-assets': () => rest.accounts.stockAssets('1', READ),
  'cancel-stock-orders': () => rest.accounts.cancelStockOrders('1', ['1'], SEND),
  'cash-balance': () => rest.accounts.cashBalance('1', READ),
  'loan-packages': () => rest.accounts.loanPackages('1', READ),
});

function wordOf(answer: Answered): string {
  if ('status' in answer) return answer.status;
  if ('complete' in answer) return answer.complete ? 'complete' : 'incomplete';
  return answer.ok ? 'read' : 'not read';
}

/** Waits between two tries pass at once; deadlines never come, because every answer does. */
const timers: Timers = {
  after: (span, run) => {
    if (span > seconds(2)) return () => undefined;
    const soon = setImmediate(run);
    return () => clearImmediate(soon);
  },
};
const clock: Clock = { nowUs: () => tsUs(Date.now() * 1_000) };
const ignore = (): void => undefined;
const STATUSES = [200, 200, 200, 200, 200, 400, 404, 429, 500, 502] as const;

export async function fuzzClient(cases: number, seed: number): Promise<Tally> {
  const noise = new Noise(seed);
  const tally = new Tally();
  let asked: Called = 'place';
  const server = createServer((request, response) => {
    const right = JSON.stringify(ANSWERS[asked]);
    request.resume();
    if (noise.isHit(0.02)) return void request.socket.destroy();
    response.writeHead(noise.pick(STATUSES), { 'content-type': 'application/json' });
    response.end(noise.isHit(0.1) ? right : noise.brokenJson(right));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new Transport({
    baseUrl: `http://127.0.0.1:${port}`,
    timeouts: USUAL_TIMEOUTS,
    pace: { callsPerSecond: 100_000, burst: 1_000 },
    clock,
    timers,
    sink: { post: ignore },
    onSignal: ignore,
  });
  const calls = callsOf(
    createRestClient({
      transport,
      timers,
      specOf,
      drift: new DriftLog(),
      tokens: {
        current: () => ({ jwt: 'a.b.c', expiresAt: tsUs(9_000_000_000_000_000) }),
        onChange: () => ignore,
        reject: ignore,
        doubt: ignore,
        prove: ignore,
      },
      account: { accountId: accountId('a'), subAccountId: subAccountId('b') },
      onSignal: ignore,
    }),
  );
  const names = OPERATIONS.map(({ name }) => name).filter((name): name is Called => name in calls);
  while (tally.total < cases) {
    asked = noise.pick(names);
    tally.count(`client ${asked}`, wordOf(await calls[asked]()));
  }
  await transport.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return tally;
}
