/** What the REST client tells the operator's side. */
import type { DurationUs } from '../../domain/units.ts';

export type RestSignal =
  /** HTTP 429: the pace is halved for a while. */
  | {
      readonly kind: 'slowed_down';
      readonly operation: string;
      readonly times: number;
      readonly wait: DurationUs;
    }
  /** A call that moves orders ended without an answer that can be trusted. Alert. */
  | { readonly kind: 'outcome_unknown'; readonly operation: string; readonly reason: string }
  | {
      readonly kind: 'read_failed';
      readonly operation: string;
      readonly reason: string;
      readonly willRetry: boolean;
    };
