import { beforeEach, describe, expect, it } from 'vitest';
import { BrokerContracts } from '../../../src/broker/reports/broker-contracts.ts';
import { BrokerReports, type ReportSignal } from '../../../src/broker/reports/reports.ts';
import type { ContractQuote } from '../../../src/domain/broker-order.ts';
import { orderCode } from '../../../src/domain/ids.ts';
import { addUs, priceHundredths, priceTicks, seconds } from '../../../src/domain/units.ts';
import { createBrokerOrder } from '../support/broker-orders.ts';
import { VN30_SPEC, OPEN_ALL_DAY } from '../../support/strategy-fixtures.ts';
import { type Asked, FakeRest, settled } from '../support/fake-rest.ts';
import { RecordingSink } from '../support/recording-sink.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const QUOTE: ContractQuote = {
  orderCode: orderCode('VN30F2601'),
  ceiling: priceTicks(14_000),
  floor: priceTicks(12_000),
  reference: priceHundredths(130_000),
  lastPrice: null,
  expiry: null,
};
const EMPTY_BOOK = { complete: true, orders: [], reason: '' };

let rest: FakeRest;
let sink: RecordingSink;
let timers: VirtualTimers;
let table: BrokerContracts;
let signals: ReportSignal[];
let reports: BrokerReports;

beforeEach(() => {
  rest = new FakeRest();
  sink = new RecordingSink();
  timers = new VirtualTimers();
  table = new BrokerContracts();
  signals = [];
  reports = create();
});

const create = (): BrokerReports =>
  new BrokerReports({
    rest,
    table,
    sink,
    clock: timers,
    timers,
    pollPace: { fast: seconds(1), slow: seconds(20) },
    specOf: (code) => (code.startsWith('VN30') ? VN30_SPEC : undefined),
    calendar: OPEN_ALL_DAY,
    onSignal: (signal) => signals.push(signal),
  });

const next = (): Asked => rest.asked.shift()!;

async function answer(result: unknown): Promise<void> {
  const asked = next();
  asked.start();
  asked.answer(result);
  await settled();
}

it('closed positions are posted with when their read began, and a failure says so', async () => {
  reports.read('closed');
  await answer({ ok: true, value: { total: null, positions: [] } });
  reports.read('closed');
  await answer({ ok: false, kind: 'temporary', reason: 'no answer in time' });
  expect(sink.events).toEqual([
    { kind: 'closed_snapshot', startedUs: timers.nowUs(), positions: [] },
    { kind: 'read_failed', what: 'closed', reason: 'no answer in time' },
  ]);
});

describe('the conditional book', () => {
  it('is posted whole, with when its scan began', async () => {
    reports.read('triggers');
    timers.advance(seconds(1));
    expect(rest.asked[0]?.options.priority).toBe('lookup');
    await answer({ complete: true, orders: [], reason: '' });
    expect(sink.events).toEqual([
      { kind: 'book_snapshot', list: 'triggers', startedUs: timers.nowUs(), complete: true, orders: [] },
    ]);
  });

  it('that was read in part is said to be, and with nothing read is a failure', async () => {
    reports.read('triggers');
    await answer({ complete: false, orders: [{ orderKey: '7' }], reason: 'page 2: no answer in time' });
    reports.read('triggers');
    await answer({ complete: false, orders: [], reason: 'page 1: HTTP 502' });
    expect(sink.events).toMatchObject([
      { kind: 'book_snapshot', list: 'triggers', complete: false, orders: [{ orderKey: '7' }] },
      { kind: 'read_failed', what: 'triggers', reason: 'page 1: HTTP 502' },
    ]);
    expect(signals).toHaveLength(2);
  });
});

describe('a read', () => {
  it('says when its first byte left, not when it was asked for', async () => {
    reports.read('book');
    const asked = next();
    timers.advance(seconds(3));
    const startedUs = timers.nowUs();
    asked.start();
    timers.advance(seconds(1));
    asked.answer({ complete: true, orders: [createBrokerOrder('1')], reason: '' });
    await settled();
    expect(sink.events).toEqual([
      { kind: 'book_snapshot', list: 'orders', startedUs, complete: true, orders: [createBrokerOrder('1')] },
    ]);
    expect(addUs(startedUs, seconds(1))).toBe(timers.nowUs());
  });

  it('serves all who ask before it has begun', async () => {
    for (let i = 0; i < 5; i += 1) reports.read('positions');
    await answer({ ok: true, value: [] });
    expect(sink.events).toHaveLength(1);
    expect(rest.asked).toEqual([]);
  });

  it('is done once more for those who ask while it is under way', async () => {
    reports.read('positions');
    rest.asked[0]?.start();
    for (let i = 0; i < 5; i += 1) reports.read('positions');
    expect(rest.asked).toHaveLength(1);
    await answer({ ok: true, value: [] });
    expect(rest.asked).toHaveLength(1);
    await answer({ ok: true, value: [] });
    expect(sink.events).toHaveLength(2);
    expect(rest.asked).toEqual([]);
  });

  it.each(['positions', 'account', 'reference', 'contracts'] as const)(
    'of %s that fails says so',
    async (what) => {
      reports.read(what);
      await answer({ ok: false, kind: 'unanswered', reason: 'no answer in time' });
      expect(sink.events).toEqual([{ kind: 'read_failed', what, reason: 'no answer in time' }]);
    },
  );
});

