/** `tickwright doctor`: checks everything that a run needs, without starting anything. */
import { formatUtc } from '../../text/dates.ts';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { formatProblem } from '../../config/problem.ts';
import { daysKnown, type TradingCalendar } from '../../domain/calendar.ts';
import { dayAt } from '../../domain/civil-date.ts';
import type { TsUs } from '../../domain/units.ts';
import { EXCHANGES_PER_DAY } from '../../broker/auth/token-keeper.ts';
import { apiKeyPlace } from '../edge/broker-address.ts';
import { brokerDay } from '../edge/broker-connection.ts';
import { loadRunConfig } from '../host/strategy-files/load-run-config.ts';
import { systemClock } from '../host/system-clock.ts';
import { statePaths } from '../restart/state-paths.ts';
import { calendarEnd } from './calendar-view.ts';
import {
  aheadFindings,
  bad,
  brokerFindings,
  diskFinding,
  environmentFindings,
  type Finding,
  good,
  journalFindings,
  modeFindings,
  warning,
} from './doctor-checks.ts';
import { errorText } from '../../domain/failure.ts';
import { formatCount } from '../../text/numbers.ts';
import { missingSecrets, readSecret } from '../edge/secret-place.ts';

/** This program was written after this day: a clock before it is wrong. */
const CLOCK_MIN_US = Date.UTC(2026, 0, 1) * 1_000;

export async function diagnose(configFile: string, stateDir: string | null): Promise<readonly Finding[]> {
  const findings: Finding[] = [nodeVersion(), await sqlite(), clock()];
  const loaded = await loadRunConfig(configFile);
  if (!loaded.ok) {
    const problems = loaded.problems.map((problem) => bad('configuration', formatProblem(problem)));
    return [...findings, ...problems];
  }
  const { config } = loaded;
  const strategies = config.strategies.map(({ id }) => id).join(', ');
  findings.push(
    good('configuration', `${configFile} is valid: mode ${config.mode}, strategies ${strategies}`),
  );
  findings.push(calendarFinding(config.exchangeCalendar, systemClock.nowUs()), hostZone(config));
  findings.push(...aheadFindings(config), ...stateFindings(stateDir ?? config.stateDir));
  findings.push(...liveFindings(config), ...environmentFindings(config), ...(await channelFindings(config)));
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

function clock(): Finding {
  const now = systemClock.nowUs();
  const shown = formatUtc(now);
  if (now < CLOCK_MIN_US)
    return bad('clock', `the system clock shows ${shown}: set it, and synchronize it with NTP`);
  return good('clock', `${shown}; the difference to the broker is watched while the daemon runs`);
}

function calendarFinding(calendar: TradingCalendar, now: TsUs): Finding {
  const today = dayAt(now, calendar.utcOffsetMinutes);
  const end = calendarEnd(calendar, today);
  const hint = 'add the new year’s days without a session';
  if (end !== null) return (daysKnown(calendar, today) < 0 ? bad : warning)('calendar', `${end}; ${hint}`);
  return good('calendar', `${calendar.name} lists the days without a session until ${calendar.validTo}`);
}

function hostZone({ exchangeCalendar }: Config): Finding {
  const host = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return good('zone', `sessions follow ${exchangeCalendar.timeZone}, not the zone of this machine (${host})`);
}

function stateFindings(dir: string): readonly Finding[] {
  const paths = statePaths(dir);
  const place = existing(dir);
  try {
    accessSync(place, constants.W_OK);
  } catch {
    return [bad('state', `${dir}: expected a directory this user may write, ${place} is not`)];
  }
  const findings = [good('state', place === dir ? `${dir} is writable` : `${dir} will be made in ${place}`)];
  findings.push(diskFinding(place), ...journalFindings(paths, EXCHANGES_PER_DAY, brokerDay()));
  findings.push(...modeFindings([dir, paths.token, paths.control, paths.calls]));
  return findings;
}

/** The directory, or the nearest one above it that is there. */
function existing(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : existing(dirname(dir));
}

function liveFindings({ mode, auth }: Config): readonly Finding[] {
  if (mode === 'paper') return [];
  const { where, isThere } = apiKeyPlace(auth);
  return [
    isThere ? good('api key', `${where} is there`) : bad('api key', `expected in ${where}, was missing`),
  ];
}

/** Places where the broker's contract can be read in two ways, and what this build does there. */
interface OpenReading {
  readonly key: string;
  readonly question: string;
  readonly reading: string;
}

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
      'the trigger alone; another quantity is a cancel, a look and a new order; a strategy may move one only where live.assume names it',
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

const ANSWER_MS_MAX = 5_000;

export async function channelFindings({
  alerts,
  mode,
}: Pick<Config, 'alerts' | 'mode'>): Promise<readonly Finding[]> {
  const { channels, deadMansSwitch } = alerts;
  if (channels.length === 0 && deadMansSwitch === undefined) {
    if (mode === 'paper') return [];
    return [warning('alerts', 'no channel is configured: trouble is told in the log alone')];
  }
  const missing = missingSecrets(alerts);
  if (missing.length > 0) return missing.map((text) => bad('alerts', text));
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
  try {
    await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return good(what, `${origin} answers`);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return warning(what, `${origin} cannot be reached: ${errorText(cause)}`);
  }
}
