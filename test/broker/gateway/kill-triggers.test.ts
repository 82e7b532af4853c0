/** The kill path empties the trigger book too. */
import { expect, it } from 'vitest';
import { cancelTriggers } from '../../../src/broker/gateway/kill-all.ts';
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import { seconds } from '../../../src/domain/units.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { ACCEPTED, FakeRest, settled } from '../support/fake-rest.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

type KillResult = Awaited<ReturnType<typeof cancelTriggers>>;

interface Round {
  readonly orders: readonly BrokerTriggerOrder[];
  readonly complete?: boolean;
}

/** Plays the rounds; the last one is what every further look shows. */
async function kill(...rounds: readonly Round[]): Promise<{ report: KillResult; keys: readonly string[] }> {
  const rest = new FakeRest();
  const timers = new VirtualTimers();
  const keys: string[] = [];
  const reports: KillResult[] = [];
  void cancelTriggers(rest.conditions, timers).then((value) => reports.push(value));
  for (let i = 0; i < 10 && reports.length === 0; i += 1) {
    const { orders, complete = true } = rounds[Math.min(i, rounds.length - 1)]!;
    rest.asked.shift()?.answer({ complete, orders, reason: '' });
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
  return { report, keys };
}

it('takes out what waits, whoever placed it, and proves that nothing is left', async () => {
  const orders = [
    waits({ key: 'a' }),
    waits({ key: 'b', kind: 'exit' }),
    waits({ key: 'c', status: 'canceled' }),
  ];
  const over = orders.map((row) => ({ ...row, status: 'canceled' as const }));
  const { report, keys } = await kill({ orders }, { orders: over });
  expect(keys).toEqual(['a', 'b']);
  const none = { failed: [], open: [], isProven: true, reason: '' };
  expect(report).toEqual({ report: { canceled: ['a', 'b'], ...none }, hasTriggered: false });
});

it('says when one of them triggered meanwhile', async () => {
  const { report } = await kill(
    { orders: [waits({ key: 'a' })] },
    { orders: [waits({ key: 'a', status: 'activated', children: ['8'] })] },
  );
  expect(report.hasTriggered).toBe(true);
});

it('does not call a book that it cannot read whole a proof, and names what is left', async () => {
  const { report } = await kill({ orders: [waits({ key: 'a' })], complete: false });
  expect(report).toMatchObject({ report: { isProven: false, open: [{ orderKey: 'a' }] } });
});
