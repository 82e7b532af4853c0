/** A halt and protection over the real wire: what a halt leaves protects a position, also after a restart. */
import { expect, it } from 'vitest';
import type { Step } from './support/scripted.ts';
import { running, type Story } from './support/story.ts';

const HELD = 2;

/** Steps of a second strategy in the same contract. */
const beside =
  (steps: readonly Step[]) =>
  (yaml: string): string => {
    const at = yaml.indexOf('  - id: script');
    const second = yaml.slice(at).replace('id: script', 'id: opposed');
    return yaml + second.replace('steps: []', `steps: ${JSON.stringify(steps)}`);
  };

it('leaves the stops of two opposed strategies, whose net position is flat, after a kill too', async () => {
  const long: readonly Step[] = [
    { at: 13_001, do: 'buy', qty: HELD, price: 13_010 },
    { at: 13_003, do: 'sell', qty: HELD, price: 12_890, trigger: 12_900 },
  ];
  const short: readonly Step[] = [
    { at: 13_002, do: 'sell', qty: HELD, price: 12_990 },
    { at: 13_003, do: 'buy', qty: HELD, price: 13_110, trigger: 13_100 },
  ];
  const story = await running(long, beside(short));
  const held = async () =>
    (await story.view())?.strategies
      .map(({ positions }) => positions.map(({ qty }) => qty).join())
      .toSorted();
  const stops = () => story.simulator.triggers().filter(({ status }) => status === 'pending').length;
  story.offer('sell', 13_010, HELD);
  story.print(13_001);
  await story.until(async () => (await held())?.includes('2') === true);
  story.offer('buy', 12_990, HELD);
  story.print(13_002);
  await story.until(async () => (await held())?.includes('-2') === true);
  await story.until(() => story.hasReadPositions());
  story.print(13_003);
  await story.until(() => stops() === 2);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(() => story.daemon.sweep.progress.status === 'proven');
  expect(stops(), story.daemon.sweep.progress.text).toBe(2);
  await story.kill();
  await story.start();
  await story.until(() => story.daemon.sweep.progress.status === 'proven');
  expect(stops(), story.daemon.sweep.progress.text).toBe(2);
});

it('is in the next view that is asked for, as any command is', async () => {
  const story = await running([]);
  story.daemon.command({ name: 'halt', reason: 'the story' });
  expect((await story.view())?.halted).toBe('the story');
});

const RESTING: Step = { at: 13_001, do: 'buy', qty: 1, price: 12_990 };
const sweptOf = (story: Story) => story.daemon.sweep.progress;

/** An order at the broker, or in its trigger book, which the broker has accepted. */
async function withEntry(step: Step): Promise<Story> {
  const story = await running([step]);
  story.print(13_001);
  await story.until(async () => (await story.view())?.orders[0]?.orderNo !== null);
  await story.until(async () => (await story.truth()).orders.length === 1);
  await story.until(() => story.entries.some(({ kind }) => kind === 'outcome'));
  return story;
}

const isProven = (story: Story): boolean => sweptOf(story).status === 'proven';

it('is not proven while the row of a canceled order says that it can be canceled', async () => {
  const story = await withEntry(RESTING);
  story.fault({ name: 'contradict_status', status: 'PWX' });
  story.daemon.command({ name: 'halt', reason: 'the story' });
  await story.until(async () => (await story.truth()).orders.length === 0 || isProven(story));
  expect((await story.truth()).orders, sweptOf(story).text).toEqual([]);
});
