import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeClientFrame } from '../../../src/wire/stream/control-frame.ts';

interface Golden {
  readonly name: string;
  readonly source: string;
  readonly frame: string;
  readonly decoded: unknown;
}

const GOLDEN_FILE = join(import.meta.dirname, '../../golden/wire/client-frames.json');
const GOLDEN = JSON.parse(readFileSync(GOLDEN_FILE, 'utf8')) as readonly Golden[];

describe('a frame of the documents', () => {
  it.each(GOLDEN)('$name ($source)', ({ frame, decoded }) => {
    expect(decodeClientFrame(frame)).toStrictEqual(decoded);
  });
});

describe('an auth frame in a wrong form carries no token', () => {
  it.each([
    ['d|a'],
    ['d|a|'],
    ['d|a|||'],
    ['d|a||||ZXlK'],
    ['d|a|||%%%'],
    ['d|a|||ZXl K'],
    ['d|a|||ZXlK===='],
    ['d|a|x||ZXlK'],
  ])('%s', (frame) => {
    expect(decodeClientFrame(frame)).toEqual({ kind: 'auth', token: '' });
  });

  it.each([['d|a|||ZXlKYQ=='], ['d|a|||ZXlKYQ'], ['d|a||| ZXlKYQ==\n']])('but %j does', (frame) => {
    expect(decodeClientFrame(frame)).toEqual({ kind: 'auth', token: 'eyJa' });
  });
});

describe('a subscription', () => {
  it.each([
    ['d|s|tk|tm |A , B', ['A', 'B']],
    ['d|s| tk | tm | A,,B, ', ['A', 'B']],
    ['d|s|tk|tm|A\n', ['A']],
  ])('with blanks: %j', (frame, codes) => {
    expect(decodeClientFrame(frame)).toEqual({ kind: 'subscribe', channels: ['trade'], silent: [], codes });
  });
});
