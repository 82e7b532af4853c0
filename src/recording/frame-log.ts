/**
 * The exact text of every market frame, in order, before it is decoded. One file a session: `<seq> <tsUs> <bytes> <crc>\n<text>\n`,
 * where CRC-32 covers the rest of the record. A write reaches the file system before `append` returns, so the
 * death of the process loses nothing; a power cut may lose the tail, which the reader recognises and leaves out. Damage before
 * that is located and left in the file, and the frames behind it are read. A day that is over is packed in the background and stays readable: the log
 * is removed once its packed copy was read back and is equal to the byte, so that at any moment at least one of the two is
 * whole. Notes of the stream's cuts lie between the frames (`readNote`).
 */
import { undefinedIfMissing, withPath } from '../domain/failure.ts';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32, createGunzip, createGzip, gunzipSync } from 'node:zlib';
import { dayNumber, isTradingDay, type TradingDay, tradingDay } from '../domain/civil-date.ts';
import { isRecord, parseJson } from '../domain/parsed.ts';
import { seq, tsUs } from '../domain/units.ts';
import { createWholeFile, withFile } from './columns/whole-file.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';

export type FrameLog = ReturnType<typeof openFrameLog>;

/** Behind the name of a packed log. */
const PACKED = '.gz';

export const frameLogPath = (dir: string, day: TradingDay): string => join(dir, `${day}.frames`);

/** Where the log is now: packed, once its day is over. Undefined where it is gone. */
export const storedLog = (path: string): string | undefined =>
  [path, path + PACKED].find((each) => fs.existsSync(each));

/** Opens the log of a day to go on with it, after its `whole` bytes: a tail that a power cut has torn is cut off. */
export function openFrameLog(dir: string, day: TradingDay, whole?: number) {
  fs.mkdirSync(dir, { recursive: true });
  const path = frameLogPath(dir, day);
  if (fs.existsSync(path)) fs.truncateSync(path, whole ?? wholeBytes(path));
  else if (fs.existsSync(path + PACKED)) unpack(path);
  const file = fs.openSync(path, 'a', 0o600);
  let size = fs.fstatSync(file).size;
  let isTorn = false;
  const cut = (): void => {
    fs.ftruncateSync(file, size);
    isTorn = false;
  };
  return {
    path,
    /** In one write: each costs more than its content. Throws when the disk refuses; then no part of any frame is kept. */
    append(frames: readonly StampedFrame[]): void {
      // Records behind half a record would never be read again.
      if (isTorn) cut();
      const records = frameRecords(frames);
      try {
        // A disk that is nearly full takes a part, and refuses the rest.
        for (let done = 0; done < records.length;) done += fs.writeSync(file, records, done);
      } catch (error) {
        isTorn = true;
        cut();
        throw error;
      }
      size += records.length;
    },
    close(): void {
      fs.closeSync(file);
    },
  };
}

/** The stream came up, went down, or is up without prices: between two frames it tells a cut from a market that is quiet. */
export interface StreamNote extends Pick<StampedFrame, 'seq' | 'tsUs'> {
  readonly kind: 'stream';
  readonly state: 'live' | 'stale' | 'down';
  readonly reason: string;
}

/** No frame of the broker begins so. */
const NOTE = 'n|';

/** Lies between the frames of a log, under the number that the input has in the journal, and of a feed. */
export const noteOf = (event: StreamNote): StampedFrame => ({
  seq: event.seq,
  tsUs: event.tsUs,
  text: NOTE + JSON.stringify(event),
});

/** Undefined for a frame, and for a text that only begins as a note does. */
export function readNote({ seq: number, tsUs: at, text }: StampedFrame): StreamNote | undefined {
  if (!text.startsWith(NOTE)) return undefined;
  const read = parseJson(text.slice(NOTE.length), 'note');
  if (!read.ok || !isRecord(read.value)) return undefined;
  const { state, reason } = read.value;
  const isState = state === 'live' || state === 'stale' || state === 'down';
  if (!isState || typeof reason !== 'string') return undefined;
  return { kind: 'stream', seq: number, tsUs: at, state, reason };
}

