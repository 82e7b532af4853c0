/** What a start with another configuration makes of a session: nothing of one strategy ever becomes another's. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { SHIPPED } from '../../config/config-files.ts';
import { carryOver } from '../../../src/daemon/restart/carry-over.ts';
import { plannedStrategies, versionStarts } from '../../../src/host/state/session-strategies.ts';
import type { StrategySettings } from '../../../src/domain/settings.ts';
import { StrategyNames } from '../../../src/domain/ids.ts';
import { money, seq, strategyIndex, tsUs, signedQty } from '../../../src/domain/units.ts';
import type { ConfiguredStrategy, EngineEvent } from '../../../src/engine/ports/engine-event.ts';
import { eventDecisions } from '../../../src/engine/replay/decisions.ts';
import { JournalStore } from '../../../src/journal/journal-store.ts';
import { limit, traded } from '../../support/engine-facts.ts';
import { everyThird, type ScriptedStrategy } from '../../support/engine-host.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { acceptWaiting, stopSell, waits } from '../../engine/support/trigger-rows.ts';
import { DAY, FRONT, SETTINGS, worth } from '../../support/engine-world.ts';
import { tempPath } from '../../journal/journal-fixture.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const [ONE, TWO] = SETTINGS.strategies as readonly [StrategySettings, StrategySettings];

const configured = (settings: StrategySettings, params = 'p', run = 0): ConfiguredStrategy => ({
  settings,
  definition: 'scripted',
  params: {},
  paramsDigest: params,
  codeDigest: 'c',
  run,
});

const onFailure = (error: Error): void => {
  throw error;
};

/** Writes what a rig journaled to a file, under names, and reads it back under others, with its prices in their places. */
class Stored {
  readonly #live: EngineRig;
  readonly #path = tempPath();

  constructor(live: EngineRig, names: StrategyNames) {
    this.#live = live;
    const store = this.#open(names);
    store.beginSession(DAY, tsUs(1), 'test.yaml');
    for (const event of live.inputs)
      if (event.kind !== 'trade' && event.kind !== 'book_update' && event.kind !== 'summary')
        store.recordInput(event);
    for (const entry of live.entries) store.append(entry);
    store.close();
  }

  #open(names: StrategyNames): JournalStore {
    return new JournalStore({
      path: this.#path,
      names,
      wallClock: { nowUs: () => tsUs(1) },
      timers: new VirtualTimers(),
      onFailure,
    });
  }

  read<T>(names: StrategyNames, of: (read: JournalStore['read']) => T): T {
    const store = this.#open(names);
    try {
      return of(store.read);
    } finally {
      store.close();
    }
  }

  /** Starts again: the past first, then the lists and the start that a process posts. */
  restart(onto: EngineRig, names: StrategyNames, now: readonly ConfiguredStrategy[]): EngineRig {
    const [inputs, entries, lists] = this.read(names, (read) => [
      [...read.inputs(DAY)],
      read.entries({ session: DAY }).map(({ entry }) => entry),
      read.strategyLists(DAY),
    ]);
    const since = versionStarts(lists, { configured: now }, names);
    const bySeq = new Map<number, EngineEvent>(inputs.map((input) => [input.seq, input]));
    for (const event of this.#live.inputs) {
      const earlier = since.flatMap((from, place) => (from > event.seq ? [strategyIndex(place)] : []));
      const caused = entries.filter(({ cause }) => cause === event.seq);
      onto.replay(bySeq.get(event.seq) ?? event, eventDecisions(caused), earlier);
    }
    onto.engine.endReplay();
    return onto.pass(1).contracts().boot(2).strategies(now);
  }
}

/** Opens a position and works an order, then does as `more` says. */
const opener = (more: ScriptedStrategy = {}): ScriptedStrategy => ({
  ...more,
  onTrade: (tick, desk, me) => {
    if (tick.price === 12_990) desk.submit(me, limit('buy', 2, 13_000));
    else if (tick.price === 12_991) desk.submit(me, limit('sell', 1, 13_100));
    else more.onTrade?.(tick, desk, me);
  },
});

const bookOf = (rig: EngineRig) =>
  [
    { no: '1', ref: rig.places()[0]!.clientOrderId, price: 13_000, ...traded(13_000, 2) },
    { no: '2', ref: rig.places()[1]!.clientOrderId, side: 'sell', price: 13_100 },
  ] as const;

