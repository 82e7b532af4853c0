/** What the options of a sweep mean: ranges are typed as short as they are thought. */
import { InvalidArgumentError } from 'commander';
import type { VaryFlag } from '../../app/research/sweep/read-dimensions.ts';

const refuse = (expected: string, text: string): never => {
  throw new InvalidArgumentError(`expected ${expected}, was ${JSON.stringify(text)}`);
};

const NAME = /^([^.=\s]+)\.([^.=\s]+)=(.+)$/;
const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})(?::(\\d+(?:\\.\\d+)?|log))?$`);

/** `ema.fast=3,5,9`, `ema.slow=10..60:10`, `ema.bufferTicks=0..5`, `ema.x=1..100:log`, `ema.direction=any`. */
export function varied(text: string, before: readonly VaryFlag[] = []): readonly VaryFlag[] {
  const [, strategy, param, values] = NAME.exec(text) ?? [];
  if (strategy === undefined || param === undefined || values === undefined)
    return refuse('id.parameter=values like ema.fast=3,5,9 or ema.slow=10..60:10', text);
  return [...before, { text, strategy, param, written: writtenOf(values) }];
}

function writtenOf(values: string): unknown {
  if (values === 'any') return values;
  const [, from, to, step] = RANGE.exec(values) ?? [];
  if (from === undefined) return values.split(',').map(scalar);
  const ends = { from: Number(from), to: Number(to) };
  if (step === undefined) return ends;
  return step === 'log' ? { ...ends, scale: 'log' } : { ...ends, step: Number(step) };
}

function scalar(text: string): number | string | boolean {
  if (new RegExp(`^${NUMBER}$`).test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

export interface Split {
  readonly inSample: number;
  readonly outOfSample: number;
  readonly isAnchored: boolean;
}

/** `8:2`, or `8:2:anchored`. */
export function walkForwardSplit(text: string): Split {
  const match = /^([1-9]\d{0,4}):([1-9]\d{0,4})(:anchored)?$/.exec(text);
  if (match === null) return refuse('days in sample and out of it like 8:2, or 8:2:anchored', text);
  return { inSample: Number(match[1]), outOfSample: Number(match[2]), isAnchored: match[3] !== undefined };
}
