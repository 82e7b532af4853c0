/** A flatten whose exit is lost, or that comes at a time when nothing can be taken back: it ends flat, and covered until then. */
import { describe, expect, it } from 'vitest';
import type { Step } from './support/scripted.ts';
import { PLACE, running, type Story } from './support/story.ts';

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

const stopsOf = ({ simulator }: Story): readonly number[] =>
  simulator.triggers().flatMap(({ status, qty }) => (status === 'pending' ? [Number(qty)] : []));
const isCovered = (story: Story) => (): boolean => stopsOf(story).join() === String(HELD);
const isFlat = (story: Story) => async (): Promise<boolean> =>
  (await story.truth()).net === 0 && (await story.known()).net === 0;
const textsOf = ({ entries }: Story, code: string): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === 'alert' && entry.code === code ? [entry.text] : []));
const soldOf = ({ simulator }: Story): number =>
  simulator.orders().reduce((sum, { side, filledQty }) => sum + (side === 'sell' ? filledQty : 0), 0);

/** Long, with a stop for all of it at the broker. */
async function holding(change: (yaml: string) => string, steps: readonly Step[] = [LONG]): Promise<Story> {
  const story = await running(steps, change);
  story.offer('sell', 13_010, HELD);
  story.print(13_001);
  await story.until(async () => (await story.known()).net === HELD);
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
    const story = await holding(change, steps);
    story.fault({ name: 'http_500', operation: 'place', times: 1 });
    flatten(story);
    await story.until(() => stopsOf(story).length === 0);
    await story.until(isCovered(story));
    expect(textsOf(story, 'flatten_waits').join()).toMatch(/answer.* was lost/);
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    await story.until(() => stopsOf(story).length === 0);
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
    await story.until(() => stopsOf(story).length === 0);
    expect(soldOf(story)).toBe(HELD);
  });

  it('is given up with the reason that it had, under a stop, and a second flatten closes', async () => {
    const story = await holding(guarded);
    story.fault({ name: 'http_500', operation: 'place' });
    flatten(story);
    await story.until(() => story.alerts().includes('flatten_failed'));
    expect(textsOf(story, 'flatten_failed').join()).toMatch(/answers? .*lost.* never arrived/);
    await story.until(isCovered(story));
    story.simulator.faults.clear();
    story.offer('buy', 13_010, HELD);
    flatten(story);
    await story.until(isFlat(story));
    expect(stopsOf(story)).toEqual([]);
  });

  it('does not stop a policy that flattens either', async () => {
    const story = await holding((yaml) => `${guarded(yaml)}policies: { after: 1s, streamDead: flatten }\n`);
    story.fault({ name: 'http_500', operation: 'place', times: 1 });
    story.fault({ name: 'refuse_connections', scope: 'stream' });
    story.fault({ name: 'close_stream', code: 1006 });
    await story.until(() => story.alerts().includes('order_proven_absent'));
    story.offer('buy', 13_010, HELD);
    await story.until(isFlat(story));
    expect(stopsOf(story)).toEqual([]);
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
