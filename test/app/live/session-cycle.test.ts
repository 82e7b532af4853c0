/** An engine that fails again and again ends no process. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { SessionCycle } from '../../../src/app/live/session-cycle.ts';
import type { SessionContext } from '../../../src/app/live/trading-session.ts';
import { REAL_TIME } from '../../../src/app/host/market-clock.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { StrategyNames } from '../../../src/domain/strategy-names.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { SHIPPED } from '../../config/config-files.ts';
import { openStore, tempDir } from '../../journal/journal-fixture.ts';

/** An engine that dies of the first thing it is told. */
class Dying extends EventEmitter {
  postMessage(): void {
    queueMicrotask(() => this.emit('error', new Error('Invariant: broken')));
  }

  async terminate(): Promise<void> {}
}

it('goes on without strategies after the second failure, then without an engine, halted and told', async () => {
  const loaded = loadConfig(join(SHIPPED, 'paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('expected a configuration');
  const dir = tempDir();
  const journal = join(dir, 'journal.db');
  const { store } = openStore(journal);
  const starts: number[] = [];
  const degraded: string[] = [];
  const failures: unknown[] = [];
  const halt = { reason: null, untoldResume: null, begin: vi.fn(), told: vi.fn() };
  const edge = {
    table: { reset: () => undefined, listed: [], contracts: [] },
    stream: { subscribe: () => undefined, status: () => ({ state: 'down' }) },
    reports: { read: () => queueMicrotask(() => cycle.post({ kind: 'contracts', contracts: [] })) },
  };
  const context = {
    config: loaded.config,
    names: new StrategyNames(loaded.config.strategies.map(({ id }) => id)),
    clockMap: REAL_TIME,
    journal: store,
    paths: { dir, journal, frames: join(dir, 'frames') },
    edge,
    halt,
    accountTail: '123456',
    startEngine: ({ strategies }: { readonly strategies: readonly unknown[] }) => {
      starts.push(strategies.length);
      return new Dying();
    },
    startStamp: () => 'abcdef0123',
    owners: () => [],
    onEntry: () => undefined,
  } as unknown as SessionContext;
  const cycle: SessionCycle = new SessionCycle({
    context,
    note: () => undefined,
    onLost: () => undefined,
    onDegraded: (text) => degraded.push(text),
    onFailure: (error) => failures.push(error),
  });
  await cycle.open();
  await vi.waitFor(() => expect(degraded).toHaveLength(1), { timeout: 20_000 });
  const all = loaded.config.strategies.length;
  expect([starts, failures]).toEqual([[all, all, 0], []]);
  expect(degraded[0]).toContain('Invariant: broken');
  expect(halt.begin).toHaveBeenCalledWith(degraded[0]);
  expect(cycle.session).toBeUndefined();
  await cycle.close();
  store.close();
});