export const isBadNote = (frame: StampedFrame): boolean =>
  frame.text.startsWith(NOTE) && readNote(frame) === undefined;

/** As they lie in a log. */
export function frameRecords(frames: readonly StampedFrame[]): Buffer {
  const records = frames.map(({ seq: number, tsUs: at, text }) => {
    const head = `${number} ${at} ${Buffer.byteLength(text)}`;
    return `${head} ${crc32(head + text).toString(16)}\n${text}\n`;
  });
  return Buffer.from(records.join(''));
}

/** The frames of a log in order, packed or not, many at once; returns the damage found. An absent file has no frames. */
export function* readFrameBatches(path: string): Generator<readonly StampedFrame[], FrameLogEnd> {
  const records = new FrameRecords();
  for (const piece of pieces(path)) yield records.read(piece);
  yield records.finish();
  return records.end;
}

function wholeBytes(path: string): number {
  const records = new FrameRecords();
  for (const piece of pieces(path)) records.read(piece);
  records.finish();
  return records.end.wholeBytes;
}

/** A session that goes on is written to again: its log must not begin a second time. */
function unpack(path: string): void {
  const file = createWholeFile(path, 0o600);
  try {
    file.write(gunzipSync(fs.readFileSync(path + PACKED)));
    file.keep();
  } finally {
    file.drop();
  }
}

/** Small enough that the frames of a piece are garbage before they are moved. */
const PIECE_BYTES = 1 << 16;

function* pieces(path: string): Generator<Buffer> {
  const file = undefinedIfMissing(() => fs.openSync(path, 'r'));
  if (file === undefined) {
    const packed = undefinedIfMissing(() => fs.readFileSync(path + PACKED));
    if (packed !== undefined) yield withPath(path + PACKED, () => gunzipSync(packed));
    return;
  }
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (;;) {
      const read = fs.readSync(file, piece, 0, PIECE_BYTES, null);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  } finally {
    fs.closeSync(file);
  }
}

/** Bytes between whole records that are none. */
export interface FrameDamage {
  readonly atByte: number;
  readonly bytes: number;
  /** Number of the last frame before it; 0 at the beginning. */
  readonly afterSeq: number;
}

export interface FrameLogEnd {
  /** Bytes up to the end of the last whole record. */
  readonly wholeBytes: number;
  /** Bytes behind it: the remains of a power cut. */
  readonly tornBytes: number;
  readonly damage: readonly FrameDamage[];
}

/** Null for a log that is whole. */
export function frameDamageText({ tornBytes, damage }: FrameLogEnd): string | null {
  const places = damage.map(
    ({ atByte, bytes, afterSeq }) => `${bytes} damaged bytes at byte ${atByte}, after frame ${afterSeq}`,
  );
  if (tornBytes > 0) places.push(`${tornBytes} torn bytes at the end`);
  return places.length === 0 ? null : places.join('; ');
}

const NEWLINE = 10;
/** Bytes of `<seq> <tsUs> <bytes> <crc>`. */
const HEAD_BYTES_MAX = 15 + 1 + 16 + 1 + 8 + 1 + 8 + 1;
/** A socket takes no larger frame; a size above it is damage. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

const SPACE = 32;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const LETTER_A = 97;

/** The numbers of a head, read in place. */
class RecordHead {
  seq = 0;
  tsUs = 0;
  textBytes = 0;
  checksum = 0;
  /** Where the checked part of the head ends. */
  checkedTo = 0;
  textAt = 0;
  #at = 0;

  /** False when there is no such head at `offset`. */
  read(bytes: Uint8Array, offset: number): boolean {
    this.#at = offset;
    this.seq = this.#number(bytes, 10, 15, SPACE);
    this.tsUs = this.#number(bytes, 10, 16, SPACE);
    this.textBytes = this.#number(bytes, 10, 8, SPACE);
    this.checkedTo = this.#at - 1;
    this.checksum = this.#number(bytes, 16, 8, NEWLINE);
    this.textAt = this.#at;
    return this.seq >= 0 && this.tsUs >= 0 && this.textBytes >= 0 && this.checksum >= 0;
  }

