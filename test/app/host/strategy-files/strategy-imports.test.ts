/** Code that reads the machine it runs on is found as it is written. */
import { expect, it } from 'vitest';
import { machineUses } from '../../../../src/app/host/strategy-files/strategy-imports.ts';

it.each([
  ['const at = Date.now();', ['Date.now']],
  ['const at = new Date();', ['new Date']],
  ['const at = new Date;', ['new Date']],
  ['const at = Date();', ['Date']],
  ["const at = Date['now']();", ['Date']],
  ['setTimeout(() => trader.buy(), 1); setTimeout(f, 2);', ['setTimeout']],
  ['if (Math.random() < 0.5) await fetch("x");', ['Math.random', 'fetch']],
  ['const zone = process.env.TZ + crypto.randomUUID();', ['process.env', 'crypto.randomUUID']],
])('in %s', (code, uses) => {
  expect(machineUses(code)).toEqual(uses);
});

it.each([
  'const day = new Date(tick.tsUs / 1000);',
  'const day = new  Date (Date.UTC(2026, 1, 1)); day instanceof Date; this.Date(); UpDate(); x[Date];',
  '// Date.now() is not ours',
  "const text = 'Math.random()';",
  'this.fetch(); book.process.envelope; worker.setTimeout(5);',
  'const process = (tick) => tick; process(1);',
])('leaves %s alone', (code) => {
  expect(machineUses(code)).toEqual([]);
});
