/** Decides about what is stored already: nothing is lost without being asked for, and nothing is written twice. */

/** What became of something that was to be stored. `kept`: something else is there already, and nothing was written. */
export type StoreOutcome = 'written' | 'replaced' | 'unchanged' | 'kept';

/** Ends a write whose result is not wanted. */
export class Unwanted extends Error {
  readonly outcome: 'unchanged' | 'kept';

  constructor(outcome: 'unchanged' | 'kept') {
    super(outcome);
    this.outcome = outcome;
  }
}

interface Described {
  readonly digest: string;
  readonly tickSize: string;
  readonly lotSize: string;
}

/** Throws `Unwanted` when `now` is not to take the place of `before`. */
export function keepStored<Meta extends Described>(
  before: Meta | undefined,
  now: Meta,
  replace: boolean,
): void {
  if (before === undefined) return;
  const isSame =
    before.digest === now.digest && before.tickSize === now.tickSize && before.lotSize === now.lotSize;
  // To replace what has the same rows is to correct what is said of them.
  const isAsSaid = !replace || JSON.stringify(before) === JSON.stringify(now);
  if (isSame && isAsSaid) throw new Unwanted('unchanged');
  if (!replace) throw new Unwanted('kept');
}
