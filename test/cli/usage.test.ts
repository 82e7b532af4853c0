/** What cannot be done is said in a line, with the exit code of the help. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { SHIPPED } from '../config/config-files.ts';
import { cliDir, cliRun } from './support/cli-run.ts';

afterEach(() => vi.unstubAllEnvs());

const LIVE = join(SHIPPED, 'live.example.yaml');
const PAPER = join(SHIPPED, 'paper.yaml');

it.each([
  ['no such command', ['nope'], "unknown command 'nope'"],
  ['an option that is none', ['orders', '--jsn'], 'Did you mean --json?'],
  ['a word too many', ['paper', 'extra'], 'too many arguments'],
  ['no reason', ['resume'], "required option '--reason <text>' not specified"],
  ['no speed', ['paper', '--speed', '0'], 'expected a number above 0, at most 10000, was "0"'],
  [
    'a span without a unit',
    ['paper', '--duration', '5'],
    'expected a duration above 0 like 500ms, 30s, 15m or 8h, was "5"',
  ],
  [
    'a tape that is not there',
    ['paper', '--config', PAPER, '--replay', '/nowhere.csv'],
    '--replay: expected an existing file, was /nowhere.csv',
  ],
  [
    'a directory for a tape',
    ['paper', '--config', PAPER, '--replay', '/'],
    '--replay: expected a file, was the directory /',
  ],
  [
    'a configuration that is not there',
    ['check', '--config', '/nowhere.yaml'],
    '/nowhere.yaml:1:1 expected a readable YAML file, was no such file',
  ],
  ['real money without a file', ['live'], "required option '--config <file>' not specified"],
  [
    'the mode of another command',
    ['paper', '--config', LIVE],
    'expected mode: paper for tickwright paper, was mode: dry-run',
  ],
])('%s', async (_, argv, part) => {
  const { code, out, err } = await cliRun(...argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(part);
});

it('counts the problems of a configuration', async () => {
  const dir = cliDir();
  for (const name of ['vn30f.yaml', 'closures.json']) copyFileSync(join(SHIPPED, name), join(dir, name));
  const file = join(dir, 'main.yaml');
  const text = readFileSync(PAPER, 'utf8')
    .replace('seed: 42', 'seed: x')
    .replace('mode: paper', 'mode: papr');
  writeFileSync(file, text);
  const { code, out, err } = await cliRun('paper', '--config', file);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.split('\n')).toEqual([
    `${file}:2:7 mode: expected one of paper, live, dry-run, was "papr" (did you mean paper?)`,
    `${file}:7:9 simulator.seed: expected a whole number, was "x"`,
    '2 problems in the configuration; nothing was started',
    '',
  ]);
});

const NO_DAEMON = ['status', 'halt', 'reconnect', 'token', 'flatten', 'orders cancel H.1'];
const UNREASONED = new Set(['status', 'reconnect', 'token']);

it.each(NO_DAEMON)('%s without a daemon says so', async (name) => {
  const dir = cliDir();
  const reason = UNREASONED.has(name) ? [] : ['--reason', 'x'];
  expect(await cliRun(...name.split(' '), '--state', dir, ...reason)).toEqual({
    code: 4,
    out: '',
    err: `no daemon runs on ${dir}: start one with tickwright paper, or name its state directory with --state\n`,
  });
});

it.each(['orders', 'journal'])('%s without a journal says so', async (name) => {
  const dir = cliDir();
  const { code, out, err } = await cliRun(name, '--state', dir);
  expect({ code, out }).toEqual({ code: 4, out: '' });
  expect(err).toContain(`no journal at ${join(dir, 'journal.db')}`);
});

it('prints what a configuration comes to, and where its key is, without any secret', async () => {
  vi.stubEnv('TICKWRIGHT_API_KEY', 'key-that-nobody-may-see');
  const text = await cliRun('check', '--config', LIVE);
  expect(text.code).toBe(0);
  expect(text.out).toContain('apiKeyEnvironment: TICKWRIGHT_API_KEY');
  const json = await cliRun('check', '--config', LIVE, '--json');
  expect(JSON.parse(json.out)).toMatchObject({ mode: 'dry-run', live: { arm: false } });
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')));
  const doctor = await cliRun('doctor', '--config', LIVE, '--state', cliDir());
  expect(doctor).toMatchObject({ code: 0, err: '' });
  expect(doctor.out).toContain('the environment variable TICKWRIGHT_API_KEY is there');
  expect(`${text.out}${json.out}${doctor.out}`).not.toContain('key-that-nobody-may-see');
});

it('finds with the doctor what is wrong, and ends as a start would', async () => {
  const { code, out } = await cliRun('doctor', '--config', '/nowhere.yaml', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ level: 'bad', what: 'configuration' })]),
  });
});

/** A configuration whose calendar ends on this day. */
function configUntil(validTo: string): string {
  const dir = cliDir();
  mkdirSync(dir, { recursive: true });
  const file = { source: 'a test', validFrom: '2018-08-13', validTo, closures: [] };
  writeFileSync(join(dir, 'closures.json'), JSON.stringify(file));
  const market = readFileSync(join(SHIPPED, 'vn30f.yaml'), 'utf8');
  writeFileSync(join(dir, 'vn30f.yaml'), market.replace(/closures: .*/, 'closures: closures.json'));
  const path = join(dir, 'config.yaml');
  copyFileSync(LIVE, path);
  return path;
}

it('shows what the calendar knows, and fails once it has ended', async () => {
  const far = configUntil('2099-12-31');
  const { code, out } = await cliRun('calendar', far, '--json');
  expect(code).toBe(0);
  const { sessions, expiries } = JSON.parse(out) as { sessions: string[]; expiries: unknown[] };
  expect([sessions.length, expiries.length]).toEqual([10, 8]);
  const { out: text } = await cliRun('calendar', '--config', far);
  expect(text).toMatch(/known from 2018-08-13 until\s2099-12-31/);
  expect(text).toMatch(/^20\d\d-\d\d-\d\d +\w{3} +session$/m);
  expect(text).toMatch(/41I1\w+ expires/);
  const ended = await cliRun('calendar', configUntil('2024-12-31'));
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/the calendar ended on 2024-12-31: entries are denied/);
});

it('lists the strategies with their parameters', async () => {
  const { out } = await cliRun('strategies', '--json');
  const names = (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(['ema-cross', 'opening-range-breakout', 'calendar-spread']);
});

it.each(['status', 'halt', 'orders', 'journal verify'])(
  '%s of a file in place of a directory',
  async (name) => {
    const file = join(cliDir(), 'file');
    writeFileSync(file, '');
    const { code, out, err } = await cliRun(...name.split(' '), '--state', file);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('name a directory');
  },
);
