/** The first configuration, by the answers of a person. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Command, InvalidArgumentError } from 'commander';
import { CliFailure, EXIT } from '../../../src/cli/cli-io.ts';
import type { Dialog } from '../../../src/cli/init/dialog.ts';
import { addInitCommand } from '../../../src/cli/init/init-command.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { cliDir, cliRun } from '../support/cli-run.ts';

beforeEach(() => vi.stubGlobal('fetch', () => Promise.reject(new Error('no network'))));
afterEach(() => vi.unstubAllGlobals());

/** Answers with these lines, and leaves before the next question. */
function scripted(lines: readonly string[], say: (text: string) => void): Dialog {
  const left = [...lines];
  const next = (text: string): string => {
    say(`${text}: `);
    const line = left.shift();
    if (line === undefined) throw new CliFailure(EXIT.failed, 'the answers ended early: nothing was written');
    return line;
  };
  return {
    ask: async (text, fallback, parse) => {
      for (;;) {
        const typed = next(text);
        try {
          return parse(typed === '' && fallback !== null ? fallback : typed);
        } catch (error) {
          if (!(error instanceof InvalidArgumentError)) throw error;
          say(error.message);
        }
      }
    },
    secret: async (text) => next(text),
    print: say,
    close: () => undefined,
  };
}

async function initWith(lines: readonly string[], ...argv: readonly string[]) {
  let [out, err, code] = ['', '', 0];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const program = new Command();
  addInitCommand(program, { io, finish: (to) => void (code = to) }, scripted(lines, io.err));
  await program.parseAsync(['init', ...argv], { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof CliFailure)) throw error;
    io.err(error.message);
    code = error.exitCode;
  });
  return { code, out, err };
}

function configOf(file: string) {
  const loaded = loadConfig(file, CATALOG);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

/** Answers for an account, with a pasted key and a phone; all others are taken from the brackets. */
const live = (key: string): readonly string[] => [
  'live',
  '105C123456',
  '',
  'https://broker.example/',
  'wss://broker.example/',
  key,
  'the-pasted-key',
  'VN30F1M',
  'ema-cross, calendar-spread',
  'direction=long, slow=34',
  '',
  '',
  '',
  '',
  '',
  'telegram',
  '4711',
  'env',
  'yes',
];

it('asks for an account, and writes a dry run and a key that only its owner can read', async () => {
  const dir = cliDir();
  const [file, key] = [join(dir, 'live.yaml'), join(dir, 'secrets', 'key')];
  const { code, out, err } = await initWith(live(key), file);
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Custody account') });
  const config = configOf(file);
  expect(config).toMatchObject({
    mode: 'dry-run',
    live: { arm: false, allowedSubAccounts: ['105C123456A'], firstDayQtyMax: 1 },
    auth: { apiKeyFile: key },
    alerts: { channels: [{ kind: 'telegram', chat: 4_711, users: [4_711] }] },
    strategies: [
      {
        strategy: 'ema-cross',
        symbols: ['VN30F1M'],
        params: { fast: 9, slow: 34, direction: 'long' },
      },
      { strategy: 'calendar-spread', symbols: ['VN30F1M', 'VN30F2M'], params: { entryZ: 2 } },
    ],
  });
  expect(readFileSync(key, 'utf8')).toBe('the-pasted-key\n');
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8') + out + err).not.toContain('the-pasted-key');
  expect(out).toContain('configuration');
  expect(out).toContain(`tickwright dry-run --config ${file}`);
  expect(out).toContain('TICKWRIGHT_TELEGRAM_TOKEN');
});

it('says at once what a wrong answer should have been, and asks again', async () => {
  const file = join(cliDir(), 'paper.yaml');
  const lines = [
    'real',
    'paper',
    'VN31',
    '',
    'nope',
    'ema-cross',
    'fast',
    'fast=30',
    'fats=3',
    'fast=0 qty=many',
    'fast=5, fast=6',
    'fast=5,slow=40',
    '0',
    '501',
    '7',
    '',
    '-1',
    '1,000,000',
    '',
    'fax',
    'none',
    'perhaps',
    'yes',
  ];
  const { code, err } = await initWith(lines, file);
  expect(code).toBe(0);
  for (const problem of [
    'expected one of paper, live, was "real"',
    'expected one of VN30F1M, ',
    'expected one of ema-cross, opening-range-breakout, calendar-spread, was "nope"',
    'expected name=value, was "fast"',
    'slow: expected a number above fast, was 21',
    'fats: expected one of barSeconds, fast, ',
    'fast: expected at least 1, was 0; qty: expected a number, was "many"',
    'expected fast once, was "fast=5, fast=6"',
    'expected a whole number of contracts above 0, was "0"',
    'expected at most 500, was "501"',
    'expected whole VND above 0, like 5,000,000, was "-1"',
    'expected one of telegram, email, webhook, was "fax"',
    'expected one of yes, no, was "perhaps"',
  ])
    expect(err).toContain(problem);
  expect(configOf(file).strategies).toMatchObject([{ params: { fast: 5, slow: 40, barSeconds: 60 } }]);
  expect(configOf(file).engine.risk).toMatchObject({ orderQtyMax: 7, dailyLossMax: 1_000_000 });
});

it.each([0, 1, 6, 7, 9, 12, 18])('writes nothing when it is ended after %d answers', async (count) => {
  const dir = cliDir();
  const [file, key] = [join(dir, 'live.yaml'), join(dir, 'key')];
  const { code, err } = await initWith(live(key).slice(0, count), file);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('nothing was written') });
  expect([file, key, `${file}.partial`].filter((path) => existsSync(path))).toEqual([]);
});

