/** What simulated worlds have found, each as a short story of one world. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { reload, startStrategy } from '../../src/daemon/reload.ts';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { seq, strategyIndex, tsUs } from '../../src/domain/units.ts';
import type { StrategyEntry } from '../../src/engine/engine-snapshot.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { foldSession } from '../../src/journal/fold-session.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { Database } from '../../src/sqlite/database.ts';
import { CommittedJournal } from './committed-journal.ts';
import { Draws } from './draws.ts';
import { steadyPlan } from './month.ts';
import type { Plan } from './plan.ts';
import { World } from './world.ts';

const root = mkdtempSync(join(tmpdir(), 'tickwright-stories-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Monday, 2026-03-09 10:00 in Vietnam. */
const START_US = Date.UTC(2026, 2, 9, 3) * 1_000;

async function inWorld(plan: Partial<Plan>, story: (world: World) => Promise<void>): Promise<void> {
  const draws = new Draws(1);
  const world = new World({ plan: { ...steadyPlan(1, START_US, draws), ...plan }, draws, root });
  try {
    world.start();
    await story(world);
    expect(world.checks.violations).toEqual([]);
  } finally {
    world.checks.close();
    world.close();
  }
}

/** Each does something at every trade. */
const BUSY = steadyPlan(1, START_US, new Draws(1)).strategies.map((each) => ({ ...each, activity: 1_000 }));

async function strategiesOf(world: World): Promise<readonly StrategyEntry[]> {
  let seen: readonly StrategyEntry[] = [];
  world.operate((daemon) => void daemon.refreshView().then((view) => (seen = view?.strategies ?? [])));
  await world.run(1);
  return seen;
}

it('lays no difference at the door of a strategy that is left out of a replay', () =>
  inWorld({}, async (world) => {
    await world.run(20);
    const placed = readJournal(world.paths.journal);
    expect(placed.read.entries().some(({ entry }) => entry.kind === 'proposal' && entry.strategy === 0)).toBe(
      true,
    );
    placed.close();

    world.breakEngine({ kind: 'hangs', place: 0 });
    await world.run(20);

    const [first, second] = await strategiesOf(world);
    expect(first?.stopped).toContain('did not return in time');
    expect(second?.stopped).toBeNull();
    // A later start must not run it over inputs that it has never seen.
    world.restartCleanly();
    await world.run(20, () => world.starts > 1);
    await world.run(5);
    const journal = readJournal(world.paths.journal);
    expect(journal.read.entries().filter(({ entry }) => entry.kind === 'strategy_fault')).toEqual([]);
    journal.close();
  }));

it('leaves no timer behind when it has closed', () =>
  inWorld({}, async (world) => {
    await world.run(20);
    world.restartCleanly();
    await world.run(20, () => world.starts > 1);
    expect(world.left).toBe(0);
  }));

const isReached = (world: World): boolean => world.daemon?.halt.reason?.includes('messages') === true;

it('holds back the row of a limit until all that was decided at that moment is there to be written', async () => {
  const plan = { strategies: BUSY, messagesPerMinuteMax: 10 };
  let commits = 0;
  await inWorld(plan, async (world) => {
    await world.run(60, () => isReached(world));
    ({ commits } = world.disk);
  });
  for (const earlier of [0, 1])
    await inWorld(plan, async (world) => {
      world.disk.dieAfter(commits - earlier);
      await world.run(60, () => world.starts > 1);
      await world.run(5);
      expect([world.starts, isReached(world)]).toEqual([2, true]);
    });
});

it('opens the next day once a full disk has room', () =>
  inWorld({ startUs: momentOf(tradingDay('2026-03-10'), -5e6, 420) }, async (world) => {
    await world.run(4);
    world.disk.fill(20_000);
    await world.run(15);
    expect(world.daemon?.sessionDay).toBeUndefined();
    expect(world.checks.everAlerted(/the disk is full: no session can begin/)).toBe(true);
    await world.run(30);
    expect(world.starts).toBe(1);
    expect(world.daemon?.sessionDay).toBe('2026-03-10');
    const strategies = await strategiesOf(world);
    expect(strategies.map(({ stopped }) => stopped)).toEqual([null, null]);
  }));

