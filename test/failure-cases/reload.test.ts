/** Other strategies in a running daemon: nothing is lost, doubled or forgotten, and a restart after it is the same. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StartEngine } from '../../src/host/engine-thread.ts';
import type { FromEngine } from '../../src/host/worker-protocol.ts';
import { replaySession } from '../../src/host/state/replay-session.ts';
import { heldBy } from '../../src/daemon/program/run-notices.ts';
import { startStrategy } from '../../src/daemon/reload.ts';
import { StrategyNames } from '../../src/domain/ids.ts';
import { strategyIndex } from '../../src/domain/units.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { frameLogPath } from '../../src/recording/frame-log.ts';
import { Days } from './support/days.ts';
import { engineHere, HangingEngine } from './support/engine-here.ts';
import { scripted, type Step } from './support/scripted.ts';
import { running, Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };
const CROSSING: Step = { at: 13_001, do: 'buy', qty: 2, price: 13_010 };
const WAITING: Step = { at: 13_001, do: 'buy', qty: 1, price: 13_210, trigger: 13_200 };
const BRACKET: Step = { ...CROSSING, stopLoss: 12_800, takeProfit: 13_300 };
const OLD_LATER: Step = { at: 13_006, do: 'buy', price: 12_700 };
const NEW_LATER: Step = { at: 13_005, do: 'sell', price: 13_400 };

const isOrdered = async (story: Story, orders: number, net: number): Promise<boolean> => {
  const [known, truth] = [await story.known(), await story.truth()];
  return (
    truth.orders.length === orders && known.orders.length === orders && known.net === net && truth.net === net
  );
};

const STATES: readonly {
  readonly state: string;
  readonly step: Step;
  readonly orders: number;
  readonly net: number;
  /** At the moment of the change. */
  readonly arrange: (story: Story) => Promise<void>;
}[] = [
  {
    state: 'resting',
    step: RESTING,
    orders: 1,
    net: 0,
    arrange: (story) => story.until(() => isOrdered(story, 1, 0)),
  },
  {
    state: 'in flight',
    step: RESTING,
    orders: 1,
    net: 0,
    arrange: (story) => story.until(async () => (await story.truth()).orders.length === 1),
  },
  {
    state: 'partly filled',
    step: RESTING,
    orders: 1,
    net: 1,
    arrange: async (story) => {
      await story.until(() => isOrdered(story, 1, 0));
      story.offer('sell', 12_900, 1);
      await story.until(() => isOrdered(story, 1, 1));
    },
  },
  {
    state: 'waiting for its trigger',
    step: WAITING,
    orders: 1,
    net: 0,
    arrange: (story) => story.until(() => isOrdered(story, 1, 0)),
  },
  {
    state: 'exits of a bracket',
    step: BRACKET,
    orders: 2,
    net: 2,
    arrange: async (story) => {
      story.offer('sell', 13_010, 2);
      await story.until(() => isOrdered(story, 2, 2));
    },
  },
];

const assumed = (yaml: string): string =>
  `${yaml}live: { assume: [entry-with-exits, order-after-order, conditional-change] }\n`;

describe('new parameters in a running daemon', () => {
  it.each(STATES)('case 39: $state', async ({ state, step, orders, net, arrange }) => {
    const story = await running([step, OLD_LATER], assumed);
    if (state === 'in flight') story.fault({ name: 'late_answer', times: 1, delayMs: 700 });
    story.print(13_001);
    await arrange(story);
    const before = (await story.truth()).orders;
    const answer = await story.reload([NEW_LATER]);
    expect(answer).toMatchObject({ ok: true, changes: [expect.stringContaining('script: steps')] });
    await story.until(() => isOrdered(story, orders, net));
    expect((await story.truth()).orders).toEqual(before);
    story.print(13_006);
    story.print(13_005);
    await story.until(() => isOrdered(story, orders + 1, net));
    expect(story.moves, 'the old steps are gone, the new ones decide').toHaveLength(2);
    expect(story.entries.filter(({ kind }) => kind === 'strategy_changed')).toHaveLength(1);
    const after = await story.truth();
    await story.kill();
    await story.start();
    await story.until(() => isOrdered(story, orders + 1, net));
    expect(await story.truth()).toEqual(after);
    expect([story.moves, story.alerts().filter((code) => /diverged|fault/.test(code))]).toEqual([[], []]);
  });
});

