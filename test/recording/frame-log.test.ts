import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { seq, tsUs } from '../../src/domain/units.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  type FrameDamage,
  frameDamageText,
  type FrameLogEnd,
  frameLogPath,
  noteOf,
  openFrameLog,
  readFrameBatches,
  readNote,
  packFrameLog,
  pruneFrameLogs,
  unpackedLogs,
} from '../../src/recording/frame-log.ts';
import { gunzipSync, gzipSync } from 'node:zlib';

const DAY = tradingDay('2026-03-04');

function written(dir: string, texts: readonly string[], from = 1): string {
  const log = openFrameLog(dir, DAY);
  texts.forEach((text, i) => log.append([{ seq: seq(from + i), tsUs: tsUs(1_000 * (from + i)), text }]));
  log.close();
  return log.path;
}

const textsOf = (path: string): string[] => [...readFrameBatches(path)].flat().map(({ text }) => text);

it('gives every frame back as it came, whatever it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      const path = written(tempDir(), texts);
      expect([...readFrameBatches(path)].flat()).toEqual(
        texts.map((text, i) => ({ seq: i + 1, tsUs: 1_000 * (i + 1), text })),
      );
    }),
    { numRuns: 50 },
  );
});

it('keeps texts with line feeds and with the head of a record in them', () => {
  const texts = ['a\nb', '\n', '', '3 3000 1\nx\n', 'đ€😀'];
  expect(textsOf(written(tempDir(), texts))).toEqual(texts);
});

it.each(['n|', 'n|{', 'n|null', 'n|{"state":"up","reason":""}', 'n|{"state":"live"}'])(
  'takes what only begins as a note for a frame: %s',
  (text) => {
    const [frame] = [...readFrameBatches(written(tempDir(), [text]))].flat();
    expect([frame?.text, readNote(frame!)]).toEqual([text, undefined]);
  },
);

it('gives a note back as it came', () => {
  const note = { kind: 'stream', seq: seq(1), tsUs: tsUs(1_000), state: 'stale', reason: 'silence' } as const;
  const [frame] = [...readFrameBatches(written(tempDir(), [noteOf(note).text]))].flat();
  expect(readNote(frame!)).toEqual(note);
});

it('has no frames where there is no file, or an empty one', () => {
  const path = frameLogPath(tempDir(), DAY);
  expect(textsOf(path)).toEqual([]);
  writeFileSync(path, '');
  expect(textsOf(path)).toEqual([]);
});

it('is readable by its owner alone', () => {
  expect(statSync(written(tempDir(), ['x'])).mode & 0o077).toBe(0);
});

describe('a tail that a power cut tore off', () => {
  it('is left out wherever it was torn, and what comes after the restart follows the last whole frame', () => {
    const whole = readFileSync(written(tempDir(), ['first', 'second €', 'third']));
    const counts = new Set<number>();
    for (let at = 0; at <= whole.length; at += 1) {
      const dir = tempDir();
      const path = frameLogPath(dir, DAY);
      writeFileSync(path, whole.subarray(0, at));
      const kept = ['first', 'second €', 'third'].slice(0, textsOf(path).length);
      expect(textsOf(path)).toEqual(kept);
      counts.add(kept.length);
      written(dir, ['after'], 10);
      expect(textsOf(path)).toEqual([...kept, 'after']);
    }
    expect([...counts]).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['zeros', Buffer.alloc(64)],
    ['zeros and a line feed', Buffer.from('\0\0\0\n\0\0')],
    ['a head without numbers', Buffer.from('a b c\nxyz\n')],
    ['a size below zero', Buffer.from('3 3000 -9\nxyz\n')],
    ['a size beyond the file', Buffer.from('3 3000 999\nxyz\n')],
    ['a size that is too small', Buffer.from('3 3000 1\nxyz\n')],
    ['an empty line', Buffer.from('\n')],
  ])('may be %s', (_, tail) => {
    const dir = tempDir();
    const path = written(dir, ['first']);
    appendFileSync(path, tail);
    expect(textsOf(path)).toEqual(['first']);
    written(dir, ['after'], 10);
    expect(textsOf(path)).toEqual(['first', 'after']);
  });

  it('is cut off where the reader found it', () => {
    const dir = tempDir();
    const path = written(dir, ['first', 'torn']);
    truncateSync(path, statSync(path).size - 2);
    const frames = readFrameBatches(path);
    let read = frames.next();
    while (read.done !== true) read = frames.next();
    const log = openFrameLog(dir, DAY, read.value.wholeBytes);
    log.append([{ seq: seq(9), tsUs: tsUs(9_000), text: 'after' }]);
    log.close();
    expect(textsOf(path)).toEqual(['first', 'after']);
  });
});

/** The frames that can be read, and what else is in the file. */
function readAll(path: string): { texts: string[]; end: FrameLogEnd } {
  const texts: string[] = [];
  const frames = readFrameBatches(path);
  for (;;) {
    const { done, value } = frames.next();
    if (done === true) return { texts, end: value };
    texts.push(...value.map(({ text }) => text));
  }
}

