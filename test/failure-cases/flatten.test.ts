/** A flatten whose exit is lost, or that comes at a time when nothing can be taken back: it ends flat, and covered until then. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tsUs } from '../../src/domain/units.ts';
import { HangingEngine } from './support/engine-here.ts';
import type { Step } from './support/scripted.ts';
import { PLACE, running, Story, withSecond } from './support/story.ts';
import { tempDir } from '../support/temp-dir.ts';

const HELD = 2;
const LONG: Step = { at: 13_001, do: 'buy', qty: HELD, price: 13_010 };
const OWN_STOP: Step = { at: 13_003, do: 'sell', qty: HELD, price: 12_790, trigger: 12_800 };

const quick = (yaml: string): string =>
  yaml
    .replace('positions: 1s', 'positions: 200ms')
    .replace('bookFast: 200ms, bookSlow: 1s', 'bookFast: 50ms, bookSlow: 200ms')
    .concat('flatten: { attempts: 2, retryAfter: 300ms }\n');
const guarded = (yaml: string): string =>
  quick(yaml).replace('risk: {', 'risk: { protectiveStop: { distanceTicks: 200 },');

const isCovered = (story: Story) => (): boolean => story.stops().join() === String(HELD);
const isFlat = (story: Story) => async (): Promise<boolean> =>
  (await story.truth()).net === 0 && (await story.known()).net === 0;
const soldOf = ({ simulator }: Story): number =>
  simulator.orders().reduce((sum, { side, filledQty }) => sum + (side === 'sell' ? filledQty : 0), 0);

/** Long, with a stop for all of it at the broker. */
async function holding(change: (yaml: string) => string, steps: readonly Step[] = [LONG]): Promise<Story> {
  const story = await running(steps, change);
  await story.buys(HELD);
  await story.until(() => story.hasReadPositions());
  if (steps.includes(OWN_STOP)) story.print(13_003);
  await story.until(isCovered(story));
  return story;
}

const flatten = (story: Story): void =>
  story.daemon.command({ name: 'flatten', strategy: null, reason: 'the story' });

describe('an exit whose answer is lost and that never arrived', () => {
  it.each([
    ['a protective stop', guarded, [LONG]],
    ['a stop of the strategy', quick, [LONG, OWN_STOP]],
  ])('leaves %s in its place while it is looked up, and is sent again', async (_, change, steps) => {
    // The exit that is sent again rests until the story offers: a busy machine takes its time for that.
    const story = await holding((yaml) => change(yaml).replace('retryAfter: 300ms', 'retryAfter: 2s'), steps);
    story.fault({ name: 'http_500', operation: 'place', times: 1 });
    flatten(story);
    // Its stop is gone by then; the moment without one is shorter than a look.
    await story.until(() => /answer.* was lost/.test(story.texts('flatten_waits').join()));
    await story.until(isCovered(story));
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    await story.until(() => story.stops().length === 0);
    expect(story.moves.filter((call) => call === PLACE)).toHaveLength(3);
    expect(story.alerts()).not.toContain('flatten_failed');
  });

  it('is sent again by the next start where a kill comes before the proof', async () => {
    const story = await holding((yaml) => quick(yaml).replace('spread: 1s', 'spread: 2s'), [LONG, OWN_STOP]);
    story.fault({ name: 'http_500', operation: 'place', times: 1 });
    flatten(story);
    await story.until(() => story.alerts().includes('flatten_waits'));
    await story.kill();
    await story.start();
    expect(await story.truth()).toMatchObject({ net: HELD });
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    await story.until(() => story.stops().length === 0);
    expect(soldOf(story)).toBe(HELD);
  });

  it('is given up with the reason that it had, under a stop, and a second flatten closes', async () => {
    const story = await holding(guarded);
    story.fault({ name: 'http_500', operation: 'place' });
    flatten(story);
    await story.until(() => story.alerts().includes('flatten_failed'));
    expect(story.texts('flatten_failed').join()).toMatch(/answers? .*lost.* never arrived/);
    await story.until(isCovered(story));
    story.simulator.faults.clear();
    story.offer('buy', 13_010, HELD);
    flatten(story);
    await story.until(isFlat(story));
    expect(story.stops()).toEqual([]);
  });

  it('does not stop a policy that flattens either', async () => {
    const story = await holding((yaml) => `${guarded(yaml)}policies: { after: 1s, streamDead: flatten }\n`);
    story.fault({ name: 'http_500', operation: 'place', times: 1 });
    story.fault({ name: 'refuse_connections', scope: 'stream' });
    story.fault({ name: 'close_stream', code: 1006 });
    await story.until(() => story.alerts().includes('order_proven_absent'));
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    expect(story.stops()).toEqual([]);
  });

  it('is canceled where it turns up after all, and no more is closed than is held', async () => {
    const story = await holding(guarded);
    story.fault({ name: 'hide_new_order', seconds: 5, times: 1 });
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    flatten(story);
    await story.until(() => story.alerts().includes('order_proven_absent'));
    await story.until(() => story.alerts().includes('order_oddity'));
    await story.until(
      async () => (await story.truth()).orders.filter(({ side }) => side === 'sell').length <= 1,
    );
    story.offer('buy', 13_010, HELD + 2);
    await story.until(isFlat(story));
    await story.until(async () => (await story.truth()).orders.length === 0);
    expect(soldOf(story)).toBe(HELD);
  });
});

