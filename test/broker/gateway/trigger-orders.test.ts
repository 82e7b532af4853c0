/** Orders that wait at the broker leave by the durable sender, each as the operation that its kind is. */
import { beforeEach, describe, expect, it } from 'vitest';
import { RestGateway } from '../../../src/broker/gateway/rest-gateway.ts';
import type { Trigger } from '../../../src/domain/order.ts';
import { brokerOrderKey, orderCode } from '../../../src/domain/ids.ts';
import { instrumentIndex, priceTicks } from '../../../src/domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import { createCancel, createModify, createOrder } from '../support/broker-orders.ts';
import { ACCEPTED, FakeRest } from '../support/fake-rest.ts';
import { answered, RecordingSink } from '../support/recording-sink.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const KEY = brokerOrderKey('7625321');
const STOP: Trigger = {
  kind: 'stop',
  triggerPrice: priceTicks(12_965),
  triggerWhen: 'at_or_below',
};

const withTrigger = (trigger: Trigger, purpose: 'entry' | 'reduce' = 'reduce'): ApprovedOrder =>
  createOrder({ purpose, trigger });
const move = (): ApprovedModify =>
  createModify({ purpose: 'reduce', orderKey: KEY, triggerPrice: priceTicks(12_970) });
const cancel = (): ApprovedCancel => createCancel({ orderKey: KEY });

let rest: FakeRest;
let sink: RecordingSink;
let commits: number;
let commitProblem: string | null;
let halted: string | null;
let emergencies: string[];
let gateway: RestGateway;
let timers: VirtualTimers;

beforeEach(() => {
  rest = new FakeRest();
  sink = new RecordingSink();
  commits = 0;
  commitProblem = halted = null;
  emergencies = [];
  timers = new VirtualTimers();
  gateway = new RestGateway({
    rest,
    sink,
    timers,
    commit: () => {
      commits += 1;
      if (commitProblem !== null) throw new Error(commitProblem);
    },
    haltReason: (purpose) => (purpose === 'entry' ? halted : null),
    emergency: ({ call }) => emergencies.push(call),
    onSignal: () => undefined,
  });
});

describe('an order that waits', () => {
  it.each<[string, Trigger, string, object]>([
    ['a stop', STOP, 'condition place', { callId: createOrder().clientOrderId, trigger: STOP }],
    [
      'a trailing stop',
      { kind: 'trailing_stop', activationPrice: priceTicks(13_100), trailingOffset: 15 },
      'condition place',
      { trigger: { kind: 'trailing_stop', activationPrice: 13_100, trailingOffset: 15 } },
    ],
    [
      'a bracket',
      { kind: 'bracket', stopLossPrice: priceTicks(12_900), takeProfitPrice: priceTicks(13_200) },
      'place',
      { terms: { kind: 'bracket', stopLossPrice: 12_900, takeProfitPrice: 13_200 } },
    ],
    [
      'an arbitrage order',
      { kind: 'arbitrage', leg: instrumentIndex(1), legCode: orderCode('VN30F2602') },
      'place',
      { terms: { kind: 'arbitrage', leg: 'VN30F2602' } },
    ],
  ])('%s is sent as what it is', (_what, given, call, request) => {
    gateway.submit(withTrigger(given));
    expect(rest.sent).toMatchObject([{ call, request: { orderCode: 'VN30F2601', qty: 2, ...request } }]);
  });

  it.each([
    ['place', () => gateway.submit(withTrigger(STOP)), createOrder().clientOrderId],
    ['modify', () => gateway.modify(move()), createModify().callId],
    ['cancel', () => gateway.cancel(cancel()), createCancel().callId],
  ] as const)(
    'is durable before its %s is sent, and that comes back as one outcome',
    async (call, run, callId) => {
      run();
      expect([commits, rest.sent.length, gateway.inFlight]).toEqual([1, 1, 1]);
      rest.sent[0]?.answer(ACCEPTED);
      await gateway.settled();
      expect(sink.events).toEqual([
        answered({ call, callId, clientOrderId: createOrder().clientOrderId, outcome: ACCEPTED }),
      ]);
    },
  );

  it('is moved and cancelled by its key', () => {
    gateway.modify(move());
    gateway.cancel(cancel());
    expect(rest.sent).toMatchObject([
      { call: 'condition change', request: { orderKey: KEY, triggerPrice: 12_970 } },
      { call: 'condition cancel', request: { orderKey: KEY } },
    ]);
  });
});

describe('priority and halt', () => {
  it('let what reduces and what cancels go before entries, and out when entries may not leave', () => {
    halted = 'halted';
    gateway.submit(withTrigger(STOP, 'entry'));
    gateway.submit(withTrigger(STOP));
    gateway.modify(move());
    gateway.cancel(cancel());
    expect(rest.sent.map(({ options }) => options.priority)).toEqual(['exit', 'exit', 'exit']);
    expect(sink.events).toMatchObject([{ answer: { outcome: { status: 'not_sent', reason: 'halted' } } }]);
  });
});
