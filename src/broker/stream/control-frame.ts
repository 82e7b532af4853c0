/** Tells control frames from data frames by the first letter; only the few control frames are decoded here. */
import { seq, tsUs } from '../../domain/units.ts';
import { decodeServerFrame, type ServerFrame } from '../../wire/stream/server-frame.ts';

export type ControlFrame = Exclude<ServerFrame, { kind: 'market' | 'ignored' | 'unknown_symbol' }>;

const CONTROL = 'd'.charCodeAt(0);
const NO_CONTRACTS = { byStreamCode: () => undefined };
const NO_SEQ = seq(0);
const NO_TIME = tsUs(0);

/** Undefined for a data frame, and for whatever else is recorded and decoded by others. */
export function readControlFrame(text: string): ControlFrame | undefined {
  if (text.charCodeAt(0) !== CONTROL) return undefined;
  const frame = decodeServerFrame(text, NO_CONTRACTS, NO_SEQ, NO_TIME);
  return frame.kind === 'market' || frame.kind === 'ignored' || frame.kind === 'unknown_symbol'
    ? undefined
    : frame;
}