it.each(['the disk is full', 'another program holds the journal'])(
  'knows what is held, and proves a halt, where %s and the engine is lost',
  (why) =>
    inWorld({ strategies: BUSY }, async (world) => {
      const held = () => world.daemon?.cycle.ourBooks()?.positions.map(({ qty }) => qty);
      await world.run(20);
      const other = new Database(world.paths.journal);
      if (why === 'the disk is full') world.disk.fill(60_000);
      else other.exec('BEGIN IMMEDIATE');
      await world.run(3);
      const before = held();
      expect(before).not.toEqual([]);
      world.breakEngine({ kind: 'throws' });
      await world.run(20);
      expect(world.daemon?.sessionDay).toBeUndefined();
      expect(held()).toEqual(before);
      expect(world.daemon?.haltEnforcer.progress.status).toBe('proven');
      world.disk.heal();
      other.close();
      await world.run(30);
      expect([world.starts, world.daemon?.sessionDay]).toEqual([1, '2026-03-09']);
    }),
);

it('writes the frames that a full disk refused before the rows that were decided on them', () =>
  inWorld({ marketMs: 2_000, restartSeconds: [1, 1], strategies: BUSY }, async (world) => {
    for (let i = 0; i < 5; i += 1) {
      await world.run(1.95);
      // Room is back just before the journal tries again.
      world.disk.fill(1_050);
      await world.run(1.15);
      world.kill('once the rows are committed');
      await world.run(2.9);
    }
    const strategies = await strategiesOf(world);
    expect(strategies.map(({ stopped }) => stopped)).toEqual([null, null]);
  }));

it.each([1, 2, 3, 4])(
  'leaves out a strategy that hung when the process dies after %i more commits',
  (commits) =>
    inWorld({ restartSeconds: [1, 1], strategies: BUSY }, async (world) => {
      await world.run(5);
      world.breakEngine({ kind: 'hangs', place: 0 });
      await world.run(30, () => world.checks.everAlerted(/engine_lost/));
      world.disk.dieAfter(commits);
      await world.run(10);
      expect(world.starts).toBe(2);
      await world.run(20);
      const [, second] = await strategiesOf(world);
      expect(second?.stopped).toBeNull();
    }),
);

it.each([
  ['leaves out', 0, 'did not return in time'],
  ['runs a new version of', 1, null],
] as const)('%s a strategy that hung, where the next start is of the next day', (_, edits, stopped) =>
  inWorld(
    { startUs: momentOf(TUESDAY, -12e6, 420), restartSeconds: [20, 20], strategies: BUSY },
    async (world) => {
      await world.run(2);
      world.breakEngine({ kind: 'hangs', place: 0 });
      await world.run(9, () => world.checks.everAlerted(/engine_lost/));
      await world.run(0.5);
      for (let i = 0; i < edits; i += 1) world.editStrategies();
      world.kill('before midnight');
      await world.run(60, () => world.daemon?.sessionDay === TUESDAY);
      const [first, second] = await strategiesOf(world);
      expect([first?.stopped?.includes('did not return in time') ?? null, second?.stopped]).toEqual([
        stopped === null ? null : true,
        null,
      ]);
    },
  ),
);

it('replays the stop of a strategy that was edited while it was stopped in the same way', () =>
  inWorld({ restartSeconds: [1, 1], strategies: BUSY }, async (world) => {
    await world.run(8);
    // Its orders stay where they are: no cancel of them leaves.
    world.network.isDown = true;
    world.operate((daemon) =>
      daemon.command({ name: 'stop_strategy', strategy: strategyIndex(0), reason: 'by hand' }),
    );
    await world.run(0.2);
    world.editStrategies();
    world.operate(
      (daemon) => void reload(daemon, () => ({ ok: true, config: world.config }), 'edited', false),
    );
    await world.run(1);
    world.kill('after the reload');
    world.network.isDown = false;
    await world.run(10);
    const [first, second] = await strategiesOf(world);
    expect([first?.stopped, second?.stopped]).toEqual(['by hand', null]);
  }));

