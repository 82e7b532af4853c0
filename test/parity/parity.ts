/** What both sides of a comparison take in and give back. Each fill and each call is one line, so that a difference can be read. */
import type { Side, Trigger } from '../../src/domain/order.ts';
import { formatTime } from '../../src/domain/civil-date.ts';
import type { BrokerOrderNo, ClientOrderId } from '../../src/domain/ids.ts';
import type { FillModel } from '../../src/venue/exchange/fill-models.ts';
import type { DurationUs, TsUs } from '../../src/domain/units.ts';
import type { TestTape } from '../support/backtest-plan.ts';
import type { Step } from './script.ts';

export interface ParityDay {
  /** The file that the simulator plays. */
  readonly path: string;
  /** The same, in columns. */
  readonly tape: TestTape;
  readonly steps: readonly Step[];
  readonly capital: number;
  /** From a decision to its arrival; off the whole seconds of the tape, so that nothing arrives in the moment of a print. */
  readonly latency: DurationUs;
  /** The simulator is stopped and started again from its state at these moments. */
  readonly restarts?: readonly TsUs[];
  /** Another model than the simulator's, for the backtest alone: then both must differ. */
  readonly fill?: FillModel;
}

/** An order by what both sides know of it: a name of ours, a place in the book of waiting orders, or what one that waited has sent. */
export type Target =
  | { readonly is: 'ours'; readonly clientOrderId: ClientOrderId }
  /** By its number in the book of waiting orders, which both sides count alike. */
  | { readonly is: 'waiting'; readonly orderNo: BrokerOrderNo }
  | { readonly is: 'child'; readonly of: Target; readonly place: number };

/** A call as it left the engine of the backtest. */
export type SentCall =
  | {
      readonly call: 'place';
      readonly atUs: TsUs;
      readonly clientOrderId: ClientOrderId;
      readonly side: Side;
      readonly qty: number;
      readonly limitPrice: number;
      readonly condition: Trigger | null;
    }
  | {
      readonly call: 'modify';
      readonly atUs: TsUs;
      readonly clientOrderId: ClientOrderId;
      readonly target: Target;
      readonly qty: number;
      readonly limitPrice: number;
      /** Of an order that waits for a price, else null. */
      readonly triggerPrice: number | null;
    }
  | {
      readonly call: 'cancel';
      readonly atUs: TsUs;
      readonly clientOrderId: ClientOrderId;
      readonly target: Target;
      readonly isWaiting: boolean;
    };

/** What came of a day. */
export interface DayOutcome {
  readonly fills: readonly string[];
  /** After the day was paid out; an expired contract with it. */
  readonly cash: number;
  /** Contracts held then. */
  readonly net: number;
  /** Quantity and money of each order that a client named and that filled. */
  readonly orders: ReadonlyMap<string, string>;
  /** Calls that the broker refused, by their kind and the backtest's name of the order. */
  readonly refused: readonly string[];
}

export interface FillFacts {
  readonly tsUs: TsUs;
  readonly side: Side;
  readonly qty: number;
  readonly price: number;
  readonly clause: string;
  readonly isForced: boolean;
}

const OFFSET_MINUTES = 420;

export const fillLine = ({ tsUs, side, qty, price, clause, isForced }: FillFacts): string =>
  `${formatTime(tsUs, OFFSET_MINUTES)} ${side} ${qty} at ${price} ${clause}${isForced ? ' forced' : ''}`;
