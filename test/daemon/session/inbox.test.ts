import { filter, map, pipe, tap } from 'rxjs';
import { expect, it } from 'vitest';
import { Inbox, type InboxOptions } from '../../../src/daemon/session/inbox.ts';
import { instrumentIndex, priceHundredths, priceTicks, tsUs } from '../../../src/domain/units.ts';
import type { EngineEvent, MarketEvent } from '../../../src/engine/ports/engine-event.ts';
import type { JournaledInput } from '../../../src/journal/compact-input.ts';
import { NEVER_BEHIND } from '../../support/simple-parts.ts';
import type { StampedFrame } from '../../../src/wire/stream/server-frame.ts';

interface InboxParts extends Pick<InboxOptions, 'clock' | 'recordInput' | 'decode' | 'publish'> {
  readonly onFrame?: InboxOptions['watch']['onFrame'];
  readonly recordFrames: (frames: readonly StampedFrame[]) => void;
  readonly deliver: (events: readonly EngineEvent[]) => void;
}

/** The engine has room for every frame. */
function inboxOf({ recordFrames, deliver, onFrame, ...options }: InboxParts): Inbox {
  const engine = { canAccept: () => true, process: deliver };
  const watch = onFrame === undefined ? NEVER_BEHIND : { ...NEVER_BEHIND, onFrame };
  const inbox = new Inbox({ ...options, realClock: options.clock, engine, watch });
  inbox.frameLog = { append: recordFrames, close: () => undefined };
  return inbox;
}

/** Each frame becomes a summary. The clock stays at `now`. */
function rig(
  recordFrame: (text: string) => void = () => undefined,
  onFrame: (text: string) => void = () => undefined,
) {
  const recorded: JournaledInput[] = [];
  const delivered: EngineEvent[] = [];
  const clock = { now: 1_000 };
  const inbox = inboxOf({
    clock: { nowUs: () => tsUs(clock.now) },
    recordInput: (input) => void recorded.push(input),
    recordFrames: (frames) => frames.forEach(({ text }) => recordFrame(text)),
    decode: pipe(
      tap(({ text }) => onFrame(text)),
      filter(({ text }) => text !== 'noise'),
      map(({ seq, tsUs: at }) => summary(seq, at)),
    ),
    deliver: (events) => void delivered.push(...events),
  });
  inbox.goOnAfter(7, tsUs(900));
  return { inbox, recorded, delivered, clock };
}

const summary = (seq: MarketEvent['seq'], at: MarketEvent['tsUs']): MarketEvent => ({
  kind: 'summary',
  seq,
  tsUs: at,
  instrument: instrumentIndex(0),
  open: priceTicks(1),
  high: priceTicks(1),
  low: priceTicks(1),
  average: priceHundredths(10),
});

const heads = (events: readonly EngineEvent[]) =>
  events.map(({ kind, seq, tsUs: at }) => `${seq} ${kind} ${at}`);

it('gives frames and inputs one sequence, and hands over what came together at once', async () => {
  const { inbox, recorded, delivered } = rig();
  inbox.takeFrame('1');
  inbox.post({ kind: 'clock' });
  inbox.takeFrame('noise');
  inbox.takeFrame('2');
  expect(delivered).toEqual([]);
  await Promise.resolve();
  expect(heads(delivered)).toEqual(['8 summary 1000', '9 clock 1000', '11 summary 1000']);
  expect(heads(recorded)).toEqual(['9 clock 1000']);
});

it('has what is due at the time of a frame decided before the frame, which is no older', () => {
  const delivered: EngineEvent[] = [];
  const published: StampedFrame[] = [];
  let now = 1_000;
  const inbox: Inbox = inboxOf({
    // Time goes on between two looks.
    clock: { nowUs: () => tsUs((now += 1)) },
    recordInput: () => undefined,
    recordFrames: () => undefined,
    decode: map(({ seq, tsUs: at }) => summary(seq, at)),
    deliver: (events) => void delivered.push(...events),
    onFrame: (at) => (at < 2_000 ? undefined : inbox.post({ kind: 'clock' })),
    publish: (frame) => void published.push(frame),
  });
  inbox.takeFrame('1');
  now = 2_000;
  inbox.takeFrame('2');
  inbox.takeFrame('3', tsUs(3_000));
  inbox.flush();
  const times = delivered.map(({ tsUs: at }) => at);
  expect(delivered.map(({ kind }) => kind)).toEqual(['summary', 'clock', 'summary', 'clock', 'summary']);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(published.map(({ tsUs: at }) => at)).toEqual(times.filter((_, i) => i % 2 === 0));
  expect(times.at(-1)).toBe(3_000);
});

