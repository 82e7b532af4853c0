/** A message of any depth gets an answer, and costs no stack. */
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/domain/parsed.ts';
import { readCommandBody } from '../../src/operator/control-command.ts';
import { decodeServerFrame } from '../../src/wire/stream/server-frame.ts';
import { decodeClientFrame } from '../../src/wire/stream/control-frame.ts';
import { decodeTokenExpiry } from '../../src/wire/rest/token-calls.ts';
import { jsonOf } from '../../src/wire/rest/call-reply.ts';
import { seq, tsUs } from '../../src/domain/units.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON from outside', () => {
  it('is read down to 32 levels, and no deeper', () => {
    expect(parseJson(nested(32), 'x')).toMatchObject({ ok: true });
    expect(parseJson(nested(33), 'x')).toMatchObject({
      ok: false,
      issues: [{ path: 'x', expected: 'JSON of at most 32 levels' }],
    });
    expect(parseJson('{"a":'.repeat(33) + '1' + '}'.repeat(33), 'x').ok).toBe(false);
  });

  it('may have any number of brackets next to each other, and in texts', () => {
    const wide = JSON.stringify(
      Array.from({ length: 500 }, (_, i) => ({ i, text: `[[{{"\\${'['.repeat(9)}` })),
    );
    expect(parseJson(wide, 'x')).toEqual({ ok: true, value: JSON.parse(wide) });
    expect(parseJson(JSON.stringify('['.repeat(99)), 'x').ok).toBe(true);
  });

  it.each([16_000, 8_000_000])('of %i brackets ends nothing, wherever it is read', (depth) => {
    const text = '['.repeat(depth);
    const contracts = { byStreamCode: () => undefined };
    expect(jsonOf(text)).toBeUndefined();
    expect(jsonOf(nested(depth / 2))).toBeUndefined();
    for (const head of ['s|1|', 'd|0|', 'd|33|', 'x'])
      expect(decodeServerFrame(head + text, contracts, seq(1), tsUs(1)).kind).not.toBe('market');
    expect(() => decodeClientFrame(`d|1|${text}`)).not.toThrow();
    expect(decodeTokenExpiry(`a.${Buffer.from(text).toString('base64url')}.c`).ok).toBe(false);
    expect(readCommandBody('halt', text).ok).toBe(false);
  });
});
