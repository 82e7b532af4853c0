/** Thrown when the code is wrong; never caught to carry on. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws when `condition` is false. The message is a constant, so that a passing check costs nothing. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(`Invariant: ${message}`);
}

export function assertDefined<T>(value: T | undefined, message: string): T {
  assert(value !== undefined, message);
  return value;
}
