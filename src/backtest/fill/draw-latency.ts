/** Draws the delays of messages; the same seed draws the same ones. */
import { Random } from '../../venue/market/random.ts';
import type { Latency } from './fill-models.ts';

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