/** `first` holds four and has an order at the exchange; `second` holds two short and was stopped by hand. */
function morning(first = opener()): EngineRig {
  const rig = new EngineRig({ strategies: [first, {}] });
  rig.session({}, [
    { strategy: FIRST, qty: 2 },
    { strategy: SECOND, qty: -2 },
  ]);
  rig
    .boot(1)
    .strategies([configured(ONE), configured(TWO)])
    .contracts()
    .stream('live')
    .reference();
  rig.look().pass(1).positions(0).look().pass(1);
  rig.trade(12_990).trade(12_991);
  for (const [i, { clientOrderId }] of rig.places().entries()) rig.accepted(clientOrderId, String(i + 1));
  rig.look(bookOf(rig));
  return rig.command({ name: 'stop_strategy', strategy: SECOND, reason: 'by hand' });
}

const held = (rig: EngineRig): Record<string, number> =>
  Object.fromEntries(
    rig.engine
      .snapshot()
      .strategies.map(({ id, positions }) => [id, positions.reduce((sum, { qty }) => sum + qty, 0)]),
  );
const stopped = (rig: EngineRig): Record<string, string | null> =>
  Object.fromEntries(rig.engine.snapshot().strategies.map((each) => [each.id, each.stopped]));
const ownerOf = (rig: EngineRig, no: string): string | undefined => {
  const view = rig.engine.snapshot();
  const owner = view.orders.find(({ orderNo }) => orderNo === no)?.strategy;
  return view.strategies.find(({ strategy }) => strategy === owner)?.id;
};

const withoutFirst = () => new StrategyNames(['second', 'first']);
const asConfigured = () => new StrategyNames(['first', 'second']);

describe('strategies in another order', () => {
  it('keep positions, orders and stops', () => {
    const stored = new Stored(morning(), asConfigured());
    const names = new StrategyNames(['second', 'first']);
    const again = stored.restart(new EngineRig({ strategies: [{}, opener()], seats: [TWO, ONE] }), names, [
      configured(TWO),
      configured(ONE),
    ]);
    expect(held(again)).toEqual({ first: 4, second: -2 });
    expect(stopped(again)).toEqual({ first: null, second: 'by hand' });
    expect(ownerOf(again, '2')).toBe('first');
    expect([again.of('strategy_fault'), again.of('strategy_changed'), again.places()]).toEqual([[], [], []]);
  });

  it('keep their own decisions', () => {
    const live = morning(opener(everyThird()));
    live.trade(13_000).trade(13_001).trade(13_002).trade(13_003);
    const stored = new Stored(live, asConfigured());
    const names = new StrategyNames(['second', 'first']);
    const rig = new EngineRig({ strategies: [{}, opener(everyThird())], seats: [TWO, ONE] });
    stored.restart(rig, names, [configured(TWO), configured(ONE)]);
    expect(rig.of('strategy_fault')).toEqual([]);
    expect(stopped(rig)['first']).toBeNull();
  });

  it('are given their carried-over positions, halts and orders of the emergency record', () => {
    const live = new EngineRig();
    const carriedOver = [
      { strategy: FIRST, instrument: FRONT.index, qty: signedQty(3), openValue: money(worth(13_000, 3)) },
    ];
    const haltedStrategies = [{ strategy: SECOND, reason: 'its own loss' }];
    live.post({ kind: 'session_started', tradingDay: DAY, carriedOver, halted: null, haltedStrategies });
    const names = new StrategyNames(['second', 'first']);
    const [input] = new Stored(live, asConfigured()).read(names, (read) => [...read.inputs(DAY)]);
    expect(input).toMatchObject({
      carriedOver: [{ strategy: 1 }],
      haltedStrategies: [{ strategy: 0, reason: 'its own loss' }],
    });
  });
});

const restart = (stored: Stored): EngineRig =>
  stored.restart(
    new EngineRig({ strategies: [{}, {}], seats: [TWO, { ...ONE, isOrphan: true }] }),
    withoutFirst(),
    [configured(TWO)],
  );

