/**
 * The exact text of every market frame, in order, before anything looks at it. One file a session:
 * `<seq> <tsUs> <bytes>\n<text>\n`. A write reaches the file system before `append` returns, so the death of the process
 * loses nothing; a power cut may lose the tail, which the reader recognises and leaves out.
 */
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../domain/assert.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import { seq, type Seq, tsUs, type TsUs } from '../domain/units.ts';

export interface RecordedFrame {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly text: string;
}

export interface FrameLog {
  readonly path: string;
  append(seq: Seq, tsUs: TsUs, text: string): void;
  close(): void;
}

export const frameLogPath = (dir: string, day: TradingDay): string => join(dir, `${day}.frames`);

/** Opens the log of a day to go on with it. A torn tail, left by a power cut, is cut off first. */
export function openFrameLog(dir: string, day: TradingDay): FrameLog {
  mkdirSync(dir, { recursive: true });
  const path = frameLogPath(dir, day);
  const whole = wholeBytes(path);
  if (whole !== undefined) truncateSync(path, whole);
  const file = openSync(path, 'a', 0o600);
  return {
    path,
    append(frameSeq, at, text) {
      const bytes = Buffer.byteLength(text);
      const record = `${frameSeq} ${at} ${bytes}\n${text}\n`;
      const written = writeSync(file, record);
      assert(written === Buffer.byteLength(record), 'a frame is written whole');
    },
    close: () => {
      closeSync(file);
    },
  };
}

/** The frames of a file in order; stops before a torn tail. An absent file has no frames. */
export function* readFrames(path: string): Generator<RecordedFrame> {
  for (const { frame } of records(path)) yield frame;
}

function wholeBytes(path: string): number | undefined {
  let end: number | undefined;
  for (const record of records(path)) end = record.end;
  return end;
}

const NEWLINE = 10;

function* records(path: string): Generator<{ readonly frame: RecordedFrame; readonly end: number }> {
  const bytes = readIfThere(path);
  let offset = 0;
  while (offset < bytes.length) {
    const headEnd = bytes.indexOf(NEWLINE, offset);
    if (headEnd === -1) return;
    const [seqText, tsText, sizeText] = bytes.toString('latin1', offset, headEnd).split(' ');
    const size = Number(sizeText);
    const end = headEnd + 1 + size + 1;
    if (!Number.isSafeInteger(size) || end > bytes.length || bytes[end - 1] !== NEWLINE) return;
    const text = bytes.toString('utf8', headEnd + 1, end - 1);
    yield { frame: { seq: seq(Number(seqText)), tsUs: tsUs(Number(tsText)), text }, end };
    offset = end;
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
