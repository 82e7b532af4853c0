/** Sweeps on a real server: equal to one thread, whatever happens to workers, coordinator, queue and server. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openCluster } from '../../../src/cluster/connection.ts';
import { openClusterPool } from '../../../src/cluster/searches/coordinator.ts';
import { batchOf, jobOf, sha256 } from '../../../src/cluster/searches/job.ts';
import { Searches } from '../../../src/cluster/searches/streams.ts';
import {
  readSharedColumns,
  sweepFingerprint,
  type TrialPool,
  type TrialPoolOptions,
} from '../../../src/research/sweep/trial-pool.ts';
import type { SweepPlace } from '../../research/sweep/sweep-place.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { type NatsServer, natsServer, WITHOUT_NATS } from '../../support/nats-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import {
  connected,
  poolHere,
  SECTION,
  startWorker,
  swept,
  sweepPlace,
  TRIALS,
  walkPlace,
} from './cluster-place.ts';

beforeEach(({ skip }) => skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? ''));

/** The job that `swept` makes of a place. */
async function jobAt(place: SweepPlace) {
  const backtest = await loadedBacktest(place.file);
  const columns = readSharedColumns(backtest);
  return jobOf({
    backtest,
    columns,
    fingerprint: sweepFingerprint(backtest),
    workers: 1,
    eventMsMax: 20_000,
  });
}

test.each([1, 2, 4])('%i workers find what one thread finds, byte for byte', async (workers) => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  const alone = await swept(server, place, { pool: poolHere() });
  const started = await Promise.all(Array.from({ length: workers }, () => startWorker(server)));
  const there = await swept(server, place);
  expect(there.found.digest).toBe(alone.found.digest);
  expect(there.files).toEqual(alone.files);
  expect(Object.keys(there.files)).toEqual(
    expect.arrayContaining(['trials.csv', 'sweep.json', 'report.html']),
  );
  expect(started.flatMap(({ ran }) => ran)).toHaveLength(TRIALS);
  // On a busy machine one worker may find all of them taken.
  const busy = started.filter(({ ran }) => ran.length > 0);
  for (const { said } of busy) expect(said[0]).toMatch(/^takes trials of .+@.+run\.yaml$/);
});

test('a sweep that has ended starts again with a worker that did not know it', async () => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  const first = await startWorker(server);
  const before = await swept(server, place);
  await first.stop();
  const second = await startWorker(server);
  const again = await swept(server, place, { fresh: true });
  expect(again.files).toEqual(before.files);
  expect(second.ran).toHaveLength(TRIALS);
});

test('walk-forward windows of a strategy from a file go the same way', async () => {
  const server = await natsServer();
  const place = walkPlace();
  const alone = await swept(server, place, { pool: poolHere() });
  await startWorker(server, { threads: 2 });
  const there = await swept(server, place);
  expect(there.files).toEqual(alone.files);
  expect(Object.keys(there.files)).toContain('trials.csv');
  expect(there.found.walkForward!.windows.length).toBeGreaterThan(1);
});

test('a trial that fails three times is set aside with its error; all others have results, and a later start runs it alone', async () => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  let tries = 0;
  const worker = await startWorker(server, {
    around: (task, run) => {
      if (
        task.params['ema']!['fast'] !== 5 ||
        task.params['ema']!['slow'] !== 30 ||
        task.params['ema']!['direction'] !== 'long'
      )
        return run();
      tries += 1;
      throw new Error('out of luck');
    },
  });
  await expect(swept(server, place)).rejects.toThrow(
    /^1 trial of 12 set aside after three tries, first: out of luck/,
  );
  expect(tries).toBe(3);
  await worker.stop();
  const healthy = await startWorker(server);
  const { found } = await swept(server, place);
  expect(healthy.ran).toHaveLength(1);
  expect(found.trials).toHaveLength(TRIALS);
});

