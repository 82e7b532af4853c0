/** Index of the first of rising numbers that is at least `least`, between two indices; `to` when there is none. Binary search. */
export function firstAtLeast(rising: ArrayLike<number>, least: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
