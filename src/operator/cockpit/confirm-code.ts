/** The code that a dangerous command repeats: a request that was made without the page's present state does nothing. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { minutes, type TsUs } from '../../domain/units.ts';

const LIFE = minutes(1);

const draw = (): string => randomBytes(6).toString('base64url');

export class ConfirmCode {
  readonly #clock: Clock;
  #code = draw();
  #before = '';
  #drawnUs: TsUs;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#drawnUs = clock.nowUs();
  }

  current(): string {
    const now = this.#clock.nowUs();
    const ageUs = now - this.#drawnUs;
    if (ageUs < LIFE) return this.#code;
    this.#before = ageUs < 2 * LIFE ? this.#code : '';
    this.#code = draw();
    this.#drawnUs = now;
    return this.#code;
  }

  is(code: unknown): boolean {
    const current = this.current();
    return typeof code === 'string' && code !== '' && (code === current || code === this.#before);
  }
}
