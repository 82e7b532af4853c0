import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ProgressLine } from '../../src/cli/progress-line.ts';
import { tempDir } from '../support/temp-dir.ts';

it('shows how far, how fast and how long still, and removes itself', () => {
  let [text, now] = ['', 0];
  const io = { isTerminal: true, out: () => undefined, err: (said: string) => void (text += said) };
  const line = new ProgressLine(io, 'runs', undefined, () => now);
  now = 4_000;
  line.show({ done: 2, all: 8, what: 'trials' });
  expect(text).toContain('25 %  trials  0.5 runs/s  12 s left');
  line.clear();
  expect(text.endsWith('\r\u001B[K')).toBe(true);
});

it('shows the same on a page that reloads itself, and leads to the report in the end', () => {
  const path = join(tempDir(), 'out', 'progress.html');
  let now = 0;
  const io = { out: () => undefined, err: (said: string) => expect.fail(said) };
  const page = new ProgressLine(io, 'runs', { path, title: 'Sweep of <a & b>.yaml' }, () => now);
  now = 4_000;
  page.show({ done: 2, all: 8, what: 'trials on 2 workers with 4 threads' });
  const shown = readFileSync(path, 'utf8');
  expect(shown).toContain('25 %: 2 of 8 trials on 2 workers with 4 threads  0.5 runs/s  12 s left');
  expect(shown).toContain('http-equiv="refresh" content="2"');
  expect(shown).toContain('Sweep of &lt;a &amp; b&gt;.yaml');
  page.end('report.html');
  expect(readFileSync(path, 'utf8')).toContain('content="0; url=report.html"');
});
