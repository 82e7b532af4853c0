import { beforeEach, describe, expect, it } from 'vitest';
import type { GatewaySignal } from '../../../src/broker/gateway/rest-gateway.ts';
import { RestGateway } from '../../../src/broker/gateway/rest-gateway.ts';
import { brokerOrderKey, orderCode } from '../../../src/domain/ids.ts';
import type { Trigger } from '../../../src/domain/order.ts';
import { instrumentIndex, priceTicks } from '../../../src/domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import { createCancel, createModify, createOrder } from '../support/broker-orders.ts';
import { ACCEPTED, FakeRest, settled } from '../support/fake-rest.ts';
import { answered, RecordingSink } from '../support/recording-sink.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

let rest: FakeRest;
let sink: RecordingSink;
let steps: string[];
let commitProblem: string | null;
let emergencyProblem: string | null;
let halted: string | null;
let signals: GatewaySignal[];
let gateway: RestGateway;
let measured: string[];

beforeEach(() => {
  rest = new FakeRest();
  sink = new RecordingSink();
  steps = [];
  signals = [];
  measured = [];
  commitProblem = emergencyProblem = halted = null;
  gateway = new RestGateway({
    rest,
    sink,
    timers: new VirtualTimers(),
    commit: () => {
      steps.push(`commit with ${rest.sent.length} sent`);
      if (commitProblem !== null) throw new Error(commitProblem);
    },
    haltReason: (purpose) => (purpose === 'entry' ? halted : null),
    emergency: ({ call }) => {
      if (emergencyProblem !== null) throw new Error(emergencyProblem);
      steps.push(`emergency ${call}`);
    },
    onSignal: (signal) => signals.push(signal),
    meter: {
      sent: (id) => measured.push(`sent ${id}`),
      answered: (call, id) => measured.push(`answered ${call} ${id}`),
    },
  });
});

const KEY = brokerOrderKey('7625321');
const STOP: Trigger = { kind: 'stop', triggerPrice: priceTicks(12_965), triggerWhen: 'at_or_below' };
const waiting = (trigger: Trigger, purpose: 'entry' | 'reduce' = 'reduce'): ApprovedOrder =>
  createOrder({ purpose, trigger });
const move = (): ApprovedModify =>
  createModify({ purpose: 'reduce', orderKey: KEY, triggerPrice: priceTicks(12_970) });
const withdrawal = (): ApprovedCancel => createCancel({ orderKey: KEY });

const [orderId, modifyId, cancelId] = [
  createOrder().clientOrderId,
  createModify().callId,
  createCancel().callId,
];

describe.each([
  { what: 'an order', call: 'place', run: () => gateway.submit(createOrder()), callId: orderId },
  { what: 'a change', call: 'modify', run: () => gateway.modify(createModify()), callId: modifyId },
  { what: 'a cancel', call: 'cancel', run: () => gateway.cancel(createCancel()), callId: cancelId },
  { what: 'a stop', call: 'place', run: () => gateway.submit(waiting(STOP)), callId: orderId },
  { what: 'a stop that moves', call: 'modify', run: () => gateway.modify(move()), callId: modifyId },
  { what: 'a cancel of a stop', call: 'cancel', run: () => gateway.cancel(withdrawal()), callId: cancelId },
] as const)('$what', ({ call, run, callId }) => {
  it('is durable before it is sent, and comes back as one outcome', async () => {
    run();
    expect(steps).toEqual(['commit with 0 sent']);
    expect(rest.sent).toHaveLength(1);
    expect(gateway.inFlight).toBe(1);
    const quiet = gateway.settled().then(() => sink.events.length);
    rest.sent[0]?.answer(ACCEPTED);
    expect(await quiet, 'settled means that the outcome is known').toBe(1);
    await settled();
    expect(sink.events).toEqual([
      answered({ call, callId, clientOrderId: createOrder().clientOrderId, outcome: ACCEPTED }),
    ]);
    expect(gateway.inFlight).toBe(0);
  });

  it('is measured from its first byte to its one outcome', async () => {
    run();
    expect(measured, 'it waits for its turn').toEqual([]);
    rest.sent[0]?.options.onStart?.();
    rest.sent[0]?.answer(ACCEPTED);
    await settled();
    expect(measured).toEqual([`sent ${callId}`, `answered ${call} ${callId}`]);
  });
});