it('asks a full disk for one of many refused frames, and writes all of them once there is room', () => {
  const asked: number[] = [];
  const full = { is: true };
  const inbox = inboxOf({
    clock: { nowUs: () => tsUs(1_000) },
    recordInput: () => undefined,
    recordFrames: (frames) => {
      asked.push(frames.length);
      if (full.is) throw new Error('ENOSPC: no space left on device, write');
    },
    decode: map(({ seq, tsUs: at }) => summary(seq, at)),
    deliver: () => undefined,
  });
  for (let i = 0; i < 1_000; i += 1) inbox.takeFrame('1');
  for (let i = 0; i < 3; i += 1) inbox.flush();
  const first = asked.length;
  expect(asked[0]).toBeLessThan(500);
  expect(new Set(asked.slice(1)), 'of a full disk').toEqual(new Set([1]));
  full.is = false;
  inbox.flush();
  expect(asked.slice(first).reduce((sum, each) => sum + each, 0)).toBe(1_000);
  expect(asked.length - first, 'many at once again').toBeLessThan(10);
});

it('never lets time go back, also behind the last start', () => {
  const { inbox, recorded, clock } = rig();
  for (const now of [500, 1_200, 1_100]) {
    clock.now = now;
    inbox.post({ kind: 'clock' });
  }
  expect(recorded.map(({ tsUs: at }) => at)).toEqual([900, 1_200, 1_200]);
});

it('goes on from a clock that was set back before the start, and pauses for no other', () => {
  const { inbox, recorded, clock } = rig();
  clock.now = 3_600_000_000;
  inbox.post({ kind: 'clock' });
  clock.now = 1_000_000;
  expect(inbox.isTimePaused).toBe(true);
  expect(inbox.goOnAfter(20, tsUs(3_600_000_000))).toBe(3_599_000_000);
  expect(inbox.isTimePaused).toBe(false);
  inbox.post({ kind: 'clock' });
  clock.now = 2_000_000;
  inbox.post({ kind: 'clock' });
  expect(inbox.goOnAfter(30, tsUs(2_500_000))).toBe(0);
  inbox.post({ kind: 'clock' });
  expect(recorded.map(({ seq, tsUs: at }) => `${seq} ${at}`)).toEqual([
    '8 3600000000',
    '21 1000000',
    '22 2000000',
    '31 2500000',
  ]);
});

it('lets prices through that a full disk does not take, and freezes entries once', () => {
  const full = { is: false };
  const { inbox, recorded, delivered } = rig(() => {
    if (full.is) throw new Error('ENOSPC: no space left on device, write');
  });
  for (const is of [false, true, true, false, true]) {
    full.is = is;
    inbox.takeFrame('1');
    inbox.flush();
  }
  expect(heads(delivered)).toEqual([
    '8 summary 1000',
    '9 summary 1000',
    '10 journal_failed 1000',
    '11 summary 1000',
    '12 summary 1000',
    '13 summary 1000',
    '14 journal_failed 1000',
  ]);
  expect(recorded).toMatchObject([
    { reason: 'frames: ENOSPC: no space left on device, write' },
    { reason: 'frames: ENOSPC: no space left on device, write' },
  ]);
});

it('writes the frames of one network read at once, before the engine gets any, and before a later input', async () => {
  const order: string[] = [];
  const inbox = inboxOf({
    clock: { nowUs: () => tsUs(1_000) },
    recordInput: ({ seq }) => void order.push(`input ${seq}`),
    recordFrames: (frames) => void order.push(`frames ${frames.map(({ seq }) => seq).join()}`),
    decode: map(({ seq, tsUs: at }) => summary(seq, at)),
    deliver: (events) => void order.push(`engine ${events.map(({ seq }) => seq).join()}`),
  });
  inbox.takeFrame('1');
  inbox.takeFrame('2');
  inbox.post({ kind: 'clock' });
  inbox.takeFrame('4');
  inbox.takeFrame('5');
  await Promise.resolve();
  expect(order).toEqual(['frames 1,2', 'input 3', 'frames 4,5', 'engine 1,2,3,4,5']);
});