/** Works one order on command. */
const another = (id: string): string => `  - id: ${id}
    strategy: scripted
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 9, dailyLossMax: 2000000000, openOrdersMax: 9 }
    params: { steps: [{ at: 13007, do: buy, price: 12600 }] }
`;

const configOf = ({ daemon: { config } }: Story, steps: readonly Step[]) => ({
  ...config,
  strategies: config.strategies.map((each) => ({ ...each, params: { ...each.params, steps } })),
});

const stoppedOf = async (story: Story): Promise<Record<string, string | null>> =>
  Object.fromEntries(((await story.view())?.strategies ?? []).map(({ id, stopped }) => [id, stopped]));

const placed = (story: Story): number => story.entries.filter(({ kind }) => kind === 'place').length;
const denied = (story: Story): number => story.entries.filter(({ kind }) => kind === 'denied').length;

describe('a change in a running daemon', () => {
  it('is refused with the fault that a replay of today finds, and the old one goes on', async () => {
    const story = await running([RESTING, OLD_LATER]);
    story.print(13_001);
    await story.until(() => isOrdered(story, 1, 0));
    const answer = await story.reload([{ ...RESTING, qty: -1 }]);
    expect(answer).toMatchObject({
      ok: false,
      message: expect.stringMatching(/script: .*nothing was changed/s),
    });
    expect(story.daemon.config.strategies[0]?.params).toMatchObject({ steps: [RESTING, OLD_LATER] });
    story.print(13_006);
    await story.until(() => isOrdered(story, 2, 0));
    expect(story.entries.filter(({ kind }) => kind === 'strategy_changed')).toEqual([]);
  });

  it('is refused when more than strategies changed, by name', async () => {
    const story = await running([RESTING]);
    const answer = await story.reload([RESTING], (yaml) =>
      yaml.replace('collarPercent: 5', 'collarPercent: 6'),
    );
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('risk changed too') });
  });

  it('leaves the other strategy and its orders alone; who leaves keeps its position', async () => {
    const second = `  - id: second
    strategy: scripted
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 9, dailyLossMax: 2000000000, openOrdersMax: 9 }
    params: { steps: ${JSON.stringify([
      { ...RESTING, price: 12_850 },
      { at: 13_007, do: 'buy', price: 12_600 },
    ])} }
`;
    const story = await running([CROSSING], (yaml) => yaml + second);
    story.offer('sell', 13_010, 2);
    story.print(13_001);
    await story.until(() => isOrdered(story, 1, 2));
    const answer = await story.reload([], (yaml) => yaml.replace(/ {2}- id: script[^]*/, second));
    expect(answer.changes).toEqual([
      expect.stringMatching(/^script: leaves; .* its \+2 \w+ follow risk\.onOrphan/),
    ]);
    await story.until(async () => (await stoppedOf(story))['script'] === 'it is no longer configured');
    expect((await stoppedOf(story))['second']).toBeNull();
    story.print(13_007);
    await story.until(() => isOrdered(story, 2, 2));
    expect(story.entries.filter(({ kind }) => kind === 'strategy_changed')).toEqual([]);
    expect((await story.reload([CROSSING], (yaml) => yaml + second)).ok).toBe(true);
    await story.until(async () => (await stoppedOf(story))['script'] === null);
    expect(await isOrdered(story, 2, 2), 'it comes back to its position').toBe(true);
  });

  it('does not end a halt, nor does a kill right after it undo it', async () => {
    const story = await running([RESTING]);
    story.daemon.command({ name: 'halt', reason: 'the story' });
    expect((await story.reload([NEW_LATER])).ok).toBe(true);
    await story.kill();
    await story.start();
    story.print(13_005);
    await story.until(() => denied(story) === 1);
    expect([placed(story), story.alerts().filter((code) => /diverged|fault/.test(code))]).toEqual([0, []]);
    expect(story.daemon.halt.reason).toBe('the story');
  });

  it('starts a stopped strategy at once, also for a restart', async () => {
    const story = await running([RESTING, OLD_LATER, { ...OLD_LATER, at: 13_008 }]);
    const strategy = strategyIndex(0);
    story.daemon.command({ name: 'stop_strategy', strategy, reason: 'by hand' });
    await story.until(async () => (await stoppedOf(story))['script'] === 'by hand');
    const edited = () => ({ ok: true, config: configOf(story, [NEW_LATER]) }) as const;
    expect(await startStrategy(story.daemon, 'script', 'on again', edited)).toMatchObject({
      ok: true,
      message: expect.stringMatching(/the file has another entry of script: reload takes it$/),
    });
    expect((await startStrategy(story.daemon, 'script', 'twice')).message).toContain('is running');
    expect((await startStrategy(story.daemon, 'operator', 'no')).message).toContain('which has script');
    story.print(13_006);
    await story.until(() => isOrdered(story, 1, 0));
    await story.kill();
    await story.start();
    expect(await stoppedOf(story)).toEqual({ script: null });
    story.print(13_008);
    await story.until(() => isOrdered(story, 2, 0));
  });

  it('stops a strategy that was stopped and started at the event in which it throws, and names it', async () => {
    const story = await running([
      { at: 13_006, do: 'buy', qty: -1, price: 12_000 },
      { ...OLD_LATER, at: 13_007 },
    ]);
    story.daemon.command({ name: 'stop_strategy', strategy: strategyIndex(0), reason: 'by hand' });
    await story.until(async () => (await stoppedOf(story))['script'] === 'by hand');
    expect((await startStrategy(story.daemon, 'script', 'on again')).ok).toBe(true);
    story.print(13_006);
    story.print(13_007);
    await story.until(async () => (await stoppedOf(story))['script'] === 'fault');
    const faults = story.entries.filter(({ kind }) => kind === 'strategy_fault');
    expect(faults).toMatchObject([{ strategy: 0, where: 'trades$ of contract' }]);
    expect(placed(story)).toBe(0);
  });

  it('is not made over a stop that a person asked for meanwhile', async () => {
    const story = await running([RESTING, OLD_LATER]);
    const strategy = strategyIndex(0);
    story.daemon.command({ name: 'stop_strategy', strategy, reason: 'by hand' });
    await story.until(async () => (await stoppedOf(story))['script'] === 'by hand');
    const started = startStrategy(story.daemon, 'script', 'on again');
    await story.view();
    await story.view();
    story.daemon.command({ name: 'stop_strategy', strategy, reason: 'no, leave it' });
    expect(await started).toMatchObject({
      ok: false,
      message: expect.stringContaining('nothing was changed'),
    });
    expect((await stoppedOf(story))['script']).toBe('by hand');
    story.print(13_006);
    story.print(13_002);
    expect(placed(story)).toBe(0);
  });

  it('is not made over a stop that came before its engine was replaced', async () => {
    const story = await running([RESTING]);
    await story.stop();
    const engines: HangingEngine[] = [];
    await story.start({ startEngine: (data) => (engines[engines.length] = new HangingEngine(data)) });
    const stop = (reason: string) => story.ask('stop-strategy', { strategy: 'script', reason });
    await stop('by hand');
    const readAgain = async () => {
      await stop('no, leave it');
      engines[0]!.end();
      await story.until(() => engines.length > 1 && story.daemon.sessionDay !== undefined);
      return { ok: true, config: story.daemon.config } as const;
    };
    const started = await startStrategy(story.daemon, 'script', 'on again', readAgain);
    expect(started).toMatchObject({ ok: false, message: expect.stringContaining('was replaced meanwhile') });
    expect((await stoppedOf(story))['script']).not.toBeNull();
  });

  it('leaves no entry that its stop has withdrawn, where the cancel came to nothing', async () => {
    const story = await running([RESTING]);
    story.print(13_001);
    await story.until(async () => (await story.known()).orders.length === 1);
    await story.settled();
    story.fault({ name: 'refuse_for_now', operation: 'cancel', times: 1 });
    await story.ask('stop-strategy', { strategy: 'script' });
    await story.until(() =>
      story.entries.some((entry) => entry.kind === 'outcome' && entry.outcome.status === 'rejected'),
    );
    expect(await startStrategy(story.daemon, 'script', 'on again')).toMatchObject({ ok: true });
    await story.settled();
    expect((await story.truth()).orders).toEqual([]);
  });

  it('asked for twice at once is made once', async () => {
    const story = await running([RESTING]);
    const [one, other] = await Promise.all([story.reload([NEW_LATER]), story.reload([NEW_LATER])]);
    expect([one.ok, other.ok].filter(Boolean)).toHaveLength(1);
    story.print(13_005);
    await story.until(() => isOrdered(story, 1, 0));
  });

  it('lets a position above the new limit be reduced, and nothing else', async () => {
    const story = await running([{ ...CROSSING, qty: 3 }]);
    story.offer('sell', 13_010, 3);
    story.print(13_001);
    await story.until(() => isOrdered(story, 0, 3));
    const answer = await story.reload(
      [
        { at: 13_005, do: 'sell', price: 13_400 },
        { at: 13_006, do: 'buy', price: 12_700 },
      ],
      (yaml) => yaml.replace('positionMax: 9', 'positionMax: 1'),
    );
    expect(answer.changes).toEqual([expect.stringContaining('above its positionMax 1')]);
    story.print(13_005);
    await story.until(() => isOrdered(story, 1, 3));
    story.print(13_006);
    await story.until(() => denied(story) === 1);
  });

  it('by a restart names the orders that may fill beyond a limit that was lowered', async () => {
    const story = await running([RESTING]);
    story.print(13_001);
    await story.until(() => isOrdered(story, 1, 0));
    expect((await heldBy(story.daemon)).text).not.toContain('positionMax');
    await story.kill();
    story.edit([RESTING], (yaml) => yaml.replace('positionMax: 9', 'positionMax: 1'));
    await story.start();
    const { text } = await heldBy(story.daemon);
    expect(text).toMatch(
      /script its orders to buy 2 of \S+ stay, and may fill up to 2, above its positionMax 1/,
    );
  });

  it('withdraws the entry of an earlier target, where a worker aims at another one', async () => {
    const story = await running([{ at: 13_001, do: 'aim', qty: 2 }]);
    story.offer('buy', 12_990, 5);
    story.offer('sell', 13_010, 5);
    story.print(13_001);
    await story.until(() => isOrdered(story, 1, 0));
    const [entry] = (await story.truth()).orders;
    expect(await story.reload([{ at: 13_001, do: 'aim', qty: -1 }])).toMatchObject({ ok: true });
    await story.until(async () => (await story.truth()).orders.some(({ side }) => side !== entry!.side));
    expect((await story.truth()).orders).toMatchObject([{ qty: 1, filledQty: 0 }]);
  });

  it('withdraws an entry in flight of a strategy that leaves', async () => {
    const second = another('second');
    const story = await running([RESTING], (yaml) => yaml + second);
    story.fault({ name: 'late_answer', times: 1, delayMs: 700 });
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 1);
    expect((await story.reload([], (yaml) => yaml.replace(/ {2}- id: script[^]*/, second))).ok).toBe(true);
    await story.until(() => isOrdered(story, 0, 0));
    story.print(13_007);
    await story.until(() => isOrdered(story, 1, 0));
    await story.kill();
    await story.start();
    await story.until(() => isOrdered(story, 1, 0));
    expect([story.moves, story.alerts().filter((code) => /diverged|fault/.test(code))]).toEqual([[], []]);
  });

  it('reports a new version that fails at the switch, on prices that came during its replay', async () => {
    const days = new Days();
    const story = await Story.open([{ ...OLD_LATER, at: 13_003 }], {}, (yaml) => days.hours(yaml));
    onTestFinished(() => story.close());
    const meanwhile = async (): Promise<void> => {
      story.print(13_003);
      await story.until(() => isOrdered(story, 1, 0));
    };
    await story.start({ startEngine: heldAfterReplay(meanwhile) });
    story.print(13_000);
    days.close('2026-03-10');
    const answer = await story.reload([{ at: 13_003, do: 'buy', qty: -1, price: 12_000 }]);
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('script is stopped') });
    expect(answer.message, 'the rest of the file is taken').toContain('2026-03-10 is no session any more');
    expect(await stoppedOf(story)).toEqual({ script: 'fault' });
    await story.until(() => isOrdered(story, 0, 0));
  });

  it('reports an engine that is lost at the switch, and is made by the next one', async () => {
    const story = await running([RESTING]);
    await story.stop();
    const engines: HangingEngine[] = [];
    await story.start({
      startEngine: (data) => {
        const next = new HangingEngine(data);
        if (engines.push(next) === 2)
          next.on('message', ({ kind }: FromEngine) => {
            if (kind !== 'replayed') return;
            next.hang();
            setImmediate(() => next.end());
          });
        return next;
      },
    });
    const later: Step = { ...RESTING, at: 13_002 };
    const answer = await story.reload([later]);
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('lost at the switch') });
    await story.until(() => engines.length === 3 && story.daemon.sessionDay !== undefined);
    await story.trading();
    story.print(later.at);
    await story.until(async () => (await story.truth()).orders.length === 1);
  });

  it('is no difference in a replay of the day: one strategy left, another one came', async () => {
    const story = await running([CROSSING], (yaml) => yaml + another('second'));
    story.offer('sell', 13_010, 2);
    story.print(13_001);
    await story.until(() => isOrdered(story, 0, 2));
    expect(
      (
        await story.reload([], (yaml) =>
          yaml.replace(/ {2}- id: script[^]*/, another('second') + another('third')),
        )
      ).ok,
    ).toBe(true);
    story.print(13_007);
    await story.until(() => isOrdered(story, 2, 2));
    const { config, sessionDay } = story.daemon;
    await story.stop();
    const names = new StrategyNames(config.strategies.map(({ id }) => id));
    const journal = readJournal(story.paths.journal, names);
    const framesPath = frameLogPath(story.paths.frames, sessionDay!);
    const { difference } = replaySession(
      { config, names, read: journal.read, session: sessionDay!, framesPath, close: () => {} },
      ({ index, id, params }) => ({ index, id, definition: scripted, params }),
    );
    journal.close();
    expect(difference).toBeNull();
  });
});

