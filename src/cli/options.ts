/** Options that several commands share, and parsers of their values: a value, or a refusal that names the expected form. */
import { InvalidArgumentError, type Command } from 'commander';
import { isAbsolute, relative, resolve } from 'node:path';
import type { SideWords } from '../research/recorded/recorded-market.ts';
import type { BarSpec } from '../domain/bars.ts';
import { isTradingDay } from '../domain/civil-date.ts';
import { durationUs, type DurationUs, type Money, money, type Qty, qty, US_PER_MS } from '../domain/units.ts';
import { parseBarLength, parseDuration } from '../text/durations.ts';
import { runningDaemons } from '../host/state/running-daemons.ts';
import { wrongUsage } from './cli-io.ts';

export const refuse = (expected: string, text: string): never => {
  throw new InvalidArgumentError(`expected ${expected}, was ${JSON.stringify(text)}`);
};

const PORT_MAX = 65_535;
const SPEED_MAX = 10_000;
const NUMBER = /^\d+(\.\d+)?$/;
const WHOLE = /^\d+$/;

const numberOf =
  (pattern: RegExp, isGood: (value: number) => boolean, expected: string) =>
  (text: string): number => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    return isGood(value) ? value : refuse(expected, text);
  };

export const portNumber = numberOf(WHOLE, (port) => port <= PORT_MAX, `a port from 0 to ${PORT_MAX}`);

export const speedFactor = numberOf(
  NUMBER,
  (speed) => speed > 0 && speed <= SPEED_MAX,
  `a number above 0, at most ${SPEED_MAX}`,
);

export const wholeNumber = numberOf(WHOLE, Number.isSafeInteger, 'a whole number, 0 or more');

export const countAboveZero = numberOf(
  WHOLE,
  (count) => Number.isSafeInteger(count) && count > 0,
  'a whole number above 0',
);

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

export const pointsAboveZero = numberOf(POINTS, (points) => points > 0, 'points above 0 like 1305.2');

export const idText = (text: string): string =>
  /^\S+$/.test(text) ? text : refuse('an id without blanks', text);

export const DATA_DIR = 'data';

/** `buy=B,BUY`, repeatable. */
export function sideWords(text: string, before: SideWords | undefined): SideWords {
  const [side, words] = text.split('=', 2);
  if ((side !== 'buy' && side !== 'sell' && side !== 'none') || words === undefined)
    return refuse('words for a side like buy=B,BUY or none=', text);
  return { ...(before ?? { buy: [], sell: [], none: [] }), [side]: words.split(',') };
}

const DELIMITERS: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', bar: '|' };

export function delimiter(text: string): string {
  const known = DELIMITERS[text] ?? text;
  return known.length === 1 ? known : refuse('one character, or comma, semicolon, tab or bar', text);
}

/** `1m`, `4h`, `1d`. */
export function barLength(text: string): DurationUs {
  const us = parseBarLength(text);
  return us !== undefined && us > 0
    ? durationUs(us)
    : refuse('a duration above 0 like 30s, 1m, 4h, 1d or 1w', text);
}

const SIZE = /^(\d+)([tv])$/;

/** `1m`, `500t`, `10000v`. */
export function barSize(text: string): BarSpec {
  const size = SIZE.exec(text);
  if (size === null) return { every: barLength(text) };
  const count = countAboveZero(size[1] ?? '');
  return size[2] === 't' ? { everyTicks: count } : { everyVolume: count };
}

const PLACE = /\.(csv|csv\.gz|parquet)$/;

export const exportPlace = (text: string): string =>
  PLACE.test(text) ? text : refuse('a file that ends with .csv, .csv.gz or .parquet', text);

// `--state` of the commands that read or command a daemon: without it, the daemon that runs.

/** State directory of paper trading, where no daemon runs and none is named. */
const DEFAULT_STATE = 'var/paper';

const STATE = `state directory of the daemon (the one that runs, else ${DEFAULT_STATE})`;

export const example = (text: string): string => `\nExample:\n  ${text}\n`;

export const stateCommand = (parent: Command, name: string, description: string, help: string): Command =>
  parent.command(name).description(description).option('--state <dir>', STATE).addHelpText('after', help);

/** Never chooses between several. A `change` reaches no daemon of another folder by itself: it may be another person's. */
export function stateOf({ state }: { readonly state?: string }, use: 'any' | 'change' = 'any'): string {
  // Empty: a variable that is not set, which must not send a halt nowhere.
  if (state !== undefined && state !== '') return state;
  const running = runningDaemons();
  const [daemon] = running;
  if (daemon === undefined) return DEFAULT_STATE;
  if (running.length === 1) {
    const { stateDir, mode, pid } = daemon;
    const way = relative(process.cwd(), stateDir);
    if (use === 'any' || (!way.startsWith('..') && !isAbsolute(way))) return stateDir;
    throw wrongUsage(
      `nothing was done: the daemon that runs is of another folder (${mode}, process ${pid}); if it is meant, add --state ${stateDir}`,
    );
  }
  const ours = resolve(DEFAULT_STATE);
  const choices = running.map(
    ({ mode, stateDir, pid }) =>
      `  --state ${stateDir === ours ? DEFAULT_STATE : stateDir}   (${mode}, process ${pid})`,
  );
  throw wrongUsage([`${running.length} daemons are running; say which one is meant:`, ...choices].join('\n'));
}
