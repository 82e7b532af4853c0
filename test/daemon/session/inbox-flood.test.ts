/** Frames that an engine cannot take yet wait, in order; none goes without a word. */
import { ignoreElements, pipe, tap } from 'rxjs';
import { beforeEach, expect, it } from 'vitest';
import {
  CAUGHT_UP_AFTER,
  Inbox,
  LAG_MAX,
  RECONNECT_EVERY,
  WAITING_MAX,
} from '../../../src/daemon/session/inbox.ts';
import { tsUs } from '../../../src/domain/units.ts';

const IN_FLIGHT_MAX = 1_000;

let now: number;
let inFlight: number;
let taken: string[];
let signals: string[];
let inbox: Inbox;

beforeEach(() => {
  now = 0;
  inFlight = 0;
  taken = [];
  signals = [];
  inbox = new Inbox({
    clock: { nowUs: () => tsUs(now) },
    realClock: { nowUs: () => tsUs(now) },
    engine: { canAccept: () => inFlight < IN_FLIGHT_MAX, process: () => undefined },
    decode: pipe(
      tap(({ text }) => {
        taken.push(text);
        inFlight += 1;
      }),
      ignoreElements(),
    ),
    recordInput: (input) => void signals.push(input.kind === 'stream' ? input.state : input.kind),
    watch: {
      onFrame: () => undefined,
      onBehind: () => void signals.push('behind'),
      onCaughtUp: () => void signals.push('caught up'),
      onOverflow: () => void signals.push('overflow'),
      onRoomAgain: () => void signals.push('reconnect'),
    },
  });
  inbox.frameLog = { append: () => undefined, close: () => undefined };
});

const flood = (frames: number): void => {
  for (let i = 0; i < frames; i += 1) inbox.takeFrame(String(i));
};

/** The engine answers all that it has. */
const answer = (): void => {
  inFlight = 0;
  inbox.release();
};

it('the engine never has more than so many events to answer, and gets every frame in order', () => {
  flood(5 * IN_FLIGHT_MAX);
  expect(taken).toHaveLength(IN_FLIGHT_MAX);
  for (let round = 2; round <= 5; round += 1) {
    answer();
    expect(inFlight).toBe(IN_FLIGHT_MAX);
  }
  expect(taken).toEqual(Array.from({ length: 5 * IN_FLIGHT_MAX }, (_, i) => String(i)));
  expect(signals).toEqual([]);
});

it('an engine that falls behind is reported once, and again after a calm', () => {
  inFlight = IN_FLIGHT_MAX;
  for (let i = 0; i < 50; i += 1) {
    now += LAG_MAX / 10;
    flood(1);
  }
  expect([signals, inbox.isBehind]).toEqual([['behind'], true]);
  answer();
  flood(1);
  now += CAUGHT_UP_AFTER - 1;
  flood(1);
  expect([signals, inbox.isBehind]).toEqual([['behind'], true]);
  now += 1;
  flood(1);
  expect([signals, inbox.isBehind]).toEqual([['behind', 'caught up'], false]);
});

it('frames that always wait a little do not keep it behind', () => {
  inFlight = IN_FLIGHT_MAX;
  flood(1);
  now += LAG_MAX + 1;
  flood(1);
  for (const end = now + CAUGHT_UP_AFTER; now < end; now += LAG_MAX / 10) {
    answer();
    inFlight = IN_FLIGHT_MAX;
    flood(1);
  }
  flood(1);
  expect(signals).toEqual(['behind', 'caught up']);
});

it('an engine that answers late is reported before it gets what has waited for too long', () => {
  inFlight = IN_FLIGHT_MAX;
  flood(2);
  now += LAG_MAX + 1;
  expect(signals).toEqual([]);
  answer();
  expect([signals, inbox.isBehind, taken]).toEqual([['behind'], true, ['0', '1']]);
});

it('an engine that is behind gets no word that prices are live', () => {
  inFlight = IN_FLIGHT_MAX;
  flood(1);
  now += LAG_MAX + 1;
  flood(1);
  const post = (state: 'live' | 'stale' | 'down'): void => inbox.post({ kind: 'stream', state, reason: '' });
  post('stale');
  post('live');
  expect(signals).toEqual(['behind', 'stale']);
  inbox.dropFrames();
  post('down');
  post('live');
  expect(signals, 'of the next connection').toEqual(['behind', 'stale', 'down', 'live']);
});

it('a full queue is dropped whole; prices come again once the engine has taken what it had', () => {
  inFlight = IN_FLIGHT_MAX;
  flood(WAITING_MAX + 500);
  expect([signals, inbox.isBehind]).toEqual([['overflow'], true]);
  expect(inbox.framesWaiting).toBe(0);
  answer();
  flood(1);
  expect(signals).toEqual(['overflow', 'reconnect']);
  expect(taken, 'of the old connection').toEqual([]);
  expect(inbox.dropFrames()).toBe(WAITING_MAX + 501);
  flood(1);
  expect(taken).toEqual(['0']);
});

it('connects again once a minute at most', () => {
  for (let i = 0; i < 2; i += 1) {
    inFlight = IN_FLIGHT_MAX;
    flood(WAITING_MAX + 1);
    answer();
    flood(2);
    if (i === 0) inbox.dropFrames();
  }
  expect(signals).toEqual(['overflow', 'reconnect', 'overflow']);
  now += RECONNECT_EVERY;
  flood(1);
  expect(signals).toEqual(['overflow', 'reconnect', 'overflow', 'reconnect']);
});

it('frames of a connection that has ended never reach the engine', () => {
  inFlight = IN_FLIGHT_MAX;
  flood(10);
  expect(inbox.dropFrames()).toBe(10);
  answer();
  expect(taken).toEqual([]);
  expect(inbox.dropFrames()).toBe(0);
});
