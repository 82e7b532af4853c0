/** One seed from its first start to the last: chaos, then the faults end and everything has to come to rest. */
import { createHash } from 'node:crypto';
import { errorText } from '../../src/domain/failure.ts';
import type { EngineSnapshot } from '../../src/engine/engine-snapshot.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { Draws } from './draws.ts';
import { strike } from './mishaps.ts';
import { type Lasting, type Mishap, planOf, type PlanOptions } from './plan.ts';
import type { Fault } from '../../src/simulator/faults/fault.ts';
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
/** Long enough for every watch of the daemon to alert, and for a flatten to give up. */
const LASTING_SECONDS = 70;
const NO_SESSION = 'no session is open';
const TOKEN_EVERY_US = 30e6;
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
    if (plan.lasting !== null) await outlast(world, plan.lasting);
    if (checks.hasFailed) return;
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
  const endsUs = world.time.livedUs + world.plan.chaosSeconds * 1e6;
  const again = (): void => {
    world.after(-Math.log(1 - draws.unit()) * everySeconds, () => {
      if (world.time.livedUs >= endsUs) return;
      const mishap = choose();
      if (mishap !== undefined) strike(world, mishap, draws);
      again();
    });
  };
  again();
}

function endFaults(world: World): void {
  world.trace.say('driver', 'the faults end');
  world.bringBrokerUp();
  world.checks.forgetPlaced();
  world.simulator.faults.clear();
  world.network.isDown = false;
  world.network.heal();
  world.disk.heal();
  world.healClock();
}

/** One fault stays on: the daemon settles all the same, or says that it cannot. Then that fault ends too. */
async function outlast(world: World, lasting: Lasting): Promise<void> {
  const { checks } = world;
  // A disk that is full already has been alerted.
  if (lasting !== 'disk_full' || world.daemon?.journal.isFailing !== true) checks.listen();
  begin(world, lasting);
  const why = await restOf(world, LASTING_SECONDS);
  if (checks.hasFailed) return;
  if (why === null) world.saw('a fault that lasts is lived with');
  else if (
    checks.alerts.length > 0 ||
    (why === NO_SESSION && (checks.isTokenMissed || checks.isNoRoomAlerted))
  )
    world.saw('a fault that lasts is alerted');
  else checks.violated(`${lasting} lasts, no alert within ${LASTING_SECONDS} s: ${why}`);
  endFaults(world);
}

function begin(world: World, lasting: Lasting): void {
  const { network, disk, simulator } = world;
  world.trace.say('driver', `${lasting} lasts`);
  const fault = (given: Fault): void => void simulator.faults.set(given);
  switch (lasting) {
    case 'late_answers':
      return network.worsen({ answerLate: 1, answerLateMs: [100, 1_500] });
    case 'network_down':
      network.isDown = true;
      return network.cutAll();
    case 'slow_disk':
      return disk.worsen({ slow: 1, slowMs: [1, 50] });
    case 'disk_full':
      return disk.fill(Infinity);
    case 'duplicate_frame':
    case 'reorder_frame':
    case 'lose_frame':
      return fault({ name: lasting });
    case 'no_positions':
      return fault({ name: 'http_500', operation: 'positions' });
    case 'no_book':
      return fault({ name: 'http_500', operation: 'in-day' });
    case 'no_tokens':
      fault({ name: 'http_500', operation: 'token' });
      return fault({ name: 'expire_token' });
  }
}

/**
 * An owner who is away leaves it to the daemon to look up orders, reconnect, read positions, and place its stops again. These wait for a
 * person, each of them after an alert: a stream that gave up for the session, a token that nobody exchanges, positions that differ
 * from the broker's in a way that no order of ours or several explain, an order that is proven absent, and one that was accepted and that no
 * book shows any more.
 */
