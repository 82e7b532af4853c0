/** Reads one frame. Any text gives one: an unreadable frame carries its issues. Data frames are read by hand: thousands a second. */
import { filter, map, type OperatorFunction } from 'rxjs';
import type { Contract } from '../../domain/contract.ts';
import { parseJson, isRecord } from '../../domain/parsed.ts';
import type { DaySummary, TradeTick } from '../../domain/ticks.ts';
import { type Seq, type TsUs, tsUs } from '../../domain/units.ts';
import { type DriftCounter, IGNORE_DRIFT } from '../drift.ts';
import { type BookUpdateFrame, decodeLevels, decodeSummary, decodeTrade } from './data-frame.ts';
import { CHANNEL_WORDS, type ControlFrame, decodeControlFrame, malformed } from './control-frame.ts';

/** Turns the symbol of a frame into the contract it means. */
export interface ContractLookup {
  byStreamCode(code: string): Contract | undefined;
}

type MarketFrameEvent = TradeTick | BookUpdateFrame | DaySummary;

export type ServerFrame =
  | { readonly kind: 'market'; readonly event: MarketFrameEvent }
  | ControlFrame
  /** A channel that is not read, or a summary without figures. */
  | { readonly kind: 'ignored'; readonly channel: string }
  /** Well formed, of a contract that the session does not know. */
  | { readonly kind: 'unknown_symbol'; readonly symbol: string };

export function decodeServerFrame(
  text: string,
  contracts: ContractLookup,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter = IGNORE_DRIFT,
): ServerFrame {
  if (text.startsWith('s|')) return decodeDataFrame(text, contracts, seq, tsUs, drift);
  if (text.startsWith('d|')) return decodeControlFrame(text, drift);
  return malformed('frame', 'a frame that begins with d| or s|', text);
}

/** A frame that was taken: its number and its market time stay with its text. */
export interface StampedFrame {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly text: string;
}

/** The text of a data frame. `receivedUs` null: now. */
export interface ReceivedFrame {
  readonly text: string;
  readonly receivedUs: TsUs | null;
}

/** With the time behind it at which another daemon received it: the simulated broker of a feed sends it so, no real one does. */
export const timedFrame = (text: string, at: TsUs): string => `${text}@${at}`;

/** The year 2200: an engine adds spans to the time of a frame, and the sum has to be a time. */
const RECEIVED_US_MAX = 7_258_118_400_000_000;

/** A payload ends with its brace. */
export function readTimedFrame(frame: string): ReceivedFrame {
  const end = frame.endsWith('}') ? -1 : frame.lastIndexOf('@');
  const at = Number(frame.slice(end + 1));
  if (end < 1 || !Number.isSafeInteger(at) || at > RECEIVED_US_MAX) return { text: frame, receivedUs: null };
  return { text: frame.slice(0, end), receivedUs: tsUs(at) };
}

/** Decodes each frame. An unreadable one is a value too. */
export const decodeFrames = (
  contracts: ContractLookup,
  drift?: DriftCounter,
): OperatorFunction<StampedFrame, ServerFrame> =>
  map(({ text, seq, tsUs }) => decodeServerFrame(text, contracts, seq, tsUs, drift));

export const marketEvents: OperatorFunction<ServerFrame, MarketFrameEvent> = (frames$) =>
  frames$.pipe(
    filter((frame) => frame.kind === 'market'),
    map(({ event }) => event),
  );

const TRADE = CHANNEL_WORDS.trade.id;
const BID = CHANNEL_WORDS.bid.id;
const OFFER = CHANNEL_WORDS.offer.id;
const SUMMARY = CHANNEL_WORDS.summary.id;

/** Only the first two bars separate: the payload may have bars of its own. */
function decodeDataFrame(
  text: string,
  contracts: ContractLookup,
  seq: Seq,
  tsUs: TsUs,
  drift: DriftCounter,
): ServerFrame {
  const bar = text.indexOf('|', 2);
  if (bar === -1) return malformed('frame', 's|<channel id>|<payload>', text);
  const channel = text.slice(2, bar);
  switch (channel) {
    case TRADE:
    case BID:
    case OFFER:
    case SUMMARY:
      break;
    default:
      return { kind: 'ignored', channel };
  }
  const json = parseJson(text.slice(bar + 1), 'payload');
  if (!json.ok) return { kind: 'malformed', issues: json.issues };
  const payload = json.value;
  if (!isRecord(payload)) return malformed('payload', 'an object', payload);
  const symbol = payload['symbol'];
  if (typeof symbol !== 'string') return malformed('payload.symbol', 'a text', symbol);
  const contract = contracts.byStreamCode(symbol);
  if (contract === undefined) return { kind: 'unknown_symbol', symbol };
  switch (channel) {
    case TRADE:
      return decodeTrade(payload, contract, seq, tsUs, drift);
    case BID:
      return decodeLevels('bid', payload, contract, seq, tsUs, drift);
    case OFFER:
      return decodeLevels('ask', payload, contract, seq, tsUs, drift);
    default:
      return decodeSummary(payload, contract, seq, tsUs, drift);
  }
}