it('leaves a stop that was placed with its entry while the fate of another order is not known', async () => {
  const steps: readonly Step[] = [
    { at: 13_001, do: 'buy', qty: HELD, price: 12_990 },
    { ...OWN_STOP, at: 13_001 },
    { at: 13_002, do: 'buy', price: 12_950 },
  ];
  const story = await running(steps, (yaml) => quick(yaml).replace('spread: 1s', 'spread: 2s'));
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 2);
  await story.until(() => story.entries.some(({ kind }) => kind === 'order_waiting'));
  story.take('sell', 12_990, HELD);
  await story.until(async () => (await story.known()).net === HELD);
  await story.until(() => story.hasReadPositions());
  story.fault({ name: 'http_500', operation: 'place', times: 1 });
  story.print(13_002);
  await story.until(() => story.alerts().includes('order_unknown'));
  flatten(story);
  await story.until(() => story.alerts().includes('order_presumed_absent'));
  story.offer('buy', 12_980, HELD);
  await story.until(isFlat(story));
  expect(story.stops()).toEqual([]);
  // The flatten goes on at that very moment: the rows say what came first.
  const known = story.entries.findIndex(
    (each) => each.kind === 'alert' && each.code === 'order_presumed_absent',
  );
  const withdrawn = story.entries.findIndex(({ kind }) => kind === 'cancel');
  expect(withdrawn).toBeGreaterThan(known);
});

it('takes its exit back where a person closes by hand meanwhile', async () => {
  const story = await holding(quick, [LONG, OWN_STOP]);
  flatten(story);
  await story.until(hasExit(story));
  story.offer('buy', 12_990, HELD);
  story.fault({ name: 'inject_order', symbol: 'front', side: 'sell', points: 1_299, volume: HELD });
  await story.until(async () => (await story.truth()).net === 0);
  await story.until(async () => (await story.truth()).orders.length === 0);
  await story.until(async () => (await story.view())?.procedure === '');
  expect(soldOf(story)).toBe(HELD);
  expect(story.alerts()).toContain('position_closed');
});

/** Enters again. */
const AGAIN: Step = { at: 13_004, do: 'buy', qty: 1, price: 13_010 };
const placesOf = ({ moves }: Story): number => moves.filter((call) => call === PLACE).length;

