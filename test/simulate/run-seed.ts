/** One seed from its first start to the last: chaos, then the faults end and everything has to come to rest. */
import { createHash } from 'node:crypto';
import { errorText } from '../../src/domain/failure.ts';
import type { EngineView } from '../../src/engine/engine-snapshot.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { Draws } from './draws.ts';
import { strike } from './mishaps.ts';
import { type Mishap, planOf, type PlanOptions } from './plan.ts';
import type { Sightings } from './sometimes.ts';
import { World } from './world.ts';

export interface SeedResult {
  readonly seed: number;
  readonly hash: string;
  readonly violations: readonly string[];
  readonly seen: Sightings;
  /** The last lines, when something was violated. */
  readonly story: string;
  readonly events: number;
}

/** Once the faults are over, everything is settled within so many seconds. */
const SETTLE_SECONDS_MAX = 150;
const TRACE_LINES = 60;

export async function runSeed(seed: number, root: string, options: PlanOptions): Promise<SeedResult> {
  const draws = new Draws(seed);
  const world = new World({ plan: planOf(seed, draws, options), draws, root });
  const { checks } = world;
  const onRejection = (reason: unknown): void => {
    const text = errorText(reason);
    if (!/database connection is not open|EBADF/.test(text)) checks.violated(`unhandled rejection: ${text}`);
  };
  process.on('unhandledRejection', onRejection);
  try {
    await live(world);
    const ids = checks.violations.flatMap((text) => text.match(/H\.\w+/g) ?? []);
    const story = checks.hasFailed
      ? [
          ...checks.violations,
          '',
          ...(ids.length > 0 ? ['The order:', world.trace.storyOf(ids), ''] : []),
          'The last lines:',
          world.trace.last(TRACE_LINES),
        ].join('\n')
      : '';
    const hash = hashOf(world);
    return { seed, hash, violations: checks.violations, seen: world.seen, story, events: 0 };
  } finally {
    process.off('unhandledRejection', onRejection);
    checks.close();
    world.close();
  }
}

async function live(world: World): Promise<void> {
  const { plan, checks } = world;
  try {
    world.start();
    armMishaps(world);
    await world.run(plan.chaosSeconds);
    if (checks.hasFailed) return;
    endFaults(world);
    await settle(world);
    if (checks.hasFailed) return;
    await flat(world);
  } catch (error) {
    checks.violated(`thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

function armMishaps(world: World): void {
  const { mishaps, everySeconds } = world.plan;
  const draws = world.draws.fork();
  const total = [...mishaps.values()].reduce((sum, each) => sum + each, 0);
  if (total === 0) return;
  const choose = (): Mishap | undefined => {
    let left = draws.unit() * total;
    for (const [mishap, share] of mishaps) {
      left -= share;
      if (left <= 0) return mishap;
    }
    return undefined;
  };
  const endsUs = world.time.nowUs + world.plan.chaosSeconds * 1e6;
  const again = (): void => {
    world.after(-Math.log(1 - draws.unit()) * everySeconds, () => {
      if (world.time.nowUs >= endsUs) return;
      const mishap = choose();
      if (mishap !== undefined) strike(world, mishap, draws);
      again();
    });
  };
  again();
}

function endFaults(world: World): void {
  world.trace.say('driver', 'the faults end');
  world.simulator.faults.clear();
  world.network.isDown = false;
  world.network.heal();
  world.disk.heal();
  world.healClock();
}

/** An operator who looks in every few seconds: reconnects, renews the token, resolves what is proven absent. */
function look(world: World, view: EngineView | undefined): void {
  const reason = 'looked into the book';
  world.operate((daemon) => {
    const { state } = daemon.edge.stream.status();
    if (state === 'paused') daemon.edge.stream.resume();
    if (daemon.edge.tokens.current() === undefined) void daemon.edge.tokens.refresh('operator');
    // What came from elsewhere is a difference that only a person can explain.
    const unproven = view?.unproven ?? '';
    if (unproven.includes('agree again') || (world.checks.isForeign && unproven.includes('differ')))
      daemon.command({ name: 'resume', reason });
    for (const { clientOrderId, status } of view?.orders ?? []) {
      if (status !== 'presumed_absent') continue;
      if (world.checks.isAtBroker(clientOrderId)) {
        world.checks.violated(`${clientOrderId} is presumed absent and is at the broker`);
      }
      daemon.command({ name: 'resolve_order', clientOrderId, as: 'absent', reason });
    }
  });
}

async function settle(world: World): Promise<void> {
  const { checks, time } = world;
  const untilUs = time.nowUs + SETTLE_SECONDS_MAX * 1e6;
  let why: string | null = 'the daemon is not up';
  let calm = 0;
  while (time.nowUs < untilUs && !checks.hasFailed) {
    const view = await viewOf(world);
    why = view === undefined ? 'no session is open' : checks.unsettled(view);
    calm = why === null ? calm + 1 : 0;
    if (calm >= 3) return;
    look(world, view);
    await world.run(1);
  }
  if (!checks.hasFailed) checks.violated(`not settled after ${SETTLE_SECONDS_MAX} s: ${why ?? ''}`);
}

/** The operator closes everything: nothing is left at the broker, and a restart changes nothing. */
async function flat(world: World): Promise<void> {
  const { checks, time } = world;
  let againUs = 0;
  const flatten = (): void => {
    againUs = time.nowUs + 40e6;
    world.operate((daemon) => daemon.command({ name: 'flatten', strategy: null, reason: 'the end' }));
  };
  flatten();
  const untilUs = time.nowUs + SETTLE_SECONDS_MAX * 1e6;
  const isFlat = (): boolean =>
    [...checks.net.values()].every((net) => net === 0) && checks.openAtBroker().length === 0;
  while (time.nowUs < untilUs && !checks.hasFailed) {
    await world.run(1);
    if (!isFlat()) {
      if (time.nowUs >= againUs) flatten();
      continue;
    }
    const view = await viewOf(world);
    if (view !== undefined && checks.unsettled(view) === null) break;
  }
  if (!isFlat() && !checks.hasFailed) {
    checks.violated(
      `not flat after ${SETTLE_SECONDS_MAX} s: ${JSON.stringify([...checks.net])}, ${checks.openAtBroker().length} orders`,
    );
  }
  if (checks.hasFailed) return;
  const { starts } = world;
  world.restartCleanly();
  await world.run(100, () => world.starts > starts);
  if (world.starts === starts && !checks.hasFailed) checks.violated('a clean stop did not end within 100 s');
  await settle(world);
}

async function viewOf(world: World): Promise<EngineView | undefined> {
  let view: EngineView | undefined = undefined;
  let isThere = false;
  world.operate((daemon) => {
    if (daemon.sessionDay === undefined) return;
    void (async () => {
      view = await daemon.refreshView();
      isThere = true;
    })();
  });
  await world.run(2, () => isThere);
  return view;
}

/** Journal rows and fills: equal for two runs of one seed. */
function hashOf(world: World): string {
  const hash = createHash('sha256');
  const journal = readJournal(world.paths.journal);
  for (const { day } of journal.read.sessions()) hash.update(journal.read.hash(day));
  journal.close();
  hash.update(JSON.stringify([...world.checks.net]));
  hash.update(String(world.time.nowUs));
  return hash.digest('hex').slice(0, 16);
}
