/**
 * The network between daemon and broker: HTTP under `undici`'s pools and WebSockets as pairs. It delays, loses and cuts; what it
 * delivers, it delivers in order; a frame of the stream now and then twice.
 */
import { EventEmitter } from 'node:events';
import { type Dispatcher, Pool } from 'undici';
import type { Dial, StreamSocket } from '../../src/broker/stream/stream-connection.ts';
import { milliseconds } from '../../src/domain/units.ts';
import type { SimulatorParts } from '../../src/simulator/start-simulator.ts';
import { serveRequest, type ServedReply } from '../../src/simulator/http/rest-server.ts';
import type { SessionSocket } from '../../src/simulator/stream/stream-server.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import { type AnswerFaults, Answers, TRUE_ANSWERS } from './answers.ts';
import type { Draws } from './draws.ts';
import type { Owner, VirtualTime } from './virtual-time.ts';

type Operation = (typeof OPERATIONS)[number];

/** Chances of each call, and bounds of latencies in milliseconds. */
export interface NetworkFaults {
  refused: number;
  requestLost: number;
  /** The daemon sees a reset, and the request arrives all the same, a while later. */
  requestLate: number;
  requestLateMs: readonly [number, number];
  /** A read takes its time to the broker: calls that left after it arrive before it. */
  readLate: number;
  readLateMs: readonly [number, number];
  answerLost: number;
  answerLate: number;
  answerLateMs: readonly [number, number];
  /** A frame of the stream, of control or data, arrives twice. */
  frameTwice: number;
  /** A lost answer shows as a reset rather than as silence. */
  resets: number;
  latencyMs: readonly [shortest: number, longest: number];
  readonly answers: AnswerFaults;
}

export interface Request {
  readonly operation: Operation['name'];
  readonly isMove: boolean;
  readonly refId: string | null;
  readonly body: unknown;
  /** Of a list, counted from 1. */
  readonly page: number;
}

export interface NetworkOptions {
  readonly time: VirtualTime;
  readonly draws: Draws;
  readonly faults: NetworkFaults;
  /** As it runs now: a broker may die and start again. */
  readonly broker: () => { readonly owner: Owner; readonly simulator: SimulatorParts };
  /** The first byte of a request is about to leave the daemon. */
  readonly onSend: (request: Request) => void;
  readonly onArrival: (request: Request) => void;
  readonly onAnswer: (
    request: Request,
    fate: 'answered' | 'lost' | 'late' | 'never arrived' | 'arrives late',
  ) => void;
  /** A read is answered with a success, and the answer is on its way. */
  readonly onServed: (request: Request) => void;
  /** An answer shows what is not so. */
  readonly onLie: (what: keyof AnswerFaults) => void;
}

const MOVES: ReadonlySet<string> = new Set<Operation['name']>([
  'place',
  'change',
  'cancel',
  'condition-place',
  'condition-change',
  'condition-cancel',
]);

const ROUTES = OPERATIONS.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
}));