describe('a flatten by a person', () => {
  it('turns the entries of the account off first, until a person resumes', async () => {
    const story = await holding(guarded, [LONG, AGAIN]);
    const answer = await story.ask('flatten');
    expect(answer).toMatchObject({ ok: true, message: expect.stringContaining('entries are off') });
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    story.print(13_004);
    await story.until(() => story.denials().includes('halted'));
    await story.kill();
    await story.start();
    expect((await story.view())?.halted).toBe('the story');
    expect(await story.truth()).toEqual({ orders: [], net: 0 });
  });

  it('turns those of the strategy that it names off alone, over a kill too, until a person resumes it', async () => {
    const story = await running([LONG, AGAIN], (yaml) => quick(withSecond([LONG, AGAIN])(yaml)));
    await story.buys(2 * HELD);
    await story.until(() => story.hasReadPositions());
    const answer = await story.ask('flatten', { strategy: 'script' });
    expect(answer).toMatchObject({ ok: true, message: expect.stringContaining('entries of script are off') });
    story.offer('buy', 13_010, HELD);
    await story.until(async () => (await story.known()).net === HELD);
    await story.kill();
    await story.start();
    const haltedOnes = async () => (await story.view())?.strategies.map(({ id, halted }) => [id, halted]);
    expect(await haltedOnes()).toEqual([
      ['script', 'the story'],
      ['other', null],
    ]);
    story.print(13_004);
    await story.until(() => story.denials().includes('halted'));
    await story.until(() => placesOf(story) === 1);
    expect(story.entries.flatMap((entry) => (entry.kind === 'place' ? [entry.strategy] : []))).toEqual([1]);
    await story.ask('resume', { strategy: 'script' });
    await story.until(async () => (await haltedOnes())?.every(([, reason]) => reason === null) === true);
  });

  it('leaves entries on where it is asked to keep trading', async () => {
    const story = await holding(quick, [LONG, OWN_STOP, AGAIN]);
    const answer = await story.ask('flatten', { keepTrading: true });
    expect(answer.message).toContain('may enter again');
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    await story.until(async () => (await story.view())?.procedure === '');
    story.print(13_004);
    await story.until(() => placesOf(story) === 3);
    expect(story.denials()).toEqual([]);
  });

  it('closes two strategies that oppose each other while the halt sweeps the books', async () => {
    const short: Step = { at: 13_002, do: 'sell', qty: HELD, price: 12_990 };
    const story = await running([LONG], (yaml) => quick(withSecond([short])(yaml)));
    const held = async () =>
      (await story.view())?.strategies.flatMap(({ positions }) => positions.map(({ qty }) => Number(qty)));
    story.offer('sell', 13_010, HELD);
    story.print(13_001);
    await story.until(async () => (await held())?.includes(HELD) === true);
    story.offer('buy', 12_990, HELD);
    story.print(13_002);
    await story.until(async () => (await held())?.includes(-HELD) === true);
    await story.until(() => story.hasReadPositions());
    await story.ask('flatten');
    await story.until(() => story.daemon.haltEnforcer.progress.status === 'proven');
    // The exits take turns: the account trades with itself nowhere.
    story.offer('buy', 13_000, HELD);
    await story.until(async () => (await held())?.includes(0) === true);
    story.offer('sell', 12_995, HELD);
    await story.until(async () => (await held())?.every((qty) => qty === 0) === true);
    expect((await story.truth()).net).toBe(0);
  });
});

const CONFIG = join(import.meta.dirname, '..', '..', 'config');

/** Long in the last minutes of a day whose closing auction lasts one minute, six times as fast as life. */
async function beforeTheClose(steps: readonly Step[] = [LONG]): Promise<Story> {
  const dir = tempDir();
  const market = join(dir, 'market.yaml');
  const hours = readFileSync(join(CONFIG, 'vn30f.yaml'), 'utf8').replace("to: '14:45'", "to: '14:31'");
  writeFileSync(market, hours.replace('closures.json', join(CONFIG, 'closures.json')));
  const change = (yaml: string): string =>
    yaml
      .replace(/^market: .*$/m, `market: ${market}\nsession: { cancelBeforeAuction: 1s }`)
      .replace('simulator: {', 'simulator: { hours: exchange,')
      .replace('risk: {', 'risk: { protectiveStop: { distanceTicks: 200 },')
      .concat('flatten: { attempts: 2, retryAfter: 1s }\n');
  const originMarketUs = tsUs(Date.UTC(2026, 2, 4, 7, 28, 15) * 1_000);
  const time = { speed: 6, originRealUs: null, originMarketUs, start: 'origin' } as const;
  const story = await Story.open(steps, { time }, change);
  onTestFinished(() => story.close());
  await story.start();
  story.print(13_000);
  story.offer('sell', 13_010, HELD);
  story.print(13_001);
  await story.until(isCovered(story));
  if (steps.includes(AWAY)) story.print(13_002);
  await story.until(async () => (await story.view())?.phase === 'closing_auction');
  return story;
}

const exitsOf = ({ simulator }: Story) =>
  simulator
    .orders()
    .flatMap(({ side, qty, limitPrice }) => (side === 'sell' ? [[Number(qty), limitPrice]] : []));

describe('a flatten in the closing auction', () => {
  it('waits and says what becomes of the position; confirmed, it closes by one order at the floor', async () => {
    const story = await beforeTheClose();
    const waits = await story.ask('flatten');
    expect(waits.message).toContain('nothing is sent into the closing auction: --in-auction');
    await story.until(() => story.alerts().includes('flatten_queued'));
    expect(story.texts('flatten_queued').join()).toMatch(
      /stays open overnight, and its stops end with the close/,
    );
    expect([exitsOf(story), story.stops()]).toEqual([[], [HELD]]);

    expect((await story.ask('flatten', { inAuction: true })).message).toContain('cannot be taken back');
    await story.until(() => exitsOf(story).length > 0);
    await story.ask('flatten', { inAuction: true });
    story.offer('buy', 13_000, 5);
    await story.until(isFlat(story));
    const [[qty, price] = [], ...more] = exitsOf(story);
    expect([qty, more], 'once').toEqual([HELD, []]);
    expect(price, 'at the floor, 7 % below').toBeLessThan(12_110);
    expect(soldOf(story)).toBe(HELD);
    await story.until(async () => (await story.view())?.procedure === '');
    expect(story.alerts()).not.toContain('held_overnight');
  });
});

