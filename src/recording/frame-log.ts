/**
 * The exact text of every market frame, in order, before it is decoded. One file a session: `<seq> <tsUs> <bytes>\n<text>\n`. A
 * write reaches the file system before `append` returns, so the death of the process loses nothing; a power cut may lose the
 * tail, which the reader recognises and leaves out. A day that is over is packed in the background and stays readable: the log
 * is removed once its packed copy was read back and is equal to the byte, so that at any moment at least one of the two is
 * whole.
 */
import { ifThere } from '../domain/failure.ts';
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, gunzipSync } from 'node:zlib';
import { isTradingDay, type TradingDay, tradingDay } from '../domain/civil-date.ts';
import { type Seq, seq, type TsUs, tsUs } from '../domain/units.ts';
import { createWholeFile } from './columns/whole-file.ts';

export interface FrameLog {
  readonly path: string;
  /** Throws when the disk refuses; then no part of the frame is kept. */
  append(seq: Seq, tsUs: TsUs, text: string): void;
  close(): void;
}

/** Behind the name of a packed log. */
const PACKED = '.gz';

export const frameLogPath = (dir: string, day: TradingDay): string => join(dir, `${day}.frames`);

/**
 * Opens the log of a day to go on with it. A torn tail, left by a power cut, is cut off first: `whole` is the number of bytes before
 * it, where the log has just been read.
 */
export function openFrameLog(dir: string, day: TradingDay, whole?: number): FrameLog {
  mkdirSync(dir, { recursive: true });
  const path = frameLogPath(dir, day);
  if (existsSync(path)) truncateSync(path, whole ?? wholeBytes(path));
  else if (existsSync(path + PACKED)) unpack(path);
  const file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let isTorn = false;
  const cut = (): void => {
    ftruncateSync(file, size);
    isTorn = false;
  };
  return {
    path,
    append(frameSeq, at, text) {
      // Records behind half a record would never be read again.
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
      size += record.length;
    },
    close: () => {
      closeSync(file);
    },
  };
}

/** The frames of a log in order, packed or not; returns the bytes before a torn tail. An absent file has no frames. */
export function* readFrames(path: string): Generator<RecordedFrame, number> {
  const records = new FrameRecords();
  for (const piece of pieces(path)) yield* records.read(piece);
  return records.wholeBytes;
}

function wholeBytes(path: string): number {
  const records = new FrameRecords();
  for (const piece of pieces(path)) for (const _ of records.read(piece));
  return records.wholeBytes;
}

/** A session that goes on is written to again: its log must not begin a second time. */
function unpack(path: string): void {
  const file = createWholeFile(path, 0o600);
  try {
    file.write(gunzipSync(readFileSync(path + PACKED)));
    file.keep();
  } finally {
    file.drop();
  }
}

const PIECE_BYTES = 1 << 20;

function* pieces(path: string): Generator<Buffer> {
  const file = openIfThere(path);
  if (file === undefined) {
    const packed = readIfThere(path + PACKED);
    if (packed !== undefined) yield gunzipSync(packed);
    return;
  }
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (;;) {
      const read = readSync(file, piece, 0, PIECE_BYTES, null);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

const openIfThere = (path: string): number | undefined => ifThere(() => openSync(path, 'r'));
const readIfThere = (path: string): Buffer | undefined => ifThere(() => readFileSync(path));

export interface RecordedFrame {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly text: string;
}

const NEWLINE = 10;
/** `<seq> <tsUs> <bytes>`; anything else is the remains of a power cut. */
const HEAD = /^(\d{1,15}) (\d{1,16}) (\d{1,10})$/;
const HEAD_BYTES_MAX = 15 + 1 + 16 + 1 + 10 + 1;
const NOTHING = Buffer.alloc(0);

/** Reads the records of a frame log out of bytes that come in pieces. */
export class FrameRecords {
  #rest: Buffer = NOTHING;
  #whole = 0;
  #isTorn = false;

  /** Bytes up to the end of the last whole record. */
  get wholeBytes(): number {
    return this.#whole;
  }

  /** The records that are whole with this piece. */
  *read(piece: Buffer): Generator<RecordedFrame> {
    // Nothing behind a broken record can be read.
    if (this.#isTorn) return;
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let offset = 0;
    while (!this.#isTorn && offset < bytes.length) {
      const headEnd = bytes.indexOf(NEWLINE, offset);
      if (headEnd === -1) {
        this.#isTorn = bytes.length - offset > HEAD_BYTES_MAX;
        break;
      }
      const head = HEAD.exec(bytes.toString('latin1', offset, headEnd));
      const end = headEnd + 1 + Number(head?.[3]) + 1;
      if (end > bytes.length) break;
      this.#isTorn = head === null || bytes[end - 1] !== NEWLINE;
      if (head === null || this.#isTorn) break;
      const text = bytes.toString('utf8', headEnd + 1, end - 1);
      this.#whole += end - offset;
      offset = end;
      yield { seq: seq(Number(head[1])), tsUs: tsUs(Number(head[2])), text };
    }
    // A copy: the caller may use the memory of the piece again.
    this.#rest = Buffer.from(bytes.subarray(offset));
  }
}

const LOG = '.frames';

interface DayLog {
  readonly day: TradingDay;
  readonly path: string;
}

/** The logs in `dir` of days before `today` that are not packed, oldest first. */
export const unpackedLogs = (dir: string, today: TradingDay): readonly DayLog[] =>
  (existsSync(dir) ? readdirSync(dir) : [])
    .toSorted()
    .filter((name) => name.endsWith(LOG))
    .map((name) => ({ day: name.slice(0, -LOG.length), path: join(dir, name) }))
    .flatMap(({ day, path }) => (isTradingDay(day) && day < today ? [{ day: tradingDay(day), path }] : []));

/** Begins again after a crash: the log counts as long as it is there. */
export async function packFrameLog(path: string): Promise<void> {
  const partial = `${path}${PACKED}.partial`;
  try {
    await pipeline(
      createReadStream(path),
      createGzip({ level: 9 }),
      createWriteStream(partial, { mode: 0o600 }),
    );
    const [before, after] = await Promise.all([digest(path), digest(partial)]);
    if (before !== after)
      throw new Error(`${path}: the packed copy differs from the log; the log stays as it is`);
    sync(partial);
    renameSync(partial, path + PACKED);
    // A power cut must not find the log gone and its archive without its name.
    sync(dirname(path));
    rmSync(path);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Over the unpacked bytes. */
async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  const isPlain = path.endsWith(LOG);
  if (isPlain) await pipeline(createReadStream(path), hash);
  else await pipeline(createReadStream(path), createGunzip(), hash);
  return hash.digest('hex');
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