test('a coordinator that died finds what is done when it comes back', async () => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  const alone = await swept(server, place, { pool: poolHere() });
  const worker = await startWorker(server);
  const died = swept(server, place, {
    onDone: (done) => {
      if (done === 5) throw new Error('killed');
    },
  });
  await expect(died).rejects.toThrow('killed');
  expect((await swept(server, place)).files).toEqual(alone.files);
  expect(worker.ran).toHaveLength(TRIALS);
});

test('two coordinators of one sweep share its results', async () => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  await startWorker(server);
  const [one, two] = await Promise.all([swept(server, place), swept(server, place)]);
  expect(two.files).toEqual(one.files);
});

test.each(['kept', 'empty'] as const)(
  'a server that is killed and comes back with a store that is %s costs no trial',
  async (store) => {
    const server = await natsServer();
    const place = sweepPlace(SECTION);
    const alone = await swept(server, place, { pool: poolHere() });
    const worker = await startWorker(server);
    const notes: string[] = [];
    let isKilled = false;
    const there = await swept(server, place, {
      notes,
      onDone: (done) => {
        if (done < 5 || isKilled) return;
        isKilled = true;
        void server.kill().then(() => server.start(store));
      },
    });
    expect(there.files).toEqual(alone.files);
    expect(there.found.ran).toBe(TRIALS);
    expect(worker.ran.length).toBeGreaterThanOrEqual(TRIALS);
  },
);

test.each(['a person empties', 'another sweep of the backtest ends with'])(
  'a queue that %s is filled again, and nobody blames the server',
  async (who) => {
    const server = await natsServer();
    const place = sweepPlace(SECTION);
    const { id } = await jobAt(place);
    const cluster = await connected(server);
    const { jsm } = cluster;
    const notes: string[] = [];
    const done = swept(server, place, { notes });
    await vi.waitFor(async () => {
      const { num_pending: waiting } = await jsm.consumers.info('TICKWRIGHT_TRIALS', id);
      expect(waiting).toBeGreaterThan(0);
    });
    if (who === 'a person empties') await jsm.streams.purge('TICKWRIGHT_TRIALS');
    else await (await Searches.open(cluster)).end(id);
    await startWorker(server);
    expect((await done).found.trials).toHaveLength(TRIALS);
    expect(notes).toEqual([]);
  },
);

/** A sweep as its coordinator has set it up, without its trials. */
async function setUp(server: NatsServer, place: SweepPlace): Promise<Searches> {
  const cluster = await connected(server);
  const backtest = await loadedBacktest(place.file);
  await openClusterPool(cluster, {
    backtest,
    columns: readSharedColumns(backtest),
    fingerprint: sweepFingerprint(backtest),
    workers: 1,
    eventMsMax: 20_000,
    fresh: false,
    note: () => undefined,
  });
  return Searches.open(cluster);
}

test('the first result of a trial stays, and a batch that comes twice runs once', async () => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  const { id } = await jobAt(place);
  const searches = await setUp(server, place);
  await searches.keep(id, 'one', { error: 'first', ms: 1 });
  await searches.keep(id, 'one', { error: 'second', ms: 2 });
  expect([...(await searches.read(id, 1)).found]).toEqual([['one', { error: 'first', ms: 1 }]]);
  const batch = batchOf([3, 5].map((fast) => ({ params: { ema: { fast } }, days: null })));
  for (const _ of [1, 2]) await searches.publish(id, batch);
  const worker = await startWorker(server);
  await vi.waitFor(async () => {
    const { num_pending: waiting, num_ack_pending: inWork } = await searches.state(id);
    expect(waiting + inWork).toBe(0);
  });
  expect(worker.ran).toHaveLength(2);
  expect((await searches.read(id, 1)).found.size).toBe(3);
});

