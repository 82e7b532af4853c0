/** Strikes: each mishap by its name, at a moment of its own choosing. */
import { execute } from '../../src/daemon/daemon-commands.ts';
import { brokerOrderNo } from '../../src/domain/ids.ts';
import { type CommandBody, type CommandName, EMPTY_BODY } from '../../src/operator/control-command.ts';
import type { CommandResult } from '../../src/operator/control-server.ts';
import type { Fault } from '../../src/simulator/faults/fault.ts';
import type { Draws } from './draws.ts';
import type { Mishap } from './plan.ts';
import type { Sometimes } from './sometimes.ts';
import type { World } from './world.ts';

export function strike(world: World, mishap: Mishap, draws: Draws): void {
  world.trace.say('mishap', mishap);
  const fault = (given: Fault): void => void world.simulator.faults.set(given);
  const times = draws.whole(1, 3);
  switch (mishap) {
    case 'kill':
      return world.kill('at any moment');
    case 'clean_restart':
      return world.restartCleanly();
    case 'cut_stream':
      world.saw('the stream is cut');
      return world.network.cutAll();
    case 'network_down':
      world.network.isDown = true;
      world.network.cutAll();
      return world.after(draws.skewed(...world.plan.downSeconds), () => {
        world.network.isDown = false;
      });
    case 'expire_token':
      world.saw('the token dies');
      return fault({ name: 'expire_token' });
    case 'restart_broker':
      world.saw('the broker dies and starts again');
      return world.restartBroker(draws.skewed(0.1, 10));
    case 'half_open':
      return fault({ name: 'half_open' });
    case 'no_pongs':
      return fault({ name: 'stop_pongs', times: times * 4 });
    case 'lose_frame':
      return fault({ name: 'lose_frame', times });
    case 'duplicate_frame':
      return fault({ name: 'duplicate_frame', times });
    case 'reorder_frame':
      return fault({ name: 'reorder_frame', times });
    case 'late_answer':
      return fault({ name: 'late_answer', times, delayMs: draws.whole(100, 20_000) });
    case 'server_error':
      return fault({ name: draws.pick(['http_500', 'html_502'] as const), times, done: draws.chance(0.5) });
    case 'no_book':
      return fault({
        name: 'http_500',
        operation: draws.pick(['in-day', 'in-day', 'conditions'] as const),
        times: draws.chance(0.3) ? draws.whole(50, 200) : draws.whole(3, 40),
      });
    case 'too_many_requests':
      return fault({ name: 'http_429', times });
    case 'hide_new_order':
      return fault({ name: 'hide_new_order', times, seconds: draws.whole(1, HIDDEN_SECONDS_MAX) });
    case 'vanish':
      // Done, not answered, and not in the books for a while.
      fault({ name: 'hide_new_order', times: 1, seconds: draws.whole(1, HIDDEN_SECONDS_MAX) });
      return fault({
        name: 'accept_then_drop',
        times: 1,
        operation: draws.pick(['place', 'condition-place'] as const),
      });
    case 'contradict_status':
      return fault({ name: 'contradict_status', times, status: draws.pick(['X', 'M', 'PM', 'WX'] as const) });
    case 'fill_disk': {
      const ms = draws.between(50, 4_000);
      const fill = (): void => world.disk.fill(ms);
      return world.plan.fillsAtExit ? world.checks.onPlaced('exit', fill) : fill();
    }
    case 'clock_ahead':
      world.saw('the clock jumps ahead');
      return world.jumpClock(draws.skewed(0.05, 30));
    case 'clock_behind':
      world.saw('the clock steps back');
      return world.jumpClock(-draws.skewed(0.05, 30));
    case 'standby':
      world.saw('the machine sleeps');
      return world.sleep(draws.skewed(1, 3_600));
    case 'day_passes':
      return passDays(world, draws);
    case 'engine_hangs':
      return world.breakEngine({ kind: 'hangs', place: draws.whole(0, world.plan.strategies.length - 1) });
    case 'engine_throws':
      return world.breakEngine({ kind: 'throws' });
    case 'edit_strategies':
      world.editStrategies();
      return draws.chance(0.5) ? world.kill('to take an edit') : world.restartCleanly();
    case 'broker_cancels':
    case 'foreign_order':
    case 'foreign_position':
    case 'forced_close':
      return fromElsewhere(world, mishap, draws);
    case 'halt':
    case 'resume':
    case 'cancel_all':
    case 'flatten':
    case 'stop_strategy':
    case 'start_strategy':
    case 'reload':
      return operate(world, mishap, draws);
  }
}

/** With the longest way of a late request, shorter than the span over which scans prove an absence. */
const HIDDEN_SECONDS_MAX = 2;

/** Nobody is there for a day or more: the daemon is off. */
function passDays(world: World, draws: Draws): void {
  world.kill('for a day or more');
  if (world.isUp) return;
  world.saw('days pass without the daemon');
  world.sleep(draws.between(0.5, 2.5) * SECONDS_PER_DAY);
}

