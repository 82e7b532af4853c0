/** A stop of the process that finds no engine, or one that knows nothing yet. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineHere } from './support/engine-here.ts';
import { running, Story } from './support/story.ts';

it('asked before the first session opens none, and says that nothing was closed', async () => {
  const story = await Story.open([], {}, (yaml) =>
    yaml.replace('orders: keep', 'orders: cancel, positions: flatten'),
  );
  onTestFinished(() => story.close());
  for (const operation of ['contracts', 'derivatives'] as const) story.fault({ name: 'http_500', operation });
  let engines = 0;
  story.launch({
    startEngine: (data) => {
      engines += 1;
      return engineHere(data);
    },
  });
  await story.until(() => story.calls.some((call) => call.includes('derivatives')));
  await story.daemon.stop('SIGINT');
  expect(story.alerts()).toEqual(['stop_incomplete']);
  story.simulator.faults.clear();
  await story.until(() => story.daemon.edge.table.contracts.length > 0);
  await new Promise((resolve) => setImmediate(resolve));
  expect([engines, story.daemon.sessionDay]).toEqual([0, undefined]);
});

it('leaves the stop of an entry that filled unseen before it', async () => {
  const steps = [
    { at: 13_001, do: 'buy', price: 12_950 },
    { at: 13_002, do: 'sell', price: 12_890, trigger: 12_900 },
  ] as const;
  const story = await running(steps, (yaml) => yaml.replace('orders: keep', 'orders: cancel'));
  story.print(13_001);
  await story.until(async () => (await story.known()).orders.length === 1);
  story.print(13_002);
  await story.until(async () => (await story.truth()).orders.length === 2);
  await story.settled();
  await story.kill();
  story.offer('sell', 12_950, 1);
  await story.until(async () => (await story.truth()).net === 1);
  story.launch();
  await story.until(() => story.daemon.sessionDay !== undefined);
  await story.daemon.stop('SIGINT');
  expect([(await story.known()).net, story.stops()]).toEqual([1, [1]]);
});

const closing = (yaml: string): string =>
  yaml
    .replace('positions: 1s', 'positions: 200ms')
    .replace('orders: keep', 'orders: keep, positions: flatten')
    .replace('risk: {', 'risk: { protectiveStop: { distanceTicks: 200 },');

describe('a stop that closes positions, and is killed before its exit has filled', () => {
  const steps = [{ at: 13_001, do: 'buy', qty: 2, price: 13_010 }] as const;
  it.each(['is known', 'has no answer'])('leaves no exit that %s, a stop and an alert', async (exit) => {
    const story = await running(steps, closing);
    await story.buys(2);
    await story.until(() => story.stops().length === 1 && story.hasReadPositions());
    if (exit === 'has no answer') story.fault({ name: 'accept_then_drop', operation: 'place', times: 1 });
    story.daemon.command({ name: 'stop', reason: 'the story' });
    const isSelling = async () => (await story.truth()).orders.some(({ side }) => side === 'sell');
    await story.until(async () => story.stops().length === 0 && (await isSelling()));
    if (exit === 'is known') await story.until(async () => (await story.known()).orders.length === 1);
    story.daemon.journal.flush();
    await story.kill();
    await story.start();
    await story.until(async () => story.stops().length === 1 && (await story.truth()).orders.length === 1);
    expect(story.alerts()).toContain('flatten_dropped');
    expect(await story.truth()).toMatchObject({ net: 2 });
  });
});
