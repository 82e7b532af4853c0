/** A message is a piece of a frame log, numbered without a hole; notes in it say what happened to the broker's stream, headers the rest. */
import { isRecord, parseJson } from '../domain/parsed.ts';
import { seconds } from '../domain/units.ts';
import { frameRecords, FrameRecords, isBadNote } from '../recording/frame-log.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';

export const feedStream = (feed: string): string => `TICKWRIGHT_FEED_${feed}`;
export const feedSubject = (feed: string): string => `tickwright.feed.${feed}`;

/** A publisher repeats the state of its stream as a sign of life: after three missing ones it is taken for dead. */
export const BEAT = seconds(5);
export const SILENCE = seconds(15);

/** Header with the terms, as JSON. */
export const TERMS = 'Tickwright-Terms';

/** What a simulated broker has to know before it can list the contracts of a feed: the first of VN30. */
export interface FeedTerms {
  readonly orderCode: string;
  readonly streamCode: string;
  /** Settlement price of the day before, of that contract. */
  readonly reference: number;
}

interface FeedBatch {
  /** Of one publisher, whose numbers begin at 1. */
  readonly epoch: string;
  /** Number of the first record; the others follow. */
  readonly first: number;
  readonly records: readonly StampedFrame[];
}

export interface FeedMessage {
  /** The server stores no second message with it. */
  readonly msgID: string;
  readonly payload: Uint8Array;
}

export const encodeBatch = ({ epoch, first, records }: FeedBatch): FeedMessage => ({
  msgID: `${epoch}.${first}`,
  payload: frameRecords(records),
});

/** Undefined for a message that no publisher of ours has sent. Records that are damaged count as lost. */
export function decodeBatch({ msgID, payload }: FeedMessage): FeedBatch | undefined {
  const [epoch = '', number = ''] = msgID.split('.');
  const first = Number(number);
  if (epoch === '' || !Number.isSafeInteger(first) || first < 1) return undefined;
  const reader = new FrameRecords();
  const records = [...reader.read(Buffer.from(payload)), ...reader.finish()];
  return records.some(isBadNote) ? undefined : { epoch, first, records };
}

/** Undefined for terms that no publisher of ours has sent. */
export function decodeTerms(text: string): FeedTerms | undefined {
  const read = parseJson(text, TERMS);
  if (!read.ok || !isRecord(read.value)) return undefined;
  const { orderCode, streamCode, reference } = read.value;
  if (typeof orderCode !== 'string' || typeof streamCode !== 'string') return undefined;
  return typeof reference === 'number' ? { orderCode, streamCode, reference } : undefined;
}