const SECONDS_PER_DAY = 86_400;

/** The account's owner at another terminal. */
function fromElsewhere(
  world: World,
  mishap: 'broker_cancels' | 'foreign_order' | 'foreign_position' | 'forced_close',
  draws: Draws,
): void {
  const { simulator, checks, account } = world;
  if (!world.isBrokerUp) return;
  const [board] = simulator.brokerage.boards();
  if (board === undefined) return;
  const { orderCode } = board.contract;
  const price = board.bids[0]?.price ?? board.asks[0]?.price;
  if (mishap === 'broker_cancels') {
    const open = checks.truth.openOrders();
    const chosen = open[draws.whole(0, Math.max(0, open.length - 1))];
    if (chosen === undefined) return;
    simulator.brokerage.act((venue) =>
      venue.cancel({ accountId: account, orderNo: brokerOrderNo(chosen.orderNo) }),
    );
  } else if (mishap === 'forced_close') {
    const figures = simulator.brokerage.account(account);
    const held = simulator.brokerage.positions(account).find(({ net }) => net !== 0);
    if (figures === undefined || held === undefined) return;
    // No more money than the positions need, then one position that has grown: the broker closes what has no margin.
    const amount = figures.withdrawable;
    simulator.brokerage.act((venue) => venue.withdraw(account, amount));
    const payIn = (): void => {
      if (world.isBrokerUp) world.simulator.brokerage.act((venue) => venue.deposit(account, amount));
      else world.after(1, payIn);
    };
    world.after(draws.between(4, 10), payIn);
    const net = Math.sign(held.net) * (1 + Math.abs(held.net));
    const set = simulator.faults.set({ name: 'inject_position', symbol: held.orderCode, net });
    if (set.ok) checks.foreign(held.orderCode, net);
  } else if (mishap === 'foreign_position') {
    const net = draws.pick([-2, -1, 1, 2]);
    const set = simulator.faults.set({ name: 'inject_position', symbol: orderCode, net });
    if (set.ok) checks.foreign(orderCode, net);
  } else if (price !== undefined) {
    checks.foreign(orderCode, 0);
    const points = (price + draws.whole(-3, 3)) / 10;
    simulator.faults.set({
      name: 'inject_order',
      symbol: orderCode,
      side: draws.pick(['buy', 'sell'] as const),
      points,
      volume: draws.whole(1, 2),
    });
  }
}

type Operation = Extract<
  Mishap,
  'halt' | 'resume' | 'cancel_all' | 'flatten' | 'stop_strategy' | 'start_strategy' | 'reload'
>;

/** What a person asks for, as the command line and a phone do. */
function operate(world: World, mishap: Operation, draws: Draws): void {
  const strategy = `random-${draws.whole(1, world.plan.strategies.length)}`;
  const isShort = draws.chance(0.5);
  const dies = draws.chance(world.plan.diesAtAnswer);
  switch (mishap) {
    case 'halt': {
      // Now, or while the next entry is on its way to the socket, to the broker or back.
      const halt = (): void => ask(world, 'halt', {}, dies);
      const late = draws.chance(0.5) ? 0 : draws.between(0, 1.5);
      return isShort
        ? halt()
        : world.checks.onPlaced('entry', () => (late === 0 ? halt() : world.after(late, halt)));
    }
    case 'resume':
      return ask(world, 'resume', {}, dies);
    case 'cancel_all':
      return ask(world, 'cancel-all', {}, dies);
    case 'flatten':
      return ask(world, 'flatten', { keepTrading: !isShort, strategy: isShort ? strategy : null }, dies);
    case 'stop_strategy':
      return ask(world, 'stop-strategy', { strategy }, dies);
    case 'start_strategy':
      return ask(world, 'start-strategy', { strategy }, dies);
    case 'reload':
      world.editStrategies();
      return ask(world, 'reload', {}, dies);
  }
}

const SEEN: ReadonlyMap<CommandName, Sometimes> = new Map([
  ['start-strategy', 'a stopped strategy starts again'],
  ['reload', 'strategies change while the daemon runs'],
]);

function ask(world: World, name: CommandName, fields: Partial<CommandBody>, dies: boolean): void {
  const body = { ...EMPTY_BODY, reason: 'by the simulation', ...fields };
  const { checks } = world;
  world.operate((daemon) => {
    if (name === 'resume') checks.resuming();
    if (name === 'start-strategy' && body.strategy !== null) checks.startingAgain(body.strategy);
    const answered = (result: CommandResult): void => {
      if (!result.ok || daemon !== world.daemon) return;
      const seen = SEEN.get(name);
      if (seen !== undefined) world.saw(seen);
      checks.confirmed(name);
      if (!dies) return;
      world.saw('a kill at the answer to a command');
      world.kill('as it had answered');
    };
    const result = execute(daemon, name, body, {
      stop: () => world.restartCleanly(),
      readAgain: () => ({ ok: true, config: world.config }),
    });
    if (result instanceof Promise) void result.then(answered);
    else answered(result);
  });
}
