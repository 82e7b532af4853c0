import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openCluster } from '../../src/cluster/connection.ts';
import {
  BEAT,
  encodeBatch,
  feedStream,
  feedSubject,
  SILENCE,
  TERMS,
} from '../../src/cluster/feed-messages.ts';
import { recordFeed, readTerms } from '../../src/cluster/feed-reader.ts';
import { milliseconds, seq, tsUs } from '../../src/domain/units.ts';
import { frameRecords } from '../../src/recording/frame-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { natsServer, WITHOUT_NATS } from '../support/nats-server.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';
import { FEED, frames, Publishing, Reading } from './feed-fixture.ts';

const until = (look: () => void): Promise<void> => vi.waitFor(look, { interval: 10 });
const numbers = (to: number, from = 1): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

beforeEach((context) => context.skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? ''));

const fail = (): never => {
  throw new Error('database or disk is full');
};

const usersWith = (password: string): string =>
  `authorization { users: [{ user: daemon, password: ${password} }] }`;

/** A feed on a server of its own, with a reader. */
async function published() {
  const server = await natsServer();
  return { server, sent: new Publishing(server), read: new Reading(server) };
}

describe('a feed', () => {
  test('a newcomer reads the history, then what comes', async () => {
    const server = await natsServer();
    const sent = new Publishing(server);
    sent.take(frames(1, 500));
    const early = new Reading(server);
    await until(() => expect(early.seqs).toEqual(numbers(500)));
    const late = new Reading(server);
    await until(() => expect(late.heard.at(-1)).toEqual('caught up'));
    sent.take(frames(501, 600));
    await until(() => expect(late.seqs).toEqual(numbers(600)));
    await until(() => expect(early.seqs).toEqual(numbers(600)));
    expect(late.records).toEqual(frames(1, 600));
    expect(sent.alerts).toEqual([]);
  });

  test('a server that dies and comes back loses nothing and gives nothing twice', async () => {
    const { server, sent, read } = await published();
    for (const round of [0, 1, 2]) {
      sent.take(frames(round * 2_000 + 1, round * 2_000 + 1_000));
      await server.kill();
      sent.take(frames(round * 2_000 + 1_001, round * 2_000 + 2_000));
      await server.start();
    }
    await until(() => expect(read.seqs).toHaveLength(6_000));
    expect(read.seqs).toEqual(numbers(6_000));
    expect(read.heard.filter((line) => line.startsWith('gap'))).toEqual([]);
  });

  test('a server that comes back empty gets a feed again, which readers follow behind a gap', async () => {
    const { server, sent, read } = await published();
    sent.take(frames(1, 100));
    await until(() => expect(read.seqs).toEqual(numbers(100)));
    await server.kill();
    await server.start('empty');
    sent.take(frames(101, 200));
    await until(() => expect(read.seqs).toEqual(numbers(200)));
    expect(sent.alerts).toEqual([
      `warning feed_store_lost: ${server.url} has lost feed test: its history begins here`,
    ]);
  });

  test('a server that is away for long is alerted once, with its all-clear; what is beyond the buffer is a gap', async () => {
    const server = await natsServer();
    const sent = new Publishing(server, { bufferBytesMax: 10_000 });
    const read = new Reading(server);
    sent.take(frames(1, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    await server.kill();
    sent.take(frames(11, 1_000));
    await until(() => expect(sent.alerts).toHaveLength(1));
    await server.start();
    await until(() => expect(read.seqs.at(-1)).toBe(1_000));
    const missed = 1_000 - read.seqs.length;
    expect(missed).toBeGreaterThan(0);
    expect(read.seqs).toEqual([...numbers(10), ...read.seqs.slice(10)]);
    expect(read.heard.filter((line) => line.startsWith('gap'))).toHaveLength(1);
    await until(() => expect(sent.alerts).toHaveLength(2));
    expect(sent.alerts[0]).toMatch(
      /^warning feed_not_published: feed test: nats.*; prices wait for it in memory/,
    );
    expect(sent.alerts[1]).toBe(
      `info feed_published: feed test is published again: readers miss ${missed} records`,
    );
    expect(sent.losses).toBe(1);
  });

  test('a publisher that was killed is silent, for who reads it and for who comes later, until it gives a sign of life', async () => {
    const server = await natsServer();
    const sent = new Publishing(server);
    const live = { kind: 'stream', seq: seq(1), tsUs: tsUs(1), state: 'live', reason: 'a story' } as const;
    sent.publisher.note(live);
    const early = new Reading(server);
    await until(() => expect(early.isAlive).toBe(true));
    const heard = early.heard.length;
    early.timers.advance(BEAT);
    sent.timers.advance(BEAT);
    await until(() => expect(early.heard).toHaveLength(heard + 1));
    early.timers.advance(SILENCE - 1);
    expect(early.isAlive).toBe(true);
    early.timers.advance(1);
    expect(early.heard.at(-1)).toBe('down: the publisher of feed test gives no sign of life');
    const late = new Reading(server, { silenceMax: milliseconds(0) });
    await until(() => expect(late.heard.at(-1)).toBe('caught up'));
    expect(late.isAlive).toBe(false);
    sent.timers.advance(BEAT);
    await until(() => expect(early.isAlive).toBe(true));
    expect(new Set(early.heard.filter((line) => line.startsWith('publisher')))).toEqual(
      new Set(['publisher: a story']),
    );
  });

  test('each message is a sign of life to a reader that is behind', async () => {
    const server = await natsServer();
    const heard: (string | null)[] = [];
    const timers = new VirtualTimers();
    const listener = {
      // Two messages take it as long as the publisher may be silent.
      onRecords: () => timers.advance(SILENCE / 2),
      onGap: fail,
      onCaughtUp: (silence: string | null) => heard.push(silence),
      onDown: (reason: string) => heard.push(reason),
    };
    new Publishing(server).take(frames(1, 1));
    const { reader } = new Reading(server, { listener, timers });
    await until(() => expect(heard.at(-1)).toBeNull());
    const before = heard.length;
    const begin = timers.nowUs();
    const cluster = await openCluster(server, 'as the publisher');
    const messages = numbers(50, 2).map((first) =>
      encodeBatch({ epoch: 'first', first, records: frames(first, first) }),
    );
    await Promise.all(
      messages.map(({ msgID, payload }) => cluster.js.publish(feedSubject(FEED), payload, { msgID })),
    );
    await until(() => expect(timers.nowUs()).toBe(begin + 49 * (SILENCE / 2)));
    expect(heard).toHaveLength(before);
    await reader.close();
    await cluster.close();
  });

  test('a publisher that starts again begins a count of its own', async () => {
    const server = await natsServer();
    const before = new Publishing(server);
    const read = new Reading(server);
    before.take(frames(1, 10));
    await before.publisher.close();
    new Publishing(server, { epoch: 'second' }).take(frames(11, 20));
    await until(() => expect(read.seqs).toEqual(numbers(20)));
    for (const line of [
      'publisher: its daemon has stopped',
      'gap: the publisher of feed test has started again',
    ])
      expect(read.heard).toContain(line);
  });

  test('of two daemons that publish it the one that began last goes on; the other says so and stops', async () => {
    const server = await natsServer();
    const forgotten = new Publishing(server, { epoch: 'forgotten' });
    const read = new Reading(server);
    forgotten.take(frames(1, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    const sent = new Publishing(server);
    sent.take(frames(11, 15));
    await until(() => expect(read.seqs).toEqual(numbers(15)));
    forgotten.take(frames(901, 910));
    await until(() => expect(forgotten.alerts).toHaveLength(1));
    expect(forgotten.alerts[0]).toMatch(/^warning feed_taken: nats.*another daemon publishes feed test/);
    const cluster = await openCluster(server, 'stranger');
    await cluster.js.publish(feedSubject(FEED), 'garbage');
    await cluster.close();
    forgotten.take(frames(911, 920));
    sent.take(frames(16, 20));
    await until(() => expect(read.seqs).toEqual(numbers(20)));
    expect(sent.alerts).toEqual([]);
  });

  test('a stream that somebody deletes begins again, and readers follow', async () => {
    const { server, sent, read } = await published();
    sent.take(frames(1, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    const cluster = await openCluster(server, 'person');
    await cluster.jsm.streams.delete(feedStream(FEED));
    await cluster.close();
    sent.take(frames(11, 20));
    await until(() => expect(read.seqs).toEqual(numbers(20)));
  });

  test('a server that forgets the last messages in a power cut costs readers those alone', async () => {
    const { server, sent, read } = await published();
    sent.take(frames(1, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    await server.kill();
    server.save();
    await server.start();
    await until(() => expect(read.heard.at(-1)).toBe('caught up'));
    for (const number of [11, 12, 13]) {
      sent.take(frames(number, number));
      await until(() => expect(read.seqs).toEqual(numbers(number)));
    }
    await server.kill();
    await server.start('saved');
    await until(() => expect(read.heard.at(-1)).toBe('caught up'));
    sent.take(frames(14, 14));
    await until(() => expect(read.seqs).toEqual(numbers(14)));
    expect(sent.alerts).toEqual([]);
  });

  test('a server that refuses the user for a while is a connection that is opened again', async () => {
    const server = await natsServer(usersWith('right'));
    const login = { url: server.url, user: 'daemon', password: 'right' };
    const sent = new Publishing(login);
    const read = new Reading(login);
    sent.take(frames(1, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    await server.kill();
    await server.start('kept', usersWith('wrong'));
    await until(() =>
      expect(read.heard.at(-1)).toMatch(
        /Authorization Violation: check user and password, or the file of credentials$/,
      ),
    );
    sent.take(frames(11, 20));
    await server.kill();
    await server.start();
    await until(() => expect(read.seqs).toEqual(numbers(20)));
    expect(read.heard.filter((line) => line.startsWith('gap'))).toEqual([]);
  });

  test('frames of many bytes a character cross it; one that fits into no message is a gap', async () => {
    const { sent, read } = await published();
    const wide = frames(1, 1_000).map((each) => ({ ...each, text: 'ặ'.repeat(1_000) }));
    sent.take([
      ...wide,
      { ...frames(1_001, 1_001)[0]!, text: 'x'.repeat(2_000_000) },
      ...frames(1_002, 1_005),
    ]);
    await until(() => expect(read.seqs.at(-1)).toBe(1_005));
    expect(read.seqs).toEqual([...numbers(1_000), ...numbers(1_005, 1_002)]);
    expect(read.heard).toContain('gap: feed test lacks records 1001 to 1001');
  });

  test('what a listener throws is its own failure: the reader ends with it, and says nothing of the server', async () => {
    const server = await natsServer();
    new Publishing(server).take(frames(1, 1));
    const heard: string[] = [];
    const hear = (reason = 'caught up'): number => heard.push(reason);
    const listener = { onRecords: fail, onGap: hear, onCaughtUp: () => hear(), onDown: hear };
    const { reader } = new Reading(server, { listener });
    await expect(reader.ended).rejects.toThrow(/^database or disk is full$/);
    expect(heard.filter((text) => text.includes('disk'))).toEqual([]);
  });

  test('a reader that is closed while it connects ends', async () => {
    const server = await natsServer();
    new Publishing(server).take(frames(1, 1));
    const read = new Reading(server);
    await until(() => expect(read.seqs).toEqual([1]));
    const late = new Reading(server);
    await late.reader.close();
    expect(late.seqs).toEqual([]);
  });

  test('a reader that stops for a while keeps nobody else', async () => {
    const server = await natsServer();
    const sent = new Publishing(server);
    const gate = { isOpen: false };
    const read = new Reading(server);
    const slow = new Reading(server, {
      open: async () => {
        const cluster = await openCluster(server, 'slow');
        await until(() => expect(gate.isOpen).toBe(true));
        return cluster;
      },
    });
    sent.take(frames(1, 5_000));
    await until(() => expect(read.seqs).toEqual(numbers(5_000)));
    expect(slow.seqs).toEqual([]);
    gate.isOpen = true;
    await until(() => expect(slow.seqs).toEqual(numbers(5_000)));
  });
});

const USERS = `authorization { users: [
  { user: publisher, password: secret }
  { user: reader, password: secret, permissions: {
      publish: ["$JS.API.INFO", "$JS.API.STREAM.INFO.TICKWRIGHT_FEED_test", "$JS.API.STREAM.MSG.GET.TICKWRIGHT_FEED_test",
        "$JS.API.CONSUMER.*.TICKWRIGHT_FEED_test.>", "$JS.API.CONSUMER.MSG.NEXT.TICKWRIGHT_FEED_test.>"]
      subscribe: "_INBOX.>" } }
] }`;

test('a recording that ends amid the feed leaves no day that looks whole, and can begin again', async () => {
  const server = await natsServer();
  const sent = new Publishing(server);
  const read = new Reading(server);
  const dir = tempDir();
  const access = { name: FEED, open: () => openCluster(server, 'recorder') };
  sent.take(frames(1, 10));
  await until(() => expect(read.seqs).toEqual(numbers(10)));
  const cluster = await openCluster(server, 'hole');
  await cluster.js.publish(feedSubject(FEED), frameRecords(frames(12, 12)), { msgID: 'first.12' });
  await expect(recordFeed(access, dir, 420)).rejects.toThrow(/lacks records 11 to 11/);
  expect(readdirSync(dir)).toEqual([]);
  await cluster.jsm.streams.deleteMessage(feedStream(FEED), 2);
  await cluster.close();
  expect([...(await recordFeed(access, dir, 420)).values()]).toEqual([10]);
});

test('a recording leaves out the day whose begin the server no longer has', async () => {
  const server = await natsServer();
  const sent = new Publishing(server);
  const read = new Reading(server);
  const nextDay = tsUs(86_400_000_000);
  for (const records of [
    frames(1, 10),
    frames(11, 20),
    frames(21, 30).map((each) => ({ ...each, tsUs: nextDay })),
  ]) {
    sent.take(records);
    await until(() => expect(read.seqs.at(-1)).toBe(records.at(-1)!.seq));
  }
  const cluster = await openCluster(server, 'retention');
  await cluster.jsm.streams.purge(feedStream(FEED), { seq: 2 });
  await cluster.close();
  const dir = tempDir();
  const days = await recordFeed({ name: FEED, open: () => openCluster(server, 'recorder') }, dir, 0);
  expect([...days]).toEqual([
    ['1970-01-01', null],
    ['1970-01-02', 10],
  ]);
  expect(readdirSync(dir)).toEqual(['1970-01-02.frames']);
});

describe('a feed that cannot be published', () => {
  test('a user that may only read reads, and cannot publish', async () => {
    const { url } = await natsServer(USERS);
    const reader = { url, user: 'reader', password: 'secret' };
    new Publishing({ url, user: 'publisher', password: 'secret' }).take(frames(1, 50));
    const read = new Reading(reader);
    await until(() => expect(read.seqs).toEqual(numbers(50)));
    const sent = new Publishing(reader, { epoch: 'intruder' });
    sent.take(frames(51, 60));
    await until(() => expect(sent.alerts).toHaveLength(1));
    expect(sent.alerts[0]).toMatch(
      /feed_not_published.*Permissions Violation for Publish to "\$JS\.API\.STREAM\.[A-Z]+\..*allow it to this user/,
    );
    const cluster = await openCluster(reader, 'intruder');
    const { streams, consumers } = cluster.jsm;
    for (const forbidden of [
      () => cluster.js.publish(feedSubject(FEED), 'x'),
      () => streams.purge(feedStream(FEED)),
      () => streams.deleteMessage(feedStream(FEED), 1),
      () => streams.update(feedStream(FEED), { max_msgs: 1 }),
      () => streams.delete(feedStream(FEED)),
      () => consumers.delete('TICKWRIGHT_TRIALS', 'a-sweep'),
      () => streams.getMessage('TICKWRIGHT_RESULTS', { seq: 1 }),
    ])
      await expect(forbidden()).rejects.toThrow(/Permissions Violation/);
    await cluster.close();
    expect(read.seqs).toEqual(numbers(50));
  });

  test('a server without room says so', async () => {
    const server = await natsServer('', 'max_file_store: 1M');
    const sent = new Publishing(server);
    sent.take(frames(1, 10));
    await until(() => expect(sent.alerts).toHaveLength(1));
    expect(sent.alerts[0]).toMatch(/insufficient storage resources available.*its store is full/);
  });

  test('a server that hangs holds nothing up, and gets everything once it goes on', async () => {
    const { server, sent, read } = await published();
    sent.take(frames(1, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    server.signal('SIGSTOP');
    sent.take(frames(11, 2_000));
    await until(() => expect(sent.alerts).toHaveLength(1));
    server.signal('SIGCONT');
    await until(() => expect(read.seqs).toEqual(numbers(2_000)));
    expect(sent.alerts[0]).toMatch(/it is slow, stopped, no NATS server/);
  });

  test('a feed that nobody publishes is said to readers, and to who asks for its contracts', async () => {
    const server = await natsServer();
    const missing = `${server.url} has no feed test: start the daemon that publishes it`;
    const read = new Reading(server);
    await until(() => expect(read.heard).toEqual([`down: ${missing}`]));
    const cluster = await openCluster(server, 'asks');
    await expect(readTerms(cluster, FEED)).rejects.toThrow(missing);
    const sent = new Publishing(server);
    sent.take(frames(1, 1));
    await until(() => expect(read.seqs).toEqual([1]));
    await expect(readTerms(cluster, FEED)).rejects.toThrow(/feed test lists no contract yet/);
    const { config } = await cluster.jsm.streams.info(feedStream(FEED));
    expect([config.max_age, config.max_bytes]).toEqual([86_400_000_000_000, 100_000_000]);
    await cluster.close();
  });

  test('a message of another program is a gap, and no frame', async () => {
    const server = await natsServer();
    const sent = new Publishing(server);
    const read = new Reading(server, { from: tsUs(0) });
    sent.take(frames(1, 5));
    await until(() => expect(read.seqs).toEqual(numbers(5)));
    const cluster = await openCluster(server, 'other');
    await cluster.js.publish(feedSubject(FEED), 's|21|{"matchPrice":1}');
    await cluster.close();
    sent.take(frames(6, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    expect(read.heard).toContain('gap: feed test has a message that no daemon has sent');
  });

  test.each([
    'n|{',
    'n|null',
    'n|{"kind":"stream","state":"up","reason":""}',
    'n|{"kind":"stream","state":"live"}',
  ])('a record that only begins as a note is a gap, and no note: %s', async (text) => {
    const server = await natsServer();
    const sent = new Publishing(server);
    const read = new Reading(server);
    sent.take(frames(1, 5));
    await until(() => expect(read.seqs).toEqual(numbers(5)));
    const cluster = await openCluster(server, 'other');
    const [record] = frames(6, 6);
    const { msgID, payload } = encodeBatch({ epoch: 'first', first: 99, records: [{ ...record!, text }] });
    await cluster.js.publish(feedSubject(FEED), payload, { msgID });
    await cluster.close();
    sent.take(frames(6, 10));
    await until(() => expect(read.seqs).toEqual(numbers(10)));
    expect(read.heard).toContain('gap: feed test has a message that no daemon has sent');
    expect(read.heard.join()).not.toContain('publisher');
  });

  test.each(['{', '[]', '{"orderCode":"VN30F2603","streamCode":"VN30F2603","reference":"1300"}'])(
    'terms that no daemon has sent are said to who asks for its contracts: %s',
    async (terms) => {
      const server = await natsServer();
      const sent = new Publishing(server);
      const read = new Reading(server);
      sent.take(frames(1, 1));
      await until(() => expect(read.seqs).toEqual([1]));
      const cluster = await openCluster(server, 'other');
      const { headers: newHeaders } = await import('@nats-io/transport-node');
      const headers = newHeaders();
      headers.set(TERMS, terms);
      await cluster.js.publish(feedSubject(FEED), '', { headers });
      await expect(readTerms(cluster, FEED)).rejects.toThrow(
        `${server.url}: feed test has terms that no daemon has sent`,
      );
      await cluster.close();
    },
  );
});
