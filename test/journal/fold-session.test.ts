/** The fold of a session against the plainest one that can be written: cash in, cash out. */
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { brokerOrderNo, clientOrderId } from '../../src/domain/ids.ts';
import { instrumentIndex, money, qty, seq, signedQty, tsUs } from '../../src/domain/units.ts';
import type { JournalEntry, EntryOf } from '../../src/engine/ports/journal-entry.ts';
import { foldSession, type NamedEntry, sessionResult } from '../../src/journal/fold-session.ts';
import { ENTRIES } from '../operator/entries.ts';
import { foldSessions } from './fold-sessions.ts';

const head = { cause: seq(1), tsUs: tsUs(1), strategy: null };
const order = { clientOrderId: clientOrderId('H.1'), orderNo: brokerOrderNo('1') };

interface Trade {
  readonly name: string;
  readonly instrument: number;
  readonly side: 'buy' | 'sell';
  readonly contracts: number;
  readonly unit: number;
  readonly fee: number;
  readonly tax: number;
}

const fill = (trade: Trade): NamedEntry => ({
  strategyName: trade.name,
  entry: {
    ...head,
    ...order,
    kind: 'fill',
    instrument: instrumentIndex(trade.instrument),
    side: trade.side,
    qty: qty(trade.contracts),
    value: money(trade.contracts * trade.unit),
    cumQty: qty(trade.contracts),
    cumValue: money(trade.contracts * trade.unit),
    quality: 'exact',
    fee: money(trade.fee),
    tax: money(trade.tax),
  },
});

const trades: fc.Arbitrary<readonly Trade[]> = fc.array(
  fc.record({
    name: fc.constantFrom('one', 'two'),
    instrument: fc.nat({ max: 1 }),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    contracts: fc.integer({ min: 1, max: 9 }),
    unit: fc.integer({ min: 1_000, max: 2_000 }),
    fee: fc.nat({ max: 9_999 }),
    tax: fc.nat({ max: 9_999 }),
  }),
  { maxLength: 60 },
);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

it('loses and invents no money: what was paid is realised or still in what is open', () => {
  fc.assert(
    fc.property(trades, (all) => {
      const accounts = foldSession(all.map(fill));
      expect(accounts.map(({ strategy }) => strategy).toSorted()).toEqual(
        [...new Set(all.map(({ name }) => name))].toSorted(),
      );
      for (const account of accounts) {
        const own = all.filter(({ name }) => name === account.strategy);
        const cash = sum(
          own.map(({ side, contracts, unit }) => (side === 'sell' ? 1 : -1) * contracts * unit),
        );
        const open = sum(
          account.positions.map(({ position }) => Math.sign(position.qty) * position.openValue),
        );
        expect(account.realised).toBe(cash + open);
        expect([account.fills, account.filledQty]).toEqual([
          own.length,
          sum(own.map(({ contracts }) => contracts)),
        ]);
        expect([account.fee, account.tax]).toEqual([
          sum(own.map(({ fee }) => fee)),
          sum(own.map(({ tax }) => tax)),
        ]);
        for (const instrument of [0, 1]) {
          const net = sum(
            own
              .filter((each) => each.instrument === instrument)
              .map(({ side, contracts }) => (side === 'buy' ? contracts : -contracts)),
          );
          expect(account.positions.find((each) => each.instrument === instrument)?.position.qty ?? 0).toBe(
            net,
          );
        }
      }
    }),
  );
});

const trade = (side: 'buy' | 'sell', contracts: number, unit: number): NamedEntry =>
  fill({ name: 'one', instrument: 0, side, contracts, unit, fee: 10, tax: 5 });

const named = (entry: JournalEntry, strategyName: string | null = 'one'): NamedEntry => ({
  strategyName,
  entry,
});

const event = (
  kind: 'carried_over' | 'settled' | 'adopted',
  contracts: number,
  value: number,
): JournalEntry => ({
  ...head,
  kind: 'position_event',
  event: kind,
  instrument: instrumentIndex(0),
  qty: signedQty(contracts),
  value: money(value),
});

it('adds a correction to money that was an estimate', () => {
  const [account] = foldSession([
    trade('buy', 2, 1_000),
    trade('sell', 2, 1_100),
    named({
      ...head,
      ...order,
      kind: 'fill_correction',
      instrument: instrumentIndex(0),
      side: 'buy',
      value: money(30),
      tax: money(1),
      cumValue: money(2_030),
      quality: 'exact',
    }),
  ]);
  expect(account).toMatchObject({ realised: 170, fee: 20, tax: 11, positions: [] });
});

it('ends a position by a settlement, without a fee', () => {
  const [account] = foldSession([trade('buy', 2, 1_000), named(event('settled', -2, 2_400))]);
  expect(account).toMatchObject({ realised: 400, fills: 1, fee: 10, positions: [] });
});