it('writes nothing when the last answer is no', async () => {
  const dir = cliDir();
  const [file, key] = [join(dir, 'live.yaml'), join(dir, 'key')];
  const { code, err } = await initWith([...live(key).slice(0, -1), 'no'], file);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('nothing was written') });
  expect(existsSync(file) || existsSync(key)).toBe(false);
});

it('replaces no file without --force, and says so before the first question', async () => {
  const file = join(cliDir(), 'mine.yaml');
  writeFileSync(file, 'mine');
  const refused = await initWith(['paper'], file);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(`${file} is there already`);
  expect(refused.err).not.toContain('Mode');
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(await cliRun('init', file, '--yes', '--force')).toMatchObject({ code: 0 });
  expect(configOf(file).mode).toBe('paper');
});

it('replaces nothing but a plain file', async () => {
  const dir = join(cliDir(), 'mine.yaml');
  mkdirSync(dir);
  for (const file of [dir, '/dev/null']) {
    const { code, err } = await cliRun('init', file, '--yes', '--mode', 'wrong', '--force');
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${file} is no plain file`),
    });
  }
});

it('leaves nothing behind where the file cannot be written', async () => {
  const dir = cliDir();
  const [file, key] = [join(dir, 'taken', 'live.yaml'), join(dir, 'key')];
  writeFileSync(join(dir, 'taken'), 'a file');
  const { code, err } = await initWith(live(key), file);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('nothing was written') });
  expect(existsSync(key)).toBe(false);
});

it('takes every answer as an option, and names the one that is missing', async () => {
  const dir = cliDir();
  const file = join(dir, 'live.yaml');
  const none = await cliRun('init', file, '--yes', '--mode', 'live');
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('--account is needed with --yes') });
  const [key, open] = [join(dir, 'key'), join(dir, 'open')];
  writeFileSync(key, 'k', { mode: 0o600 });
  writeFileSync(open, 'k', { mode: 0o644 });
  const options = `--mode live --account 105C123456 --sub-account 105C123456B --rest-url https://b.example/
    --stream-url wss://b.example/ --order-max 2 --position-max 3 --daily-loss 7_000_000 --stop-ticks 50 --channels email,webhook
    --mail-host smtp.b.example --mail-from a@b.example --mail-user none --webhook-preset ntfy`.split(/\s+/);
  const exposed = await cliRun('init', file, '--yes', ...options, '--api-key-file', open);
  expect(exposed).toMatchObject({ code: 2, err: expect.stringContaining(`chmod 600 ${open}`) });
  const odd = await cliRun('init', file, '--yes', ...options, '--api-key-file', `${dir}/$KEY`);
  expect(odd).toMatchObject({ code: 2, err: expect.stringContaining('variables are not filled in') });
  const plain = await cliRun('init', file, '--yes', ...options, '--rest-url', 'http://b.example/');
  expect(plain).toMatchObject({ code: 2, err: expect.stringContaining('--rest-url: expected an address') });
  expect(existsSync(file)).toBe(false);
  const done = await cliRun('init', file, '--yes', ...options, '--api-key-file', key);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(configOf(file)).toMatchObject({
    account: { custodyCode: '105C123456', subAccountId: '105C123456B' },
    engine: {
      risk: {
        orderQtyMax: 2,
        positionMax: 3,
        dailyLossMax: 7_000_000,
        protectiveStop: { distanceTicks: 50 },
      },
    },
    alerts: {
      channels: [{ kind: 'email' }, { kind: 'webhook', preset: 'ntfy' }],
    },
  });
});

it('takes no secret from a file that others can read, nor two secrets from one that it makes', async () => {
  const dir = cliDir();
  mkdirSync(join(dir, 'folder'));
  const [file, key] = [join(dir, 'live.yaml'), join(dir, 'key')];
  const lines = [...live(join(dir, 'folder'))];
  lines.splice(6, 0, key);
  lines.splice(lines.indexOf('env'), 0, key);
  const { code, err } = await initWith(lines, file);
  expect(code).toBe(0);
  expect(err).toContain('expected a file that is there');
  expect(err).toContain('expected another file for each secret');
});