describe('the in-day book', () => {
  it('is a look-up when asked for, and otherwise waits behind look-ups', () => {
    reports.start();
    timers.advance(seconds(20));
    expect(next().options.priority).toBe('book');
    create().read('book');
    expect(next().options.priority).toBe('lookup');
  });

  it('is looked up though its own read still waits for its turn', async () => {
    reports.start();
    timers.advance(seconds(20));
    reports.read('book');
    expect(rest.asked.map(({ options }) => options.priority)).toEqual(['book', 'lookup']);
    rest.asked.shift();
    await answer(EMPTY_BOOK);
    expect(sink.events).toHaveLength(1);
  });

  it('is read by itself, slowly or fast, one read after the other', async () => {
    reports.start();
    timers.advance(seconds(19));
    expect(rest.asked).toHaveLength(0);
    timers.advance(seconds(1));
    await answer(EMPTY_BOOK);
    reports.pollPace('fast');
    timers.advance(seconds(1));
    expect(rest.asked).toHaveLength(1);
    timers.advance(seconds(60));
    expect(rest.asked).toHaveLength(1);
    await answer(EMPTY_BOOK);
    timers.advance(seconds(1));
    expect(rest.asked).toHaveLength(1);
    reports.stop();
    await answer(EMPTY_BOOK);
    timers.advance(seconds(60));
    expect(rest.asked).toHaveLength(0);
  });

  it('that is not whole is passed on as no evidence, and reported', async () => {
    reports.read('book');
    await answer({ complete: false, orders: [createBrokerOrder('1')], reason: 'page 2: lost' });
    expect(sink.events).toMatchObject([{ kind: 'book_snapshot', complete: false }]);
    expect(signals).toEqual([{ kind: 'scan_incomplete', reason: 'page 2: lost' }]);
  });

  it('that brought nothing is a failed read, unless nobody asked and nothing was sent', async () => {
    const nothing = { complete: false, orders: [], reason: 'no token' };
    reports.read('book');
    next().answer(nothing);
    await settled();
    expect(sink.events).toEqual([{ kind: 'read_failed', what: 'book', reason: 'no token' }]);
    reports.start();
    timers.advance(seconds(20));
    next().answer(nothing);
    await settled();
    expect(sink.events).toHaveLength(1);
  });
});

describe('contracts', () => {
  it('come with their prices, and are known before anything names them', async () => {
    reports.read('contracts');
    await answer({ ok: true, value: [QUOTE] });
    await answer({ ok: true, value: [{ code: 'VN30F2601', expiry: null }] });
    expect(sink.events).toMatchObject([
      { kind: 'contracts', contracts: [{ index: 0, orderCode: 'VN30F2601', expiry: '2026-01-15' }] },
      { kind: 'reference', rows: [{ instrument: 0, ceiling: 14_000, floor: 12_000, reference: 130_000 }] },
    ]);
    expect(table.byStreamCode('VN30F2601')?.index).toBe(0);
  });

  it('are taken from the board when the list cannot be read, or is empty', async () => {
    for (const list of [
      { ok: false, kind: 'unanswered', reason: 'HTTP 500' },
      { ok: true, value: [] },
    ]) {
      table.reset([]);
      reports.read('contracts');
      await answer({ ok: true, value: [QUOTE] });
      await answer(list);
      expect(table.contracts).toHaveLength(1);
    }
    expect(signals).toEqual([{ kind: 'contract_list_missing', reason: 'HTTP 500' }]);
  });

  it('that are not ours are a failed read', async () => {
    reports.read('contracts');
    await answer({ ok: true, value: [{ ...QUOTE, orderCode: orderCode('GB05F2603') }] });
    await answer({ ok: true, value: [{ code: 'GB05F2603', expiry: null }] });
    expect(sink.events).toMatchObject([{ kind: 'read_failed', what: 'contracts' }]);
  });
});

describe('reference prices', () => {
  it('without a whole band are left out', async () => {
    table.update([
      {
        orderCode: QUOTE.orderCode,
        streamCode: 'VN30F2601' as never,
        expiry: '2026-01-15' as never,
        spec: VN30_SPEC,
      },
    ]);
    reports.read('reference');
    await answer({ ok: true, value: [{ ...QUOTE, floor: null }] });
    expect(sink.events).toMatchObject([{ kind: 'read_failed', what: 'reference' }]);
    reports.read('reference');
    await answer({ ok: true, value: [QUOTE] });
    expect(sink.events.at(-1)).toMatchObject({ kind: 'reference', rows: [{ instrument: 0 }] });
  });
});
