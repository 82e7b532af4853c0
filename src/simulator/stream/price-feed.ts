/** Encodes market messages as frames, once for all clients, and sends new subscribers the current board. */
import type { OrderCode } from '../../domain/ids.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { ContractBoard } from '../../venue/venue-contracts.ts';
import type { BookMessage, MarketMessage } from '../../venue/venue-event.ts';
import { encodeBook, encodeBookChange, encodeSummary, encodeTrade } from '../../wire/stream/data-frame.ts';
import { type Brokerage, isMarketMessage } from '../brokerage/brokerage.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { DataChannel } from '../../wire/stream/control-frame.ts';
import type { StreamSettings } from '../simulator-options.ts';
import { type StreamSession, subscriptionKey } from './stream-server.ts';

interface PriceFeedParts {
  /** Clients get the frames of another market as they are. */
  readonly isPassing: boolean;
  readonly brokerage: Brokerage;
  readonly faults: FaultBoard;
  readonly sessions: ReadonlySet<StreamSession>;
  readonly settings: StreamSettings;
}

/** A frame that a fault keeps back until another one has overtaken it. */
interface Overtaken {
  readonly frame: Buffer;
  readonly listeners: readonly StreamSession[];
}

interface Sides {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

const NO_LEVELS: Sides = { bids: [], asks: [] };

export class PriceFeed {
  readonly #parts: PriceFeedParts;
  /** The last board of each contract: messages of its last day may be sent once it is no longer listed. */
  readonly #boards = new Map<OrderCode, ContractBoard>();
  /** Levels sent last: a partial update leaves out those that are equal. */
  readonly #lastSent = new Map<OrderCode, Sides>();
  #overtaken: Overtaken[] = [];

  constructor(parts: PriceFeedParts) {
    this.#parts = parts;
    const { isPassing, brokerage, sessions } = parts;
    if (isPassing)
      brokerage.onFrame(({ channel, symbol, text }) => {
        const key = subscriptionKey(channel, symbol);
        for (const session of sessions) if (session.wants(key)) session.send(text);
      });
    else brokerage.onEvent((event) => isMarketMessage(event) && this.#emit(event));
  }

  /** The present levels and summary, so that a subscriber does not wait for the next change; nothing outside sessions. */
  greet(session: StreamSession, channels: readonly DataChannel[], codes: readonly string[]): void {
    const phase = this.#parts.brokerage.read((venue) => venue.phase);
    if (phase === 'closed' || phase === 'break') return;
    for (const board of this.#parts.brokerage.boards()) {
      if (!codes.includes(board.contract.streamCode)) continue;
      this.#lastSent.set(board.contract.orderCode, board);
      for (const channel of channels) {
        const frame = currentFrame(board, channel);
        if (frame === undefined) continue;
        const isLost = this.#parts.faults.strike('lose_frame', {
          channel,
          symbol: board.contract.streamCode,
        });
        if (!isLost) session.send(this.#written(frame));
      }
    }
  }

  #emit(message: MarketMessage): void {
    if (this.#parts.sessions.size === 0) return;
    const board = this.#boardOf(message.orderCode);
    // Expired before the first subscription.
    if (board === undefined) return;
    switch (message.kind) {
      case 'trade':
        return this.#publish('trade', board, () =>
          encodeTrade(board.contract, message, board.band.reference),
        );
      case 'book':
        return this.#sendBook(message, board);
      case 'summary':
        return this.#publish('summary', board, () => encodeSummary(board.contract, message));
    }
  }

  #sendBook({ bids, asks, bidsChanged, asksChanged }: BookMessage, board: ContractBoard): void {
    const { contract } = board;
    const before = this.#lastSent.get(contract.orderCode) ?? NO_LEVELS;
    this.#lastSent.set(contract.orderCode, { bids, asks });
    if (this.#parts.settings.bookFrames === 'changes') {
      this.#publish('bid', board, () => encodeBookChange('bid', contract, before.bids, bids));
      this.#publish('offer', board, () => encodeBookChange('ask', contract, before.asks, asks));
      return;
    }
    if (bidsChanged) this.#publish('bid', board, () => encodeBook('bid', contract, bids));
    if (asksChanged) this.#publish('offer', board, () => encodeBook('ask', contract, asks));
  }

  #boardOf(code: OrderCode): ContractBoard | undefined {
    const board = this.#parts.brokerage.boardNow(code) ?? this.#boards.get(code);
    if (board !== undefined) this.#boards.set(code, board);
    return board;
  }

  #publish(channel: DataChannel, { contract }: ContractBoard, encode: () => string | null): void {
    const { faults, sessions } = this.#parts;
    const symbol = contract.streamCode;
    const key = subscriptionKey(channel, symbol);
    const listeners: StreamSession[] = [];
    for (const session of sessions) if (session.wants(key)) listeners.push(session);
    if (listeners.length === 0) return;
    const text = encode();
    if (text === null) return;
    const target = { channel, symbol };
    if (faults.strike('lose_frame', target)) return;
    const frame = Buffer.from(this.#written(text));
    if (faults.strike('reorder_frame', target)) {
      this.#overtaken.push({ frame, listeners });
      return;
    }
    const copies = faults.strike('duplicate_frame', target) ? 2 : 1;
    for (const session of listeners) for (let copy = 0; copy < copies; copy += 1) session.send(frame);
    this.#sendOvertaken();
  }

  #sendOvertaken(): void {
    if (this.#overtaken.length === 0) return;
    const late = this.#overtaken;
    this.#overtaken = [];
    for (const { frame, listeners } of late) for (const session of listeners) session.send(frame);
  }

  #written(frame: string): string {
    return this.#parts.settings.payloads === 'live' ? livePayload(frame) : frame;
  }
}

function currentFrame(
  { contract, bids, asks, day }: ContractBoard,
  channel: DataChannel,
): string | undefined {
  if (channel === 'bid') return encodeBook('bid', contract, bids);
  if (channel === 'offer') return encodeBook('ask', contract, asks);
  if (channel === 'summary' && day !== null) return encodeSummary(contract, day);
  return undefined;
}

/** A frame as the live service writes it: over several lines, large numbers in scientific notation (notes, 1). */
const INDENT = 2;
/** `"total" : 230745319` becomes `2.30745319E8`; only values, never text in quotes. */
const LARGE_VALUE = /(?<=": )-?\d{8,}(?:\.\d+)?(?=,?$)/gm;

export function livePayload(frame: string): string {
  const at = frame.indexOf('{');
  if (at === -1) return frame;
  const payload: unknown = JSON.parse(frame.slice(at));
  const printed = JSON.stringify(payload, null, INDENT);
  return frame.slice(0, at) + printed.replace(LARGE_VALUE, (text) => scientific(Number(text)));
}

const scientific = (value: number): string => value.toExponential().replace('e+', 'E');
