/** The trap names who asks the machine, gives false answers on request, and leaves no trace. */
import { expect, test } from 'vitest';
import { trapped } from '../../../src/host/strategy-files/clock-trap.ts';

const HERE = new Map([['me', 'clock-trap.test']]);

test.each([
  ['new Date', () => void new Date()],
  ['Date', () => void Date()],
  ['Date.now', () => void Date.now()],
  ['performance.now', () => void performance.now()],
  ['process.hrtime', () => void process.hrtime()],
  ['process.hrtime.bigint', () => void process.hrtime.bigint()],
  ['Math.random', () => void Math.random()],
  ['crypto.getRandomValues', () => void crypto.getRandomValues(new Uint8Array(1))],
  ['crypto.randomUUID', () => void crypto.randomUUID()],
  ['process.env', () => void process.env['HOME']],
  ['process.env', () => void Object.keys(process.env)],
  ['process.cwd', () => void process.cwd()],
  ['process.memoryUsage', () => void process.memoryUsage()],
  ['setTimeout', () => clearTimeout(setTimeout(() => undefined, 1_000_000))],
])('names who uses %s, once', (what, use) => {
  const { uses } = trapped({ stackNames: HERE, isFalse: false }, () => {
    use();
    use();
  });
  expect(uses).toEqual([{ strategy: 'me', what }]);
});

test('a date that is said is no clock', () => {
  const { value, uses } = trapped({ stackNames: HERE, isFalse: true }, () => new Date(0));
  expect(value).toBeInstanceOf(Date);
  expect([value.toISOString(), uses]).toEqual(['1970-01-01T00:00:00.000Z', []]);
});

test('the work of others is not named', () => {
  const { uses } = trapped({ stackNames: new Map([['other', '/strategies/other/']]), isFalse: false }, () =>
    Date.now(),
  );
  expect(uses).toEqual([]);
});

test('a false clock is years ahead, and false dice always fall the same', () => {
  const before = Date.now();
  const { value } = trapped({ stackNames: HERE, isFalse: true }, () => [
    Date.now(),
    Math.random(),
    Math.random(),
  ]);
  expect(value[0]).toBeGreaterThan(before + 1e11);
  expect(value[1]).toBe(value[2]);
});

test('everything is as it was afterwards, also when the work throws', () => {
  const real = [Date, Math.random, setTimeout, process.hrtime, Object.getOwnPropertyNames(performance)];
  const globals = [process.env, fetch, Object.getOwnPropertyNames(crypto)];
  expect(() =>
    trapped({ stackNames: HERE, isFalse: true }, () => {
      throw new Error('over');
    }),
  ).toThrow('over');
  expect([Date, Math.random, setTimeout, process.hrtime, Object.getOwnPropertyNames(performance)]).toEqual(
    real,
  );
  expect([process.env, fetch, Object.getOwnPropertyNames(crypto)]).toEqual(globals);
});

test('names who asks the network', () => {
  const { uses } = trapped({ stackNames: HERE, isFalse: false }, () => {
    void fetch('no address').catch(() => undefined);
  });
  expect(uses).toContainEqual({ strategy: 'me', what: 'fetch' });
});