/** The running engine goes on while the next one has replayed and is not heard yet. */
function heldAfterReplay(meanwhile: () => Promise<void>): StartEngine {
  return (data) => {
    const line = engineHere(data);
    return {
      postMessage: (message) => line.postMessage(message), // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
      terminate: () => line.terminate(),
      on: (event: string, listener: (given: never) => void) =>
        line.on(event as 'message', (given) => {
          const deliver = (): void => listener(given as never); // oxlint-disable-line typescript/no-unsafe-type-assertion -- passed on unchanged
          if (event === 'message' && given.kind === 'replayed') void meanwhile().then(deliver);
          else deliver();
        }),
    };
  };
}

it('is taken on a day whose first part ran with other settings', async () => {
  const story = await running([RESTING], (yaml) => yaml.replace('orders: keep', 'orders: cancel'));
  story.print(13_001);
  await story.until(() => isOrdered(story, 1, 0));
  await story.stop();
  story.edit([RESTING], (yaml) => yaml);
  await story.start();
  expect(story.alerts()).toContain('system_diverged');
  expect(await story.reload([RESTING], (yaml) => yaml + another('second'))).toMatchObject({ ok: true });
  await story.stop();
  await story.start();
  expect(story.alerts(), 'told once').not.toContain('system_diverged');
});
