/** Minimum of a function of two variables by the simplex of Nelder and Mead (Computer Journal 7, 1965), with the steps of SciPy. */

export type Point = readonly [number, number];

interface Vertex {
  readonly at: Point;
  readonly value: number;
}

const CALLS_MAX = 400;
const TOLERANCE = 1e-4;
const FIRST_STEP = 1.05;

/** Coordinates of `start` other than 0. Undefined where the search does not end in time. */
export function nelderMead(of: (point: Point) => number, start: Point): Point | undefined {
  let calls = 0;
  const vertex = (at: Point): Vertex => {
    calls += 1;
    return { at, value: of(at) };
  };
  const [x, y] = start;
  let simplex = ordered(vertex(start), vertex([x * FIRST_STEP, y]), vertex([x, y * FIRST_STEP]));
  for (let round = 1; round < CALLS_MAX; round += 1) {
    if (calls >= CALLS_MAX) return undefined;
    if (isSmall(simplex)) return simplex[0].at;
    simplex = ordered(...moved(simplex, vertex));
  }
  return undefined;
}

type Simplex = readonly [best: Vertex, middle: Vertex, worst: Vertex];

/** Vertices of one value stay in their order. */
function ordered(a: Vertex, b: Vertex, c: Vertex): Simplex {
  const [low, high] = b.value < a.value ? [b, a] : [a, b];
  if (c.value >= high.value) return [low, high, c];
  return c.value < low.value ? [c, low, high] : [low, c, high];
}

const isSmall = ([best, middle, worst]: Simplex): boolean =>
  [middle, worst].every(
    ({ at, value }) =>
      Math.abs(at[0] - best.at[0]) <= TOLERANCE &&
      Math.abs(at[1] - best.at[1]) <= TOLERANCE &&
      Math.abs(best.value - value) <= TOLERANCE,
  );

/** The worst vertex goes over the middle of the others to where it is lower; failing that, all shrink towards the best. */
function moved([best, middle, worst]: Simplex, vertex: (at: Point) => Vertex): Simplex {
  const centre: Point = [(best.at[0] + middle.at[0]) / 2, (best.at[1] + middle.at[1]) / 2];
  const along = (step: number): Vertex =>
    vertex([(1 + step) * centre[0] - step * worst.at[0], (1 + step) * centre[1] - step * worst.at[1]]);
  const reflected = along(1);
  if (reflected.value < best.value) {
    const expanded = along(2);
    return [best, middle, expanded.value < reflected.value ? expanded : reflected];
  }
  if (reflected.value < middle.value) return [best, middle, reflected];
  const isOutside = reflected.value < worst.value;
  const contracted = along(isOutside ? 0.5 : -0.5);
  if (isOutside ? contracted.value <= reflected.value : contracted.value < worst.value)
    return [best, middle, contracted];
  const nearer = ({ at }: Vertex): Vertex =>
    vertex([best.at[0] + 0.5 * (at[0] - best.at[0]), best.at[1] + 0.5 * (at[1] - best.at[1])]);
  return [best, nearer(middle), nearer(worst)];
}