test('a search that is read for long leaves nothing behind in the connection', async () => {
  const cluster = await connected(await natsServer());
  const searches = await Searches.open(cluster);
  const { subs } = (
    cluster.nc as unknown as { protocol: { subscriptions: { subs: ReadonlyMap<number, unknown> } } }
  ).protocol.subscriptions;
  await searches.read('any', 1);
  const before = subs.size;
  for (let round = 0; round < 20; round += 1) await searches.read('any', 1);
  expect(subs.size).toBe(before);
});

test('a batch that comes back finds a worker that came later, and workers that are stopped count as no try', async () => {
  const server = await natsServer();
  const place = sweepPlace('sweep: { tradesMin: 0, parameters: { ema: { fast: [3] } } }');
  const { id } = await jobAt(place);
  const done = swept(server, place);
  const { js } = await connected(server);
  await vi.waitFor(async () => {
    const queue = await js.consumers.get('TICKWRIGHT_TRIALS', id);
    const message = await queue.next({ expires: 1_000 });
    message!.nak();
  });
  for (let stops = 0; stops < 6; stops += 1)
    await new Promise<void>((resolve, reject) => {
      const run = (): Promise<void> => {
        void worker.then((started) => started.stop()).then(resolve, reject);
        return new Promise(() => undefined);
      };
      const worker = startWorker(server, { openPool: async () => ({ run, close: () => Promise.resolve() }) });
    });
  await startWorker(server);
  expect((await done).found.trials).toHaveLength(1);
});

test('messages of strangers change nothing', async () => {
  const server = await natsServer();
  const place = sweepPlace(SECTION);
  const { id } = await jobAt(place);
  const notes: string[] = [];
  const done = swept(server, place, { notes });
  const { js, jsm, nc } = await connected(server);
  await vi.waitFor(() => jsm.consumers.info('TICKWRIGHT_TRIALS', id));
  for (const text of ['garbage', 'null', '{}']) {
    nc.publish('tickwright.workers', text);
    await js.publish(`tickwright.results.${id}.${text === '{}' ? 'empty' : text}`, text);
    await js.publish(`tickwright.trials.${id}`, text);
  }
  await js.publish(`tickwright.trials.${id}`, '{"params":[1],"span":null}');
  await jsm.consumers.add('TICKWRIGHT_TRIALS', {
    durable_name: 'theirs',
    filter_subject: 'tickwright.trials.theirs',
    ack_policy: 'explicit',
  });
  await js.publish('tickwright.trials.theirs', 'work of another program');
  const worker = await startWorker(server);
  expect((await done).found.trials).toHaveLength(TRIALS);
  expect(notes).toEqual([]);
  expect(worker.said).toHaveLength(1);
});

test('a result that is too large for the server is set aside with a sentence', async () => {
  const server = await natsServer('max_payload: 500');
  await startWorker(server);
  await expect(swept(server, sweepPlace(SECTION))).rejects.toThrow(
    /expected a result of \d+ bytes at most, was \d+: raise max_payload of the server/,
  );
});

const usersWith = (password: string): string =>
  `authorization { users: [{ user: a, password: ${password} }] }`;

test('a worker whose user the server no longer takes ends with that sentence', async () => {
  const server = await natsServer(usersWith('right'));
  const cluster = await openCluster({ url: server.url, user: 'a', password: 'right' }, 'worker');
  await Searches.open(cluster);
  const { ended } = await startWorker(server, { cluster });
  await Promise.all([
    expect(ended).rejects.toThrow(/Authorization Violation: check user and password/),
    server.kill().then(() => server.start('kept', usersWith('wrong'))),
  ]);
});

test('another build is refused in a sentence on both sides', async () => {
  const server = await natsServer();
  const searches = await Searches.open(await connected(server));
  const job = await jobAt(sweepPlace(SECTION));
  await searches.announce({ ...job, id: 'theirs', build: 'older', whose: 'them@there' });
  const worker = await startWorker(server);
  await vi.waitFor(() => {
    expect(worker.said).toEqual([
      expect.stringMatching(
        /^a sweep of them@there is refused: expected build .+, was older on .+: install the same on both$/,
      ),
    ]);
  });
  const { nc } = await connected(server);
  const notes: string[] = [];
  const done = swept(server, sweepPlace(SECTION), { notes });
  const beat = { id: 'other', host: 'there', threads: 4, build: 'older', node: 'v1', trouble: '' };
  await vi.waitFor(() => {
    nc.publish('tickwright.workers', JSON.stringify(beat));
    expect(notes).toEqual([
      expect.stringMatching(
        /^the worker on there takes no trial: expected build .+, was older on v1: install the same there$/,
      ),
    ]);
  });
  await done;
});

