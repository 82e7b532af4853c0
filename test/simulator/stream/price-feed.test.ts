import { expect, it } from 'vitest';
import { livePayload } from '../../../src/simulator/stream/price-feed.ts';

const json = (text: string): unknown => (text.startsWith('s') ? JSON.parse(text.slice(5)) : text);

it.each([
  ['d|33|15', 'd|33|15'],
  ['s|21|{"a":1}', 's|21|{\n  "a": 1\n}'],
  ['s|21|{"totalValue":230745319,"b":9999999}', 's|21|{\n  "totalValue": 2.30745319E8,\n  "b": 9999999\n}'],
  [
    's|21|{"symbol":"1234567890","v":-12345678.5}',
    's|21|{\n  "symbol": "1234567890",\n  "v": -1.23456785E7\n}',
  ],
])('%s becomes %s, and means the same', (frame, live) => {
  expect(livePayload(frame)).toBe(live);
  expect(json(livePayload(frame))).toEqual(json(frame));
});
