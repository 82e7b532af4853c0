/**
 * Every documented field of every answer: its name letter by letter, its JSON type, how it looks; and no name that neither
 * document nor notes know. A day's story makes each answer as full as it can be.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { fieldDeviations, unknownNames, valuesAt } from './document/answer-check.ts';
import { DOCUMENTED } from './document/operations.ts';
import { answersOfDay } from './support/day-story.ts';

let answers: Awaited<ReturnType<typeof answersOfDay>>;

beforeAll(async () => {
  answers = await answersOfDay();
});

const answersOf = (name: string): readonly unknown[] => answers.get(name) ?? [];

it('are checked for all 23 operations', () => {
  expect([...answers.keys()].toSorted()).toEqual(DOCUMENTED.map(({ name }) => name).toSorted());
  expect(DOCUMENTED).toHaveLength(23);
});

describe.each(DOCUMENTED)('the answers of $name', ({ name, answers: fields }) => {
  it.each(fields)('have $path of type $types ($from)', (field) => {
    const all = answersOf(name);
    expect(all.flatMap((answer) => valuesAt(answer, field.path)).length).toBeGreaterThan(0);
    expect(all.flatMap((answer) => fieldDeviations(answer, field))).toEqual([]);
  });

  it('have no name that is not documented', () => {
    expect(answersOf(name).length).toBeGreaterThan(0);
    expect(answersOf(name).flatMap((answer) => unknownNames(answer, fields))).toEqual([]);
  });
});

describe('the comparison itself', () => {
  const field = { path: 'data[].n', types: ['int64'], form: /^\d$/, from: 'contract' } as const;

  it.each([
    [{ data: [{ n: 1 }] }, 0],
    [{ data: [{ n: '1' }] }, 1],
    [{ data: [{ n: 10 }] }, 1],
    [{ data: [{ n: 1 }, {}] }, 1],
    [{ data: [{ N: 1 }] }, 1],
  ])('finds in %j %i deviations', (answer, count) => {
    expect(fieldDeviations(answer, field)).toHaveLength(count);
  });

  it('finds names that nobody knows, wherever they are', () => {
    expect(unknownNames({ data: [{ n: 1, m: 2 }], rc: '1' }, [field])).toEqual(['data[].m', 'rc']);
  });
});
