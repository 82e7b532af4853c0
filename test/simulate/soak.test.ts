/** A minute over midnight where trading never stops: the day before is let go. `npm run soak` lives through a month. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { verifyJournal } from '../../src/host/state/read-state.ts';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { US_PER_DAY } from '../../src/domain/units.ts';
import { Draws } from './draws.ts';
import { alive, steadyPlan } from './month.ts';
import { World } from './world.ts';

const root = mkdtempSync(join(tmpdir(), 'tickwright-soak-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("lets yesterday's engine and session go", async () => {
  const draws = new Draws(1);
  const monday = momentOf(tradingDay('2026-04-06'), US_PER_DAY - 20e6, 420);
  const world = new World({ plan: steadyPlan(1, monday, draws), draws, root });
  try {
    world.start();
    await world.run(15);
    expect(world.daemon?.sessionDay).toBe('2026-04-06');
    world.network.cutAll();
    await world.run(35);
    expect(world.daemon?.sessionDay).toBe('2026-04-07');
    expect(world.checks.violations).toEqual([]);
    const { engines, engineThreads, sessions } = alive();
    expect({ engines, engineThreads, sessions }).toEqual({ engines: 1, engineThreads: 1, sessions: 1 });
    expect(verifyJournal(world.paths.dir).faults).toEqual([]);
  } finally {
    world.checks.close();
    world.close();
  }
});
