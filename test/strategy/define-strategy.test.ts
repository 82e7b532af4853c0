import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';

const strategy = defineStrategy({
  name: 'sample',
  summary: 'a sample',
  params: z
    .object({
      fast: z.int().min(1).max(500).default(9).describe('bars of the fast average'),
      slow: z.int().default(21),
      side: z.enum(['both', 'long']).default('both'),
      size: z.number().gt(0),
      loud: z.boolean().optional(),
    })
    .refine(({ fast, slow }) => fast < slow, { error: 'a number above fast', path: ['slow'] }),
  legs: ['contract'],
  connect: () => {},
});

test('a strategy without params or legs gets an error that says how to write them', () => {
  const source = {
    name: 'sample',
    summary: 'a sample',
    params: z.object({}),
    legs: ['only'],
    connect: () => {},
  };
  // As JavaScript writes it, or TypeScript whose types were only stripped.
  const define = (part: object): unknown => Reflect.apply(defineStrategy, null, [{ ...source, ...part }]);
  expect(() => define({ params: undefined })).toThrow('params: z.object({}) for none');
  expect(() => define({ legs: undefined })).toThrow("a strategy has legs, like legs: ['only']");
});

describe('parameters', () => {
  test('come back with every default filled in', () => {
    expect(strategy.parseParams({ size: 1 })).toEqual({
      ok: true,
      value: { fast: 9, slow: 21, side: 'both', size: 1 },
    });
  });

  test.each<[string, unknown, readonly string[]]>([
    ['a text for a number', { size: 1, fast: 'ten' }, ['fast: a number, was "ten"']],
    ['a fraction', { size: 1, fast: 2.5 }, ['fast: a whole number, was 2.5']],
    ['too little', { size: 1, fast: 0 }, ['fast: at least 1, was 0']],
    ['too much', { size: 1, fast: 501, slow: 900 }, ['fast: at most 500, was 501']],
    ['on an open bound', { size: 0 }, ['size: more than 0, was 0']],
    ['nothing where something is needed', {}, ['size: a number, was nothing']],
    ['an unknown word', { size: 1, side: 'up' }, ['side: one of both, long, was "up"']],
    ['a text for a yes or no', { size: 1, loud: 'yes' }, ['loud: true or false, was "yes"']],
    [
      'an unknown key',
      { size: 1, fsat: 3 },
      ['fsat: one of fast, slow, side, size, loud, was an unknown key'],
    ],
    ['a rule over two', { size: 1, fast: 30 }, ['slow: a number above fast, was nothing']],
    ['a list for the whole', [1], [': a table of parameters, was [1]']],
    ['several at once', { fast: 'x', size: 'y' }, ['fast: a number, was "x"', 'size: a number, was "y"']],
  ])('%s', (_name, raw, expected) => {
    const result = strategy.parseParams(raw);
    const lines = result.ok
      ? []
      : result.issues.map(({ path, expected: want, received }) => `${path}: ${want}, was ${received}`);
    expect(lines).toEqual(expected);
  });

  test('read twice are the same', () => {
    const once = strategy.parseParams({ size: 2 });
    expect(once.ok && strategy.parseParams(once.value)).toEqual(once);
  });

  test('are listed for people', () => {
    expect(strategy.paramRows).toEqual([
      { name: 'fast', type: 'integer from 1 to 500', default: '9', meaning: 'bars of the fast average' },
      { name: 'slow', type: 'integer', default: '21', meaning: 'optional' },
      { name: 'side', type: 'both | long', default: '"both"', meaning: 'optional' },
      { name: 'size', type: 'number above 0', default: null, meaning: 'required' },
      { name: 'loud', type: 'boolean', default: null, meaning: 'optional' },
    ]);
  });

  test('with a transform are refused when the strategy is defined: they could not be read twice', () => {
    const params = z.object({ fast: z.number().transform((value) => value * 2) });
    const define = (): unknown =>
      defineStrategy({ name: 'sample', summary: 'a sample', params, legs: ['contract'], connect: () => {} });
    expect(define).toThrow(/transform/i);
  });
});

test.each([
  ['Sample', ['a']],
  ['sam ple', ['a']],
  ['sample', ['a', 'a']],
] as const)('%s with legs %j is refused', (name, legs) => {
  const define = (): unknown =>
    defineStrategy({
      name,
      summary: '',
      params: z.object({}),
      legs: [...legs] as [string, ...string[]],
      connect: () => {},
    });
  expect(define).toThrow('Invariant');
});
