/** A stream that breaks, loses frames or changes its contract. */
import { describe, expect, it } from 'vitest';
import type { Step } from './support/scripted.ts';
import { frameLogPath, readFrameBatches, readNote } from '../../src/recording/frame-log.ts';
import { PLACE, running, STORY_DAY, type Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };

const recovers = (story: Story): Promise<void> => story.until(async () => story.mayEnter(await story.view()));

const kindsOf = ({ entries }: Story): string[] => entries.map(({ kind }) => kind);

const noting =
  (what: 'books' | 'bars') =>
  (yaml: string): string =>
    yaml.replace('steps:', `notes: ${what}, steps:`);

const isLive = async (story: Story): Promise<boolean> => (await story.view())?.stream === 'live';

describe('the stream', () => {
  it.each([1000, 1001, 1002, 1006])('case 21: closed by %i it comes back subscribed', async (code) => {
    const story = await running([RESTING]);
    story.fault({ name: 'close_stream', code });
    await story.until(async () => !(await isLive(story)));
    await recovers(story);
    expect(story.simulator.connections).toBe(1);
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 1);
    expect(story.moves).toEqual([PLACE]);
  });

  it('leaves a record of each cut in the log of frames, which a restart decides by as before', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }]);
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 1);
    story.fault({ name: 'close_stream', code: 1006 });
    await story.until(async () => !(await isLive(story)));
    await recovers(story);
    story.print(13_002);
    await story.until(async () => (await story.truth()).orders.length === 2);
    await story.kill();
    await story.start();
    expect(story.alerts().filter((code) => /diverged|damaged|fault/.test(code))).toEqual([]);
    expect(await story.known()).toEqual(await story.truth());
    const log = [...readFrameBatches(frameLogPath(story.paths.frames, STORY_DAY))].flat();
    const states = log.map((frame) => readNote(frame)?.state ?? 'price');
    const changes = states.filter((state, i) => state !== states[i - 1]);
    expect(changes.join(' ')).toMatch(/^live price down live price live/);
  });

  it('case 23: of a new connection shows no level of the book before, and entries wait for both sides', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }], noting('books'));
    story.offer('buy', 12_990, 1);
    story.offer('sell', 13_020, 1);
    await story.until(() => story.notes().includes('12990/13020'));
    story.fault({ name: 'lose_frame', channel: 'bid' });
    story.fault({ name: 'close_stream', code: 1006 });
    story.take('buy', 13_020, 1);
    story.offer('sell', 13_050, 1);
    await story.until(async () => !(await isLive(story)));
    const shown = story.notes().length;
    await recovers(story);
    story.print(13_001);
    await story.until(() => story.denials().length > 0);
    expect(story.denials()).toEqual(['book_unknown']);
    expect(story.notes().slice(shown), 'no book of one side').toEqual([]);
    story.simulator.faults.clear();
    story.offer('buy', 12_980, 1);
    await story.until(() => story.notes().length > shown);
    story.print(13_002);
    await story.until(async () => (await story.truth()).orders.length === 1);
    expect(story.moves).toEqual([PLACE]);
    expect(story.notes().slice(shown).join(' ')).not.toContain('13020');
  });

  it('case 24: a trade that is missing in the chain of volumes is a gap, and reported as one', async () => {
    const story = await running([{ ...RESTING, at: 13_000 }], noting('bars'));
    await story.until(async () => (await story.truth()).orders.length === 1);
    story.fault({ name: 'lose_frame', channel: 'trade', times: 1 });
    story.print(13_003);
    story.print(13_004);
    await story.until(() => story.entries.some(({ kind }) => kind === 'gap'));
    expect(story.entries).toContainEqual(expect.objectContaining({ kind: 'gap', missed: 1 }));
    await story.until(() => story.notes().length > 0);
    expect(story.notes(), 'the bar knows it').toEqual(['13000-13004 incomplete']);
  });

  it('case 25: a decision on prices that have grown old is denied, and each bar comes once, with its last trade', async () => {
    const story = await running(
      [
        { ...RESTING, after: 2 },
        { ...RESTING, at: 13_003 },
      ],
      (yaml) => noting('bars')(yaml).replace('dataAgeMax: 60s', 'dataAgeMax: 1s'),
    );
    story.print(13_001);
    await story.until(() => story.denials().length > 0);
    expect(story.denials()).toEqual(['data_stale']);
    story.print(13_002);
    story.print(13_003);
    await story.until(async () => (await story.truth()).orders.length === 1);
    expect(story.notes()).toEqual(['13000-13001', '13002-13003']);
    expect(story.moves).toEqual([PLACE]);
  });

  it('case 36: after a roll the old contract is silent, and no entry goes into it', async () => {
    const story = await running([{ ...RESTING, after: 2 }], noting('bars'));
    const old = story.simulator.frontMonth;
    story.print(13_001);
    await story.until(() => story.notes().length > 0);
    story.fault({ name: 'roll_contract' });
    expect(story.simulator.frontMonth).not.toBe(old);
    await story.until(() => kindsOf(story).includes('outcome'));
    expect((await story.truth()).orders, 'the broker refuses it').toEqual([]);
    await story.until(async () => (await story.known()).orders.length === 0);
    story.print(13_001);
    await story.until(() => story.calls.filter((call) => call.endsWith('/portfolio/status')).length > 8);
    expect(story.moves, 'it is not tried again').toEqual([PLACE]);
  });

  it('case 36: a position in the contract that expired is alerted, and settled as the broker does', async () => {
    const held: Step = { at: 13_001, do: 'buy', qty: 2, price: 13_010 };
    const story = await running([held]);
    await story.buys(2);
    story.fault({ name: 'roll_contract' });
    await story.until(() => story.alerts().includes('settled'));
    expect(await story.known()).toEqual({ orders: [], net: 0 });
    expect(await story.truth()).toEqual({ orders: [], net: 0 });
    expect(kindsOf(story)).not.toContain('position_mismatch');
    expect(story.moves).toEqual([PLACE]);
  });

  it('case 40: a maintenance that refuses every connection ends in the same orders and a live stream', async () => {
    const story = await running([
      { ...RESTING, at: 13_000 },
      { ...RESTING, at: 13_001, price: 12_910 },
    ]);
    await story.until(() => story.entries.some(({ kind }) => kind === 'outcome'));
    story.fault({ name: 'refuse_connections', scope: 'all' });
    await story.until(async () => !(await isLive(story)));
    expect(await story.known()).toMatchObject({ orders: [{ qty: 2, filledQty: 0 }], net: 0 });
    story.simulator.faults.clear();
    await recovers(story);
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 2);
    await story.until(async () => (await story.known()).orders.length === 2);
    expect(story.moves).toEqual([PLACE, PLACE]);
  });
});