test('columns are fetched into a file of their hash, and a file that was changed is fetched again', async () => {
  const server = await natsServer();
  const cache = tempDir();
  const first = await startWorker(server, { cache });
  await swept(server, sweepPlace(SECTION));
  await first.stop();
  const [name] = readdirSync(cache);
  const isWhole = (): boolean => sha256(readFileSync(join(cache, name!))) === name;
  expect(isWhole()).toBe(true);
  writeFileSync(join(cache, name!), 'not these');
  const second = await startWorker(server, { cache });
  const { found } = await swept(server, sweepPlace(SECTION), { fresh: true });
  expect([found.ran, second.said.filter((text) => text.includes('expected bytes'))]).toEqual([TRIALS, []]);
  expect([readdirSync(cache), isWhole()]).toEqual([[name], true]);
});

test('a store without room is said in a sentence', async () => {
  const server = await natsServer('', 'max_file_store: 4096');
  await expect(swept(server, sweepPlace(SECTION))).rejects.toThrow(
    /insufficient resources: its store is full: give it more/,
  );
});

test('a user who may not send trials is told what to allow', async () => {
  const server = await natsServer(`authorization { users: [
    { user: a, password: b, permissions: { publish: ["$JS.API.>", "$O.>", "$JS.ACK.>"], subscribe: ">" } }
  ] }`);
  const cluster = await openCluster({ url: server.url, user: 'a', password: 'b' }, 'test');
  const backtest = await loadedBacktest(sweepPlace(SECTION).file);
  const columns = readSharedColumns(backtest);
  const pool = await openClusterPool(cluster, {
    backtest,
    columns,
    fingerprint: sweepFingerprint(backtest),
    workers: 1,
    eventMsMax: 1_000,
    fresh: false,
    note: () => undefined,
  });
  await expect(pool.run([{ params: { ema: { fast: 3 } }, days: null }], () => undefined)).rejects.toThrow(
    /Permissions Violation.*tickwright\.trials.*allow it to this user/,
  );
  await cluster.close();
});

test('a store that is full for a while is waited for', async () => {
  const server = await natsServer('', 'max_file_store: 2M');
  const place = sweepPlace(SECTION);
  const { jsm, js } = await connected(server);
  const isTaken = (bytes: number): Promise<boolean> =>
    js.publish('filler', new Uint8Array(bytes)).then(
      () => true,
      () => false,
    );
  const isWaiting = (): boolean => worker.said.some((text) => text.includes('its store is full'));
  const freed: Promise<void>[] = [];
  /** Full until the worker has met it: what it takes from the queue makes room. */
  const free = async (): Promise<void> => {
    while (!isWaiting()) await isTaken(10);
    await jsm.streams.delete('FILLER');
  };
  const openPool = async (options: TrialPoolOptions): Promise<TrialPool> => {
    const pool = await poolHere()(options);
    return {
      ...pool,
      async run(tasks, onDone) {
        if (freed.length === 0) {
          await jsm.streams.add({ name: 'FILLER', subjects: ['filler'] });
          for (const bytes of [100_000, 1_000, 10]) while (await isTaken(bytes));
          freed.push(free());
        }
        await pool.run(tasks, onDone);
      },
    };
  };
  const worker = await startWorker(server, { openPool });
  const there = await swept(server, place);
  await Promise.all(freed);
  expect(isWaiting()).toBe(true);
  expect(there.found.ran).toBe(TRIALS);
});
