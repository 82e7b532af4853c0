/** The cockpit of a real daemon: attacked while it trades, cut off while it trades, and used while engine and broker are gone. */
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import type { CockpitState } from '../../src/operator/cockpit/cockpit-model.ts';
import { Browser, send, stream } from '../operator/cockpit/fake-cockpit.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  BOOKS_AGREE,
  journalEntries,
  linkOf,
  type RunningDaemon,
  simulatorLink,
  startDaemon,
  until,
  workplace,
  type Workplace,
} from './daemon-process.ts';
import { HANGING_STRATEGY, hangingAt, programWith } from './program-with.ts';

async function browserAt(place: Workplace): Promise<Browser> {
  const link = await linkOf(place);
  const browser = new Browser(new URL(link).origin);
  expect((await browser.open(link)).code).toBe(200);
  return browser;
}

const stateOf = async (browser: Browser): Promise<CockpitState> =>
  JSON.parse((await browser.get('/state')).text) as CockpitState;

/** A busy daemon whose first order is filled. */
async function trading(): Promise<{ readonly place: Workplace; readonly daemon: RunningDaemon }> {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await daemon.line(/ busy +filled/);
  return { place, daemon };
}

/** Sockets that send `text` and then nothing, and read nothing. */
function deafSockets(url: string, count: number, text: string): readonly Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(text);
    return socket;
  });
}

test('attacks on every side change nothing: trading goes on, the owner’s halt works, and the attack is alerted', async () => {
  const { place, daemon } = await trading();
  const browser = await browserAt(place);
  const { url } = browser;
  const host = new URL(url).host;
  const opened = `GET /events HTTP/1.1\r\nhost: ${host}\r\n`;
  const sockets = [
    ...deafSockets(url, 500, `${opened}\r\n`),
    ...deafSockets(url, 500, `${opened}cookie: ${browser.cookie}\r\n\r\n`),
    ...deafSockets(url, 100, `POST /session HTTP/1.1\r\nhost: ${host}\r\nx-slow: `),
  ];
  const tries: Promise<number>[] = [];
  const knock = async (headers: Record<string, string>, path = '/commands/flatten'): Promise<number> => {
    const body = JSON.stringify({ reason: 'attack', secret: 'guess' });
    try {
      return (await send(url + path, { method: 'POST', headers, body })).code;
    } catch {
      return 0;
    }
  };
  const json = { 'content-type': 'application/json', cookie: browser.cookie };
  for (let i = 0; i < 100; i += 1) {
    tries.push(knock({ ...json, host: 'evil.example', origin: 'http://evil.example' }));
    tries.push(knock({ ...json, origin: 'https://evil.example' }));
    tries.push(knock({ ...json, origin: url, 'sec-fetch-site': 'cross-site' }));
    tries.push(knock({ ...json, origin: url, 'content-type': 'text/plain' }));
    tries.push(knock({ ...json, origin: url, cookie: 'tickwright=old' }));
    tries.push(knock({ ...json, origin: url }));
    for (let guess = 0; guess < 4; guess += 1) tries.push(knock({ ...json, origin: url }, '/session'));
  }
  const from = daemon.output().length;
  await daemon.line(/ busy +filled/, from);
  const codes = new Set(await Promise.all(tries));
  for (const code of codes) expect([0, 401, 403, 409, 415, 429]).toContain(code);
  for (const socket of sockets) socket.destroy();
  await daemon.line(/ busy +filled/, daemon.output().length);

  // As after any lock: the owner makes another link.
  const owner = await browserAt(place);
  expect((await owner.post('/commands/halt', { reason: 'attacked' })).code).toBe(200);
  await until(async () => ((await stateOf(owner)).halted === null ? undefined : true));
  expect(daemon.output()).toMatch(/WARNING +cockpit_refused: the cockpit refused/);
  expect(daemon.output(), 'no heartbeat was missed').not.toMatch(/frames_dropped|stream_down|engine_lost/);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  const commands = journalEntries(place).filter(({ entry }) => entry.kind === 'remote_command');
  expect(commands.map(({ entry }) => (entry.kind === 'remote_command' ? entry.text : ''))).toEqual([
    'halt attacked',
  ]);
  expect(daemon.output()).toMatch(BOOKS_AGREE);
});

test('a page that was cut off while the daemon traded gets the rows of the journal, each once', async () => {
  const { place, daemon } = await trading();
  const browser = await browserAt(place);
  const ids: string[] = [];
  const collect = async (rows: number): Promise<void> => {
    const events = await stream(
      browser,
      (all) => all.filter(({ event }) => event === 'entry').length >= rows,
      ids.at(-1) ?? '-0',
    );
    expect(events.filter(({ event }) => event === 'reset')).toEqual([]);
    ids.push(...events.filter(({ event }) => event === 'entry').map(({ id }) => id));
  };
  await collect(10);
  for (let cut = 0; cut < 3; cut += 1) {
    const before = journalEntries(place).length;
    await until(() => (journalEntries(place).length > before + 40 ? true : undefined));
    await collect(20);
  }
  await collect(1);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  const rows = journalEntries(place).map(({ id, session }) => `${session}-${id}`);
  expect(ids.length).toBeGreaterThan(50);
  expect(ids).toEqual(rows.slice(0, ids.length));
});

test('halts while a strategy hangs and the broker does not answer', async () => {
  const place = workplace(BUSY_CONFIG + HANGING_STRATEGY);
  const hangs = join(place.state, 'hangs');
  const main = programWith(hangingAt(hangs));
  const daemon = startDaemon(place, [], main);
  await daemon.line(/ stuck +started/);
  const browser = await browserAt(place);
  writeFileSync(hangs, '');
  // Four seconds before the watchdog ends the engine.
  await daemon.line(/engine_behind: .* in the code of stuck/);
  const { pid } = simulatorLink(place);
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended with its daemon.
    }
  });
  expect((await browser.post('/commands/halt', { reason: 'nothing answers' })).code).toBe(200);
  expect(await stateOf(browser)).toMatchObject({ halted: 'nothing answers' });
  process.kill(pid, 'SIGCONT');
  await daemon.line(/halt_proven|holds no entry/);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});
