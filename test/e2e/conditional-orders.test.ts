/** Orders that wait at the broker, over the real wire: placed, moved, canceled, triggered, and filled for their strategy. */
import { expect, test } from 'vitest';
import type { ClientOrderId } from '../../src/domain/ids.ts';
import type { EntryOf, JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { BOOKS_AGREE, brokerTruth, journalEntries, startDaemon, until, workplace } from './daemon-process.ts';
import { programWith } from './program-with.ts';

/** A stop far away that is then moved to the market, a trailing stop that is taken back, a bracket with its exits on both sides of the market. */
const WAITER = `
const added = defineStrategy({
  name: 'waiter',
  summary: 'leaves orders at the broker',
  params: z.strictObject({}),
  legs: ['contract'],
  connect(ticks, trader) {
    const ids = {};
    const done = new Set();
    const once = (what, run) => {
      if (done.has(what)) return;
      done.add(what);
      run();
    };
    let follows = null;
    ticks.trades$.subscribe(({ price: last }) => {
      // The market may fall away from the stop for hours.
      if (follows !== null && last + 1 < follows) {
        follows = null;
        trader.modify(ids.stop, { trigger: last + 1 });
      }
      if (trader.phase() !== 'continuous' || trader.band() === undefined || ids.given) return;
      const head = { qty: 1, reason: 'test' };
      ids.given = true;
      ids.stop = trader.submit({ ...head, kind: 'stop', side: 'buy', trigger: last + 100, price: last + 105 });
      ids.trailing = trader.submit({
        ...head, kind: 'trailing_stop', side: 'sell', activation: last + 150, offset: 20, price: last + 120,
      });
      ids.bracket = trader.submit({
        ...head, kind: 'bracket', side: 'buy', price: last + 5, stopLoss: last - 2, takeProfit: last + 8,
      });
    });
    ticks.orders$.subscribe(({ clientOrderId, status, triggerPrice }) => {
      // Risk may not be ready when the first price comes; a denied change of an order that lives gives nothing new.
      if (status === 'denied' && clientOrderId === ids.stop) ids.given = false;
      if (status !== 'pending_trigger') return;
      const last = trader.lastTrade().price;
      if (clientOrderId === ids.stop && done.has('move')) follows = triggerPrice;
      if (clientOrderId === ids.stop) once('move', () => trader.modify(ids.stop, { trigger: last + 1 }));
      if (clientOrderId === ids.trailing) once('cancel', () => trader.cancel(ids.trailing));
    });
  },
});
`;

const CONFIG = `
mode: paper
state: $STATE
market: vn30f.yaml
simulator: { seed: 7, speed: 6 }
broker: { requestsPerSecond: 50 }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s }
poll: { bookFast: 200ms, bookSlow: 1s, positions: 2s, account: 2s }
lookUp: { scans: 3, spread: 1s }
strategies:
  - id: waiter
    strategy: waiter
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 9 }
    params: {}
`;

test('a stop, a trailing stop and a bracket live and end at the broker', async () => {
  const place = workplace(CONFIG);
  const daemon = startDaemon(place, [], programWith(WAITER));
  const all = <K extends JournalEntry['kind']>(kind: K): readonly EntryOf<K>[] =>
    journalEntries(place).flatMap(({ entry }) => (entry.kind === kind ? [entry as EntryOf<K>] : [])); // oxlint-disable-line typescript/no-unsafe-type-assertion -- the kind was compared
  const isAt = (id: ClientOrderId, status: string): boolean =>
    all('order_status').findLast((entry) => entry.clientOrderId === id)?.to === status;
  await daemon.line(/live/);

  const placed = await until(() => {
    const orders = all('place').map(({ order }) => order);
    const kinds = orders.map((order) => order.trigger?.kind ?? 'limit');
    return kinds.includes('bracket') ? { orders, kinds } : undefined;
  });
  expect(placed.kinds).toEqual(['stop', 'trailing_stop', 'bracket']);
  const [stop, trailing, bracket] = placed.orders.map(({ clientOrderId }) => clientOrderId);

  // The one that was moved to the market triggers, and what it sent fills for the strategy.
  const child = await until(() => all('order_adopted').find(({ parent }) => parent === stop));
  await until(() => all('fill').find(({ clientOrderId }) => clientOrderId === child.clientOrderId));
  await until(() => (isAt(stop!, 'triggered') && isAt(trailing!, 'canceled') ? true : undefined));
  expect(all('modify').filter(({ modify }) => modify.clientOrderId === stop)).not.toHaveLength(0);

  // The bracket fills, and one of its exits takes it out; the broker takes the other back.
  const exits = await until(() => {
    const known = all('order_waiting').filter(({ parent }) => parent === bracket);
    return new Set(known.map(({ clientOrderId }) => clientOrderId)).size === 2 ? known : undefined;
  });
  const [one, other] = [...new Set(exits.map(({ clientOrderId }) => clientOrderId))];
  const sentBy = await until(() =>
    isAt(one!, 'triggered') ? one : isAt(other!, 'triggered') ? other : undefined,
  );
  const partner = sentBy === one ? other! : one!;
  await until(() => (isAt(partner, 'canceled') ? true : undefined));
  const exit = await until(() => all('order_adopted').find(({ parent }) => parent === sentBy));

  // A take-profit sends a limit at its price, and the market may leave it again: journal and broker agree on it.
  const { net, childQty, exitQty } = await until(async () => {
    const truth = await brokerTruth(place);
    const held = truth.positions.reduce((sum, position) => sum + position.net, 0);
    // Read once: the exit may fill at any moment.
    const fills = all('fill');
    const filledQty = (id: ClientOrderId): number =>
      fills.reduce((sum, { clientOrderId, qty }) => sum + (clientOrderId === id ? qty : 0), 0);
    const agree = [child, exit].every(
      ({ order, clientOrderId }) =>
        truth.orders.find(({ orderNo }) => orderNo === order.orderNo)?.filledQty === filledQty(clientOrderId),
    );
    const known = fills.reduce((sum, { side, qty }) => sum + (side === 'buy' ? qty : 0 - qty), 0);
    const [childQty, exitQty] = [filledQty(child.clientOrderId), filledQty(exit.clientOrderId)];
    return agree && held === known ? { net: known, childQty, exitQty } : undefined;
  });
  expect(childQty).toBe(1);
  expect(net, 'the stop is in, and the bracket with it until its exit fills').toBe(2 - exitQty);
  expect(all('place')).toHaveLength(3);
  expect(all('alert').filter(({ severity }) => severity === 'critical')).toEqual([]);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  expect(daemon.output()).toMatch(BOOKS_AGREE);
});
