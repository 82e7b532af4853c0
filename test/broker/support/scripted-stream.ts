/** A real WebSocket server on the loopback interface. It does nothing by itself: the test plays the service. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** One client as the server sees it. */
export class Peer {
  readonly frames: string[] = [];
  readonly extensions: string;
  pings = 0;
  closeCode: number | undefined = undefined;
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #waiting = new Set<() => void>();

  constructor(socket: WebSocket, request: IncomingMessage) {
    this.#socket = socket;
    this.#stream = request.socket;
    this.extensions = socket.extensions;
    socket.on('message', (data) => {
      this.frames.push(Buffer.isBuffer(data) ? data.toString('utf8') : '');
      this.#changed();
    });
    socket.on('ping', () => {
      this.pings += 1;
      this.#changed();
    });
    socket.on('close', (code) => {
      this.closeCode = code;
      this.#changed();
    });
    socket.on('error', () => {});
  }

  send(...texts: readonly string[]): void {
    for (const text of texts) this.#socket.send(text);
  }

  /** Says yes to the authentication, in the contract's order. */
  accept(): void {
    this.send('d|0|{"success":true,"error":null}', 'd|33|15');
  }

  refuse(code: string, message: string): void {
    this.send(`d|0|${JSON.stringify({ success: false, error: { code, message } })}`);
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** Reads nothing more, and so answers nothing: a link that is open and dead. */
  freeze(): void {
    this.#stream.pause();
  }

  drop(): void {
    this.#socket.terminate();
  }

  /** Resolves when it is so; what arrives is looked at each time. */
  until(isSo: (peer: Peer) => boolean): Promise<void> {
    if (isSo(this)) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo(this)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  received(count: number): Promise<void> {
    return this.until(({ frames }) => frames.length >= count);
  }

  gone(): Promise<void> {
    return this.until(({ closeCode }) => closeCode !== undefined);
  }

  #changed(): void {
    for (const look of this.#waiting) look();
  }
}

export class ScriptedStream {
  readonly peers: Peer[] = [];
  readonly #server: WebSocketServer;
  readonly #arrivals: ((peer: Peer) => void)[] = [];
  #taken = 0;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket, request) => {
      const peer = new Peer(socket, request);
      this.peers.push(peer);
      const next = this.#arrivals.shift();
      if (next !== undefined) this.#give(next);
    });
  }

  static async start(port = 0): Promise<ScriptedStream> {
    const server = new WebSocketServer({ host: '127.0.0.1', port, autoPong: false, perMessageDeflate: true });
    await new Promise<void>((resolve) => server.once('listening', resolve));
    return new ScriptedStream(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/stream`;
  }

  /** The next client that has not been taken yet. */
  next(): Promise<Peer> {
    return new Promise((resolve) => {
      if (this.peers.length > this.#taken) this.#give(resolve);
      else this.#arrivals.push(resolve);
    });
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #give(resolve: (peer: Peer) => void): void {
    const peer = this.peers[this.#taken];
    this.#taken += 1;
    if (peer !== undefined) resolve(peer);
  }
}
