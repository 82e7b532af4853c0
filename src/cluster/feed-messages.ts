/**
 * What crosses the server: a message is a piece of a frame log, numbered without a hole. Between the frames lie notes: the contracts of the
 * day, their reference prices, and what happened to the broker's stream.
 */
import type { EngineEvent } from '../engine/ports/engine-event.ts';
import { frameRecords, FrameRecords } from '../recording/frame-log.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';

export const feedStream = (feed: string): string => `TICKWRIGHT_FEED_${feed}`;
export const feedSubject = (feed: string): string => `tickwright.feed.${feed}`;

export type FeedNote = Extract<EngineEvent, { readonly kind: 'contracts' | 'reference' | 'stream' }>;

/** No frame of the broker begins so. */
const NOTE = 'n|';

/** Undefined for events that others need not know. */
export function noteOf(event: EngineEvent): StampedFrame | undefined {
  const { seq, tsUs, kind } = event;
  if (kind !== 'contracts' && kind !== 'reference' && kind !== 'stream') return undefined;
  return { seq, tsUs, text: NOTE + JSON.stringify(event) };
}

/** Undefined for a frame. */
export const readNote = ({ text }: StampedFrame): FeedNote | undefined =>
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