describe('a strategy that left the configuration', () => {
  it('keeps its position and its orders under its name, and is reported as stopped', () => {
    const again = restart(new Stored(morning(opener(everyThird())), asConfigured()));
    expect(held(again)).toEqual({ first: 4, second: -2 });
    expect(ownerOf(again, '2')).toBe('first');
    expect(stopped(again)['first']).toBe('it is no longer configured');
    expect(again.of('strategy_fault'), 'leaving is planned').toEqual([]);
    expect(again.of('strategy_stopped').at(-1)).toMatchObject({
      strategy: 1,
      reason: 'it is no longer configured',
    });
  });

  it('is alerted once, however often the process starts', () => {
    const stored = new Stored(morning(), asConfigured());
    const again = restart(stored);
    const third = restart(new Stored(again, withoutFirst()));
    expect(third.of('strategy_stopped').filter(({ tsUs: at }) => at === third.now)).toEqual([]);
    expect(stopped(third)['first']).not.toBeNull();
  });

  it('runs again when it comes back', () => {
    const again = restart(new Stored(morning(), asConfigured()));
    const back = new Stored(again, withoutFirst()).restart(
      new EngineRig({ strategies: [{}, {}] }),
      asConfigured(),
      [configured(ONE), configured(TWO)],
    );
    expect(stopped(back)['first']).toBeNull();
    expect(held(back)['first']).toBe(4);
    expect(back.of('strategy_changed').at(-1)).toMatchObject({ strategy: 0, from: null, heldQty: 4 });
  });

  it('keeps the settings of then on each later day', () => {
    const names = withoutFirst();
    const store = new JournalStore({
      path: tempPath(),
      names,
      wallClock: { nowUs: () => tsUs(1) },
      timers: new VirtualTimers(),
      onFailure,
    });
    onTestFinished(() => store.close());
    const flat = { ...ONE, onExpiry: 'flatten' } as const;
    for (const [days, strategies] of [[flat, TWO], [TWO], [TWO]].entries()) {
      const day = addDays(DAY, days);
      store.beginSession(day, tsUs(1), 'test.yaml');
      const head = { seq: seq(1), tsUs: tsUs(1) };
      store.recordInput({ ...head, kind: 'session_started', tradingDay: day, carriedOver: [], halted: null });
      store.recordInput({
        ...head,
        seq: seq(2),
        kind: 'strategies',
        strategies: strategies.map((each) => configured(each)),
      });
      store.append({ kind: 'position_agreed', cause: seq(2), tsUs: tsUs(1), strategy: null });
    }
    store.flush();
    const loaded = loadConfig(join(SHIPPED, 'paper.yaml'), CATALOG);
    if (!loaded.ok) throw new Error('expected a configuration');
    const config = { ...loaded.config, strategies: [], engine: { ...SETTINGS, strategies: [] } };
    const { strategies } = plannedStrategies({ read: store.read, day: addDays(DAY, 2), config, names });
    expect(strategies.settings.strategies).toEqual([
      { ...TWO, isOrphan: true },
      { ...flat, isOrphan: true },
    ]);
  });

  it('hands its position to the next day under its name', () => {
    const stored = new Stored(morning(), asConfigured());
    const next = new StrategyNames(['second']);
    const carried = stored.read(next, (read) => carryOver(read, DAY, next));
    const owners = carried.started.carriedOver.map(({ strategy, qty }) => [next.nameOf(strategy), qty]);
    expect(Object.fromEntries(owners)).toEqual({ first: 4, second: -2 });
  });
});

const morningOfBuys = (): EngineRig =>
  morning(opener(everyThird())).trade(13_000).trade(13_001).trade(13_002);