function standIn(world: World, view: EngineSnapshot | undefined): void {
  const { checks } = world;
  const reason = 'looked into the book';
  const waits = (what: string, alerts: RegExp): void => {
    if (!checks.everAlerted(alerts)) checks.violated(`${what} waits for a person, and no alert says so`);
  };
  world.operate((daemon) => {
    const { state } = daemon.edge.stream.status();
    if (state === 'paused') {
      waits('the stream', /stream/);
      daemon.edge.stream.resume();
    }
    // Each attempt costs one of the ten of a day.
    if (daemon.edge.tokens.current() === undefined && world.time.livedUs >= world.tokenAtUs) {
      world.tokenAtUs = world.time.livedUs + TOKEN_EVERY_US;
      void daemon.edge.tokens.refresh('operator');
    }
    const unproven = view?.unproven ?? '';
    // An empty list of positions may have said that nothing was missing.
    const isHidden = world.seen.counts.has('positions come empty');
    const isPersons = checks.isForeign || isHidden || checks.isUnseen;
    if (unproven.includes('agree again') || (isPersons && unproven.includes('differ'))) {
      waits('a difference of positions', /position/);
      checks.resuming();
      daemon.command({ name: 'resume', reason });
    }
    for (const { clientOrderId, status, filledQty } of view?.orders ?? []) {
      const there = checks.truth.named(clientOrderId)?.report;
      const isGone =
        !checks.truth.isOpen(clientOrderId) &&
        (there === undefined || there.filledQty === filledQty) &&
        checks.everAlerted(new RegExp(`${clientOrderId}.? was accepted, and complete scans of .* do not`));
      if (status !== 'presumed_absent' && !isGone) continue;
      waits(clientOrderId, new RegExp(clientOrderId));
      checks.resolving(clientOrderId);
      daemon.command({ name: 'resolve_order', clientOrderId, as: 'absent', reason });
    }
  });
}

async function settle(world: World): Promise<void> {
  const why = await restOf(world, SETTLE_SECONDS_MAX);
  if (why !== null) world.checks.violated(`not settled after ${SETTLE_SECONDS_MAX} s: ${why}`);
}

/** Lives on until everything is at rest; else, after so many seconds, the reason why it is not. */
async function restOf(world: World, seconds: number): Promise<string | null> {
  const { checks, time } = world;
  const untilUs = time.livedUs + seconds * 1e6;
  let why: string | null = 'the daemon is not up';
  let calm = 0;
  while (time.livedUs < untilUs && !checks.hasFailed) {
    const view = await viewOf(world);
    why = view === undefined ? NO_SESSION : checks.unsettled(view);
    calm = why === null ? calm + 1 : 0;
    if (calm >= 3) break;
    standIn(world, view);
    await world.run(1);
  }
  return checks.hasFailed ? null : why;
}

/** The operator closes everything: nothing is left at the broker, and a restart changes nothing. */
async function flat(world: World): Promise<void> {
  const { checks } = world;
  if (world.plan.isDryRun) world.saw('a dry run is quiet');
  else await close(world);
  if (checks.hasFailed) return;
  const { starts } = world;
  world.restartCleanly();
  await world.run(100, () => world.starts > starts);
  if (world.starts === starts && !checks.hasFailed) checks.violated('a clean stop did not end within 100 s');
  if (!checks.hasFailed) await settle(world);
}

async function close(world: World): Promise<void> {
  const { checks, time } = world;
  let againUs = 0;
  const flatten = (): void => {
    againUs = time.nowUs + 40e6;
    world.operate((daemon) => {
      daemon.command({ name: 'cancel_all', reason: 'the end' });
      daemon.command({ name: 'flatten', strategy: null, reason: 'the end' });
    });
  };
  flatten();
  const untilUs = time.livedUs + SETTLE_SECONDS_MAX * 1e6;
  const left = (): string | null => {
    const { net } = checks.truth;
    const orders = checks.truth.openOrders().length + checks.truth.waiting().length;
    if ([...net.values()].every((each) => each === 0) && orders === 0) return null;
    return `${JSON.stringify([...net])}, ${orders} orders`;
  };
  while (time.livedUs < untilUs && !checks.hasFailed) {
    await world.run(1);
    if (left() === null) {
      const view = await viewOf(world);
      if (view !== undefined && checks.unsettled(view) === null) return;
    } else if (time.nowUs >= againUs) {
      // A difference may have been proven only now.
      standIn(world, await viewOf(world));
      flatten();
    }
  }
  if (left() !== null && !checks.hasFailed)
    checks.violated(`not flat after ${SETTLE_SECONDS_MAX} s: ${left() ?? ''}`);
}

async function viewOf(world: World): Promise<EngineSnapshot | undefined> {
  let view: EngineSnapshot | undefined = undefined;
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
  try {
    const journal = readJournal(world.paths.journal);
    for (const { day } of journal.read.sessions()) hash.update(journal.read.hash(day));
    journal.close();
  } catch (error) {
    // A start that failed leaves a file without tables.
    hash.update(errorText(error));
  }
  hash.update(JSON.stringify([...world.checks.truth.net]));
  hash.update(String(world.time.nowUs));
  return hash.digest('hex').slice(0, 16);
}
