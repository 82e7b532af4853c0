/**
 * Risk of the far tail from a generalised Pareto distribution fitted to the worst losses (Gilli and Këllezi, "An Application of
 * Extreme Value Theory for Measuring Financial Risk", 2006), with the thresholds and the search of empyrical.
 */
import { nelderMead, type Point } from './nelder-mead.ts';

export interface ParetoTail {
  /** Loss from which on the tail is fitted. */
  readonly threshold: number;
  readonly scale: number;
  readonly shape: number;
  /** Loss that one period in a hundred exceeds. */
  readonly valueAtRisk: number;
  /** Mean loss beyond it; infinite for a shape of 1 or more. */
  readonly expectedShortfall: number;
}

const THRESHOLD_FIRST = 0.2;
const THRESHOLD_MIN = 1e-9;
const PROBABILITY = 0.01;
const RETURNS_MIN = 3;

/** Undefined where no threshold gives a heavy tail: fewer than three returns, or losses that end soon. */
export function paretoTail(returns: readonly number[]): ParetoTail | undefined {
  if (returns.length < RETURNS_MIN) return undefined;
  const losses = returns.filter((value) => value < 0).map((value) => -value);
  for (let threshold = THRESHOLD_FIRST; threshold > THRESHOLD_MIN; threshold /= 2) {
    const beyond = losses.filter((loss) => loss >= threshold);
    const fit = beyond.length === 0 ? undefined : nelderMead(minusLogLikelihood(beyond), [1, 1]);
    if (fit === undefined) continue;
    const [scale, shape] = fit;
    if (shape <= 0) continue;
    const odds = (losses.length / beyond.length) * PROBABILITY;
    const valueAtRisk = threshold + (scale / shape) * (odds ** -shape - 1);
    if (valueAtRisk <= 0) continue;
    const expectedShortfall =
      shape >= 1 ? Infinity : valueAtRisk / (1 - shape) + (scale - shape * threshold) / (1 - shape);
    return { threshold, scale, shape, valueAtRisk, expectedShortfall };
  }
  return undefined;
}

function minusLogLikelihood(losses: readonly number[]): (point: Point) => number {
  const total = losses.reduce((sum, loss) => sum + loss, 0);
  const { length } = losses;
  return ([scale, shape]) => {
    if (shape === 0) return scale < 0 ? Number.MAX_VALUE : length * Math.log(scale) + total / scale;
    if (scale === 0 || shape / scale < 0 || scale < 0) return Number.MAX_VALUE;
    let logs = 0;
    for (const loss of losses) logs += Math.log((shape / scale) * loss + 1);
    return length * Math.log(scale) + (1 / shape + 1) * logs;
  };
}
