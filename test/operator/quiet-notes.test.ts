import { expect, it } from 'vitest';
import { tsUs } from '../../src/domain/units.ts';
import { quietNotes } from '../../src/operator/quiet-notes.ts';

const MINUTE_US = 60_000_000;

function notes() {
  let nowUs = 0;
  const lines: string[] = [];
  const note = quietNotes({ nowUs: () => tsUs(nowUs) }, (text) => lines.push(text));
  return { lines, note, pass: (us: number) => (nowUs += us) };
}

it('writes a few notes of a night full of them, and counts the others', () => {
  const { lines, note, pass } = notes();
  const hours = 8;
  for (let at = 0; at < hours * 30 * 60; at += 1) {
    note(`the contract list could not be read: HTTP 503; again in ${at} s`);
    pass(2_000_000);
  }
  expect(lines.length).toBeLessThan(25);
  const counted = lines.reduce(
    (sum, line) => sum + Number(/and (\d+) times/.exec(line)?.[1] ?? 0),
    lines.length,
  );
  expect(counted).toBeGreaterThan((hours - 1) * 30 * 60);
});

it('writes notes of other kinds at once', () => {
  const { lines, note } = notes();
  for (let i = 0; i < 100; i += 1) note('stream: connecting');
  note('stream: live');
  expect(lines).toEqual([...Array.from({ length: 5 }, () => 'stream: connecting'), 'stream: live']);
});

it('writes what comes now and then as it comes', () => {
  const { lines, note, pass } = notes();
  for (let i = 0; i < 20; i += 1) {
    note('stream: live');
    pass(10 * MINUTE_US);
  }
  expect(lines).toHaveLength(20);
  expect(new Set(lines)).toEqual(new Set(['stream: live']));
});

it('begins again when the fault stayed away', () => {
  const { lines, note, pass } = notes();
  for (let i = 0; i < 100; i += 1) note('no token');
  pass(121 * MINUTE_US);
  note('no token');
  expect(lines.at(-1)).toBe('no token');
});
