/** The kill path empties the trigger book too. */
import { expect, it } from 'vitest';
import { killAll, type KillReport } from '../../../src/broker/gateway/kill-all.ts';
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import { seconds } from '../../../src/domain/units.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { NOTHING_OWN } from '../support/own-books.ts';
import { ACCEPTED, FakeRest, settled } from '../support/fake-rest.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

type KillResult = KillReport<BrokerTriggerOrder>;

interface Round {
  readonly orders: readonly BrokerTriggerOrder[];
  readonly complete?: boolean;
}

/** Plays the rounds; the last one is what every further look shows. */
async function kill(
  ...rounds: readonly Round[]
): Promise<{ report: KillResult; keys: readonly string[]; reads: number }> {
  let reads = 0;
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  const keys: string[] = [];
  const reports: KillResult[] = [];
  void killAll(
    rest,
    timers,
    () => true,
    () => NOTHING_OWN,
  ).then(({ triggers }) => reports.push(triggers));
  for (let i = 0; i < 10 && reports.length === 0; i += 1) {
    const { orders, complete = true } = rounds[Math.min(i, rounds.length - 1)]!;
    for (const { what, answer } of rest.asked.splice(0)) {
      if (what === 'positions') answer({ ok: true, value: [] });
      else
        answer({ complete: what === 'book' || complete, orders: what === 'book' ? [] : orders, reason: '' });
    }
    reads += 1;
    await settled();
    for (const { request, answer } of rest.sent.splice(0)) {
      if ('orderKey' in request) keys.push(request.orderKey);
      answer(ACCEPTED);
    }
    await settled();
    timers.advance(seconds(1));
    await settled();
  }
  const [report] = reports;
  if (report === undefined) throw new Error('no report');
  return { report, keys, reads };
}

it('takes out what waits, whoever placed it, and proves that nothing is left', async () => {
  const orders = [
    waits({ key: 'a' }),
    waits({ key: 'b', kind: 'exit' }),
    waits({ key: 'c', status: 'canceled' }),
  ];
  const over = orders.map((row) => ({ ...row, status: 'canceled' as const }));
  const { report, keys } = await kill({ orders }, { orders }, { orders: over });
  expect(keys).toEqual(['a', 'b']);
  const none = { failed: [], open: [], unshown: [], isProven: true, reason: '' };
  expect(report).toEqual({ canceled: ['a', 'b'], ...none });
});

it('reads the books once more when one of them triggered meanwhile', async () => {
  const { reads } = await kill(
    { orders: [waits({ key: 'a' })] },
    { orders: [waits({ key: 'a', status: 'activated', children: ['8'] })] },
  );
  expect(reads).toBe(3);
});

it('does not call a book that it cannot read whole a proof, and names what is left', async () => {
  const { report } = await kill({ orders: [waits({ key: 'a' })], complete: false });
  expect(report).toMatchObject({ isProven: false, open: [{ orderKey: 'a' }] });
});
