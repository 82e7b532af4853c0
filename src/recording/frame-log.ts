/**
 * The exact text of every market frame, in order, before anything looks at it. One file a session:
 * `<seq> <tsUs> <bytes>\n<text>\n`. A write reaches the file system before `append` returns, so the death of the process
 * loses nothing; a power cut may lose the tail, which the reader recognises and leaves out.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TradingDay } from '../domain/civil-date.ts';
import { seq, type Seq, tsUs, type TsUs } from '../domain/units.ts';

export interface RecordedFrame {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly text: string;
}

export interface FrameLog {
  readonly path: string;
  /** Throws when the disk refuses; then nothing of the frame stays behind. */
  append(seq: Seq, tsUs: TsUs, text: string): void;
  close(): void;
}

export const frameLogPath = (dir: string, day: TradingDay): string => join(dir, `${day}.frames`);

/** Opens the log of a day to go on with it. A torn tail, left by a power cut, is cut off first. */
export function openFrameLog(dir: string, day: TradingDay): FrameLog {
  mkdirSync(dir, { recursive: true });
  const path = frameLogPath(dir, day);
  if (existsSync(path)) truncateSync(path, wholeBytes(path));
  const file = openSync(path, 'a', 0o600);
  let whole = fstatSync(file).size;
  let isTorn = false;
  const cut = (): void => {
    ftruncateSync(file, whole);
    isTorn = false;
  };
  return {
    path,
    append(frameSeq, at, text) {
      // What stands behind half a record would never be read again.
      if (isTorn) cut();
      const record = Buffer.from(`${frameSeq} ${at} ${Buffer.byteLength(text)}\n${text}\n`);
      try {
        // A disk that is nearly full takes a part, and refuses the rest.
        for (let done = 0; done < record.length;) done += writeSync(file, record, done);
      } catch (error) {
        isTorn = true;
        cut();
        throw error;
      }
      whole += record.length;
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

function wholeBytes(path: string): number {
  let whole = 0;
  for (const { end } of records(path)) whole = end;
  return whole;
}

const NEWLINE = 10;
/** `<seq> <tsUs> <bytes>`; anything else is what a power cut left behind. */
const HEAD = /^(\d{1,15}) (\d{1,16}) (\d{1,10})$/;

function* records(path: string): Generator<{ readonly frame: RecordedFrame; readonly end: number }> {
  const bytes = readIfThere(path);
  let offset = 0;
  while (offset < bytes.length) {
    const headEnd = bytes.indexOf(NEWLINE, offset);
    if (headEnd === -1) return;
    const head = HEAD.exec(bytes.toString('latin1', offset, headEnd));
    if (head === null) return;
    const [number, at, size] = [Number(head[1]), Number(head[2]), Number(head[3])];
    const end = headEnd + 1 + size + 1;
    if (end > bytes.length || bytes[end - 1] !== NEWLINE) return;
    const text = bytes.toString('utf8', headEnd + 1, end - 1);
    yield { frame: { seq: seq(number), tsUs: tsUs(at), text }, end };
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
