import { filter, map, pipe, tap } from 'rxjs';
import { expect, it } from 'vitest';
import { Sequencer } from '../../../src/app/live/sequencer.ts';
import { instrumentIndex, priceHundredths, priceTicks, tsUs } from '../../../src/domain/units.ts';
import type { EngineEvent, MarketEvent } from '../../../src/engine/ports/engine-event.ts';
import type { JournaledInput } from '../../../src/journal/compact-input.ts';

/** Each frame becomes a summary. The clock stands still at `now`. */
function rig(
  recordFrame: (text: string) => void = () => undefined,
  onFrame: (text: string) => void = () => undefined,
) {
  const recorded: JournaledInput[] = [];
  const delivered: EngineEvent[] = [];
  const clock = { now: 1_000 };
  const sequencer = new Sequencer({
    clock: { nowUs: () => tsUs(clock.now) },
    lastSeq: 7,
    lastTsUs: tsUs(900),
    recordInput: (input) => void recorded.push(input),
    recordFrames: (frames) => frames.forEach(({ text }) => recordFrame(text)),
    decode: pipe(
      tap(({ text }) => onFrame(text)),
      filter(({ text }) => text !== 'noise'),
      map(({ seq, tsUs: at }) => summary(seq, at)),
    ),
    deliver: (events) => void delivered.push(...events),
  });
  return { sequencer, recorded, delivered, clock };
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
  const { sequencer, recorded, delivered } = rig();
  sequencer.frame('1');
  sequencer.post({ kind: 'clock' });
  sequencer.frame('noise');
  sequencer.frame('2');
  expect(delivered).toEqual([]);
  await Promise.resolve();
  expect(heads(delivered)).toEqual(['8 summary 1000', '9 clock 1000', '11 summary 1000']);
  expect(heads(recorded)).toEqual(['9 clock 1000']);
});

it('delivers a frame before what its decoding has told, as a replay does', async () => {
  const { sequencer, delivered } = rig(undefined, (text) => {
    if (text === 'fresh') sequencer.post({ kind: 'clock' });
  });
  sequencer.frame('1');
  sequencer.frame('fresh');
  await Promise.resolve();
  expect(heads(delivered)).toEqual(['8 summary 1000', '9 summary 1000', '10 clock 1000']);
});

it('writes the frames of one network read at once, before the engine gets any, and before a later input', async () => {
  const order: string[] = [];
  const sequencer = new Sequencer({
    clock: { nowUs: () => tsUs(1_000) },
    lastSeq: 0,
    lastTsUs: tsUs(900),
    recordInput: ({ seq }) => void order.push(`input ${seq}`),
    recordFrames: (frames) => void order.push(`frames ${frames.map(({ seq }) => seq).join()}`),
    decode: map(({ seq, tsUs: at }) => summary(seq, at)),
    deliver: (events) => void order.push(`engine ${events.map(({ seq }) => seq).join()}`),
  });
  sequencer.frame('1');
  sequencer.frame('2');
  sequencer.post({ kind: 'clock' });
  sequencer.frame('4');
  sequencer.frame('5');
  await Promise.resolve();
  expect(order).toEqual(['frames 1,2', 'input 3', 'frames 4,5', 'engine 1,2,3,4,5']);
});

it('asks a full disk for one of many refused frames, and writes all of them once there is room', () => {
  const asked: number[] = [];
  const full = { is: true };
  const sequencer = new Sequencer({
    clock: { nowUs: () => tsUs(1_000) },
    lastSeq: 0,
    lastTsUs: tsUs(900),
    recordInput: () => undefined,
    recordFrames: (frames) => {
      asked.push(frames.length);
      if (full.is) throw new Error('ENOSPC: no space left on device, write');
    },
    decode: map(({ seq, tsUs: at }) => summary(seq, at)),
    deliver: () => undefined,
  });
  for (let i = 0; i < 1_000; i += 1) sequencer.frame('1');
  for (let i = 0; i < 3; i += 1) sequencer.flush();
  const first = asked.length;
  expect(asked[0]).toBeLessThan(500);
  expect(new Set(asked.slice(1)), 'of a full disk').toEqual(new Set([1]));
  full.is = false;
  sequencer.flush();
  expect(asked.slice(first).reduce((sum, each) => sum + each, 0)).toBe(1_000);
  expect(asked.length - first, 'many at once again').toBeLessThan(10);
});

it('never lets time go back, also behind the last start', () => {
  const { sequencer, recorded, clock } = rig();
  for (const now of [500, 1_200, 1_100]) {
    clock.now = now;
    sequencer.post({ kind: 'clock' });
  }
  expect(recorded.map(({ tsUs: at }) => at)).toEqual([900, 1_200, 1_200]);
});

it('goes on from a clock that was set back before the start, and stands still for no other', () => {
  const { sequencer, recorded, clock } = rig();
  clock.now = 3_600_000_000;
  sequencer.post({ kind: 'clock' });
  clock.now = 1_000_000;
  expect(sequencer.isStandingStill).toBe(true);
  expect(sequencer.goOnAfter(20, tsUs(3_600_000_000))).toBe(3_599_000_000);
  expect(sequencer.isStandingStill).toBe(false);
  sequencer.post({ kind: 'clock' });
  clock.now = 2_000_000;
  sequencer.post({ kind: 'clock' });
  expect(sequencer.goOnAfter(30, tsUs(2_500_000))).toBe(0);
  sequencer.post({ kind: 'clock' });
  expect(recorded.map(({ seq, tsUs: at }) => `${seq} ${at}`)).toEqual([
    '8 3600000000',
    '21 1000000',
    '22 2000000',
    '31 2500000',
  ]);
});

it('lets prices through that a full disk does not take, and freezes entries once', () => {
  const full = { is: false };
  const { sequencer, recorded, delivered } = rig(() => {
    if (full.is) throw new Error('ENOSPC: no space left on device, write');
  });
  for (const is of [false, true, true, false, true]) {
    full.is = is;
    sequencer.frame('1');
    sequencer.flush();
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

it('writes what a full disk refused before anything later, so that a restart reads every frame in order', () => {
  const full = { is: false };
  const written: string[] = [];
  const { sequencer } = rig((text) => {
    if (full.is) throw new Error('ENOSPC: no space left on device, write');
    written.push(text);
  });
  for (const [text, is] of Object.entries([false, true, true, false, true])) {
    full.is = is;
    sequencer.frame(text);
    sequencer.flush();
  }
  expect(written).toEqual(['0', '1', '2', '3']);
  full.is = false;
  sequencer.post({ kind: 'clock' });
  expect(written).toEqual(['0', '1', '2', '3', '4']);
});
