/** Turns what the market says into frames, once for all clients, and gives new subscribers the board as it stands. */
import type { OrderCode } from '../../domain/ids.ts';
import type { ContractBoard } from '../../venue/contract-board.ts';
import type { MarketMessage } from '../../venue/venue-event.ts';
import { encodeBid, encodeOffer, encodeSummary, encodeTrade } from '../../wire/stream/data-frame.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { FrameChannel } from '../faults/fault.ts';
import type { StreamSession } from './stream-session.ts';

export interface PriceFeedParts {
  readonly brokerage: Brokerage;
  readonly faults: FaultBoard;
  readonly sessions: ReadonlySet<StreamSession>;
}

export class PriceFeed {
  readonly #parts: PriceFeedParts;
  /** The last board of each contract: what it said on its last day may be sent once it is no longer listed. */
  readonly #boards = new Map<OrderCode, ContractBoard>();

  constructor(parts: PriceFeedParts) {
    this.#parts = parts;
    parts.brokerage.onMarket((message) => this.#say(message));
  }

  /** The levels and the summary that stand, so that a subscriber does not wait for the next change. */
  greet(session: StreamSession, channels: readonly FrameChannel[], codes: readonly string[]): void {
    for (const board of this.#parts.brokerage.boards()) {
      if (!codes.includes(board.contract.streamCode)) continue;
      for (const channel of channels) {
        const frame = standingFrame(board, channel);
        if (frame !== undefined) session.send(frame);
      }
    }
  }

  #say(message: MarketMessage): void {
    if (this.#parts.sessions.size === 0) return;
    const board = this.#boardOf(message.orderCode);
    // Expired before anybody listened.
    if (board === undefined) return;
    switch (message.kind) {
      case 'trade':
        return this.#publish('trade', board, () =>
          encodeTrade(board.contract, message, board.band.reference),
        );
      case 'book':
        if (message.bidsChanged) this.#publish('bid', board, () => encodeBid(board.contract, message.bids));
        if (message.asksChanged)
          this.#publish('offer', board, () => encodeOffer(board.contract, message.asks));
        return;
      case 'summary':
        return this.#publish('summary', board, () => encodeSummary(board.contract, message));
    }
  }

  #boardOf(code: OrderCode): ContractBoard | undefined {
    const board = this.#parts.brokerage.boardNow(code) ?? this.#boards.get(code);
    if (board !== undefined) this.#boards.set(code, board);
    return board;
  }

  #publish(channel: FrameChannel, { contract }: ContractBoard, encode: () => string): void {
    const code = contract.streamCode;
    const { faults, sessions } = this.#parts;
    const listeners = [...sessions].filter((session) => session.wants(channel, code));
    if (listeners.length === 0) return;
    const target = { channel, symbol: code };
    if (faults.strike('lose_frame', target)) return;
    const copies = faults.strike('duplicate_frame', target) ? 2 : 1;
    const frame = Buffer.from(encode());
    for (const session of listeners) for (let copy = 0; copy < copies; copy += 1) session.send(frame);
  }
}

function standingFrame(
  { contract, bids, asks, day }: ContractBoard,
  channel: FrameChannel,
): string | undefined {
  if (channel === 'bid') return encodeBid(contract, bids);
  if (channel === 'offer') return encodeOffer(contract, asks);
  if (channel === 'summary' && day !== null) return encodeSummary(contract, day);
  return undefined;
}
