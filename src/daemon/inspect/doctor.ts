/** `tickwright doctor`: checks everything that a run needs, without starting anything. */
import { formatLocalSecond } from '../../text/dates.ts';
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { formatProblem } from '../../config/problem.ts';
import { coverageDaysLeft, type TradingCalendar } from '../../domain/calendar.ts';
import { addDays, dayAt, dayNumber } from '../../domain/civil-date.ts';
import type { TsUs } from '../../domain/units.ts';
import { EXCHANGES_PER_DAY } from '../../broker/auth/token-keeper.ts';
import {
  apiKeyRef,
  environmentSecrets,
  missingSecrets,
  secretRefs,
  secretRefText,
} from '../edge/secret-ref.ts';
import { brokerDay, TOKEN_EXCHANGES } from '../edge/broker-edge.ts';
import { systemClock } from '../../host/system-clock.ts';
import { type StatePaths, statePaths } from '../../host/state/state-paths.ts';
import { calendarEnd, closuresFrom } from './calendar-view.ts';
import { closing, errorText, thrownText, undefinedIfMissing } from '../../domain/failure.ts';
import { formatCompared, formatCount } from '../../text/numbers.ts';
import { readSecret } from '../../host/cluster-access.ts';
import { homedir } from 'node:os';
import { isExposed } from '../../config/config-rules.ts';
import { expiryOf, listedMonths, UNDERLYINGS } from '../../domain/contract-code.ts';
import { isLockHeld } from '../../journal/instance-lock.ts';
import { type JournalReader, readJournal } from '../../journal/journal-reader.ts';
import { archivePath } from '../../journal/journal-copies.ts';

/** This program was written after this day: a clock before it is wrong. */
const CLOCK_MIN_US = Date.UTC(2026, 0, 1) * 1_000;

export async function diagnose(configFile: string, stateDir: string | null): Promise<readonly Finding[]> {
  const findings: Finding[] = [nodeVersion(), await sqlite()];
  // A day's report has checks from here, and does not compile strategies.
  const { loadRunConfig } = await import('../../host/run-plan.ts');
  const loaded = await loadRunConfig(configFile);
  if (!loaded.ok) {
    const problems = loaded.problems.map((problem) => bad('configuration', formatProblem(problem)));
    return [...findings, ...problems];
  }
  const { config } = loaded;
  findings.push(clock(config));
  const ids = config.strategies.map(({ id }) => id).join(', ');
  findings.push(good('configuration', `${configFile} is valid: mode ${config.mode}, strategies ${ids}`));
  findings.push(calendarFinding(config.exchangeCalendar, systemClock.nowUs()), hostZone(config));
  findings.push(...aheadFindings(config), ...stateFindings(stateDir ?? config.stateDir));
  if (config.mode !== 'paper' && missingSecrets(config).length === 0)
    findings.push(good('api key', `${secretRefText(apiKeyRef(config.auth))} is there`));
  findings.push(...environmentFindings(config), ...(await channelFindings(config)));
  if (config.broker.restUrl !== undefined && config.mode !== 'paper')
    findings.push(...(await brokerFindings(config.broker.restUrl)));
  return findings;
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const text = `Node.js ${process.versions.node}`;
  const isKnown = major === 20 ? minor >= 15 : major >= 22;
  return isKnown ? good('node', text) : bad('node', `${text}: expected 20 (from 20.15 on), or 22 or newer`);
}

/** The native module is the one part of an installation that can be there and still not load. */
async function sqlite(): Promise<Finding> {
  try {
    const { Database } = await import('../../sqlite/database.ts');
    const database = new Database(':memory:');
    const version: unknown = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return good('sqlite', `SQLite ${String(version)} loads`);
  } catch (error) {
    return bad('sqlite', `the SQLite module does not load: ${String(error)}; run npm install again`);
  }
}

function clock({ calendar }: Config): Finding {
  const now = systemClock.nowUs();
  const shown = `${formatLocalSecond(now, calendar.utcOffsetMinutes)} at the exchange`;
  if (now < CLOCK_MIN_US)
    return bad('clock', `the system clock shows ${shown}: set it, and synchronize it with NTP`);
  return good('clock', `${shown}; the difference to the broker is watched while the daemon runs`);
}

