import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ALL_CHANNELS,
  decodeClientFrame,
  encodeAuth,
  encodeSubscribe,
  encodeUnsubscribe,
  HEARTBEAT_FRAME,
} from '../../../src/wire/stream/client-frame.ts';

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

describe('what we send', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.sig';

  it.each([
    [encodeAuth(token), 'd|a|||ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKbGVIQWlPakY5LnNpZw=='],
    [HEARTBEAT_FRAME, 'd|p|||'],
    [encodeSubscribe(ALL_CHANNELS, ['VN30F2511']), 'd|s|tk|bp+bi+tm+mp+op+fe|VN30F2511'],
    [encodeSubscribe(['trade'], ['A', 'B']), 'd|s|tk|tm|A,B'],
    [encodeUnsubscribe(['bid', 'offer'], ['A']), 'd|u|tk|bi+op|A'],
  ])('is %s', (frame, expected) => {
    expect(frame).toBe(expected);
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

  it.each([
    ['d|s|tk', 'frame'],
    ['d|s|tk|tm', 'frame'],
    ['d|s|tk|tm|A|B', 'frame'],
    ['d|s|xx|tm|A', 'frame'],
    ['d|u|tk', 'frame'],
    ['d|s|tk||A', 'channels'],
    ['d|s|tk|zz|A', 'channels'],
    ['d|s|tk|tm+zz|A', 'channels'],
    ['d|s|tk|tm+|A', 'channels'],
    ['d|s|tk|TM|A', 'channels'],
    ['d|s|tk|tm|', 'symbols'],
    ['d|s|tk|tm| , ', 'symbols'],
    ['d|q|||', 'frame'],
    ['ping|1', 'frame'],
    ['d|p||', 'frame'],
    ['d|p|||x', 'frame'],
    ['s|21|{}', 'frame'],
    ['{}', 'frame'],
    ['', 'frame'],
  ])('or anything else that is malformed: %s at %s', (frame, path) => {
    expect(decodeClientFrame(frame)).toMatchObject({ kind: 'malformed', issues: [{ path }] });
  });
});
