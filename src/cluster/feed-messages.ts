/**
 * What crosses the server: a message is a piece of a frame log, numbered without a hole, in which notes say what happened to the broker's
 * stream. The contracts of the day and their reference prices are a message of their own.
 */
import type { ContractsListed, ReferencePrices, StreamChanged } from '../engine/ports/engine-event.ts';
import { frameRecords, FrameRecords } from '../recording/frame-log.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';

export const feedStream = (feed: string): string => `TICKWRIGHT_FEED_${feed}`;
export const feedSubject = (feed: string): string => `tickwright.feed.${feed}.frames`;
export const termsSubject = (feed: string): string => `tickwright.feed.${feed}.terms`;

/** What a broker needs to know before it can list the contracts of a feed. */
export interface FeedTerms extends Pick<ContractsListed, 'contracts' | 'listed'> {
  readonly references: ReferencePrices['rows'];
}

/** No frame of the broker begins so. */
const NOTE = 'n|';

export const noteOf = (event: StreamChanged): StampedFrame => ({
  seq: event.seq,
  tsUs: event.tsUs,
  text: NOTE + JSON.stringify(event),
});

/** Undefined for a frame. */
export const readNote = ({ text }: StampedFrame): StreamChanged | undefined =>
  text.startsWith(NOTE) ? JSON.parse(text.slice(NOTE.length)) : undefined;

/** The numbers of a publisher begin at 1, and each has its own epoch. */
export interface FeedBatch {
  readonly epoch: string;
  /** Number of the first record; the others follow. */
  readonly first: number;
  readonly records: readonly StampedFrame[];
}

export interface FeedMessage {
  /** A message that was stored already is not stored again. */
  readonly id: string;
  readonly payload: Uint8Array;
}

export const encodeBatch = ({ epoch, first, records }: FeedBatch): FeedMessage => ({
  id: `${epoch}.${first}`,
  payload: frameRecords(records),
});

/** Undefined for a message that no publisher of ours has sent. Records that are damaged count as lost. */
export function decodeBatch({ id, payload }: FeedMessage): FeedBatch | undefined {
  const [epoch = '', number = ''] = id.split('.');
  const first = Number(number);
  if (epoch === '' || !Number.isSafeInteger(first) || first < 1) return undefined;
  const reader = new FrameRecords();
  const records = [...reader.read(Buffer.from(payload)), ...reader.finish()];
  return { epoch, first, records };
}