function calendarFinding(calendar: TradingCalendar, now: TsUs): Finding {
  const today = dayAt(now, calendar.utcOffsetMinutes);
  const end = calendarEnd(calendar, today);
  const hint = 'add the new year’s days without a session';
  if (end !== null)
    return (coverageDaysLeft(calendar, today) < 0 ? bad : warning)('calendar', `${end}; ${hint}`);
  return good('calendar', `${calendar.name} lists the days without a session until ${calendar.validTo}`);
}

function hostZone({ exchangeCalendar }: Config): Finding {
  const host = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return good('zone', `sessions follow ${exchangeCalendar.timeZone}, not the zone of this machine (${host})`);
}

export function stateFindings(dir: string): readonly Finding[] {
  const paths = statePaths(dir);
  const path = existing(dir);
  if (!statSync(path).isDirectory() || thrownText(() => accessSync(path, constants.W_OK)) !== null)
    return [bad('state', `${dir}: expected a directory this user may write, ${path} is not`)];
  const findings = [good('state', path === dir ? `${dir} is writable` : `${dir} will be made in ${path}`)];
  findings.push(diskFinding(path), ...journalFindings(paths, EXCHANGES_PER_DAY, brokerDay()));
  findings.push(...modeFindings([dir, paths.token, paths.control, paths.calls]));
  return findings;
}

/** The directory, or the nearest one above it that is there. */
function existing(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : existing(dirname(dir));
}

/** Ambiguous places of the broker's contract, and the reading of this build. */
type OpenReading = Readonly<Record<'key' | 'question' | 'reading', string>>;

export const OPEN_READINGS: readonly OpenReading[] = [
  {
    key: 'change-volume',
    question: 'is the volume of a change the new total, or what is left to fill?',
    reading: 'the new total; the volume of a partly filled order is not changed at all',
  },
  {
    key: 'entry-with-exits',
    question:
      'are stop-loss and take-profit of one order distances or prices, and does one cancel the other?',
    reading:
      'distances in points from the fill, for the filled quantity, one cancels the other; a strategy may send them only where live.assume names it',
  },
  {
    key: 'order-after-order',
    question: 'does an order attached to another one wait for its fill?',
    reading: 'it is placed when the first one fills; a strategy may send it only where live.assume names it',
  },
  {
    key: 'conditional-change',
    question: 'what of a conditional order can be changed?',
    reading:
      'the trigger alone; another quantity is a cancel, a read and a new order; a strategy may move one only where live.assume names it',
  },
  {
    key: 'older-tokens',
    question: 'does a new token end the older ones at once?',
    reading: 'they live on until they expire; if one dies earlier it is a planned reconnect, not an error',
  },
  {
    key: 'otp-request-life',
    question: 'how long can a one-time password be used after it was asked for?',
    reading: 'not long: it is exchanged at once and never kept; the simulator gives it five minutes',
  },
];

// Channels to the operator: `tickwright test-message` proves that each is reached.

const TIMEOUT_MS = 5_000;

export async function channelFindings(config: Parameters<typeof missingSecrets>[0]): Promise<Finding[]> {
  const { channels, deadMansSwitch } = config.alerts;
  const missing = missingSecrets(config);
  if (missing.length > 0) return missing.map((text) => bad('secrets', text));
  if (channels.length === 0 && deadMansSwitch === undefined) {
    if (config.mode === 'paper') return [];
    return [warning('alerts', 'no channel is configured: trouble shows only in the log')];
  }
  const findings = [
    good('alerts', `${formatCount(channels.length, 'channel')}: tickwright test-message --config tries them`),
  ];
  const isSteered = channels.some((channel) => channel.kind === 'telegram' && channel.users.length > 0);
  if (!isSteered) findings.push(warning('alerts', 'no channel takes commands: a halt needs a terminal'));
  if (deadMansSwitch === undefined) return findings;
  return [...findings, await switchFinding(readSecret(deadMansSwitch.url) ?? '')];
}

/** Any answer proves that the host is there. Nothing secret leaves: no path of the address. */
async function switchFinding(address: string): Promise<Finding> {
  const what = 'dead man’s switch';
  if (!URL.canParse(address)) return bad(what, 'its secret is no address like https://host/path');
  const { origin } = new URL(address);
  const reply = await headOf(origin);
  return typeof reply === 'string'
    ? warning(what, `${origin} cannot be reached: ${reply}`)
    : good(what, `${origin} answers`);
}

