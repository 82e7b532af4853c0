/** The bytes of a file, packed or not, a piece at a time. */
import { createReadStream, type ReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Thrown for a file that cannot be read as a whole. */
export class SourceFileError extends Error {
  override readonly name = 'SourceFileError';
}

export interface SourceFile {
  readonly size: number;
  /** Bytes read from the disk so far. */
  readonly bytesRead: number;
  chunks(): AsyncGenerator<Buffer>;
}

const CHUNK_BYTES = 1 << 20;

export function openSource(path: string): SourceFile {
  const { size } = statSync(path);
  let file: ReadStream | undefined = undefined;
  async function* chunks(): AsyncGenerator<Buffer> {
    const raw = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    file = raw;
    const stream = path.endsWith('.gz') ? unpacked(raw) : raw;
    try {
      for await (const chunk of stream) {
        yield chunk as Buffer; // oxlint-disable-line typescript/no-unsafe-type-assertion -- no encoding is set
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
        throw new SourceFileError(`${path}: expected a whole gzip file, was not: ${error.message}`);
      }
      throw error;
    } finally {
      raw.destroy();
    }
  }
  return {
    size,
    get bytesRead() {
      return file?.bytesRead ?? 0;
    },
    chunks,
  };
}

function unpacked(raw: ReadStream): Readable {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  raw.on('error', (error) => gunzip.destroy(error));
  return raw.pipe(gunzip);
}