describe('a strategy with other parameters in mid-session', () => {
  const changed = [configured(ONE, 'q'), configured(TWO)];

  it('goes on with its position and orders; what it would have done is refused to it, not sent', () => {
    const denials: unknown[] = [];
    let orders = 0;
    const other: ScriptedStrategy = {
      onTrade: (tick, desk, me) => {
        if (tick.price !== 13_001) return;
        orders += 1;
        desk.submit(me, limit('sell', 1, 13_001 + orders));
      },
      onOrder: ({ denial }) => {
        if (denial !== null) denials.push(denial.code);
      },
    };
    const live = morningOfBuys();
    const stored = new Stored(live, asConfigured());
    const again = stored.restart(new EngineRig({ strategies: [other, {}] }), asConfigured(), changed);
    expect(stopped(again)['first']).toBeNull();
    expect(held(again)).toEqual({ first: 4, second: -2 });
    expect(again.host.desk.workingOrders(FIRST).length).toBeGreaterThan(0);
    expect([denials, again.places(), again.of('strategy_fault')]).toEqual([['rebuilding'], [], []]);
    expect(again.of('strategy_changed')).toMatchObject([
      { strategy: 0, from: { params: 'p' }, to: { params: 'q' }, heldQty: 4 },
    ]);
    again.stream('live').reference().look(bookOf(live)).pass(1).positions(2);
    again.look(bookOf(live)).pass(1).trade(13_001);
    expect(again.of('proposal').at(-1), 'it decides from here on').toMatchObject({ by: 'strategy' });
  });

  it('is strict again after the next restart, from the change on', () => {
    const stored = new Stored(morningOfBuys(), asConfigured());
    const seller = opener(everyThird('sell'));
    const again = stored.restart(new EngineRig({ strategies: [seller, {}] }), asConfigured(), changed);
    again.trade(13_003).trade(13_004).trade(13_005);
    const third = new EngineRig({ strategies: [opener(everyThird('sell')), {}] });
    new Stored(again, asConfigured()).restart(third, asConfigured(), changed);
    expect(third.of('strategy_fault')).toEqual([]);
    const diverged = new EngineRig({ strategies: [{}, {}] });
    new Stored(again, asConfigured()).restart(diverged, asConfigured(), changed);
    expect(stopped(diverged)['first']).toBe('replay_diverged');
  });

  it('forgets a fault of its earlier version, and keeps a stop by hand', () => {
    const faulty: ScriptedStrategy = {
      onTrade: ({ price }) => {
        if (price === 13_002) throw new Error('a slip');
      },
    };
    const live = morning(opener(faulty)).trade(13_000).trade(13_002);
    expect(stopped(live)['first']).toBe('fault');
    const both = [configured(ONE, 'q'), configured(TWO, 'q')];
    const again = new Stored(live, asConfigured()).restart(
      new EngineRig({ strategies: [{}, {}] }),
      asConfigured(),
      both,
    );
    expect(stopped(again)).toEqual({ first: null, second: 'by hand' });
  });

  it('that was stopped before withdraws its stop again, in each later replay too', () => {
    const stopper: ScriptedStrategy = {
      onTrade: (tick, desk, me) => {
        if (tick.price === 12_995) desk.submit(me, stopSell(12_950));
      },
    };
    const create = (): EngineRig => new EngineRig({ strategies: [stopper, {}], canWait: true });
    const live = create()
      .session()
      .boot(1)
      .strategies([configured(ONE), configured(TWO)]);
    live.contracts().stream('live').reference().look().pass(1).positions(0).look().pass(1);
    live.account().conditions().trade(12_995);
    const [stop] = live.waiting.flatMap((each) => (each.call === 'place' ? [each.order.clientOrderId] : []));
    const row = waits({ key: 'k1' });
    acceptWaiting(live, stop!, 'k1').pass(1).conditions([row]);
    live.command({ name: 'stop_strategy', strategy: FIRST, reason: 'by hand' });
    const [cancel] = live.of('cancel');
    live.outcome('cancel', stop!, cancel!.cancel.callId, { status: 'rejected', code: '1', text: 'not now' });
    const again = new Stored(live, asConfigured()).restart(create(), asConfigured(), changed);
    again.stream('live').reference();
    for (let round = 0; round < 3; round += 1) again.pass(6).positions(0).look().conditions([row]);
    expect(again.of('cancel').map(({ cancel: { clientOrderId } }) => clientOrderId)).toContain(stop);
    const third = new Stored(again, asConfigured()).restart(create(), asConfigured(), changed);
    expect(third.alerts()).not.toContain('system_diverged');
  });

  it('hears the end of an order that it asks for as its earlier version did, which was denied', () => {
    const order = limit('buy', 2, 13_100);
    const earlier = opener({ onTrade: (_tick, desk, me) => void desk.submit(me, order) });
    const ended: string[] = [];
    let asked: string | null = null;
    const later: ScriptedStrategy = {
      onOrder: ({ clientOrderId, denial }, desk, me) => {
        if (denial === null) return;
        ended.push(clientOrderId);
        asked ??= desk.submit(me, order);
      },
    };
    const live = morning(earlier);
    live.parts.refuse = () => ({ denial: { code: 'band_unknown' } });
    live.trade(13_000);
    expect(live.of('denied')).toHaveLength(1);
    new Stored(live, asConfigured()).restart(
      new EngineRig({ strategies: [later, {}] }),
      asConfigured(),
      changed,
    );
    expect(asked).not.toBeNull();
    expect(ended.slice(1)).toEqual([asked]);
  });

  it('cannot hold an event by answering each refusal with another order', () => {
    const endless: ScriptedStrategy = {
      onTrade: (_tick, desk, me) => void desk.submit(me, limit('sell', 1, 13_050)),
      onOrder: ({ denial }, desk, me) => {
        if (denial?.code === 'rebuilding') desk.submit(me, limit('sell', 1, 13_050));
      },
    };
    const stored = new Stored(morningOfBuys(), asConfigured());
    const again = stored.restart(new EngineRig({ strategies: [endless, {}] }), asConfigured(), changed);
    expect(stopped(again)['first']).toBeNull();
    expect(held(again)['first']).toBe(4);
  });
});

const at = (number: number, ...strategies: ConfiguredStrategy[]) => ({ seq: seq(number), strategies });

it('versions count from the list in which they came', () => {
  const names = asConfigured();
  const now = { configured: [configured(ONE), configured(TWO, 'q')] };
  expect(versionStarts([], now, names)).toEqual([0, 0]);
  expect(versionStarts([at(3, configured(ONE), configured(TWO))], now, names)).toEqual([0, Infinity]);
  const lists = [at(3, configured(ONE, 'q')), at(9, configured(ONE), configured(TWO, 'q'))];
  expect(versionStarts(lists, now, names)).toEqual([9, 9]);
  expect(versionStarts([...lists, at(12, configured(ONE, 'p', 1))], now, names)).toEqual([
    Infinity,
    Infinity,
  ]);
});