// Checks outside the configuration: the broker, the disk, the state directory, the days ahead.

export interface Finding {
  readonly level: 'good' | 'warning' | 'bad';
  readonly what: string;
  readonly text: string;
}

const good = (what: string, text: string): Finding => ({ level: 'good', what, text });
const warning = (what: string, text: string): Finding => ({ level: 'warning', what, text });
const bad = (what: string, text: string): Finding => ({ level: 'bad', what, text });

/** Beyond the first an alert, beyond the second entries are frozen (rulings, 28). */
const SKEW_WARN_MS = 2_000;
const SKEW_BAD_MS = 10_000;

/** One request without a token: any answer proves that the broker is there, and its `Date` is compared with our clock. */
export async function brokerFindings(restUrl: string): Promise<readonly Finding[]> {
  const { host } = new URL(restUrl);
  const sentMs = systemClock.nowUs() / 1_000;
  const reply = await headOf(restUrl);
  if (typeof reply === 'string')
    return [warning('broker', `${host} cannot be reached: ${reply}; a daemon would wait for it`)];
  const tookMs = systemClock.nowUs() / 1_000 - sentMs;
  const reached = good('broker', `${host} answers in ${Math.round(tookMs)} ms (HTTP ${reply.status})`);
  const date = Date.parse(reply.headers.get('date') ?? '');
  if (Number.isNaN(date)) return [reached, warning('clock skew', `${host} sends no time to compare with`)];
  // The header has whole seconds: half of one is the fairest guess.
  const skewMs = Math.round(sentMs + tookMs / 2 - (date + 500));
  const text = `this clock differs by ${(skewMs / 1_000).toFixed(1)} s from ${host}`;
  if (Math.abs(skewMs) > SKEW_BAD_MS)
    return [reached, bad('clock skew', `${text}: entries would be frozen; synchronize it with NTP`)];
  if (Math.abs(skewMs) > SKEW_WARN_MS)
    return [reached, warning('clock skew', `${text}: synchronize it with NTP`)];
  return [reached, good('clock skew', text)];
}

/** Any answer proves that the host is there; in words why none came. */
async function headOf(url: string): Promise<Response | string> {
  try {
    return await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    return errorText(error instanceof Error && error.cause !== undefined ? error.cause : error);
  }
}

const GIGABYTE = 1_000_000_000;
const FREE_WARN = 5 * GIGABYTE;
const FREE_BAD = GIGABYTE / 2;

