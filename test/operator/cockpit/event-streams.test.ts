import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CockpitEntry } from '../../../src/operator/cockpit/cockpit-model.ts';
import type { Cockpit } from '../../../src/operator/cockpit/cockpit-server.ts';
import { STREAMS_MAX } from '../../../src/operator/cockpit/event-streams.ts';
import { tsUs, US_PER_SECOND } from '../../../src/domain/units.ts';
import { Browser, DAY, entryAt, FakeDaemon, type SseEvent, startFake, stream } from './fake-cockpit.ts';

let daemon: FakeDaemon;
let cockpit: Cockpit;

beforeEach(async () => {
  daemon = new FakeDaemon();
  cockpit = await startFake(daemon);
});

afterEach(() => cockpit.close());

const addRows = (count: number): void => {
  const from = daemon.rows.length;
  for (let i = 1; i <= count; i += 1) daemon.rows.push(entryAt(from + i));
};

const rowsOf = (events: readonly SseEvent[]): number[] =>
  events.filter(({ event }) => event === 'entry').map(({ data }) => (data as CockpitEntry).seq);

const has = (event: string) => (events: readonly SseEvent[]) => events.some((each) => each.event === event);

const upTo = (last: number) => (events: readonly SseEvent[]) => rowsOf(events).at(-1) === last;

const never = (): boolean => false;

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('begins with a beat, the state and the last rows', async () => {
  addRows(500);
  const events = await stream(await Browser.at(cockpit), (all) => upTo(500)(all) && has('state')(all));
  expect(events[0]?.event).toBe('beat');
  expect(events.find(({ event }) => event === 'state')?.data).toMatchObject({ mode: 'paper' });
  expect(rowsOf(events)).toEqual(range(401, 500));
});

test('goes on behind the last row that the page had, without a gap or a double, though rows are added meanwhile', async () => {
  const browser = await Browser.at(cockpit);
  addRows(50);
  const before = await stream(browser, upTo(50));
  const { id } = before.filter(({ event }) => event === 'entry').at(-1) ?? { id: '' };
  expect(id).toBe(`${DAY}-50`);
  addRows(3_000);
  let added = false;
  const after = await stream(
    browser,
    (all) => {
      if (!added && rowsOf(all).length > 0) addRows(700);
      added ||= rowsOf(all).length > 0;
      return upTo(3_750)(all);
    },
    id,
  );
  expect(rowsOf(after)).toEqual(range(51, 3_750));
});

test.each([`${DAY}-51`, '2020-01-01-50', 'nonsense', '-7'])(
  'answers a page that its last row %s is not in the journal',
  async (lastId) => {
    addRows(50);
    const events = await stream(await Browser.at(cockpit), upTo(50), lastId);
    expect(events[0]?.event).toBe('reset');
    expect(rowsOf(events)).toEqual(range(1, 50));
  },
);

test('sends the state again only when something in it changed', async () => {
  const browser = await Browser.at(cockpit);
  addRows(1);
  let seen = 0;
  const events = await stream(browser, (all) => {
    const states = all.filter(({ event }) => event === 'state').length;
    if (states === 1 && seen === 0) {
      seen = 1;
      daemon.facts = { ...daemon.facts, halted: 'by hand' };
    }
    return states === 2;
  });
  expect(
    events.filter(({ event }) => event === 'state').map(({ data }) => (data as { halted: unknown }).halted),
  ).toEqual([null, 'by hand']);
});

test('merges prices', async () => {
  const browser = await Browser.at(cockpit);
  const events = await stream(browser, (all) => {
    const version = daemon.prices.version + 1;
    const price = {
      contract: 'X',
      atMs: version,
      last: [1_300.1, 1] as const,
      volume: version,
      bids: [],
      asks: [],
    };
    daemon.prices = { version, prices: [price] };
    return has('price')(all);
  });
  expect(events.at(-1)?.data).toMatchObject([{ contract: 'X' }]);
});

test('as many pages as a role may have; the others are refused until one closes', async () => {
  const looks = await Browser.at(cockpit, 'look');
  const steers = await Browser.at(cockpit);
  const open = Array.from({ length: STREAMS_MAX.look }, () => stream(looks, never));
  while (cockpit.pages < STREAMS_MAX.look) await looks.get('/session');
  await expect(stream(looks, never)).rejects.toThrow('503');
  await stream(steers, has('beat'));
  await cockpit.close();
  await Promise.all(open);
  expect(daemon.refused).toContain('streams');
});

test('ends with its session', async () => {
  const browser = await Browser.at(cockpit);
  const events = stream(browser, () => {
    daemon.nowUs = tsUs(daemon.nowUs + 25 * 3_600 * US_PER_SECOND);
    return false;
  });
  expect(has('beat')(await events)).toBe(true);
}, 15_000);

test('a page that reads nothing is let go, and holds no memory meanwhile', async () => {
  const browser = await Browser.at(cockpit);
  const text = 'x'.repeat(2_000);
  for (let seq = 1; seq <= 20_000; seq += 1) daemon.rows.push(entryAt(seq, text));
  const socket = connectTo(browser, `${DAY}-1`);
  while (cockpit.pages === 0) await browser.get('/session');
  const written = new Set<number>();
  const { entries } = daemon.handlers;
  const after = entries.after.bind(entries);
  entries.after = (seq, max) => {
    written.add(seq);
    return after(seq, max);
  };
  while (cockpit.pages === 1) {
    daemon.nowUs = tsUs(daemon.nowUs + 3 * US_PER_SECOND);
    await browser.get('/session');
  }
  expect(daemon.refused).toContain('slow');
  // 40 MB of rows wait; a reader that takes none of them gets what the sockets hold.
  expect(written.size).toBeLessThan(50);
  socket.destroy();
}, 30_000);

function connectTo(browser: Browser, lastId: string): Socket {
  const { port } = new URL(browser.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `GET /events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncookie: ${browser.cookie}\r\nlast-event-id: ${lastId}\r\n\r\n`,
  );
  return socket;
}