describe('an order that waits at the broker', () => {
  it.each<[string, Trigger, string, object]>([
    ['a stop', STOP, 'condition place', { callId: orderId, trigger: STOP }],
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
    gateway.submit(waiting(given));
    expect(rest.sent).toMatchObject([{ call, request: { orderCode: 'VN30F2601', qty: 2, ...request } }]);
  });

  it('is moved and canceled by its key', () => {
    gateway.modify(move());
    gateway.cancel(withdrawal());
    expect(rest.sent).toMatchObject([
      { call: 'condition change', request: { orderKey: KEY, triggerPrice: 12_970 } },
      { call: 'condition cancel', request: { orderKey: KEY } },
    ]);
  });
});

describe('priority', () => {
  it.each([
    ['an entry', () => gateway.submit(createOrder()), 'entry'],
    ['a change of an entry', () => gateway.modify(createModify()), 'entry'],
    ['a reduction', () => gateway.submit(createOrder({ purpose: 'reduce' })), 'exit'],
    ['a change of a reduction', () => gateway.modify(createModify({ purpose: 'reduce' })), 'exit'],
    ['a cancel', () => gateway.cancel(createCancel()), 'exit'],
  ])('of %s', (_, run, priority) => {
    run();
    expect(rest.sent[0]?.options.priority).toBe(priority);
  });
});

describe('the halt', () => {
  it('stops an entry before it takes a place in the queue', () => {
    halted = 'halted by the operator';
    gateway.submit(createOrder());
    gateway.submit(waiting(STOP, 'entry'));
    expect(rest.sent).toEqual([]);
    const refused = { answer: { outcome: { status: 'not_sent', reason: 'halted by the operator' } } };
    expect(sink.events).toMatchObject([refused, refused]);
  });

  it('is asked again at the last step, after the wait', () => {
    gateway.submit(createOrder());
    const refuse = rest.sent[0]?.options.refuse;
    expect(refuse?.()).toBeNull();
    halted = 'daily loss';
    expect(refuse?.()).toBe('daily loss');
  });

  it('lets exits out', () => {
    halted = 'daily loss';
    gateway.submit(createOrder({ purpose: 'reduce' }));
    gateway.cancel(createCancel());
    gateway.submit(waiting(STOP));
    gateway.modify(move());
    gateway.cancel(withdrawal());
    expect(rest.sent.map(({ options }) => [options.refuse(), options.priority])).toEqual(
      Array.from({ length: 5 }, () => [null, 'exit']),
    );
  });
});

describe('when the journal cannot be written', () => {
  beforeEach(() => {
    commitProblem = 'disk full';
  });

  it('an entry is not sent, and the engine gets the reason', () => {
    gateway.submit(createOrder());
    expect(rest.sent).toEqual([]);
    expect(sink.events).toMatchObject([
      { kind: 'journal_failed', reason: 'disk full' },
      { kind: 'execution_report', answer: { outcome: { status: 'not_sent' } } },
    ]);
  });

  it.each([
    ['a reduction', () => gateway.submit(createOrder({ purpose: 'reduce' }))],
    ['a cancel', () => gateway.cancel(createCancel())],
  ])('%s goes out on the emergency record', (_, run) => {
    run();
    expect(steps.at(-1)).toMatch(/^emergency/);
    expect(rest.sent).toHaveLength(1);
    expect(sink.events).toMatchObject([{ kind: 'journal_failed' }]);
    expect(signals).toMatchObject([{ kind: 'sent_on_emergency', recorded: true }]);
  });

  it('and the emergency record fails too, a reduction stays, which is reported, and a cancel goes', () => {
    emergencyProblem = 'gone';
    gateway.submit(createOrder({ purpose: 'reduce' }));
    gateway.cancel(createCancel());
    expect(rest.sent.map(({ call }) => call)).toEqual(['cancel']);
    expect(signals).toMatchObject([
      { kind: 'exit_not_sent', call: 'place', reason: expect.stringContaining('gone') },
      { kind: 'sent_on_emergency', recorded: false },
    ]);
  });
});
