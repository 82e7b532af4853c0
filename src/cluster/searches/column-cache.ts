/** Columns that this host has fetched, in files named by their hash; what was used longest ago makes room. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode, ifThere, writing } from '../../domain/failure.ts';
import { type Piece, sha256 } from './job.ts';

/** Writes the bytes of a piece. */
export type Fetch = (hash: string, write: (bytes: Uint8Array) => void) => Promise<void>;

const PARTIAL = '.partial';
const WAIT_MS = 100;
/** A file that grew no more for so long was left by a process that died. */
const LEFT_MS = 10_000;

export class ColumnCache {
  readonly #dir: string;
  readonly #bytesMax: number;

  constructor(dir: string, bytesMax: number) {
    this.#dir = dir;
    this.#bytesMax = bytesMax;
    mkdirSync(dir, { recursive: true });
  }

  /** On shared memory. What is here and is not what its name says is fetched again, once. */
  async read(piece: Piece, fetch: Fetch): Promise<SharedArrayBuffer> {
    const path = join(this.#dir, piece.hash);
    for (let tries = 0; tries < 2; tries += 1) {
      const memory = ifThere(() => fileOn(path, piece.bytes)) ?? (await this.#fetched(path, piece, fetch));
      if (sha256(new Uint8Array(memory)) === piece.hash) return memory;
      rmSync(path, { force: true });
    }
    throw new Error(
      `the columns ${piece.key}: expected bytes of the hash ${piece.hash}, were others: start the sweep again`,
    );
  }

  /** Only one process of a host fetches a piece. */
  async #fetched(path: string, piece: Piece, fetch: Fetch): Promise<SharedArrayBuffer> {
    const partial = `${path}${PARTIAL}`;
    for (;;) {
      const file = createdHere(partial);
      if (file !== null) {
        try {
          this.#makeRoom(piece.bytes);
          await fetch(piece.hash, (bytes) => writing(partial, () => writeFileSync(file, bytes)));
          renameSync(partial, path);
        } finally {
          closeSync(file);
          rmSync(partial, { force: true });
        }
      } else await pause(WAIT_MS);
      const memory = ifThere(() => fileOn(path, piece.bytes));
      if (memory !== undefined) return memory;
    }
  }

  #makeRoom(bytes: number): void {
    const files = readdirSync(this.#dir).flatMap((name) => {
      const path = join(this.#dir, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined || name.endsWith(PARTIAL)
        ? []
        : [{ path, size: stat.size, usedMs: stat.mtimeMs }];
    });
    let held = files.reduce((sum, { size }) => sum + size, bytes);
    for (const { path, size } of files.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (held <= this.#bytesMax) return;
      rmSync(path, { force: true });
      held -= size;
    }
  }
}

/** Null where another process writes it. */
function createdHere(path: string): number | null {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > LEFT_MS) rmSync(path, { force: true });
    return null;
  }
}

function fileOn(path: string, bytes: number): SharedArrayBuffer {
  const file = openSync(path, 'r');
  try {
    const memory = new SharedArrayBuffer(bytes);
    const view = new Uint8Array(memory);
    let at = 0;
    for (let read = -1; read !== 0 && at < bytes; at += read) read = readSync(file, view, at, bytes - at, at);
    const now = new Date();
    utimesSync(path, now, now);
    return memory;
  } finally {
    closeSync(file);
  }
}
