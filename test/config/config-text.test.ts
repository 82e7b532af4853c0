/** The printed configuration, pasted into a file, gives the same configuration. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { configText } from '../../src/config/config-schema.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { formatDuration } from '../../src/text/durations.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { configDir, LIVE, SHIPPED } from './config-files.ts';

/** The configuration of a text, as printed. */
function read(dir: string, text: string): { readonly config: Config; readonly printed: string } {
  const file = join(dir, 'main.yaml');
  writeFileSync(file, text);
  const loaded = loadConfig(file, CATALOG);
  if (!loaded.ok) throw new Error(`${loaded.problems.map(formatProblem).join('\n')}\n${text}`);
  return { config: loaded.config, printed: configText(loaded.read) };
}

/** The configuration of a text, and that of its printed form. */
function twice(text: string, dir = configDir('')) {
  const first = read(dir, text);
  return { first, again: read(dir, first.printed) };
}

it.each(['paper.yaml', 'live.example.yaml'])('prints %s as a file that comes to the same', (name) => {
  const { first, again } = twice(readFileSync(join(SHIPPED, name), 'utf8'));
  expect(again).toEqual(first);
});

it('prints real money with every guard', () => {
  const { first, again } = twice(LIVE);
  expect(again).toEqual(first);
});

/** A duration in any unit, with fractions. */
const span = (leastMs: number, mostMs: number): fc.Arbitrary<string> =>
  fc.integer({ min: leastMs, max: mostMs }).map((ms) => formatDuration(ms * 1_000));
const percent = fc.integer({ min: 1, max: 10_000 }).map((bps) => bps / 100);
const count = fc.integer({ min: 1, max: 1_000_000 });
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
const policy = fc.constantFrom('hold', 'cancel_orders', 'flatten');
/** Texts that YAML may take for something else. */
const odd = fc.constantFrom(
  'yes',
  'no',
  'null',
  '~x',
  '0123',
  '1e3',
  '12:30',
  '- a',
  '# b',
  'a: b',
  '"',
  "it's",
  'ấm',
  '105E00',
  '{x}',
  '*x',
);
const line = fc.oneof(
  odd,
  fc.string({
    minLength: 1,
    maxLength: 30,
    unit: fc.constantFrom(...Array.from('aZ0 :#-_{}[]"\'ấ,&*!|>%@`')),
  }),
);
const some = (
  shape: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Record<string, unknown>> => fc.record({ ...shape }, { requiredKeys: [] });

const channel = fc.oneof(
  fc.record({ kind: fc.constant('telegram'), chat: fc.integer(), users: fc.array(count) }),
  fc.record({
    kind: fc.constant('email'),
    host: line,
    from: line,
    to: fc.array(line, { minLength: 1 }),
    user: line,
    secure: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('webhook'), preset: fc.constantFrom('slack', 'ntfy') }),
  fc.record({
    kind: fc.constant('webhook'),
    template: fc.string({ minLength: 1, unit: fc.constantFrom('a', ' ', '\n', '"', '{', ':') }),
  }),
);

const file = fc.record(
  {
    mode: fc.constant('paper'),
    market: fc.constant('vn30f.yaml'),
    account: fc.record({ custodyCode: line, subAccountId: line }),
    auth: some({
      otp: fc.oneof(
        fc.constant({ from: 'prompt' }),
        fc.record({
          from: fc.constant('command'),
          command: fc.array(line, { minLength: 1 }),
          timeout: span(1_000, 600_000),
        }),
      ),
      otpRoute: fc.constantFrom('app', 'request'),
    }),
    broker: some({
      requestsPerSecond: fc.double({ min: 0.01, max: 100, noNaN: true }),
      requestTimeout: span(100, 120_000),
    }),
    money: fc.record({ accounts: fc.array(line, { minLength: 1 }), amountMax: count }),
    simulator: some({ seed: count, speed: fc.double({ min: 0.1, max: 100, noNaN: true }), cash: count }),
    risk: some({
      orderQtyMax: fc.integer({ min: 1, max: 500 }),
      collarPercent: percent,
      marginUsePercent: percent,
      dataAgeMax: span(1_000, 3_600_000),
      dailyLossMax: count,
      drawdownMax: count,
      protectiveStop: fc.record({ distanceTicks: count }),
      auctionEntries: fc.boolean(),
    }),
    reconcile: some({ money: fc.constantFrom('halt', 'alert') }),
    policies: some({ after: span(1_000, 3_600_000), tokenDead: policy, diskFull: policy }),
    poll: some({ bookFast: span(50, 60_000) }),
    lookUp: some({ scans: fc.integer({ min: 3, max: 9 }), spread: span(100, 3_600_000) }),
    flatten: some({ retryAfter: span(100, 600_000) }),
    session: some({
      tokenRefresh: fc.array(time, { minLength: 1 }),
      rollover: time,
      flatBeforeClose: fc.oneof(span(1_000, 14_400_000), fc.constantFrom('off', false)),
    }),
    retention: some({
      framesGigabytes: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
    }),
    operator: some({
      log: fc.constantFrom('pretty', 'json'),
      metrics: fc.record({ port: fc.integer({ min: 0, max: 65_535 }), hosts: fc.array(line) }),
    }),
    alerts: some({
      channels: fc
        .array(channel, { maxLength: 3 })
        .map((all) => all.map((each, i) => ({ ...each, id: `c${i}` }))),
      quiet: fc.record({ from: time, until: fc.oneof(time, fc.constant('24:00')) }),
      repeatAfter: span(60_000, 86_400_000),
      deadMansSwitch: some({ every: span(10_000, 3_600_000), fail: fc.boolean() }),
    }),
    strategies: fc.constant([
      { id: 'one', strategy: 'ema-cross', symbols: ['VN30F1M'], params: { fast: 3, slow: 7 } },
      { id: 'two', strategy: 'calendar-spread', symbols: ['VN30F1M', 'VN30F2M'], risk: { positionMax: 3 } },
    ]),
  },
  { requiredKeys: ['mode', 'market', 'strategies'] },
);

it('prints any configuration as a file that comes to the same', () => {
  const dir = configDir('');
  fc.assert(
    fc.property(file, (value) => {
      // JSON is YAML.
      const { first, again } = twice(JSON.stringify(value), dir);
      expect(again).toEqual(first);
    }),
    { numRuns: 60 },
  );
});
