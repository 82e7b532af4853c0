/** What the token keeper needs of the REST client. */
export type AuthReply =
  | { readonly status: 'ok'; readonly value: string }
  /** The broker said no, with its code; `isFinal` when the same request cannot succeed later. */
  | {
      readonly status: 'refused';
      readonly code: string;
      readonly message: string;
      readonly isFinal: boolean;
      /** The password was wrong; another one may be right. */
      readonly isOtp: boolean;
    }
  /** Nothing left the house. */
  | { readonly status: 'not_sent'; readonly reason: string }
  | { readonly status: 'unknown'; readonly reason: string };

export interface TokenRequest {
  readonly apiKey: string;
  readonly otp: string;
  /** From step 1; undefined on the app route. */
  readonly otpId: string | undefined;
}

export interface TokenExchange {
  requestOtp(apiKey: string): Promise<AuthReply>;
  /** `onStart` runs before the first byte; when it throws, nothing is sent. */
  exchangeToken(request: TokenRequest, onStart: () => void): Promise<AuthReply>;
}

/** Exchanges of the broker's day, kept where a restart finds them (rulings, 30). */
export interface ExchangeCounter {
  used(): number;
  /** Durable when it returns. */
  add(): void;
}