it('counts what one session carried into the next once', () => {
  const days = [trade('buy', 2, 1_000), named(event('carried_over', 2, 2_000)), trade('sell', 2, 1_100)];
  expect(foldSessions(days)[0]).toMatchObject({ realised: 200, positions: [] });
  expect(foldSession(days.slice(1))[0]).toMatchObject({ realised: 200, positions: [] });
});

it('counts orders, denials by code and rejections, and gives what has no strategy to the operator', () => {
  const accounts = foldSession([
    named({ ...head, kind: 'strategy_started' }),
    named({ ...head, kind: 'denied', clientOrderId: order.clientOrderId, denial: { code: 'stream_down' } }),
    named({ ...head, kind: 'denied', clientOrderId: order.clientOrderId, denial: { code: 'stream_down' } }),
    named({
      ...head,
      ...order,
      kind: 'order_status',
      from: 'submitted',
      to: 'rejected',
      event: 'x',
      detail: '',
    }),
    named({
      ...head,
      ...order,
      kind: 'order_status',
      from: 'submitted',
      to: 'accepted',
      event: 'x',
      detail: '',
    }),
    ...(['place', 'modify', 'cancel'] as const).map((call) =>
      named({ ...ENTRIES.outcome, ...order, call, outcome: { status: 'rejected', code: '-1', text: 'no' } }),
    ),
    named({ ...head, kind: 'position_agreed' }, 'quiet'),
    named(event('adopted', -1, 1_500), null),
  ]);
  expect(accounts.map(({ strategy }) => strategy)).toEqual(['one', 'operator']);
  expect(accounts[0]).toMatchObject({
    rejected: 1,
    refusedChanges: 2,
    denials: new Map([['stream_down', 2]]),
  });
  expect(accounts[1]?.positions).toMatchObject([{ position: { qty: -1, openValue: 1_500 } }]);
});

const fillAt = (at: number, side: 'buy' | 'sell', count: number, price: number): NamedEntry => ({
  strategyName: 'alpha',
  entry: {
    ...ENTRIES.fill,
    tsUs: tsUs(at),
    side,
    qty: qty(count),
    value: money(price * count),
    fee: money(3 * count),
    tax: money(2 * count),
  },
});

const ofAlpha = (entry: NamedEntry['entry']): NamedEntry => ({ strategyName: 'alpha', entry });

const short = ({
  side,
  qty: count,
  entryValue,
  exitValue,
  net,
}: ReturnType<typeof sessionResult>['trades'][number]) => [side, count, entryValue, exitValue, net];

test('a trade goes from flat to flat, and its costs are in its result', () => {
  const { trades, curve, net } = sessionResult([
    fillAt(1, 'buy', 2, 1_000),
    fillAt(2, 'buy', 1, 1_030),
    fillAt(3, 'sell', 1, 1_050),
    fillAt(4, 'sell', 2, 1_040),
    fillAt(5, 'sell', 1, 1_000),
  ]);
  expect(trades.map(short)).toEqual([['long', 3, 3_030, 3_130, 100 - 30]]);
  expect(trades[0]).toMatchObject({ strategy: 'alpha', openedUs: 1, closedUs: 4 });
  expect(curve.map(([at]) => at)).toEqual([1, 2, 3, 4, 5]);
  expect(net).toBe(curve.at(-1)![1]);
  expect(net, 'what is open has paid its costs').toBe(100 - 35);
});

test('a fill that turns the position ends one trade and begins the next', () => {
  const { trades, net } = sessionResult([
    fillAt(1, 'sell', 2, 1_000),
    fillAt(2, 'buy', 3, 990),
    fillAt(3, 'sell', 1, 1_010),
  ]);
  expect(trades.map(short)).toEqual([
    ['short', 2, 2_000, 1_980, 20 - 20],
    ['long', 1, 990, 1_010, 20 - 10],
  ]);
  expect(net).toBe(10);
});

test('the result is that of the accounts, with corrections, settled positions and accepted money', () => {
  const figures = [{ what: 'fee', ours: money(5), broker: money(9) } as const];
  const correction: EntryOf<'fill_correction'> = {
    ...ENTRIES.fill_correction,
    side: 'sell',
    value: money(-7),
    tax: money(1),
  };
  const rows = [
    fillAt(1, 'buy', 2, 1_000),
    fillAt(2, 'sell', 1, 1_100),
    ofAlpha(correction),
    ofAlpha({ ...ENTRIES.money_checked, verdict: 'accepted', figures }),
    ofAlpha({ ...ENTRIES.position_event, qty: ENTRIES.position_event.qty }),
  ];
  const accounts = foldSession(rows);
  const expected = accounts.reduce((sum, { realised, fee, tax }) => sum + realised - fee - tax, 0);
  expect(sessionResult(rows).net).toBe(expected);
});
