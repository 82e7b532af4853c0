/** The checks of `tickwright doctor` that look outside the configuration: the broker, the disk, the state directory, the days ahead. */
import { TOKEN_EXCHANGES } from '../edge/broker-connection.ts';
import { environmentSecrets, readSecret, secretPlaces } from '../edge/secret-place.ts';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isExposed } from '../../config/config-rules.ts';
import type { Config } from '../../config/config.ts';
import { addDays, dayAt, dayNumber } from '../../domain/civil-date.ts';
import { expiryOf, listedMonths } from '../../domain/contract-code.ts';
import { errorText, failureOf, ifThere } from '../../domain/failure.ts';
import { archivePath } from '../../journal/journal-archive.ts';
import { isLockHeld } from '../../journal/instance-lock.ts';
import { type JournalReader, readJournal } from '../../journal/journal-reader.ts';
import { formatCompared, formatCount } from '../../text/numbers.ts';
import { ProgramFiles } from '../host/program-files.ts';
import { systemClock } from '../host/system-clock.ts';
import type { StatePaths } from '../restart/state-paths.ts';
import { closuresFrom, UNDERLYINGS } from './calendar-view.ts';
import { readControl } from '../restart/daemon-list.ts';

export interface Finding {
  readonly level: 'good' | 'warning' | 'bad';
  readonly what: string;
  readonly text: string;
}

export const good = (what: string, text: string): Finding => ({ level: 'good', what, text });
export const warning = (what: string, text: string): Finding => ({ level: 'warning', what, text });
export const bad = (what: string, text: string): Finding => ({ level: 'bad', what, text });

const ANSWER_MS_MAX = 5_000;
/** Beyond the first an alert, beyond the second entries are frozen (rulings, 28). */
const SKEW_WARN_MS = 2_000;
const SKEW_BAD_MS = 10_000;

/** One request without a token: any answer proves that the broker is there, and its `Date` is compared with our clock. */
export async function brokerFindings(restUrl: string): Promise<readonly Finding[]> {
  const host = new URL(restUrl).host;
  try {
    const sentMs = systemClock.nowUs() / 1_000;
    const reply = await fetch(restUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
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
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error);
    return [warning('broker', `${host} cannot be reached: ${cause}; a daemon would wait for it`)];
  }
}

const GIGABYTE = 1_000_000_000;
const FREE_WARN = 5 * GIGABYTE;
const FREE_BAD = GIGABYTE / 2;

export function diskFinding(place: string): Finding {
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const text = `${(free / GIGABYTE).toFixed(1)} GB are free for ${place}`;
  if (free < FREE_BAD) return bad('disk', `${text}: entries stop when the disk is full; make room`);
  return free < FREE_WARN ? warning('disk', `${text}: a busy day takes about 1 GB`) : good('disk', text);
}

/** Lock, journal and exchanges of one-time passwords. */
export function journalFindings(
  paths: StatePaths,
  exchangesMax: number,
  brokerDay: string,
): readonly Finding[] {
  const isRunning = existsSync(paths.lock) && isLockHeld(paths.lock);
  const lock = good('lock', isRunning ? `a daemon runs on ${paths.dir}` : `no daemon runs on ${paths.dir}`);
  const running = isRunning ? programFindings(paths) : [];
  if (!existsSync(paths.journal))
    return [lock, ...running, good('journal', 'none yet: the first start creates it')];
  try {
    const opened = readJournal(paths.journal);
    try {
      const { read } = opened;
      return [
        lock,
        ...running,
        wholeFinding(read.check()),
        ...archiveFindings(paths, read),
        ...moneyFindings(read),
        exchangeFinding(read.counter(TOKEN_EXCHANGES, brokerDay), exchangesMax),
      ];
    } finally {
      opened.close();
    }
  } catch (error) {
    return [lock, ...running, bad('journal', `${paths.journal} cannot be read: ${errorText(error)}`)];
  }
}

/** That each is there; `journal verify` reads them. */
function archiveFindings({ journal }: StatePaths, read: JournalReader): readonly Finding[] {
  const kept = read.archives();
  if (kept.length === 0) return [];
  const missing = kept
    .map(({ session }) => archivePath(journal, session))
    .filter((path) => !existsSync(path));
  if (missing.length === 0) return [good('archives', formatCount(kept.length, 'session'))];
  return [bad('archives', `missing: ${missing.join(', ')}; put them back`)];
}

/** A daemon that runs another program than this one takes no reload, and ends at the next change of day. */
function programFindings({ dir }: StatePaths): readonly Finding[] {
  try {
    const running = readControl(dir)?.program ?? null;
    const here = new ProgramFiles().digest;
    if (running === null || running === here) return [];
    const text = `the daemon runs another build (${running}) than this one (${here}): restart it to run this one`;
    return [warning('program', text)];
  } catch (error) {
    return [bad('control', errorText(error))];
  }
}

function wholeFinding({
  sessions,
  faults,
}: ReturnType<ReturnType<typeof readJournal>['read']['check']>): Finding {
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
  const rows = figures.map(formatCompared);
  const said =
    verdict === 'differs'
      ? `money differs: ${rows.join('; ')}`
      : `our money was the broker's when last compared`;
  const text = `session ${last.session}: ${said}`;
  return verdict === 'differs'
    ? [
        bad(
          'money',
          `${text}; compare costs and transfers with the broker's statement, then tickwright resume`,
        ),
      ]
    : [good('money', text)];
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
export function environmentFindings(config: Parameters<typeof secretPlaces>[0]): readonly Finding[] {
  const dump = join(process.env['PM2_HOME'] ?? join(homedir(), '.pm2'), 'dump.pm2');
  const text = ifThere(() => readFileSync(dump, 'utf8')) ?? '';
  const kept = secretPlaces(config).filter((place) => {
    let secret: string | undefined;
    // A file that is missing or open to others has a finding of its own.
    failureOf(() => {
      secret = readSecret(place);
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

/** Two weeks. */
const DAYS_AHEAD = 14;

/** Days without a session and expiries of the next two weeks. */
export function aheadFindings({ exchangeCalendar, contracts }: Config): readonly Finding[] {
  const today = dayAt(systemClock.nowUs(), exchangeCalendar.utcOffsetMinutes);
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
