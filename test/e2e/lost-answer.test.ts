/** The broker accepts an order and the answer is lost: exactly one live order, found by look-up, never sent again. */
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { brokerTruth, journalEntries, setFault, startDaemon, until, workplace } from './daemon-process.ts';

test('an accepted order whose answer is lost is found in the book, once', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await daemon.line(/live/);
  await setFault(place, { name: 'accept_then_drop', operation: 'place', times: 1 });
  const lost = await until(
    () =>
      journalEntries(place).find(
        ({ entry }) =>
          entry.kind === 'outcome' && entry.call === 'place' && entry.outcome.status === 'unknown',
      ),
    daemon.output,
  );
  const id = lost.entry.kind === 'outcome' ? lost.entry.clientOrderId : undefined;
  const found = await until(
    () =>
      journalEntries(place).find(
        ({ entry }) =>
          // A poll may show it before the answer is given up.
          entry.kind === 'order_status' && entry.clientOrderId === id && entry.orderNo !== null,
      ),
    daemon.output,
  );
  const truth = await brokerTruth(place);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);

  expect(found.entry).toMatchObject({ kind: 'order_status' });
  expect(
    truth.orders.filter(({ refId }) => refId === id),
    'the broker has it once',
  ).toHaveLength(1);
  const placed = journalEntries(place).filter(
    ({ entry }) => entry.kind === 'place' && entry.order.clientOrderId === id,
  );
  expect(placed, 'it was placed once').toHaveLength(1);
  expect(daemon.output()).toContain('agree');
});
