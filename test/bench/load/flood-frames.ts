/** Frames of a flood and the memory in which its three threads meet. */
import { readlinkSync } from 'node:fs';
import { framed } from '../../support/text-frame.ts';
import { encodeBook, encodeTrade } from '../../../src/wire/stream/data-frame.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { priceHundredths, priceTicks, qty } from '../../../src/domain/units.ts';

/** The sender writes so often; what it writes at once is a slice. */
export const SLICE_MS = 10;
/** Of three frames one is a trade, the others are the two sides of the book. */
export const KINDS = 3;

/** Milliseconds since 1970: all threads share them. */
export const now = (): number => performance.timeOrigin + performance.now();

export interface Flood {
  readonly contract: Contract;
  readonly framesPerSecond: number;
  readonly seconds: number;
}

/** The last trade before a flood: the chain of total volumes goes on. */
export interface LastTrade {
  readonly price: number;
  readonly totalVolume: number;
}

export interface FloodMemory {
  /** Volume of the first trade of the flood, and frames of a slice; zero before it. */
  readonly flood: Float64Array;
  /** When each slice was written. */
  readonly sentAt: Float64Array;
  /** Age of each trade at the strategy, in milliseconds; 0 for one that has not come. */
  readonly ages: Float32Array;
  /** Numbers that the system gives to the threads, in the order of `THREADS`. */
  readonly threads: Int32Array;
}

export const THREADS = ['main', 'engine', 'sender'] as const;

/** Puts the system's number of the calling thread into the memory. */
export function enlist({ threads }: FloodMemory, thread: (typeof THREADS)[number]): void {
  if (process.platform === 'linux')
    threads[THREADS.indexOf(thread)] = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
}

export const slicesOf = ({ seconds }: Flood): number => (seconds * 1_000) / SLICE_MS;
export const framesOf = ({ framesPerSecond, seconds }: Flood): number => framesPerSecond * seconds;
export const sliceOf = ({ framesPerSecond }: Flood, frame: number): number =>
  Math.floor((frame * 1_000) / (framesPerSecond * SLICE_MS));

export function floodMemory(frames: number, slices: number): FloodMemory {
  return {
    flood: new Float64Array(new SharedArrayBuffer(8 * 2)),
    sentAt: new Float64Array(new SharedArrayBuffer(8 * slices)),
    ages: new Float32Array(new SharedArrayBuffer(4 * Math.ceil(frames / KINDS))),
    threads: new Int32Array(new SharedArrayBuffer(4 * THREADS.length)),
  };
}

/** The price goes up and down by two ticks, and the book with it. */
export function frameOf({ contract }: Flood, last: LastTrade, frame: number): Buffer {
  const trade = Math.floor(frame / KINDS);
  const price = last.price + (trade % 5) - 2;
  const levels = (step: number) =>
    [1, 2, 3].map((away) => ({
      price: priceTicks(price + away * step),
      qty: qty(1 + ((trade + away) % 50)),
    }));
  switch (frame % KINDS) {
    case 0: {
      const reference = priceHundredths(last.price * contract.spec.hundredthsPerTick);
      const totalVolume = last.totalVolume + trade + 1;
      return framed(encodeTrade(contract, { price: priceTicks(price), qty: qty(1), totalVolume }, reference));
    }
    case 1:
      return framed(encodeBook('bid', contract, levels(-1)));
    default:
      return framed(encodeBook('ask', contract, levels(1)));
  }
}
