/** A stream client against a scripted service on a real socket, in virtual time. */
import { FRESH_STATE, type ReconnectState } from '../../../src/broker/stream/reconnect-policy.ts';
import { StreamClient, type StreamSignal } from '../../../src/broker/stream/stream-client.ts';
import { seconds } from '../../../src/domain/units.ts';
import { contract } from '../../support/strategy-fixtures.ts';
import { RecordingSink } from './recording-sink.ts';
import { type Peer, ScriptedStream } from './scripted-stream.ts';
import { FakeTokens } from './tokens.ts';
import { VirtualTimers } from './virtual-timers.ts';

export const FRONT = contract(0, 'VN30F2601', '2026-01-15');
export const NEXT = contract(1, 'VN30F2602', '2026-01-15');
export const HEARTBEAT = 'd|p|||';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class StreamWorld {
  readonly timers = new VirtualTimers();
  readonly tokens = new FakeTokens('token-1');
  readonly sink = new RecordingSink();
  readonly frames: string[] = [];
  readonly signals: StreamSignal[] = [];
  readonly pongs: number[] = [];
  isContinuous = false;
  server: ScriptedStream;
  client: StreamClient;
  state: ReconnectState = FRESH_STATE;
  #waiting: { readonly kind: StreamSignal['kind']; readonly resolve: (signal: StreamSignal) => void }[] = [];

  private constructor(server: ScriptedStream) {
    this.server = server;
    this.client = this.create();
  }

  static async start(): Promise<StreamWorld> {
    return new StreamWorld(await ScriptedStream.start());
  }

  /** Another start of the daemon: what was kept of the last one is there. */
  create(url = this.server.url): StreamClient {
    const client = new StreamClient({
      url,
      tokens: this.tokens,
      clock: this.timers,
      timers: this.timers,
      store: { load: () => this.state, save: (next) => (this.state = next) },
      sink: this.sink,
      isContinuous: () => this.isContinuous,
      onSignal: (signal) => this.#onSignal(signal),
      onPong: (roundTrip) => this.pongs.push(roundTrip),
    });
    client.frames$.subscribe((text) => this.frames.push(text));
    return client;
  }

  /** The next signal of this kind. */
  signaled(kind: StreamSignal['kind']): Promise<StreamSignal> {
    return new Promise((resolve) => this.#waiting.push({ kind, resolve }));
  }

  kinds(): string[] {
    return this.signals.map(({ kind }) => kind);
  }

  posted(): string[] {
    return this.sink.events.map((event) =>
      event.kind === 'stream' ? `${event.state}: ${event.reason}` : event.kind,
    );
  }

  /** Resolves when so many control frames that nobody knows have been read. */
  async heard(count: number): Promise<void> {
    while (this.client.status().unknownControlFrames < count) await nextTurn();
  }

  /** Resolves when so many data frames have been handed over. */
  async handed(count: number): Promise<void> {
    while (this.frames.length < count) await nextTurn();
  }

  /** Authenticated and subscribed to two contracts. Frames keep their order: the last one read, all are. */
  async goLive(): Promise<Peer> {
    const live = this.signaled('live');
    this.client.subscribe([FRONT, NEXT]);
    this.client.start();
    const peer = await this.server.next();
    await peer.received(1);
    peer.accept();
    await live;
    await peer.received(3);
    return peer;
  }

  async close(): Promise<void> {
    const stopped = this.client.stop();
    this.timers.advance(seconds(10));
    await stopped;
    await this.server.close();
  }

  #onSignal(signal: StreamSignal): void {
    this.signals.push(signal);
    const due = this.#waiting.filter(({ kind }) => kind === signal.kind);
    this.#waiting = this.#waiting.filter(({ kind }) => kind !== signal.kind);
    for (const { resolve } of due) resolve(signal);
  }
}
