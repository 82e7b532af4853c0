import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Daemon } from '../../../src/daemon/daemon.ts';
import { sessionSummary, unresolvedOrders } from '../../../src/daemon/program/daemon-screen.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { qty, seconds, tsUs } from '../../../src/domain/units.ts';
import { earlierOrder } from '../../support/engine-facts.ts';
import { EngineRig } from '../../support/engine-rig.ts';
import { DAY } from '../../support/engine-world.ts';
import { cliDir } from '../../cli/support/cli-run.ts';
import { openStore } from '../../journal/journal-fixture.ts';
import { ENTRIES } from '../../operator/entries.ts';

const unanswered = earlierOrder('H.1', { qty: qty(1), orderNo: null, orderKey: null, status: 'unknown' });

test('an order of the day before is unresolved until positions agree', () => {
  const rig = new EngineRig({ lookUp: { scans: 3, spread: seconds(3) } }).contracts();
  rig.session({ follows: addDays(DAY, -1), carriedOrders: [unanswered] });
  rig.boot(2).stream('live').reference().pass(1);
  for (let scan = 0; scan < 4; scan += 1) rig.pass(2).book();
  expect(rig.statusOf(unanswered.clientOrderId)).toBe('expired_unproven');
  const unresolved = () => unresolvedOrders(rig.entries.map((entry) => ({ entry })));
  expect(unresolved()).toBe(1);
  rig.positions().look();
  expect(unresolved()).toBe(0);
});

test.each([
  ['at the last price that the engine knows', 200_000, 183_656],
  ['as unknown where no engine answers', null, null],
])('an open position counts %s', async (_, open, net) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { store } = openStore(join(cliDir(), 'journal.db'));
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  for (const kind of ['strategy_started', 'place', 'fill'] as const) store.append(ENTRIES[kind]);
  store.flush();
  const view = new EngineRig().contracts().engine.snapshot();
  const strategies = [{ id: 'strategy-0', positions: [{ open }] }];
  const never = new Promise<never>(() => undefined);
  const asked: string[] = [];
  const daemon = {
    sessionDay: DAY,
    journal: store,
    config: { calendar: { utcOffsetMinutes: 420 } },
    clock: { nowUs: () => tsUs(1) },
    edge: { reports: { read: (what: string) => asked.push(what) } },
    refreshView: () => (open === null ? never : Promise.resolve({ ...view, strategies })),
  } as unknown as Daemon;
  const summary = sessionSummary(daemon);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await summary).toMatchObject({ session: DAY, strategies: [{ fills: 1, open, net }] });
  expect((await summary)?.books.length).toBe(open === null ? 0 : 1);
  expect([...new Set(asked)], 'books that were not compared are read').toEqual(
    open === null ? [] : ['book', 'account', 'positions'],
  );
  store.close();
});