export class Network {
  readonly #options: NetworkOptions;
  readonly #answers: Answers;
  /** Open sockets of the stream, by the daemon's side. */
  readonly #sockets = new Set<ClientSocket>();
  isDown = false;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#answers = new Answers(options.draws.fork(), options.faults.answers, options.onLie);
  }

  get openSockets(): number {
    return [...this.#sockets].filter(({ readyState }) => readyState !== CLOSED).length;
  }

  /** Puts itself under every pool of `undici`; returns how to put the real one back. */
  install(): () => void {
    const real = Object.getOwnPropertyDescriptor(Pool.prototype, 'dispatch');
    const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
      this.#exchange(options, handler);
      return true;
    };
    Object.defineProperty(Pool.prototype, 'dispatch', {
      value: dispatch,
      configurable: true,
      writable: true,
    });
    return () => {
      if (real === undefined) Reflect.deleteProperty(Pool.prototype, 'dispatch');
      else Object.defineProperty(Pool.prototype, 'dispatch', real);
    };
  }

  readonly dial: Dial = () => {
    const { time, draws, faults } = this.#options;
    const { owner: broker, simulator } = this.#options.broker();
    const client = new ClientSocket({
      time,
      owner: time.owner,
      broker,
      latencyUs: () => this.#latencyUs(),
      comesTwice: () => draws.chance(faults.frameTwice),
    });
    this.#sockets.add(client);
    time.at(time.nowUs + this.#latencyUs(), broker, () => {
      if (
        this.#isUnreachable ||
        simulator.board.strike('refuse_connections', { scope: 'stream' }) !== undefined
      )
        return client.fail();
      simulator.stream.accept(client.open(), { cork: () => {}, uncork: () => {} });
    });
    return client as unknown as StreamSocket; // oxlint-disable-line typescript/no-unsafe-type-assertion -- its `on` has no overloads
  };

  /** The kernel closes what a dead process had open. */
  cutOf(owner: Owner): void {
    for (const socket of this.#sockets) {
      if (socket.owner === owner) socket.cut();
    }
  }

  /** Every stream breaks without a close frame. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.cut();
    this.#sockets.clear();
  }

  worsen(faults: Partial<NetworkFaults>): void {
    Object.assign(this.#options.faults, faults);
  }

  /** From now on everything arrives. */
  heal(): void {
    Object.assign(this.#options.faults, {
      refused: 0,
      requestLost: 0,
      requestLate: 0,
      readLate: 0,
      answerLost: 0,
      answerLate: 0,
      frameTwice: 0,
    });
    Object.assign(this.#options.faults.answers, TRUE_ANSWERS);
  }

  get #isUnreachable(): boolean {
    return this.isDown || this.#options.broker().owner.isDead;
  }

  #latencyUs(): number {
    const { draws, faults } = this.#options;
    return Math.round(draws.skewed(...faults.latencyMs) * 1_000);
  }

  #exchange(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const { time, draws, faults } = this.#options;
    const daemon = time.owner;
    if (daemon.isDead) return;
    const call = new Call(time, daemon, handler);
    time.at(time.nowUs + this.#latencyUs(), daemon, () => {
      if (this.#isUnreachable || draws.chance(faults.refused)) return call.fail('ECONNREFUSED');
      const request = readRequest(options);
      if (!call.start(() => this.#options.onSend(request.shown))) return;
      if (daemon.isDead) return;
      if (draws.chance(faults.requestLost)) {
        this.#options.onAnswer(request.shown, 'never arrived');
        return this.#lose(call);
      }
      const isLate = draws.chance(faults.requestLate);
      if (isLate) {
        this.#options.onAnswer(request.shown, 'arrives late');
        time.at(time.nowUs + this.#latencyUs(), daemon, () => call.fail('ECONNRESET'));
      }
      const isSlow = !request.shown.isMove && draws.chance(faults.readLate);
      const slowUs = isSlow ? draws.between(...faults.readLateMs) * 1_000 : 0;
      const lateUs = isLate ? draws.between(...faults.requestLateMs) * 1_000 : slowUs;
      time.at(time.nowUs + this.#latencyUs() + lateUs, this.#options.broker().owner, () =>
        this.#serve(request, call),
      );
    });
  }

  #lose(call: Call): void {
    const { time, draws, faults } = this.#options;
    if (!draws.chance(faults.resets)) return;
    time.at(time.nowUs + this.#latencyUs(), call.daemon, () => call.fail('ECONNRESET'));
  }

  #serve(request: ReadRequest, call: Call): void {
    const { time, draws, faults } = this.#options;
    const { simulator } = this.#options.broker();
    this.#options.onArrival(request.shown);
    const reply = serveRequest(simulator.requests, request.operation, request);
    const date = new Date(simulator.clock.nowUs() / 1_000).toUTCString();
    if (reply.kind === 'dropped' || draws.chance(faults.answerLost)) {
      this.#options.onAnswer(request.shown, 'lost');
      return this.#lose(call);
    }
    const isLate = draws.chance(faults.answerLate);
    this.#options.onAnswer(request.shown, isLate ? 'late' : 'answered');
    const lateUs = isLate ? draws.between(...faults.answerLateMs) * 1_000 : 0;
    const isRead = reply.status === 200;
    if (isRead && !request.shown.isMove) this.#options.onServed(request.shown);
    const shown = isRead ? { ...reply, text: this.#answers.given(request.shown, reply.text) } : reply;
    time.at(time.nowUs + this.#latencyUs() + lateUs + milliseconds(reply.delayMs), call.daemon, () =>
      call.reply(shown, date),
    );
  }
}

interface ReadRequest {
  readonly operation: Operation;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly authorization: string | undefined;
  readonly shown: Request;
}

function readRequest({ path, method, body, headers }: Dispatcher.DispatchOptions): ReadRequest {
  const url = new URL(path, 'http://broker');
  for (const { operation, pattern } of ROUTES) {
    const found = operation.method === method ? pattern.exec(url.pathname) : null;
    if (found === null) continue;
    const json: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    const given: Readonly<Record<string, unknown>> = { ...(headers as Record<string, string>) }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- as the client of `undici` writes them
    const refId: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'refId') : null;
    return {
      operation,
      params: { ...found.groups },
      query: Object.fromEntries(url.searchParams),
      body: json,
      authorization: typeof given['authorization'] === 'string' ? given['authorization'] : undefined,
      shown: {
        operation: operation.name,
        isMove: MOVES.has(operation.name),
        refId: typeof refId === 'string' ? refId : null,
        body: json,
        page: Number(url.searchParams.get('pageNo') ?? 1),
      },
    };
  }
  throw new Error(`no operation ${method} ${url.pathname}`);
}

