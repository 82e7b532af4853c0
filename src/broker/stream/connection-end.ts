/** Why a connection is no more: a closed set, because what happens next depends on it. */
export type ConnectionEnd =
  /** Never opened: refused, no such host, no upgrade. */
  | { readonly kind: 'connect_failed'; readonly reason: string }
  | { readonly kind: 'connect_timeout' }
  | { readonly kind: 'auth_timeout' }
  /** The answer 211110: terminal until there is a new token. */
  | { readonly kind: 'token_rejected'; readonly code: string; readonly message: string }
  /** The token's own `exp` has passed; nothing was dialled, or the server closed because of it. */
  | { readonly kind: 'token_expired' }
  /** Any other refusal, also "already connected" after a half-open drop: costs one attempt. */
  | { readonly kind: 'auth_refused'; readonly code: string; readonly message: string }
  /** No control frame within the announced deadline: a link that looks open and is not. */
  | { readonly kind: 'silent'; readonly deadlineSeconds: number }
  /** Close 1002: the fault is ours. */
  | { readonly kind: 'protocol_error' }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

/** Carries the end through the error channel of an observable. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly end: ConnectionEnd;

  constructor(end: ConnectionEnd) {
    super(describeEnd(end));
    this.end = end;
  }
}

export function describeEnd(end: ConnectionEnd): string {
  let text: string;
  switch (end.kind) {
    case 'connect_failed':
      text = `could not connect: ${end.reason}`;
      break;
    case 'connect_timeout':
      text = 'no connection in time';
      break;
    case 'auth_timeout':
      text = 'no answer to the authentication in time';
      break;
    case 'token_rejected':
      text = `token rejected: ${end.code} ${end.message}`;
      break;
    case 'token_expired':
      text = 'token expired';
      break;
    case 'auth_refused':
      text = `authentication refused: ${end.code} ${end.message}`;
      break;
    case 'silent':
      text = `no control frame for ${end.deadlineSeconds} s`;
      break;
    case 'protocol_error':
      text = 'closed with 1002, protocol error';
      break;
    case 'closed':
      text = `closed with ${end.code}${end.reason === '' ? '' : `, ${end.reason}`}`;
      break;
  }
  return text;
}
