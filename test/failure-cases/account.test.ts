/** Orders and positions that come from elsewhere, and reports that come twice, late or not at all. */
import { describe, expect, it } from 'vitest';
import type { Step } from './support/scripted.ts';
import { PLACE, running, type Story } from './support/story.ts';

const RESTING: Step = { at: 13_001, do: 'buy', qty: 2, price: 12_900 };
const CROSSING: Step = { at: 13_001, do: 'buy', qty: 2, price: 13_010 };

const kindsOf = ({ entries }: Story): string[] => entries.map(({ kind }) => kind);

const isHalted = (each: Story, yes: boolean) =>
  each.until(async () => ((await each.view())?.halted !== null) === yes);

describe('the account', () => {
  it('case 4: cancel-all takes what the book shows, also an order that the daemon never placed', async () => {
    const story = await running([RESTING]);
    story.print(13_001);
    story.fault({ name: 'inject_order', symbol: 'front', side: 'sell', points: 1_350, volume: 1 });
    await story.until(async () => (await story.known()).orders.length === 2);
    story.daemon.command({ name: 'cancel_all', reason: 'the story' });
    await story.until(async () => (await story.known()).orders.length === 0);
    expect((await story.truth()).orders).toEqual([]);
  });

  it('case 4: a stop takes an order whose answer was lost and which the book hides at first', async () => {
    const story = await running([RESTING], (yaml) => yaml.replace('orders: keep', 'orders: cancel'));
    story.fault({ name: 'hide_new_order', seconds: 1, times: 1 });
    story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.print(13_001);
    await story.until(() => story.simulator.orders().length === 1);
    await story.stop();
    expect((await story.truth()).orders).toEqual([]);
  });

  it('case 16: a position that nothing explains blocks entries until a person resumes', async () => {
    const story = await running([RESTING]);
    story.fault({ name: 'inject_position', symbol: 'front', net: 3 });
    await story.until(() => kindsOf(story).includes('position_mismatch'));
    story.print(13_001);
    await story.until(() => kindsOf(story).includes('denied'));
    expect(story.moves).toEqual([]);
    story.daemon.command({ name: 'resume', reason: 'it is mine' });
    await story.until(async () => (await story.known()).net === 3);
  });

  it('case 18: frames that come twice, late or not at all leave the position as it is', async () => {
    const story = await running([CROSSING]);
    story.fault({ name: 'duplicate_frame' });
    story.fault({ name: 'reorder_frame', times: 3 });
    story.fault({ name: 'lose_frame', channel: 'offer', times: 2 });
    story.offer('sell', 13_010, 2);
    story.print(13_001);
    // A late frame is sent after the next one: more of them come.
    story.print(13_002);
    await story.until(async () => (await story.known()).net === 2);
    story.print(13_003);
    await story.until(() => story.calls.filter((call) => call.endsWith('/portfolio/status')).length > 3);
    expect(await story.known()).toEqual(await story.truth());
    expect(kindsOf(story).filter((kind) => kind === 'fill')).toHaveLength(1);
  });

  it('case 19: a fill that no frame showed is found by the read of the book, and nothing is closed twice', async () => {
    const story = await running([RESTING]);
    story.print(13_001);
    await story.until(async () => (await story.known()).orders.length === 1);
    story.fault({ name: 'lose_frame' });
    story.offer('sell', 12_900, 2);
    await story.until(async () => (await story.known()).net === 2);
    expect(await story.known()).toEqual(await story.truth());
    expect(story.moves).toEqual([PLACE]);
    story.simulator.faults.clear();
    story.daemon.command({ name: 'flatten', strategy: null, reason: 'the story' });
    story.offer('buy', 12_890, 9);
    await story.until(async () => (await story.known()).net === 0);
    const reads = story.calls.length;
    await story.until(() => story.calls.length > reads + 12);
    expect((await story.truth()).net, 'no more than was held').toBe(0);
  });

  it('case 35: an order of another channel is adopted, alerted, and not fought', async () => {
    const story = await running([]);
    story.fault({ name: 'inject_order', symbol: 'front', side: 'buy', points: 1_290, volume: 1 });
    await story.until(() => story.alerts().includes('order_adopted'));
    story.offer('sell', 12_900, 1);
    await story.until(async () => (await story.known()).net === 1);
    expect(await story.known()).toEqual(await story.truth());
    expect(story.moves).toEqual([]);
  });

  it.each([['own'], ['copied']] as const)(
    'stops the entries of a daemon that sees another one trade, and touches none of its orders: a state directory that is %s',
    async (state) => {
      const story = await running([RESTING, { ...RESTING, at: 13_002 }, { ...RESTING, at: 13_003 }]);
      const other = story.another(
        [
          { ...RESTING, at: 13_004 },
          { ...RESTING, at: 13_005 },
        ],
        state,
      );
      await other.start();
      story.print(13_001);
      await isHalted(other, true);
      expect(other.alerts().filter((code) => code === 'second_daemon')).toHaveLength(1);
      story.print(13_004);
      await other.until(() => other.denials().length > 0);
      expect(other.denials()).toEqual(['halted']);
      story.print(13_002);
      await other.until(async () => (await other.known()).orders.length === 2);
      other.daemon.command({ name: 'resume', reason: 'the old server is off' });
      await isHalted(other, false);
      expect([story.alerts(), (await story.truth()).orders.length]).toEqual([[], 2]);
      story.print(13_005);
      await isHalted(story, true);
      await story.until(async () => (await story.truth()).orders.length === 1);
      await other.until(async () => (await other.known()).orders.length === 1);
      expect(story.alerts().filter((code) => code === 'second_daemon')).toHaveLength(1);
      expect(await other.known(), 'its own works').toEqual(await story.truth());
      story.print(13_003);
      await story.until(() => story.denials().length > 0);
      expect(story.denials()).toEqual(['halted']);
    },
  );

  it('takes all away at the halt of a person all the same, and again after a kill', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }]);
    const other = story.another([{ ...RESTING, at: 13_004 }], 'own');
    await other.start();
    story.print(13_001);
    await isHalted(other, true);
    other.daemon.command({ name: 'halt', reason: 'news' });
    await story.until(async () => (await story.truth()).orders.length === 0);
    await other.kill();
    story.print(13_002);
    await story.until(async () => (await story.truth()).orders.length === 1);
    await other.start();
    await story.until(async () => (await story.truth()).orders.length === 0);
    await other.until(() => other.daemon.haltEnforcer.progress.status === 'proven');
    expect(other.daemon.halt.reason).toMatch(/^news; before it: a second daemon trades this account/);
  });

  it('knows its own orders again where another directory would not', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }]);
    story.print(13_001);
    await story.until(async () => (await story.known()).orders.length === 1);
    await story.kill();
    await story.start();
    story.print(13_002);
    await story.until(async () => (await story.known()).orders.length === 2);
    await story.stop();
    await story.start();
    await story.settled();
    expect([story.alerts(), (await story.view())?.halted]).toEqual([[], null]);
  });

  it('case 31: after a halt no order leaves, also not after a kill and a restart', async () => {
    const story = await running([RESTING, { ...RESTING, at: 13_002 }]);
    story.daemon.command({ name: 'halt', reason: 'the story' });
    story.print(13_001);
    await story.until(() => kindsOf(story).includes('denied'));
    await story.kill();
    await story.start();
    story.print(13_002);
    await story.until(() => kindsOf(story).includes('denied'));
    expect(story.moves).toEqual([]);
    expect(story.simulator.orders()).toEqual([]);
  });

  it('case 31: a resume counts also where a kill comes before the engine has read it', async () => {
    const story = await running([RESTING]);
    story.daemon.command({ name: 'halt', reason: 'the story' });
    await story.until(async () => (await story.view())?.halted === 'the story');
    story.daemon.journal.flush();
    story.daemon.command({ name: 'resume', reason: 'the story goes on' });
    await story.kill();
    await story.start();
    await story.until(async () => (await story.view())?.halted === null);
    expect(story.daemon.halt.reason).toBeNull();
    story.print(13_001);
    await story.until(async () => (await story.truth()).orders.length === 1);
  });
});
