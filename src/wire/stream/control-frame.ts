/** `d|` frames of the server (contract, 6.2; notes, 7): written by the simulator; the client reads those that matter to it. */
import { type Issue, shown, parseJson, isRecord } from '../../domain/parsed.ts';
import type { DriftCounter } from '../drift.ts';
import { numberFromText } from '../json.ts';

export type ControlFrame =
  /** `code` and `message` are empty on success. */
  | {
      readonly kind: 'auth_result';
      readonly success: boolean;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: 'heartbeat_timeout'; readonly seconds: number }
  | { readonly kind: 'pong' }
  /** Any other frame, such as `d|34|1`; ignored. */
  | { readonly kind: 'control'; readonly text: string }
  | MalformedFrame;

/** An unreadable frame, of either side. */
export interface MalformedFrame {
  readonly kind: 'malformed';
  readonly issues: readonly [Issue, ...Issue[]];
}

export const PONG_FRAME = 'd|p|||';
/** Sent by the live service about every 5 s. */
export const SERVER_BEAT_FRAME = 'd|34|1';

export const encodeAuthResult = (error: { readonly code: string; readonly message: string } | null): string =>
  `d|0|${JSON.stringify({ success: error === null, error: error && { code: error.code, message: error.message } })}`;

export const encodeHeartbeatTimeout = (seconds: number): string => `d|33|${seconds}`;

const PONG: ControlFrame = { kind: 'pong' };

/** `text` begins with `d|`. */
export function decodeControlFrame(text: string, drift: DriftCounter): ControlFrame {
  if (text === PONG_FRAME || text.startsWith('d|p|')) return PONG;
  if (text.startsWith('d|0|')) return decodeAuthResult(text.slice(4), drift);
  if (text.startsWith('d|33|')) return decodeHeartbeatTimeout(text.slice(5));
  return { kind: 'control', text };
}

function decodeHeartbeatTimeout(text: string): ControlFrame {
  const seconds = numberFromText(text.split('|', 1)[0] ?? '');
  if (seconds === undefined || seconds <= 0)
    return malformed('heartbeat timeout', 'seconds above zero', text);
  return { kind: 'heartbeat_timeout', seconds };
}

/** The contract prints the answer with bare keys, `{success: true, error: null}`; both spellings are read. */
const BARE_KEY = /([{,]\s*)([A-Za-z_]\w*)(\s*:)/g;

function decodeAuthResult(text: string, drift: DriftCounter): ControlFrame {
  let json = parseJson(text, 'auth result');
  if (!json.ok) {
    json = parseJson(text.replace(BARE_KEY, '$1"$2"$3'), 'auth result');
    if (!json.ok) return { kind: 'malformed', issues: json.issues };
    drift.count('auth result', 'keys without quotes');
  }
  const answer = isRecord(json.value) ? json.value : {};
  const success = answer['success'];
  if (typeof success !== 'boolean') return malformed('auth result.success', 'true or false', success);
  const error = isRecord(answer['error']) ? answer['error'] : {};
  return {
    kind: 'auth_result',
    success,
    code: textOf(error['code']),
    message: textOf(error['message']),
  };
}

/** Codes arrive as text or number; both are read. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export const malformed = (path: string, expected: string, received: unknown): MalformedFrame => ({
  kind: 'malformed',
  issues: [{ path, expected, received: shown(received) }],
});
