/** Control frames from server to client (contract, 6.2), written by the simulator. */
export const PONG_FRAME = 'd|p|||';
/** Seen live about every five seconds (notes, section 7). */
export const SERVER_BEAT_FRAME = 'd|34|1';

export interface AuthError {
  readonly code: string;
  readonly message: string;
}

export const encodeAuthResult = (error: AuthError | null): string =>
  `d|0|${JSON.stringify({ success: error === null, error })}`;

export const encodeHeartbeatTimeout = (seconds: number): string => `d|33|${seconds}`;