/** One request on its connection. After its end nothing more reaches the handler. */
class Call {
  readonly daemon: Owner;
  readonly #time: VirtualTime;
  readonly #handler: Dispatcher.DispatchHandler;
  #isOver = false;
  readonly #controller: Dispatcher.DispatchController;

  constructor(time: VirtualTime, daemon: Owner, handler: Dispatcher.DispatchHandler) {
    this.#time = time;
    this.daemon = daemon;
    this.#handler = handler;
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: null,
      rawTrailers: null,
      pause: () => {},
      resume: () => {},
      abort: (error: Error) => {
        if (this.#isOver) return;
        this.#isOver = true;
        handler.onResponseError?.(this.#controller, error);
      },
    };
    this.#controller = controller;
  }

  /** True when the request left. */
  start(leaves: () => void): boolean {
    if (this.#isOver) return false;
    this.#handler.onRequestStart?.(this.#controller, {});
    if (this.#isOver) return false;
    leaves();
    return true;
  }

  fail(code: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseError?.(this.#controller, Object.assign(new Error(`connect ${code}`), { code }));
  }

  reply({ status, text, type }: Extract<ServedReply, { readonly kind: 'reply' }>, date: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseStart?.(this.#controller, status, { date, 'content-type': type }, '');
    this.#handler.onResponseData?.(this.#controller, Buffer.from(text));
    this.#handler.onResponseEnd?.(this.#controller, {});
  }

  get time(): VirtualTime {
    return this.#time;
  }
}

const CONNECTING = 0;
const OPEN = 1;
const CLOSING = 2;
const CLOSED = 3;

interface LineOptions {
  readonly time: VirtualTime;
  /** The daemon's process, and the broker's. */
  readonly owner: Owner;
  readonly broker: Owner;
  readonly latencyUs: () => number;
  readonly comesTwice: () => boolean;
}

/** The daemon's end of a WebSocket, and through `open` the broker's. */
class ClientSocket extends EventEmitter {
  readonly owner: Owner;
  readyState: number = CONNECTING;
  readonly #line: LineOptions;
  #server: ServerSocket | undefined = undefined;
  /** Of the last frame on its way, for each direction: a stream keeps its order. */
  #toClientUs = 0;
  /** Frames of one read: the broker wrote them at one moment. */
  #read: { readonly writtenUs: number; readonly frames: (() => void)[] } = { writtenUs: -1, frames: [] };
  #toServerUs = 0;

  constructor(line: LineOptions) {
    super();
    this.#line = line;
    this.owner = line.owner;
  }

  /** The broker accepts; the answer is on its way. */
  open(): SessionSocket {
    const server = new ServerSocket(
      (text) => {
        const heard = (): void => void (this.#opened() && this.emit('message', Buffer.from(text), false));
        this.#toClient(heard);
        if (this.#line.comesTwice()) this.#toClient(heard);
      },
      (code, reason) => {
        this.#toClient(() => this.#gone(code, reason));
        this.#toServer(() => server.gone(code));
      },
    );
    this.#server = server;
    this.#toClient(() => {
      if (this.readyState !== CONNECTING) return;
      this.readyState = OPEN;
      this.emit('open');
    });
    return server as unknown as SessionSocket; // oxlint-disable-line typescript/no-unsafe-type-assertion -- its `on` has no overloads
  }

  fail(): void {
    this.#toClient(() => {
      if (this.readyState === CLOSED) return;
      this.emit('error', new Error('connect ECONNREFUSED'));
      this.#gone(1006, '');
    });
  }

  send(text: string): void {
    this.#toServer(() => this.#server?.readyState === OPEN && this.#server.heard(text));
  }

  close(code: number): void {
    if (this.readyState >= CLOSING) return;
    this.readyState = CLOSING;
    this.#toServer(() => {
      this.#server?.gone(code);
      this.#toClient(() => this.#gone(code, ''));
    });
  }

  terminate(): void {
    this.cut();
  }

  /** Both ends find the connection broken. */
  cut(): void {
    this.#toClient(() => this.#gone(1006, ''));
    this.#toServer(() => this.#server?.gone(1006));
  }

  #opened(): boolean {
    return this.readyState === OPEN;
  }

