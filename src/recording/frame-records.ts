/** The records of a frame log out of bytes that come in pieces: `<seq> <tsUs> <bytes>\n<text>\n`. */
import { seq, type Seq, tsUs, type TsUs } from '../domain/units.ts';

export interface RecordedFrame {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly text: string;
}

const NEWLINE = 10;
/** `<seq> <tsUs> <bytes>`; anything else is what a power cut left behind. */
const HEAD = /^(\d{1,15}) (\d{1,16}) (\d{1,10})$/;
const HEAD_BYTES_MAX = 15 + 1 + 16 + 1 + 10 + 1;
const NOTHING = Buffer.alloc(0);

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
    // Nothing behind what is no record can be told.
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
    // A copy: who gave the piece may use its memory again.
    this.#rest = Buffer.from(bytes.subarray(offset));
  }
}