it('finishes the sweep of a halt that a kill cut off before its cancels had left', () =>
  inWorld({ restartSeconds: [1, 1], strategies: BUSY }, async (world) => {
    await world.run(10);
    world.network.isDown = true;
    world.operate((daemon) => daemon.command({ name: 'halt', reason: 'by hand' }));
    await world.run(0.2);
    const entries = entryIds(world);
    const working = (): number =>
      [...world.checks.truth.openOrders(), ...world.checks.truth.waiting()].filter(
        ({ refId }) => refId !== null && entries.has(refId),
      ).length;
    expect(working()).toBeGreaterThan(0);
    world.kill('in its sweep');
    world.network.isDown = false;
    await world.run(60, () => world.daemon?.haltEnforcer.progress.status === 'proven');
    expect([world.daemon?.halt.reason, working()]).toEqual(['by hand', 0]);
  }));

/** Orders that were placed to open or enlarge a position. */
const entryIds = (world: World): ReadonlySet<string> =>
  new Set(
    entriesOf(world).flatMap((entry) =>
      entry.kind === 'place' && entry.order.purpose === 'entry' ? [entry.order.clientOrderId] : [],
    ),
  );

it.each([-0.01, 0.002])('takes or refuses a reload %d s from the change of day, whole', (seconds) =>
  inWorld(
    { startUs: momentOf(TUESDAY, -6e6, 420), engineMs: 30, marketMs: 100, restartSeconds: [1, 1] },
    async (world) => {
      await world.run(6 + seconds);
      const before = world.config.strategies;
      world.editStrategies();
      let isTaken: boolean | null = null;
      world.operate(
        (daemon) =>
          void reload(daemon, () => ({ ok: true, config: world.config }), 'edited', false).then(
            ({ ok }) => (isTaken = ok),
          ),
      );
      await world.run(5);
      expect(world.daemon?.config.strategies).toEqual(isTaken === true ? world.config.strategies : before);
      expect([isTaken === null, world.daemon?.sessionDay]).toEqual([false, TUESDAY]);
      world.kill('after the reload');
      await world.run(5);
      expect((await strategiesOf(world)).map(({ stopped }) => stopped)).toEqual([null, null]);
    },
  ),
);

it('says that a stop between two sessions left orders where they are', () =>
  inWorld({ startUs: momentOf(TUESDAY, -6e6, 420), marketMs: 100 }, async (world) => {
    await world.run(5.5);
    world.network.isDown = true;
    await world.run(2);
    expect(world.daemon?.sessionDay).toBeUndefined();
    world.restartCleanly();
    await world.run(90);
    expect(world.checks.everAlerted(/stop_incomplete: no session is open/)).toBe(true);
    expect(world.left).toBe(0);
  }));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const TUESDAY = tradingDay('2026-03-10');

/** Sessions in the order in which they began, again and again. */
function begun(world: World): readonly string[] {
  const journal = readJournal(world.paths.journal);
  const boots = journal.read
    .sessions()
    .flatMap(({ day }) =>
      [...journal.read.inputs(day)].flatMap((input) =>
        input.kind === 'booted' ? [{ day, boot: input.boot }] : [],
      ),
    );
  journal.close();
  return boots.toSorted((a, b) => a.boot - b.boot).map(({ day }) => day.slice(-2));
}

function entriesOf(world: World): readonly JournalEntry[] {
  const journal = readJournal(world.paths.journal);
  const entries = journal.read.entries().map(({ entry }) => entry);
  journal.close();
  return entries;
}

it('takes a day up again with all that happened since, where the clock is set back over midnight', () =>
  inWorld(
    { startUs: momentOf(TUESDAY, -10e6, 420), restartSeconds: [0.1, 0.1], strategies: BUSY },
    async (world) => {
      await world.run(13);
      // Entries wait while the clock is further off than 10 s; what rests goes on to fill.
      for (const seconds of [-9, -40]) {
        world.jumpClock(seconds);
        world.kill('while the clock is behind');
        await world.run(9);
        world.healClock();
        await world.run(3);
        world.kill('once it is right');
        await world.run(6);
      }
      /** Of the day's positions to the broker's; an order may fill as the story ends. */
      const difference = (): number => {
        const journal = readJournal(world.paths.journal);
        const accounts = foldSession(journal.read.entries({ session: TUESDAY }));
        journal.close();
        const held = accounts.flatMap(({ positions }) => positions.map(({ position }) => position.qty));
        const atBroker = world.simulator.brokerage.positions(world.account).map(({ net }) => net);
        return sum(held) - sum(atBroker);
      };
      await world.run(10, () => difference() === 0);
      const entries = entriesOf(world);
      expect(begun(world)).toEqual(['09', '10', '09', '10', '10', '09', '10']);
      expect(entries.filter(({ kind }) => kind === 'fill').length).toBeGreaterThanOrEqual(20);
      expect(entries.filter(({ kind }) => kind === 'position_mismatch')).toEqual([]);
      expect(entries.filter((entry) => entry.kind === 'order_adopted' && entry.strategy === null)).toEqual(
        [],
      );
      const alerts = entries.filter((entry) => entry.kind === 'alert' && entry.code === 'session_restarted');
      expect(alerts.length).toBeGreaterThan(1);
      expect(difference(), 'no position of another part of the day counts twice').toBe(0);
    },
  ));

