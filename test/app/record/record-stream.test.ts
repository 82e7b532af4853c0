import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FrameRecorder } from '../../../src/app/record/record-stream.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { tsUs, US_PER_DAY, US_PER_SECOND } from '../../../src/domain/units.ts';
import { readFrames } from '../../../src/recording/frame-log.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

const MIDNIGHT = momentOf(tradingDay('2026-03-05'), 0, 420);

function rig(dir = mkdtempSync(join(tmpdir(), 'tickwright-recorder-'))) {
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const said: string[] = [];
  const clock = { now: MIDNIGHT - 2 * US_PER_SECOND };
  const recorder = new FrameRecorder({
    dir,
    calendar: MARKET_CALENDAR,
    clock: { nowUs: () => tsUs(clock.now) },
    note: (text) => said.push(text),
  });
  const read = (day: string): readonly string[] =>
    [...readFrames(join(dir, `${day}.frames`))].map(
      (f) => `${f.seq} ${(f.tsUs - MIDNIGHT) / US_PER_SECOND} ${f.text}`,
    );
  return { dir, clock, recorder, said, read };
}

it('begins a log with each day, and numbers it from 1', () => {
  const { clock, recorder, read } = rig();
  expect(recorder.path).toBeUndefined();
  recorder.frame('a');
  clock.now += US_PER_SECOND;
  recorder.frame('b');
  clock.now += US_PER_SECOND;
  recorder.frame('c');
  recorder.close();
  expect(read('2026-03-04')).toEqual(['1 -2 a', '2 -1 b']);
  expect(read('2026-03-05')).toEqual(['1 0 c']);
  expect([recorder.frames, recorder.lost]).toEqual([3, 0]);
});

it('says which day it is, and lets go of a log whose day is over', () => {
  const { clock, recorder } = rig();
  expect(recorder.today()).toBe('2026-03-04');
  recorder.frame('a');
  clock.now += US_PER_DAY;
  expect(recorder.today()).toBe('2026-03-05');
  expect(recorder.path).toBeUndefined();
});

it('goes on where an earlier run ended, and never back in time', () => {
  const first = rig();
  first.recorder.frame('a');
  first.recorder.close();
  const again = rig(first.dir);
  again.clock.now -= 60 * US_PER_SECOND;
  again.recorder.frame('b');
  again.recorder.close();
  expect(again.read('2026-03-04')).toEqual(['1 -2 a', '2 -2 b']);
});

it('counts what the disk does not take, says so once, and goes on when it can', () => {
  const { dir, recorder, said, read } = rig();
  const inTheWay = join(dir, '2026-03-04.frames');
  mkdirSync(inTheWay);
  recorder.frame('a');
  recorder.frame('b');
  rmSync(inTheWay, { recursive: true });
  recorder.frame('c');
  recorder.close();
  expect([recorder.frames, recorder.lost]).toEqual([1, 2]);
  expect(said).toEqual([
    expect.stringMatching(/^frames are NOT recorded: EISDIR/),
    'frames are recorded again; 2 were lost',
  ]);
  expect(read('2026-03-04')).toEqual(['1 -2 c']);
});
