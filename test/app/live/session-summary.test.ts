import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Daemon } from '../../../src/app/live/daemon.ts';
import {
  type BrokerBooks,
  brokerBooks,
  sessionSummary,
  strategyResults,
  unresolvedOrders,
} from '../../../src/app/live/daemon-screen.ts';
import type { BrokerAccount, BrokerPosition } from '../../../src/domain/broker-order.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { money, priceHundredths, qty, seconds, signedQty, tsUs } from '../../../src/domain/units.ts';
import { earlierOrder } from '../../support/engine-facts.ts';
import { EngineRig } from '../../support/engine-rig.ts';
import { DAY, FRONT } from '../../support/engine-world.ts';
import { cliDir } from '../../cli/support/cli-run.ts';
import { openStore } from '../../journal/journal-fixture.ts';
import { ENTRIES } from '../../operator/entries.ts';

const accounts = [
  {
    strategy: 'breakout',
    orders: 1,
    fills: 1,
    filledQty: 2,
    rejected: 0,
    denials: new Map(),
    fee: money(10_500),
    tax: money(22_100),
    realised: money(0),
    positions: [
      {
        instrument: FRONT.index,
        position: { qty: signedQty(2), openValue: money(260_000_000), realised: money(0) },
      },
    ],
  },
];

const resultAt = (lastPrice: BrokerPosition['lastPrice']) => {
  const row = { orderCode: FRONT.orderCode, qty: signedQty(2), lastPrice, openProfit: null };
  // The account is not looked at.
  return strategyResults(accounts, [FRONT], { account: {} as BrokerAccount, positions: [row] })[0];
};

test('an open position is worth its last price', () => {
  expect(resultAt(priceHundredths(130_100))).toMatchObject({ open: 200_000, net: 167_400 });
});

test('without a last price its profit is unknown, not the loss of its whole value', () => {
  expect(resultAt(null)).toMatchObject({ open: null, net: null });
  expect(strategyResults(accounts, [FRONT], undefined)[0]).toMatchObject({ open: null, net: null });
});

/** A broker whose last price is another one at each read. */
const brokerAt = (prices: readonly number[]) => {
  const left = [...prices];
  const next = () => left.shift() ?? 0;
  return {
    positions: () => {
      const row = { orderCode: FRONT.orderCode, qty: signedQty(1), openProfit: null };
      return Promise.resolve({ ok: true as const, value: [{ ...row, lastPrice: priceHundredths(next()) }] });
    },
    // The price stands for what follows from it.
    account: () => Promise.resolve({ ok: true as const, value: { profit: money(next()) } as BrokerAccount }),
    left,
  };
};
const isOneMoment = ({ positions: [row], account }: BrokerBooks): boolean =>
  Number(row?.lastPrice) === Number(account.profit);

test('a price that goes away and comes back between two reads is no difference', async () => {
  const broker = brokerAt([10, 20, 10, 20, 10, 10, 10, 10]);
  expect(await brokerBooks(broker, isOneMoment)).toMatchObject({ account: { profit: 10 } });
});

test('books that differ at each moment differ, and are not read for ever', async () => {
  const broker = brokerAt(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 10 : 20)));
  expect(await brokerBooks(broker, isOneMoment)).toMatchObject({ account: { profit: 20 } });
  expect(broker.left).toHaveLength(8);
});

test('a market that never stands still leaves nothing to compare', async () => {
  const broker = brokerAt(Array.from({ length: 40 }, (_, i) => i));
  expect(await brokerBooks(broker, isOneMoment)).toBeUndefined();
});

const unanswered = earlierOrder('H.1', { qty: qty(1), orderNo: null, orderKey: null, status: 'unknown' });

test('an order of the day before is unresolved until positions agree', () => {
  const rig = new EngineRig({ lookUp: { scans: 3, spread: seconds(3) } }).contracts();
  rig.post({
    kind: 'session_started',
    tradingDay: DAY,
    follows: addDays(DAY, -1),
    carriedOver: [],
    earlierOrders: [unanswered],
    halted: null,
  });
  rig.boot(2).stream('live').reference().pass(1);
  for (let scan = 0; scan < 4; scan += 1) rig.pass(2).book();
  expect(rig.statusOf(unanswered.clientOrderId)).toBe('expired_unproven');
  const unresolved = () => unresolvedOrders(rig.entries.map((entry) => ({ entry })));
  expect(unresolved()).toBe(1);
  rig.positions().pass(1).book();
  expect(unresolved()).toBe(0);
});

test('an order that fills while the broker is read is among our own figures', async () => {
  const { store } = openStore(join(cliDir(), 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (const kind of ['strategy_started', 'place'] as const) store.append(ENTRIES[kind]);
  store.flush();
  const fills = (): never => {
    store.append(ENTRIES.fill);
    store.flush();
    return { ok: false } as never;
  };
  const daemon = {
    sessionDay: DAY,
    journal: store,
    edge: { table: { contracts: [] }, rest: { positions: fills, account: fills } },
  } as unknown as Daemon;
  expect(await sessionSummary(daemon)).toMatchObject({ strategies: [{ fills: 2 }] });
  store.close();
});

test('a broker that does not answer keeps nobody from our own figures', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { store } = openStore(join(cliDir(), 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (const kind of ['strategy_started', 'place', 'fill'] as const) store.append(ENTRIES[kind]);
  store.flush();
  const never = new Promise<never>(() => undefined);
  const daemon = {
    sessionDay: DAY,
    journal: store,
    edge: { table: { contracts: [] }, rest: { positions: () => never } },
  } as unknown as Daemon;
  const summary = sessionSummary(daemon);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await summary).toMatchObject({ session: DAY, strategies: [{ fills: 1 }], figures: [] });
  store.close();
});