it('keeps entries off in the day after a difference of positions that nobody has answered', () =>
  inWorld(
    { startUs: momentOf(TUESDAY, -10e6, 420), strategies: [], restartSeconds: [20, 20] },
    async (world) => {
      await world.run(5);
      const head = { cause: seq(1_000), tsUs: tsUs(START_US), strategy: null } as const;
      world.operate(({ journal }) => {
        journal.append({ ...head, kind: 'position_mismatch', broker: [], ours: [] });
        journal.flush();
      });
      await world.run(1);
      world.kill('before a person has answered');
      await world.run(60, () => world.daemon?.sessionDay === TUESDAY);
      await world.run(20);
      expect(world.daemon?.halt.reason).toMatch(/^positions differed .* 2026-03-09, and nobody has resumed$/);
      world.operate((daemon) => daemon.command({ name: 'resume', reason: 'looked' }));
      await world.run(5);
      expect(world.daemon?.halt.reason).toBeNull();
    },
  ));

it.each(['the process dies', 'the day changes'])(
  'keeps to what a person was told while the engine hangs, though %s before another reads it',
  (end) =>
    inWorld(
      { startUs: momentOf(TUESDAY, -10e6, 420), strategies: BUSY, restartSeconds: [20, 20] },
      async (world) => {
        await world.run(5);
        world.breakEngine({ kind: 'hangs', place: 0 });
        await world.run(2);
        const place = strategyIndex(1);
        world.operate((daemon) => {
          daemon.command({ name: 'halt', strategy: place, reason: 'by hand' });
          daemon.command({ name: 'flatten', strategy: place, reason: 'by hand' });
          daemon.command({ name: 'stop_strategy', strategy: place, reason: 'by hand' });
          daemon.command({ name: 'cancel_all', reason: 'by hand' });
        });
        await world.run(0.5);
        if (end === 'the process dies') world.kill('while the engine hangs');
        await world.run(60, () => world.daemon?.sessionDay === TUESDAY);
        expect((await strategiesOf(world))[1]).toMatchObject({ halted: 'by hand', stopped: 'by hand' });
        expect(world.checks.everAlerted(/flatten_dropped: flatten \(by hand\)/)).toBe(true);
        expect(world.checks.everAlerted(/cancel_all: cancels all: entries [1-9]/)).toBe(true);
      },
    ),
);

it('goes on in the next session, where a virtual machine was suspended over night with orders at the broker', () =>
  inWorld({ strategies: BUSY, hasAuctions: true }, async (world) => {
    await world.run(20);
    expect(world.simulator.brokerage.positions(world.account).some(({ net }) => net !== 0)).toBe(true);
    world.suspend(22.5 * 3_600);
    await world.run(60);
    expect(world.daemon?.sessionDay).toBe('2026-03-10');
    const entries = entriesOf(world);
    const morningUs = START_US + 22 * 3_600e6;
    const fills = entries.filter(({ kind, tsUs: at }) => kind === 'fill' && at > morningUs);
    expect(fills.length).toBeGreaterThan(0);
    expect(entries.filter(({ kind }) => kind === 'position_mismatch')).toEqual([]);
  }));