  /** Below zero for anything but a number with this byte behind it. */
  #number(bytes: Uint8Array, radix: number, digitsMax: number, behind: number): number {
    const from = this.#at;
    let value = 0;
    for (;;) {
      const byte = bytes[this.#at] ?? 0;
      this.#at += 1;
      if (byte === behind) return this.#at - 1 === from ? -Infinity : value;
      const digit = byte >= LETTER_A ? byte - LETTER_A + 10 : byte <= DIGIT_9 ? byte - DIGIT_0 : -1;
      if (digit < 0 || digit >= radix || this.#at - from > digitsMax) return -Infinity;
      value = value * radix + digit;
    }
  }
}

interface FoundRecord {
  readonly frame: StampedFrame;
  /** Where the next one begins. */
  readonly end: number;
}

/** Reads the records of a frame log out of bytes that come in pieces. */
export class FrameRecords {
  readonly #damage: FrameDamage[] = [];
  readonly #head = new RecordHead();
  #partial: Buffer = NOTHING;
  #before = 0;
  #whole = 0;
  #lastSeq = 0;
  /** Bytes that are no record follow the last whole one. */
  #isLost = false;

  get end(): FrameLogEnd {
    return {
      wholeBytes: this.#whole,
      tornBytes: this.#before + this.#partial.length - this.#whole,
      damage: this.#damage,
    };
  }

  read(piece: Buffer): readonly StampedFrame[] {
    const bytes = this.#partial.length === 0 ? piece : Buffer.concat([this.#partial, piece]);
    const frames: StampedFrame[] = [];
    const offset = this.#scan(bytes, false, frames);
    this.#before += offset;
    // A copy: the caller may use the memory of the piece again.
    this.#partial = Buffer.from(bytes.subarray(offset));
    return frames;
  }

  /** The input is over: a record that is not whole now is damage, and whole ones may follow it. */
  finish(): readonly StampedFrame[] {
    const frames: StampedFrame[] = [];
    this.#scan(this.#partial, true, frames);
    return frames;
  }

  /** Returns where the first record begins that needs more bytes. */
  #scan(bytes: Buffer, isLast: boolean, frames: StampedFrame[]): number {
    let offset = 0;
    while (offset < bytes.length) {
      const found = this.#recordAt(bytes, offset);
      if (found === 'short' && !isLast) return offset;
      if (typeof found === 'object') {
        const { frame, end } = found;
        this.#take(frame, this.#before + offset, this.#before + end);
        offset = end;
        frames.push(frame);
        continue;
      }
      this.#isLost = true;
      const lineEnd = bytes.indexOf(NEWLINE, offset);
      // A record begins behind a line feed, which may be the last byte seen so far.
      if (lineEnd === -1) return isLast ? bytes.length : Math.max(offset, bytes.length - 1);
      offset = lineEnd + 1;
    }
    return offset;
  }

  #take(frame: StampedFrame, at: number, end: number): void {
    if (this.#isLost)
      this.#damage.push({ atByte: this.#whole, bytes: at - this.#whole, afterSeq: this.#lastSeq });
    this.#isLost = false;
    this.#whole = end;
    this.#lastSeq = frame.seq;
  }

  #recordAt(bytes: Buffer, offset: number): FoundRecord | 'short' | 'none' {
    const head = this.#head;
    if (!head.read(bytes, offset)) {
      const isCut = bytes.length - offset < HEAD_BYTES_MAX && bytes.indexOf(NEWLINE, offset) === -1;
      return isCut ? 'short' : 'none';
    }
    if (head.textBytes > TEXT_BYTES_MAX) return 'none';
    const textEnd = head.textAt + head.textBytes;
    if (textEnd >= bytes.length) return 'short';
    const crc = crc32(bytes.subarray(head.textAt, textEnd), crc32(bytes.subarray(offset, head.checkedTo)));
    if (crc !== head.checksum) return 'none';
    const text = bytes.toString('utf8', head.textAt, textEnd);
    return { frame: { seq: seq(head.seq), tsUs: tsUs(head.tsUs), text }, end: textEnd + 1 };
  }
}

