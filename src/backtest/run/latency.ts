/** The delays of messages, and how they are drawn: the same seed draws the same ones. */
import { Random } from '../../venue/market/random.ts';
import type { DurationUs } from '../../domain/units.ts';

/** A fixed span, or a distribution. Draws are seeded: the same run has the same ones. */
export type Latency =
  | { readonly kind: 'constant'; readonly span: DurationUs }
  | { readonly kind: 'uniform'; readonly min: DurationUs; readonly max: DurationUs }
  /** `min` and on top of it an exponential tail of this mean. */
  | { readonly kind: 'exponential'; readonly min: DurationUs; readonly mean: DurationUs }
  /** Drawn from what was measured, sorted. */
  | { readonly kind: 'measured'; readonly spans: readonly DurationUs[]; readonly source: string };

export interface LatencyModel {
  /** From our decision to the venue; the delay of the price stream belongs in here. */
  readonly order: Latency;
  /** From the venue back to us: answers and fills, never overtaking each other. */
  readonly report: Latency;
}

/** A delay in microseconds, each time it is called. */
export type DrawLatency = () => number;

export function latencyDraws(latency: Latency, seed: number): DrawLatency {
  if (latency.kind === 'constant') {
    const { span } = latency;
    return () => span;
  }
  const random = new Random(seed);
  switch (latency.kind) {
    case 'uniform': {
      const { min, max } = latency;
      return () => min + random.below(max - min + 1);
    }
    case 'exponential': {
      const { min, mean } = latency;
      return () => min + random.exponential(mean);
    }
    case 'measured': {
      const { spans } = latency;
      return () => spans[random.below(spans.length)] ?? 0;
    }
  }
}

export function describeLatency(latency: Latency): string {
  switch (latency.kind) {
    case 'constant':
      return milliseconds(latency.span);
    case 'uniform':
      return `${milliseconds(latency.min)} to ${milliseconds(latency.max)}, evenly`;
    case 'exponential':
      return `${milliseconds(latency.min)} and an exponential tail of ${milliseconds(latency.mean)}`;
    case 'measured':
      return `drawn from ${latency.spans.length} measured (${latency.source})`;
  }
}

const milliseconds = (us: number): string => `${us / 1_000} ms`;
