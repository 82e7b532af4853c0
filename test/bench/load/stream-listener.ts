/** One stream client of the load: keeps its heartbeat, and looks at every trade for one that is missing. */
import { WebSocket } from 'ws';

export interface ListenerCounts {
  frames: number;
  bytes: number;
  trades: number;
  /** Trades whose `totalVolume` is not the one before plus `matchQtty`. */
  gaps: number;
  /** Heartbeats without an answer when the next one was due. */
  missedPongs: number;
  /** Milliseconds from a heartbeat to its answer. */
  readonly pongs: number[];
  /** Close codes that came before the end. */
  readonly closes: number[];
}

const CHANNELS = 'bp+bi+tm+mp+op+fe';
const HEARTBEAT = 'd|p|||';
const HEARTBEAT_EVERY_MS = 2_000;
const TRADE_PREFIX = 's|21|';

interface TradePayload {
  readonly symbol: string;
  readonly matchQtty: number;
  readonly totalVolume: number;
}

export class StreamListener {
  readonly counts: ListenerCounts = {
    frames: 0,
    bytes: 0,
    trades: 0,
    gaps: 0,
    missedPongs: 0,
    pongs: [],
    closes: [],
  };
  readonly #socket: WebSocket;
  readonly #volumes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  /** When the heartbeat that waits for its answer was sent; 0 is none. */
  #askedAt = 0;
  #ended = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('close', (code) => {
      if (!this.#ended) this.counts.closes.push(code);
    });
    socket.on('error', () => undefined);
  }

  /** Resolves when it has subscribed to all of `contracts`. */
  static async open(url: string, token: string, contracts: readonly string[]): Promise<StreamListener> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const greeted = new Promise<string>((resolve) => {
      socket.once('message', (data: Buffer) => resolve(data.toString()));
    });
    socket.send(`d|a|||${Buffer.from(token).toString('base64')}`);
    const answer = await greeted;
    if (!answer.includes('"success":true')) throw new Error(`the stream refused a listener: ${answer}`);
    const listener = new StreamListener(socket);
    for (const contract of contracts) socket.send(`d|s|tk|${CHANNELS}|${contract}`);
    return listener;
  }

  /** `afterMs` spreads the listeners over the two seconds. */
  keepAlive(afterMs: number): void {
    this.#timer = setTimeout(() => {
      this.#beat();
      this.#timer = setInterval(() => this.#beat(), HEARTBEAT_EVERY_MS);
    }, afterMs);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket.terminate();
  }

  #beat(): void {
    if (this.#askedAt !== 0) this.counts.missedPongs += 1;
    this.#askedAt = performance.now();
    this.#socket.send(HEARTBEAT);
  }

  #receive(data: Buffer): void {
    const { counts } = this;
    counts.frames += 1;
    counts.bytes += data.length;
    // Compared as bytes: most frames are none of these two.
    if (data[0] === CONTROL && data.toString() === HEARTBEAT) {
      counts.pongs.push(performance.now() - this.#askedAt);
      this.#askedAt = 0;
    } else if (data[3] === TRADE_DIGIT && data.toString('latin1', 0, TRADE_PREFIX.length) === TRADE_PREFIX) {
      this.#trade(JSON.parse(data.toString('utf8', TRADE_PREFIX.length)));
    }
  }

  #trade({ symbol, matchQtty, totalVolume }: TradePayload): void {
    this.counts.trades += 1;
    const before = this.#volumes.get(symbol);
    this.#volumes.set(symbol, totalVolume);
    if (before !== undefined && before + matchQtty !== totalVolume) this.counts.gaps += 1;
  }
}

const CONTROL = 'd'.charCodeAt(0);
/** `s|21`: the fourth byte tells it from bids, offers and summaries. */
const TRADE_DIGIT = '1'.charCodeAt(0);