const LOG = '.frames';

export const unpackedLogs = (dir: string, today: TradingDay) =>
  (fs.existsSync(dir) ? fs.readdirSync(dir) : [])
    .toSorted()
    .filter((name) => name.endsWith(LOG))
    .map((name) => ({ day: name.slice(0, -LOG.length), path: join(dir, name) }))
    .flatMap(({ day, path }) => (isTradingDay(day) && day < today ? [{ day: tradingDay(day), path }] : []));

/** A crash leaves both alike. A copy of a state directory may have a log of noon beside the packed one of the evening. */
export function refuseOlder(path: string): void {
  const packed = undefinedIfMissing(() => fs.readFileSync(path + PACKED));
  if (packed === undefined || unpackedBytes(packed) <= fs.statSync(path).size) return;
  throw new Error(`${path}${PACKED} has more of that day: move the log away`);
}

/** Its last four bytes, as gzip has it. */
const unpackedBytes = (packed: Buffer): number =>
  packed.length < Uint32Array.BYTES_PER_ELEMENT
    ? 0
    : packed.readUInt32LE(packed.length - Uint32Array.BYTES_PER_ELEMENT);

/** Begins again after a crash: the log counts as long as it is there. */
export async function packFrameLog(path: string): Promise<void> {
  const partial = `${path}${PACKED}.partial`;
  try {
    await pipeline(
      fs.createReadStream(path),
      createGzip({ level: 9 }),
      fs.createWriteStream(partial, { mode: 0o600 }),
    );
    const [before, after] = await Promise.all([digest(path), digest(partial)]);
    if (before !== after)
      throw new Error(`${path}: the packed copy differs from the log; the log stays as it is`);
    withFile(partial, fs.fsyncSync);
    fs.renameSync(partial, path + PACKED);
    // A power cut must not find the log gone and its archive without its name.
    withFile(dirname(path), fs.fsyncSync);
    fs.rmSync(path);
  } finally {
    fs.rmSync(partial, { force: true });
  }
}

/** Over the unpacked bytes. */
async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  const isPlain = path.endsWith(LOG);
  if (isPlain) await pipeline(fs.createReadStream(path), hash);
  else await pipeline(fs.createReadStream(path), createGunzip(), hash);
  return hash.digest('hex');
}

interface FrameLimits {
  /** Packed logs that are older go. */
  readonly days: number;
  /** All logs together; the oldest packed ones go first. */
  readonly bytes: number;
}

/**
 * Deletes logs that are too old, and packed ones that are too many. One that is not packed yet is still to be compiled: it stays for its
 * days. Today's log stays. Returns the names of those deleted.
 */
export function pruneFrameLogs(
  dir: string,
  today: TradingDay,
  { days, bytes }: FrameLimits,
): readonly string[] {
  const logs = (fs.existsSync(dir) ? fs.readdirSync(dir) : [])
    .filter((name) => name.endsWith(LOG) || name.endsWith(LOG + PACKED))
    .toSorted()
    .map((name) => ({
      name,
      day: name.slice(0, name.indexOf(LOG)),
      size: fs.statSync(join(dir, name)).size,
    }));
  let total = logs.reduce((sum, { size }) => sum + size, 0);
  const deleted: string[] = [];
  for (const { name, day, size } of logs) {
    if (!isTradingDay(day) || day >= today) continue;
    const isOld = dayNumber(today) - dayNumber(tradingDay(day)) > days;
    if (!isOld && (total <= bytes || !name.endsWith(PACKED))) continue;
    fs.rmSync(join(dir, name));
    total -= size;
    deleted.push(name);
  }
  return deleted;
}
