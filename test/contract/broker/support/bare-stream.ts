/** A WebSocket and the frames of the document: bare `ws`, and nothing of our own. */
import { WebSocket } from 'ws';
import type { Json } from '../document/answer-check.ts';
import { authFrame, HEARTBEAT } from '../document/stream.ts';

export class BareStream {
  readonly socket: WebSocket;
  readonly frames: string[] = [];
  /** Every frame of the server was a text frame. */
  isTextOnly = true;
  /** The code that the server closed with. */
  readonly closed: Promise<number>;
  #wake: () => void = () => {};

  private constructor(url: string) {
    this.socket = new WebSocket(url, { perMessageDeflate: false });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.isTextOnly = false;
      this.frames.push(data.toString());
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code) => {
        resolve(code);
        this.#wake();
      });
    });
  }

  static async open(url: string): Promise<BareStream> {
    const stream = new BareStream(url);
    await new Promise((resolve, reject) => {
      stream.socket.once('open', resolve);
      stream.socket.once('error', reject);
    });
    return stream;
  }

  /** Open, and past the answer to its token. */
  static async authenticated(url: string, token: string | undefined): Promise<BareStream> {
    const stream = await BareStream.open(url);
    stream.send(authFrame(token));
    await stream.next('d|0|');
    return stream;
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(frame: string): void {
    this.socket.send(frame);
  }

  /** The next frame from the `from`th on that begins so. */
  async next(prefix: string, from = 0): Promise<string> {
    for (;;) {
      const frame = this.frames.slice(from).find((candidate) => candidate.startsWith(prefix));
      if (frame !== undefined) return frame;
      if (this.socket.readyState === this.socket.CLOSED) throw new Error(`closed before ${prefix}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** What the server has sent up to now has arrived when its answer to a heartbeat has. */
  async settle(): Promise<void> {
    const from = this.frames.length;
    this.send(HEARTBEAT);
    await this.next(HEARTBEAT, from);
  }

  /** Payloads of the frames of a channel. */
  payloads(prefix: string): Json[] {
    return this.frames
      .filter((frame) => frame.startsWith(prefix))
      .map((frame) => JSON.parse(frame.slice(prefix.length)) as Json);
  }

  get dataFrames(): string[] {
    return this.frames.filter((frame) => frame.startsWith('s|'));
  }
}
