/** Parsers of command line values: a value, or a refusal that names the expected form. */
import { type Money, money, type Qty, qty, US_PER_MS } from '../domain/units.ts';
import { parseDuration } from '../text/durations.ts';
import { InvalidArgumentError } from 'commander';
import { isTradingDay } from '../domain/civil-date.ts';

export const refuse = (expected: string, text: string): never => {
  throw new InvalidArgumentError(`expected ${expected}, was ${JSON.stringify(text)}`);
};

const PORT_MAX = 65_535;
const SPEED_MAX = 10_000;
const NUMBER = /^\d+(\.\d+)?$/;
const WHOLE = /^\d+$/;

export function portNumber(text: string): number {
  const port = WHOLE.test(text) ? Number(text) : Number.NaN;
  return port <= PORT_MAX ? port : refuse(`a port from 0 to ${PORT_MAX}`, text);
}

export function speedFactor(text: string): number {
  const speed = NUMBER.test(text) ? Number(text) : Number.NaN;
  return speed > 0 && speed <= SPEED_MAX ? speed : refuse(`a number above 0, at most ${SPEED_MAX}`, text);
}

export function wholeNumber(text: string): number {
  const value = WHOLE.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : refuse('a whole number, 0 or more', text);
}

export function countAboveZero(text: string): number {
  const value = WHOLE.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) && value > 0 ? value : refuse('a whole number above 0', text);
}

/** `30s` as milliseconds. */
export function durationMs(text: string): number {
  const ms = Math.round((parseDuration(text) ?? Number.NaN) / US_PER_MS);
  return ms > 0 ? ms : refuse('a duration above 0 like 500ms, 30s, 15m or 8h', text);
}

export const sessionDay = (text: string): string =>
  isTradingDay(text) ? text : refuse('a trading day like 2026-03-19', text);

export const reasonText = (text: string): string =>
  text.trim() === '' ? refuse('a reason in a few words', text) : text.trim();

const COUNT = /^[1-9]\d{0,14}$/;
const POINTS = /^\d{1,7}(\.\d{1,3})?$/;

export const quantity = (text: string): Qty =>
  COUNT.test(text) ? qty(Number(text)) : refuse('a whole number of contracts above 0', text);

export const amountOf = (text: string): Money =>
  COUNT.test(text) ? money(Number(text)) : refuse('whole VND above 0, digits alone', text);

export const pointsAboveZero = (text: string): number =>
  POINTS.test(text) && Number(text) > 0 ? Number(text) : refuse('points above 0 like 1305.2', text);

export const idText = (text: string): string =>
  /^\S+$/.test(text) ? text : refuse('an id without blanks', text);
