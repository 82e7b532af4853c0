/** Reads the fields of one payload, tolerates what the notes allow, and collects what is wrong with the rest. */
import { assert } from '../../domain/assert.ts';
import { type ContractSpec, parsePoints } from '../../domain/contract.ts';
import { type Issue, shown } from '../../domain/parsed.ts';
import { type PriceHundredths, priceHundredths, type PriceTicks } from '../../domain/units.ts';
import type { DriftCounter } from '../drift.ts';
import type { JsonRecord } from '../json.ts';
import { numberFromText } from '../number-text.ts';

/** A decoded payload, or what is wrong with it. */
export type Decoded<Event> =
  | { readonly kind: 'market'; readonly event: Event }
  | { readonly kind: 'malformed'; readonly issues: readonly [Issue, ...Issue[]] };

export class PayloadFields {
  readonly #payload: JsonRecord;
  readonly #name: string;
  readonly #drift: DriftCounter;
  #issues: [Issue, ...Issue[]] | undefined = undefined;

  constructor(payload: JsonRecord, name: string, drift: DriftCounter) {
    this.#payload = payload;
    this.#name = name;
    this.#drift = drift;
  }

  /** Whether a field was wrong so far. */
  get hasFailed(): boolean {
    return this.#issues !== undefined;
  }

  malformed(): Decoded<never> {
    assert(this.#issues !== undefined, 'a payload is malformed because of a field');
    return { kind: 'malformed', issues: this.#issues };
  }

  /** Left out of the payload; not the same as null. */
  isMissing(key: string): boolean {
    return this.#payload[key] === undefined;
  }

  /** A number; null for what says "nothing": null, an empty text, or a missing key. Undefined is an issue. */
  number(key: string): number | null | undefined {
    const value = this.#payload[key];
    if (typeof value === 'number') return value;
    if (value === null || value === undefined) return null;
    if (typeof value === 'string') {
      if (value.trim() === '') return this.#tolerate(key, 'empty text for a number', null);
      const number = numberFromText(value);
      if (number !== undefined) return this.#tolerate(key, 'number as text', number);
    }
    return this.#fail(key, 'a number', value);
  }

  whole(key: string, min: number): number | undefined {
    return this.asWhole(key, min, this.number(key));
  }

  price(key: string, spec: ContractSpec): PriceTicks | undefined {
    return this.asPrice(key, spec, this.number(key));
  }

  /** A number of this field that was read before, as a whole number of at least `min`. */
  asWhole(key: string, min: number, value: number | null | undefined): number | undefined {
    if (value === undefined) return undefined;
    if (value !== null && Number.isSafeInteger(value) && value >= min) return value;
    return this.#fail(key, `a whole number of at least ${min}`, this.#payload[key]);
  }

  /** As a price above zero on the contract's grid. */
  asPrice(key: string, spec: ContractSpec, points: number | null | undefined): PriceTicks | undefined {
    if (points === undefined) return undefined;
    const price = parsePoints(spec, points ?? 0, key);
    if (!price.ok) return this.#fail(key, price.issues[0].expected, this.#payload[key]);
    // After the conversion: what is above zero by less than the grid's tolerance is no price either.
    return price.value > 0 ? price.value : this.#fail(key, 'a price above zero', this.#payload[key]);
  }

  /** As an average, off the grid by nature: to the nearest whole hundredth. */
  asHundredths(key: string, points: number | null | undefined): PriceHundredths | undefined {
    if (points === undefined) return undefined;
    const rounded = Math.round((points ?? 0) * 100);
    if (rounded > 0 && Number.isSafeInteger(rounded)) return priceHundredths(rounded);
    return this.#fail(key, 'an average above zero', this.#payload[key]);
  }

  tolerate(key: string, deviation: string): void {
    this.#drift.count(`${this.#name}.${key}`, deviation);
  }

  #tolerate<T>(key: string, deviation: string, value: T): T {
    this.tolerate(key, deviation);
    return value;
  }

  #fail(key: string, expected: string, received: unknown): undefined {
    const issue = { path: `${this.#name}.${key}`, expected, received: shown(received) };
    if (this.#issues === undefined) this.#issues = [issue];
    else this.#issues.push(issue);
    return undefined;
  }
}
