/** A stop of the process that finds no engine, or one that knows nothing yet. */
import { expect, it, onTestFinished } from 'vitest';
import { engineHere } from './support/engine-here.ts';
import { Story } from './support/story.ts';

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