function diskFinding(path: string): Finding {
  const { bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const text = `${(free / GIGABYTE).toFixed(1)} GB are free for ${path}`;
  if (free < FREE_BAD) return bad('disk', `${text}: entries stop when the disk is full; make room`);
  return free < FREE_WARN ? warning('disk', `${text}: a busy day takes about 1 GB`) : good('disk', text);
}

export function journalFindings(paths: StatePaths, exchangesMax: number, day: string): readonly Finding[] {
  const isRunning = existsSync(paths.lock) && isLockHeld(paths.lock);
  const lock = good('lock', isRunning ? `a daemon runs on ${paths.dir}` : `no daemon runs on ${paths.dir}`);
  if (!existsSync(paths.journal)) return [lock, good('journal', 'none yet: the first start creates it')];
  try {
    return closing(readJournal(paths.journal), ({ read }) => [
      lock,
      wholeFinding(read.check()),
      ...archiveFindings(paths, read),
      ...moneyFindings(read),
      exchangeFinding(read.counter(TOKEN_EXCHANGES, day), exchangesMax),
    ]);
  } catch (error) {
    return [lock, bad('journal', `${paths.journal} cannot be read: ${errorText(error)}`)];
  }
}

/** Checks that each archive is there; `journal verify` reads them. */
function archiveFindings({ journal }: StatePaths, read: JournalReader): readonly Finding[] {
  const kept = read.archives();
  if (kept.length === 0) return [];
  const missing = kept
    .map(({ session }) => archivePath(journal, session))
    .filter((path) => !existsSync(path));
  if (missing.length === 0) return [good('archives', formatCount(kept.length, 'session'))];
  return [bad('archives', `missing: ${missing.join(', ')}; put them back`)];
}

function wholeFinding({ sessions, faults }: ReturnType<ReturnType<typeof readJournal>['read']['check']>) {
  const [first] = faults;
  if (first !== undefined)
    return bad(
      'journal',
      `${formatCount(faults.length, 'fault')}, the first: ${first.text}; run tickwright journal verify`,
    );
  const rows = sessions.reduce((sum, { inputs, entries }) => sum + inputs + entries, 0);
  return good(
    'journal',
    `${formatCount(rows, 'row')} of ${formatCount(sessions.length, 'session')}, none changed, moved or lost`,
  );
}

/** The last comparison of money with the broker's, of any session. */
function moneyFindings(read: JournalReader): readonly Finding[] {
  const last = read.entries({ kinds: ['money_checked'], last: 1 }).at(0);
  if (last?.entry.kind !== 'money_checked') return [];
  const { verdict, figures } = last.entry;
  const when = `session ${last.session}:`;
  if (verdict !== 'differs') return [good('money', `${when} our money was the broker's when last compared`)];
  const text = `${when} money differs: ${figures.map(formatCompared).join('; ')}`;
  const remedy = "compare costs and transfers with the broker's statement, then tickwright resume";
  return [bad('money', `${text}; ${remedy}`)];
}

function exchangeFinding(used: number, max: number): Finding {
  const text = `${used} of ${max} exchanges of one-time passwords are used today`;
  return used >= max ? bad('token', `${text}: no new token before tomorrow`) : good('token', text);
}

/** Files with secrets that others can read. */
export function modeFindings(paths: readonly string[]): readonly Finding[] {
  return paths
    .filter((path) => existsSync(path) && isExposed(path))
    .map((path) => bad('secrets', `${path} can be read by others: chmod 600 ${path}`));
}

/** Secrets that pm2 would keep, or keeps, in clear. */
export function environmentFindings(config: Parameters<typeof secretRefs>[0]): readonly Finding[] {
  const dump = join(process.env['PM2_HOME'] ?? join(homedir(), '.pm2'), 'dump.pm2');
  const text = undefinedIfMissing(() => readFileSync(dump, 'utf8')) ?? '';
  const kept = secretRefs(config).filter((ref) => {
    let secret: string | undefined;
    // A file that is missing or open to others has a finding of its own.
    thrownText(() => {
      secret = readSecret(ref);
    });
    return secret !== undefined && text.includes(secret);
  });
  return [
    ...environmentSecrets(config).map((variable) =>
      warning(
        'secrets',
        `${variable} comes from the environment: ecosystem.config.cjs keeps it from pm2, whose dump file would show it; under pm2 use a file of mode 600`,
      ),
    ),
    ...kept.map(({ environment }) =>
      bad(
        'secrets',
        `${dump} shows the secret of ${environment} in clear: replace this secret, move it into a file of mode 600, then pm2 delete ` +
          'tickwright, pm2 start ecosystem.config.cjs and pm2 save --force',
      ),
    ),
  ];
}

const DAYS_AHEAD = 14;

/** Days without a session and expiries of the two weeks after this day. */
export function aheadFindings(
  { exchangeCalendar, contracts }: Config,
  today = dayAt(systemClock.nowUs(), exchangeCalendar.utcOffsetMinutes),
): readonly Finding[] {
  const until = addDays(today, DAYS_AHEAD);
  const closed = closuresFrom(exchangeCalendar, today).filter((day) => day < until);
  const days = closed.length === 0 ? 'none' : closed.join(', ');
  const findings = [good('closures', `weekdays without a session in the next two weeks: ${days}`)];
  for (const underlying of UNDERLYINGS.filter((name) => name in contracts)) {
    const [front] = listedMonths(exchangeCalendar, underlying, today);
    if (front === undefined) continue;
    const expiry = expiryOf(exchangeCalendar, front);
    const left = dayNumber(expiry) - dayNumber(today);
    const text = `the front month of ${underlying} expires on ${expiry}, in ${formatCount(left, 'day')}`;
    findings.push(
      left <= DAYS_AHEAD
        ? warning('expiry', `${text}: positions are rolled or closed as onExpiry says`)
        : good('expiry', text),
    );
  }
  return findings;
}
