/** Code that reads the machine it runs on is found as it is written. */
import { expect, it } from 'vitest';
import { machineUses } from '../../../src/host/strategy-files/strategy-code.ts';

it.each([
  ['const at = Date.now();', ['Date.now']],
  ['const at = new Date();', ['new Date']],
  ['const at = new Date;', ['new Date']],
  ['const at = Date();', ['Date']],
  ["const at = Date['now']();", ['Date']],
  ['setTimeout(() => trader.buy(), 1); setTimeout(f, 2);', ['setTimeout']],
  ['if (Math.random() < 0.5) await fetch("x");', ['Math.random', 'fetch']],
  ['const zone = process.env.TZ + crypto.randomUUID();', ['process.env', 'crypto.randomUUID']],
  ['ticks.trades$.pipe(switchMap(async (tick) => tick)).subscribe();', ['async']],
  ['const later = { async *all() {}, async one() {} };', ['async']],
  ['var rx$ = __toESM(require("rxjs"));\nrx$.timer(1);', ['timer of rxjs']],
  ['__reExport(b_exports, require("rxjs"));\n(0, b_exports.timer)(1);', ['timer of rxjs']],
  ['var rx = __toESM(require("rxjs"));\nvar { map, delay: late } = rx;', ['delay of rxjs']],
  ['var import_rxjs = __toESM(require("rxjs"));\nimport_rxjs.default.finalize(f);', ['finalize of rxjs']],
  ['x$.subscribe({ next: (x) => f({ x }), error: () => {} });', ['error of subscribe']],
  ['x$.subscribe({ next(x) { f(x); }, error(e) { g(e); } });', ['error of subscribe']],
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
  'x$.subscribe({ next: (error) => f({ error }), complete: () => error(1) });',
  'const async = 1; promise(async); x.async(1);',
])('leaves %s alone', (code) => {
  expect(machineUses(code)).toEqual([]);
});
