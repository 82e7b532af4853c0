/** What one call looks like before it is HTTP, and what arrives of it on the other side. */
export interface WireRequest {
  readonly query: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined sends none. */
  readonly body: unknown;
}

/** As received: nothing is trusted. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export const queryRequest = (query: Readonly<Record<string, string>>): WireRequest => ({
  query,
  body: undefined,
});
export const bodyRequest = (body: unknown): WireRequest => ({ query: {}, body });
