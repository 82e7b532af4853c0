/** The standard normal distribution: its probability up to a value, and the value of a probability. */
import { assert } from '../../domain/assert.ts';

const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** Beyond this the probability is 0 or 1 to the last digit. */
const TAIL = 38;

/**
 * P(Z <= x). The series of Marsaglia, "Evaluating the Normal Distribution" (Journal of Statistical Software 11, 2004);
 * in the tails the continued fraction of Abramowitz and Stegun, 26.2.14.
 */
export function normalProbability(x: number): number {
  if (x > TAIL) return 1;
  if (x < -TAIL) return 0;
  if (Math.abs(x) > 6) return x > 0 ? 1 - upperTail(x) : upperTail(-x);
  let term = x;
  let sum = x;
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * density(x);
}

function upperTail(x: number): number {
  let fraction = x;
  for (let k = 60; k >= 1; k -= 1) fraction = x + k / fraction;
  return density(x) / fraction;
}

/** The x with P(Z <= x) = `probability`, by bisection on the monotone probability. Throws outside 0 < p < 1. */
export function normalQuantile(probability: number): number {
  assert(probability > 0 && probability < 1, 'a probability lies between 0 and 1');
  let low = -TAIL;
  let high = TAIL;
  for (let i = 0; i < 200 && low < high; i += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (normalProbability(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
