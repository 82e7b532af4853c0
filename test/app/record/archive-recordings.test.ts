/** A thread of its own, hence the compiled program. */
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type * as Archiver from '../../../src/app/record/archive-recordings.ts';
import { type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

const MODULE = join(import.meta.dirname, '../../../dist/src/app/record/archive-recordings.js');

const placesIn = (frames: string) => ({
  frames,
  data: join(frames, 'data'),
  market: { calendar: MARKET_CALENDAR, contracts: {} },
});

async function archive(parts: Archiver.ArchiverOptions): Promise<() => Promise<void>> {
  const archiver: typeof Archiver = await import(/* @vite-ignore */ MODULE);
  return archiver.startArchiver(parts);
}

it('packs what is over as soon as a day is open, and once a day', async () => {
  const frames = mkdtempSync(join(tmpdir(), 'tickwright-archive-'));
  onTestFinished(() => rmSync(frames, { recursive: true, force: true }));
  const log = join(frames, '2026-03-04.frames');
  writeFileSync(log, '1 1000 3\nabc\n');
  const looks: (() => void)[] = [];
  let today: TradingDay | undefined;
  const said = new EventEmitter();
  const told = once(said, 'line');
  const heard = (text: string): void => void said.emit('line', text);
  const stop = await archive({
    ...placesIn(frames),
    today: () => today,
    timers: { after: (_, run) => (looks.push(run), () => undefined) },
    note: heard,
    onFailure: heard,
  });
  onTestFinished(stop);
  expect(existsSync(log)).toBe(true);
  today = tradingDay('2026-03-05');
  looks[0]?.();
  looks[1]?.();
  expect(await told).toEqual([
    '2026-03-04.frames is columns and packed: 0 rows of 0 contracts, 0 gaps, 1 frame that could not be read',
  ]);
  expect([existsSync(log), existsSync(`${log}.gz`)]).toEqual([false, true]);
  expect(looks).toHaveLength(3);
});

it('tells what went wrong', async () => {
  const frames = mkdtempSync(join(tmpdir(), 'tickwright-archive-'));
  onTestFinished(() => rmSync(frames, { recursive: true, force: true }));
  writeFileSync(join(frames, '2026-03-04.frames'), '1 1000 3\nabc\n');
  mkdirSync(join(frames, '2026-03-04.frames.gz'));
  const told = await new Promise<string>((resolve, reject) => {
    void archive({
      ...placesIn(frames),
      today: () => tradingDay('2026-03-05'),
      timers: { after: () => () => undefined },
      note: reject,
      onFailure: resolve,
    });
  });
  expect(told).toMatch(/^recordings: 2026-03-04\.frames: EISDIR/);
});