/** Its exit rests since before the auction, where nobody buys at its price. */
const AWAY: Step = { at: 13_002, do: 'sell', qty: HELD, price: 13_300 };

it('names the exit that rests in the auction already, with its price, and promises no other', async () => {
  const story = await beforeTheClose([LONG, AWAY]);
  const { message } = await story.ask('flatten', { inAuction: true });
  expect(message).toMatch(/; already resting in the auction.* may not fill: #\d+ sell 2 \S+ at 1330\.0/);
  await story.until(() => story.alerts().includes('orders_in_auction'));
  expect(story.texts('orders_in_auction').join()).toMatch(
    /sell 2 rest in the auction at 1330\.0 and may not fill/,
  );
  expect(exitsOf(story), 'no other').toEqual([[HELD, 13_300]]);
});

const canceling =
  (change: (yaml: string) => string) =>
  (yaml: string): string =>
    change(yaml).replace('orders: keep', 'orders: cancel');
/** Its stops are withdrawn, and its exit works. */
const hasExit = (story: Story) => async (): Promise<boolean> =>
  story.stops().length === 0 && (await story.truth()).orders.length === 1;

describe('a stop of the process in the middle of a flatten', () => {
  it('waits until it is flat', async () => {
    const story = await holding(canceling(guarded));
    flatten(story);
    await story.until(hasExit(story));
    const stopped = story.daemon.stop('the story');
    story.offer('buy', 13_005, HELD);
    await stopped;
    expect(await story.truth()).toEqual({ orders: [], net: 0 });
    expect(story.alerts()).not.toContain('stop_leaves');
  });

  it.each(['as it hangs', 'as it is replaced'])(
    'is carried out by the next engine, asked %s',
    async (when) => {
      const story = await running([LONG], (yaml) =>
        guarded(yaml).replace('orders: keep', 'orders: cancel, positions: flatten'),
      );
      await story.stop();
      const engines: HangingEngine[] = [];
      const stops: Promise<void>[] = [];
      const stop = (): void => void stops.push(story.daemon.stop('the story'));
      await story.start({
        startEngine: (data) => {
          if (engines.length > 0 && stops.length === 0) stop();
          return (engines[engines.length] = new HangingEngine(data));
        },
      });
      story.offer('sell', 13_010, HELD);
      story.print(13_001);
      await story.until(isCovered(story));
      engines[0]!.hang();
      if (when === 'as it hangs') stop();
      engines[0]!.end();
      story.offer('buy', 13_010, HELD);
      await story.until(() => stops.length > 0);
      await Promise.all(stops);
      expect(engines).toHaveLength(2);
      expect(await story.truth()).toEqual({ orders: [], net: 0 });
      expect(story.alerts()).not.toContain('stop_incomplete');
    },
  );

  it('ends at once where no engine comes any more, and says what it left', { timeout: 30_000 }, async () => {
    const story = await running([LONG], (yaml) =>
      guarded(yaml).replace('orders: keep', 'orders: cancel, positions: flatten'),
    );
    await story.stop();
    const engines: HangingEngine[] = [];
    await story.start({
      startEngine: (data) => {
        const engine = new HangingEngine(data);
        if (engines.push(engine) > 1) setImmediate(() => engine.end());
        return engine;
      },
    });
    story.offer('sell', 13_010, HELD);
    story.print(13_001);
    await story.until(isCovered(story));
    const stopped = story.daemon.stop('the story');
    engines[0]!.end();
    await stopped;
    expect(story.alerts()).toEqual(expect.arrayContaining(['engine_gone', 'stop_incomplete']));
  });

  it.each([
    ['a protective stop', guarded, [LONG]],
    ['a stop of the strategy', quick, [LONG, OWN_STOP]],
  ])('puts %s back where the market does not take it, and says so', async (_, change, steps) => {
    const story = await holding(canceling(change), steps);
    flatten(story);
    await story.until(hasExit(story));
    await story.stop();
    expect(story.texts('stop_leaves')).toEqual([expect.stringMatching(/flatten is not done: position 2 of/)]);
    expect(story.stops()).toEqual([HELD]);
    expect(await story.truth()).toMatchObject({ net: HELD, orders: [{ side: 'sell', qty: HELD }] });
  });
});