describe('damage', () => {
  const TEXTS = ['first', 'second € with\n9 9000 1\nx\n in it', 'third', 'fourth'];

  it('of any byte costs its frame alone, is located, and stays in the file', () => {
    const whole = readFileSync(written(tempDir(), TEXTS));
    const starts = ['1 1000', '2 2000', '3 3000', '4 4000'].map((head) => whole.indexOf(head));
    // The line feeds between records say nothing that their sizes do not.
    const places = Array.from({ length: starts[3]! }, (_, at) => at).filter((at) => !starts.includes(at + 1));
    for (const at of places)
      for (const flip of [0x01, 0x10, 0x80]) {
        const dir = tempDir();
        const path = frameLogPath(dir, DAY);
        const bytes = Buffer.from(whole);
        bytes[at] = bytes[at]! ^ flip;
        writeFileSync(path, bytes);
        const { texts, end } = readAll(path);
        expect(texts, `byte ${at}`).toHaveLength(3);
        for (const text of texts) expect(TEXTS, `byte ${at} ^ ${flip}`).toContain(text);
        expect(end.tornBytes).toBe(0);
        expect(end.damage).toHaveLength(1);
        const [{ atByte, bytes: lost }] = end.damage as [FrameDamage];
        expect(at).toBeGreaterThanOrEqual(atByte);
        expect(at).toBeLessThan(atByte + lost);
        written(dir, ['after'], 10);
        expect(readFileSync(path).subarray(0, bytes.length).equals(bytes)).toBe(true);
        expect(textsOf(path)).toEqual([...texts, 'after']);
      }
  });

  it('of the line feed between two frames costs none', () => {
    const path = written(tempDir(), TEXTS);
    writeFileSync(path, readFileSync(path, 'latin1').replace('\n2 2000', '\v2 2000'), 'latin1');
    expect(textsOf(path)).toEqual(TEXTS);
  });

  it('that makes a frame look huge does not swallow the day', () => {
    const path = written(tempDir(), TEXTS);
    const text = readFileSync(path, 'latin1');
    writeFileSync(path, text.replace('1 1000 5 ', '1 1000 15999999 '), 'latin1');
    expect(textsOf(path)).toEqual(TEXTS.slice(1));
  });

  it('is reported with its place, and a torn tail apart from it', () => {
    const path = written(tempDir(), TEXTS);
    expect(frameDamageText(readAll(path).end)).toBeNull();
    appendFileSync(path, 'torn');
    expect(frameDamageText(readAll(path).end)).toBe('4 torn bytes at the end');
    writeFileSync(path, readFileSync(path, 'latin1').replace('first', 'fIrst'), 'latin1');
    expect(frameDamageText(readAll(path).end)).toMatch(
      /^\d+ damaged bytes at byte 0, after frame 0; 4 torn bytes at the end$/,
    );
  });
});

/** Compiled: a process of its own cannot read TypeScript. */
const DIST = join(import.meta.dirname, '../../dist/src/recording');

/** Appends frames of 1,000 letters; the first that the disk refuses is reported, then a small one is tried. */
const WRITER = `
import { openFrameLog } from ${JSON.stringify(`file://${DIST}/frame-log.js`)};
const log = openFrameLog(process.argv[1], '${DAY}');
let seq = 1;
try { for (; ; seq += 1) log.append([{ seq, tsUs: seq, text: 'x'.repeat(1000) }]); } catch (error) { console.log(seq, error.code); }
log.append([{ seq, tsUs: seq, text: 'small' }]);
`;

it('leaves nothing of a frame that a full disk takes in part', () => {
  const dir = tempDir();
  const run = 'ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"';
  const { stdout, stderr } = spawnSync('bash', ['-c', run, process.execPath, WRITER, dir], {
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['9 EFBIG\n', '']);
  expect(textsOf(frameLogPath(dir, DAY)).map((text) => text.length)).toEqual([
    ...Array.from({ length: 8 }, () => 1000),
    5,
  ]);
});

async function packFrameLogs(dir: string, today: typeof NEXT): Promise<readonly string[]> {
  const logs = unpackedLogs(dir, today);
  // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other, as the daemon does
  for (const { path } of logs) await packFrameLog(path);
  return logs.map(({ day }) => day);
}

// At any moment of packing, and after a crash at any of them, the frames of a day can be read.

const NEXT = tradingDay('2026-03-05');
const TEXTS = ['s|1|{"a":1}', 'đ€😀\n', '', 's|2|{"b":2}'];

function append(dir: string, day: typeof DAY, texts: readonly string[], from = 1): string {
  const log = openFrameLog(dir, day);
  texts.forEach((text, i) => log.append([{ seq: seq(from + i), tsUs: tsUs(1_000 * (from + i)), text }]));
  log.close();
  return log.path;
}

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
  expect([...readFrameBatches(path)].flat().map((frame) => [frame.seq, frame.tsUs])).toEqual(
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
