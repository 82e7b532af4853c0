/** At any moment of packing, and after a crash at any of them, the frames of a day can be read. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { seq, tsUs } from '../../src/domain/units.ts';
import {
  frameLogPath,
  openFrameLog,
  packFrameLog,
  pruneFrameLogs,
  readFrames,
  unpackedLogs,
} from '../../src/recording/frame-log.ts';
import { tempDir } from '../support/temp-dir.ts';

async function packFrameLogs(dir: string, today: typeof NEXT): Promise<readonly string[]> {
  const logs = unpackedLogs(dir, today);
  // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, as the daemon does
  for (const { path } of logs) await packFrameLog(path);
  return logs.map(({ day }) => day);
}

const DAY = tradingDay('2026-03-04');
const NEXT = tradingDay('2026-03-05');
const TEXTS = ['s|1|{"a":1}', 'đ€😀\n', '', 's|2|{"b":2}'];

function append(dir: string, day: typeof DAY, texts: readonly string[], from = 1): string {
  const log = openFrameLog(dir, day);
  texts.forEach((text, i) => log.append([{ seq: seq(from + i), tsUs: tsUs(1_000 * (from + i)), text }]));
  log.close();
  return log.path;
}

const textsOf = (path: string): string[] => [...readFrames(path)].map(({ text }) => text);

it('packs the days before today, and they read as before', async () => {
  const dir = tempDir();
  const path = append(dir, DAY, TEXTS);
  const plain = readFileSync(path);
  const today = append(dir, NEXT, ['now']);
  expect(await packFrameLogs(dir, NEXT)).toEqual([DAY]);
  expect(readdirSync(dir).toSorted()).toEqual([`${DAY}.frames.gz`, `${NEXT}.frames`]);
  expect(gunzipSync(readFileSync(`${path}.gz`))).toEqual(plain);
  expect(statSync(`${path}.gz`).mode & 0o077).toBe(0);
  expect(textsOf(path)).toEqual(TEXTS);
  expect([...readFrames(path)].map((frame) => [frame.seq, frame.tsUs])).toEqual(
    TEXTS.map((_, i) => [i + 1, 1_000 * (i + 1)]),
  );
  expect(textsOf(today)).toEqual(['now']);
  expect(await packFrameLogs(dir, NEXT)).toEqual([]);
});

it('has nothing to pack in a folder that is not there, and leaves what is no log of a day', async () => {
  const dir = tempDir();
  expect(await packFrameLogs(join(dir, 'nowhere'), NEXT)).toEqual([]);
  const others = ['notes.frames', '2026-13-01.frames', `${DAY}.txt`];
  for (const name of others) writeFileSync(join(dir, name), 'x');
  expect(await packFrameLogs(dir, NEXT)).toEqual([]);
  expect(readdirSync(dir)).toHaveLength(others.length);
});

describe('a crash', () => {
  it('that left half an archive costs nothing', async () => {
    const dir = tempDir();
    const path = append(dir, DAY, TEXTS);
    writeFileSync(`${path}.gz.partial`, gzipSync(readFileSync(path)).subarray(0, 20));
    expect(textsOf(path)).toEqual(TEXTS);
    await packFrameLogs(dir, NEXT);
    expect(readdirSync(dir)).toEqual([`${DAY}.frames.gz`]);
    expect(textsOf(path)).toEqual(TEXTS);
  });

  it('that left log and archive side by side: the log counts', async () => {
    const dir = tempDir();
    const path = append(dir, DAY, TEXTS);
    writeFileSync(`${path}.gz`, gzipSync('1 1000 3\nold\n'));
    expect(textsOf(path)).toEqual(TEXTS);
    await packFrameLogs(dir, NEXT);
    expect(textsOf(path)).toEqual(TEXTS);
    expect(existsSync(path)).toBe(false);
  });

  it('that tore the tail of the log: what was whole stays readable, packed too', async () => {
    const whole = readFileSync(append(tempDir(), DAY, TEXTS));
    const counts = new Set<number>();
    for (let at = 0; at <= whole.length; at += 3) {
      const dir = tempDir();
      const path = frameLogPath(dir, DAY);
      writeFileSync(path, whole.subarray(0, at));
      const before = textsOf(path);
      // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, for the message
      await packFrameLogs(dir, NEXT);
      expect(textsOf(path)).toEqual(before);
      expect(before).toEqual(TEXTS.slice(0, before.length));
      counts.add(before.length);
    }
    expect(counts.size).toBeGreaterThan(3);
  });
});

it('leaves the log where it is when the archive cannot be written', async () => {
  const dir = tempDir();
  const path = append(dir, DAY, TEXTS);
  mkdirSync(`${path}.gz`);
  await expect(packFrameLogs(dir, NEXT)).rejects.toThrow('EISDIR');
  rmSync(`${path}.gz`, { recursive: true });
  expect(readdirSync(dir)).toEqual([`${DAY}.frames`]);
  expect(textsOf(path)).toEqual(TEXTS);
});

it('goes on with a packed day where it ended', async () => {
  const dir = tempDir();
  const path = append(dir, DAY, TEXTS);
  await packFrameLogs(dir, NEXT);
  append(dir, DAY, ['after'], 10);
  expect(textsOf(path)).toEqual([...TEXTS, 'after']);
  await packFrameLogs(dir, NEXT);
  expect(textsOf(path)).toEqual([...TEXTS, 'after']);
});

it('reads a log that is longer than one piece, with texts across the pieces', () => {
  const dir = tempDir();
  const texts = Array.from({ length: 40 }, (_, i) => `${i}${'€'.repeat(40_000)}`);
  const path = append(dir, DAY, texts);
  expect(statSync(path).size).toBeGreaterThan(4 << 20);
  expect(textsOf(path)).toEqual(texts);
  const torn = join(dir, 'torn');
  copyFileSync(path, torn);
  truncateSync(torn, statSync(path).size - 1);
  expect(textsOf(torn)).toEqual(texts.slice(0, -1));
});

it('refuses an archive that was damaged instead of reading less', async () => {
  const dir = tempDir();
  const path = append(dir, DAY, TEXTS);
  await packFrameLogs(dir, NEXT);
  truncateSync(`${path}.gz`, statSync(`${path}.gz`).size - 9);
  expect(() => textsOf(path)).toThrow('unexpected end of file');
});

describe('deleting what is past its retention', () => {
  const FILES = [
    '2026-03-01.frames.gz',
    '2026-03-02.frames.gz',
    '2026-03-03.frames',
    '2026-03-04.frames',
    'notes.gz',
  ];
  const filled = (): string => {
    const dir = tempDir();
    for (const name of FILES) writeFileSync(join(dir, name), 'x'.repeat(100));
    return dir;
  };

  it('keeps everything within days and bytes', () => {
    expect(pruneFrameLogs(filled(), DAY, { days: 3, bytes: 400 })).toEqual([]);
  });

  it('takes packed days that are too old', () => {
    const dir = filled();
    expect(pruneFrameLogs(dir, DAY, { days: 2, bytes: 400 })).toEqual(['2026-03-01.frames.gz']);
    expect(readdirSync(dir)).toEqual(FILES.slice(1));
  });

  it('takes the oldest packed days while there are too many bytes, and never what is not packed', () => {
    expect(pruneFrameLogs(filled(), DAY, { days: 9, bytes: 399 })).toEqual(['2026-03-01.frames.gz']);
    expect(pruneFrameLogs(filled(), DAY, { days: 9, bytes: 1 })).toEqual([
      '2026-03-01.frames.gz',
      '2026-03-02.frames.gz',
    ]);
  });

  it('takes a day that could never be compiled when it is too old', () => {
    expect(pruneFrameLogs(filled(), DAY, { days: 0, bytes: 400 })).toContain('2026-03-03.frames');
  });

  it('does nothing where there are no frames', () => {
    expect(pruneFrameLogs(join(tempDir(), 'none'), DAY, { days: 1, bytes: 1 })).toEqual([]);
  });
});
