import { expect, test, vi } from 'vitest';
import type { Daemon } from '../../../src/daemon/daemon.ts';
import { comparedView } from '../../../src/daemon/program/daemon-screen.ts';
import { EngineRig } from '../../support/engine-rig.ts';

test.each([
  ['reads books that were not compared', true, ['book', 'account', 'positions']],
  ['waits for no engine that does not answer', false, []],
])('the summary of a run %s', async (_, answers, reads) => {
  vi.useFakeTimers();
  const view = new EngineRig().contracts().engine.snapshot();
  const asked = new Set<string>();
  const daemon = {
    edge: { reports: { read: (what: string) => asked.add(what) } },
    refreshView: () => (answers ? Promise.resolve(view) : new Promise<never>(() => undefined)),
  } as unknown as Daemon;
  const compared = comparedView(daemon);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await compared).toBe(answers ? view : undefined);
  expect([...asked]).toEqual(reads);
  vi.useRealTimers();
});
