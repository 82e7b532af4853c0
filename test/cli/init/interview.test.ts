/** Whatever is answered, the file is right, and sends no real order. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Interview } from '../../../src/cli/init/interview.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { formatProblem } from '../../../src/config/problem.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { cliDir } from '../support/cli-run.ts';

const line = fc
  .string({
    minLength: 1,
    maxLength: 30,
    unit: fc.constantFrom(...Array.from('aZ0 :#-_{}[]"\'ấ,&*!|>%@`\\~$')),
  })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const name = fc.stringMatching(/^[a-z0-9]{1,10}$/);
const mail = fc.tuple(name, name).map(([user, host]) => `${user}@${host}.example`);
const some = (values: readonly string[]): fc.Arbitrary<string> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }).map((each) => each.join(','));
const whole = (least: number, most: number): fc.Arbitrary<string> =>
  fc.integer({ min: least, max: most }).map(String);

const account = {
  mode: fc.constant('live'),
  account: line,
  'rest-url': name.map((host) => `https://${host}.example/api`),
  'stream-url': name.map((host) => `wss://${host}.example/`),
};
const optional = {
  mode: fc.constant('paper'),
  'sub-account': line,
  contract: fc.constantFrom('VN30F1M', 'VN30F2M', 'VN30F2Q', 'vn100f1q'),
  strategies: some(CATALOG.map((each) => each.name)),
  'order-max': whole(1, 500),
  'position-max': whole(1, 100_000),
  'daily-loss': whole(1, 2_000_000_000),
  'stop-ticks': whole(0, 10_000),
};
const channels = {
  channels: some(['telegram', 'email', 'webhook']),
  'telegram-user': whole(1, 9_999_999_999),
  'mail-host': line,
  'mail-from': mail,
};
const channelOptions = {
  'mail-to': mail,
  'mail-user': line,
  'webhook-preset': fc.constantFrom('slack', 'discord', 'ntfy', 'gotify'),
};

type Fields = Readonly<Record<string, fc.Arbitrary<string>>>;

const answersOf = (needed: Fields, others: Fields): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.record({ ...others, ...needed }, { requiredKeys: Object.keys(needed) });

const flags = fc.oneof(
  answersOf({}, optional),
  answersOf(channels, { ...optional, ...channelOptions }),
  answersOf({ ...account, ...channels }, { ...optional, ...account, ...channelOptions }),
);

it('writes a file that loads, and never one that is armed, whatever is answered', async () => {
  const file = join(cliDir(), 'some.yaml');
  await fc.assert(
    fc.asyncProperty(flags, async (given) => {
      const interview = new Interview(given, null);
      writeFileSync(file, await interview.configuration(await interview.mode(), file));
      const loaded = loadConfig(file, CATALOG);
      expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([]);
      if (!loaded.ok) return;
      const { mode, live, account: found, engine, strategies } = loaded.config;
      expect(mode).toBe(given['mode'] === 'live' ? 'dry-run' : 'paper');
      expect(live.arm).toBe(false);
      expect(live.allowedSubAccounts).toEqual(found === undefined ? [] : [found.subAccountId]);
      expect(found?.custodyCode).toBe(given['mode'] === 'live' ? given['account'] : undefined);
      expect(engine.risk.orderQtyMax).toBe(Number(given['order-max'] ?? (mode === 'paper' ? 5 : 1)));
      expect(strategies.map(({ id }) => id)).toEqual(interview.strategies);
    }),
    { numRuns: 100 },
  );
});