  #gone(code: number, reason: string): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.emit('close', code, Buffer.from(reason));
  }

  #toClient(run: () => void): void {
    const { time, latencyUs } = this.#line;
    const { nowUs } = time;
    if (this.#read.writtenUs === nowUs && nowUs <= this.#toClientUs) {
      this.#read.frames.push(run);
      return;
    }
    const frames = [run];
    this.#read = { writtenUs: nowUs, frames };
    this.#toClientUs = Math.max(this.#toClientUs, nowUs + latencyUs());
    time.at(this.#toClientUs, this.owner, () => {
      this.#read = { writtenUs: -1, frames: [] };
      for (const frame of frames) frame();
    });
  }

  #toServer(run: () => void): void {
    const { time, broker, latencyUs } = this.#line;
    this.#toServerUs = Math.max(this.#toServerUs, time.nowUs + latencyUs());
    time.at(this.#toServerUs, broker, run);
  }
}

class ServerSocket extends EventEmitter {
  readonly OPEN = OPEN;
  readonly bufferedAmount = 0;
  readyState: number = OPEN;
  readonly #say: (text: string) => void;
  readonly #hangUp: (code: number, reason: string) => void;
  #isPaused = false;

  constructor(say: (text: string) => void, hangUp: (code: number, reason: string) => void) {
    super();
    this.#say = say;
    this.#hangUp = hangUp;
  }

  send(frame: string | Buffer): void {
    this.#say(frame.toString());
  }

  close(code: number, reason: string): void {
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSING;
    this.#hangUp(code, reason);
  }

  terminate(): void {
    this.close(1006, '');
  }

  pause(): void {
    this.#isPaused = true;
  }

  heard(text: string): void {
    if (!this.#isPaused) this.emit('message', Buffer.from(text), false);
  }

  gone(code: number): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.emit('close', code, Buffer.alloc(0));
  }
}
