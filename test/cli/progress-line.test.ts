import { expect, it } from 'vitest';
import { ProgressLine } from '../../src/cli/progress-line.ts';

it('shows how far, how fast and how long still, and removes itself', () => {
  let [text, now] = ['', 0];
  const io = { isTerminal: true, out: () => undefined, err: (said: string) => void (text += said) };
  const line = new ProgressLine(io, 'runs', () => now);
  now = 4_000;
  line.show({ done: 2, all: 8, what: 'trials' });
  expect(text).toContain('25 %  trials  0.5 runs/s  12 s left');
  line.clear();
  expect(text.endsWith('\r\u001B[K')).toBe(true);
});
