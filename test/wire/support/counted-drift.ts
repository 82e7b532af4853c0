import type { DriftCounter } from '../../../src/wire/drift.ts';

/** Remembers every deviation as `place: deviation`. */
export class CountedDrift implements DriftCounter {
  readonly seen: string[] = [];

  count(place: string, deviation: string): void {
    this.seen.push(`${place}: ${deviation}`);
  }
}