it('takes up no halt, stop or version that another day has changed since', () =>
  // The token lives for eight hours.
  inWorld({ startUs: START_US + 11 * 3600e6, restartSeconds: [0.1, 0.1] }, async (world) => {
    await world.run(5);
    world.operate((daemon) => {
      daemon.command({ name: 'stop_strategy', strategy: strategyIndex(0), reason: 'by hand' });
      daemon.command({ name: 'halt', reason: 'by hand' });
    });
    await world.run(1);
    world.jumpClock(5 * 3_600);
    world.kill('under a clock that is ahead');
    await world.run(5);
    expect(world.daemon?.sessionDay).toBe('2026-03-10');
    expect(world.daemon?.halt.reason).toBe('by hand');
    expect((await strategiesOf(world)).map(({ stopped }) => stopped)).toEqual(['by hand', null]);
    world.operate((daemon) => {
      daemon.command({ name: 'resume', reason: 'looked' });
      world.checks.startingAgain('random-1');
      void startStrategy(daemon, 'random-1', 'looked');
    });
    await world.run(2);
    world.editStrategies();
    world.healClock();
    world.kill('under the right one');
    await world.run(5);
    expect(world.daemon?.sessionDay).toBe('2026-03-09');
    world.kill('and once more');
    await world.run(5);
    expect(begun(world)).toEqual(['09', '10', '09', '09']);
    expect(world.daemon?.halt.reason).toBeNull();
    expect((await strategiesOf(world)).map(({ stopped }) => stopped)).toEqual([null, null]);
    const kinds = new Set(entriesOf(world).map(({ kind }) => kind));
    expect([kinds.has('position_mismatch'), kinds.has('strategy_fault')]).toEqual([false, false]);
  }));

it('keeps a halt that came while the engine was replaced, whatever it had still to read', () =>
  inWorld({ strategies: BUSY }, async (world) => {
    await world.run(5);
    world.operate((daemon) => daemon.command({ name: 'halt', reason: 'first' }));
    await world.run(2);
    world.breakEngine({ kind: 'hangs', place: 0 });
    await world.run(0.5);
    // The engine that hangs never reads it.
    world.operate((daemon) => daemon.command({ name: 'resume', strategy: null, reason: 'looked' }));
    await world.run(30, () => world.checks.everAlerted(/engine_lost/));
    expect(world.daemon?.sessionDay).toBeUndefined();
    world.operate((daemon) => daemon.command({ name: 'halt', reason: 'second' }));
    await world.run(20);
    expect(world.daemon?.sessionDay).toBe('2026-03-09');
    expect(world.daemon?.halt.reason).toBe('second');
    world.kill('while it is halted');
    await world.run(20);
    expect(world.daemon?.halt.reason).toBe('second');
  }));

it('is halted from its first moment by what an earlier run could not journal', () =>
  inWorld({ restartSeconds: [1, 1], strategies: BUSY }, async (world) => {
    await world.run(5);
    world.disk.fill(60_000);
    world.operate((daemon) => daemon.command({ name: 'halt', reason: 'by hand' }));
    await world.run(0.2);
    world.kill('before there is room');
    await world.run(1.1, () => world.isUp);
    expect(world.daemon?.halt.reason).toContain('its emergency file');
    await world.run(30, () => world.daemon?.haltEnforcer.progress.status === 'proven');
    expect(world.daemon?.sessionDay, 'no session can begin').toBeUndefined();
    expect(world.daemon?.haltEnforcer.progress.status).toBe('proven');
    // Room, and a kill as soon as the file is cleared.
    world.disk.heal();
    await world.run(20, () => world.daemon?.sessionDay !== undefined);
    world.kill('once there is room');
    await world.run(1.1, () => world.isUp);
    expect(world.daemon?.halt.reason).toContain('its emergency file');
  }));

it('knows what left on the emergency file until the rows of it are durable', () =>
  inWorld({ restartSeconds: [0.1, 0.1], strategies: BUSY }, async (world) => {
    const sent = (): number => world.seen.counts.get('an exit is sent on the emergency file') ?? 0;
    await world.run(5);
    for (let i = 1; i <= 4; i += 1) {
      world.checks.onPlaced('exit', () => world.disk.fill(60_000));
      await world.run(20, () => sent() >= i);
      await world.run(0.2);
      const { starts } = world;
      world.kill('with an exit on the emergency file');
      world.disk.heal();
      await world.run(20, () => world.starts > starts && emergencyLines(world).length === 0);
      world.kill('as the file is cleared');
      await world.run(20, () => world.daemon?.sessionDay !== undefined);
      await world.run(2);
      world.checks.resuming();
      world.operate((daemon) => daemon.command({ name: 'resume', reason: 'looked into it' }));
    }
    expect(sent()).toBeGreaterThan(0);
  }));

const emergencyLines = (world: World): readonly string[] =>
  new CommittedJournal(world.paths, () => undefined).emergencyLines();
