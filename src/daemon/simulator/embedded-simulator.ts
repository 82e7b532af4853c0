/** The embedded broker of a paper run: the plan it is started with, how to find, start and stop its process, its faults, and a tape in lockstep. */
import { errorText, hasCode, undefinedIfMissing } from '../../domain/failure.ts';
import type { MarketStep, SimulatorDescription } from '../../simulator/start-simulator.ts';
import { systemClock } from '../../host/system-clock.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import type { StatePaths } from '../../host/state/state-paths.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { every, type Clock, type ClockMap, marketTimeAt, type Timers } from '../../domain/clock.ts';
import { minutes } from '../../domain/units.ts';
import { isLockHeld } from '../../journal/instance-lock.ts';
import { DEFAULT_OPTIONS, demoAccount, type SimulatorOptions } from '../../simulator/simulator-options.ts';
import type { FeedTerms } from '../../cluster/feed-messages.ts';
import { codesOf, type FeedPlan } from './feed-market.ts';
import { isRecord, type Issue, issuesText, type JsonRecord } from '../../domain/parsed.ts';
import type { ArmedFaultState } from '../../operator/cockpit/cockpit-model.ts';
import type { CommandResult } from '../../operator/control-server.ts';
import type { ArmedFault } from '../../simulator/faults/fault-board.ts';
import { type Fault, faultForms, parseFaultTexts } from '../../simulator/faults/fault.ts';
import { type Dial, dialWebSocket } from '../../broker/stream/stream-connection.ts';

/** Address and account of the simulator, written for daemons once it listens. */
export interface SimulatorLink extends SimulatorDescription {
  readonly pid: number;
  readonly clockMap: ClockMap;
  /** Key of its plan: a daemon with another key does not use it. */
  readonly plan: string;
}

/** Plain data: one process hands it to another. */
export type SimulatorPlan = ReturnType<typeof simulatorPlan>;

/** Points at which the synthetic front month starts. */
const START_POINTS = 1_900;

/** `fresh` forgets the paper account first; a tape always starts with a new one. */
export function simulatorPlan(
  { config, tape }: RunPlan,
  paths: StatePaths,
  fresh: boolean,
  terms: FeedTerms | null = null,
) {
  const { simulator, calendar, costs, cluster, mode } = config;
  const { seed, speed, cash, tape: path } = simulator;
  const closures = [...calendar.closures];
  const waits = tape !== null && speed > 1;
  const options: Partial<Omit<SimulatorOptions, 'calendar' | 'clock'>> = {
    port: 0,
    stateDir: paths.simulator,
    fresh: fresh || tape !== null,
    accounts: [demoAccount({ derivative: cash })],
    market:
      path === undefined
        ? { kind: 'synthetic', seed, startPoints: START_POINTS }
        : { kind: 'tape', path, referencePoints: null },
    // Real and market time that belong together; null lets the simulator go on from where it left off.
    time: {
      ...DEFAULT_OPTIONS.time,
      speed,
      originRealUs: tape === null ? null : systemClock.nowUs(),
      originMarketUs: tape === null ? null : tape.startUs,
      start: waits ? 'as_in_life' : 'origin',
    },
    costs,
    ...(terms === null ? {} : codesOf(terms)),
  };
  const feed: FeedPlan | null =
    terms === null || cluster === undefined ? null : { config: { cluster, mode }, terms };
  return {
    linkPath: paths.simulatorLink,
    lockPath: paths.simulatorLock,
    /** Held by the daemon that trades here, also while its stream is paused. */
    daemonLockPath: paths.lock,
    /** On a tape that runs faster than life each call would take seconds of the market: it waits for the daemon. */
    waits,
    /** A running simulator serves every plan with an equal key. */
    key: JSON.stringify({
      seed,
      speed,
      cash,
      tape: path ?? null,
      ...(terms === null ? {} : { feed: [cluster?.url, cluster?.feed] }),
      calendar: [calendar.name, calendar.validTo, closures],
    }),
    options,
    /** The feed whose prices it has instead of its own; null for none. */
    feed,
    calendar: { ...calendar, closures },
  };
}

export const simulatorOptions = (
  { options, calendar }: SimulatorPlan,
  market = options.market,
): Partial<SimulatorOptions> => ({
  ...options,
  ...(market === undefined ? {} : { market }),
  clock: systemClock,
  calendar: { ...calendar, closures: new Set(calendar.closures) },
});

export const hasDaemon = ({ daemonLockPath: path }: SimulatorPlan): boolean =>
  existsSync(path) && isLockHeld(path);

/** The simulator ends after this many idle checks in a row: 15 minutes in which the machine was awake. */
const IDLE_CHECKS_MAX = 15;
const IDLE_CHECK = minutes(1);

export function endWhenIdle(isUsed: () => boolean, end: () => void, timers: Timers): void {
  let idleChecks = 0;
  const cancel = every(timers, IDLE_CHECK, () => {
    idleChecks = isUsed() ? 0 : idleChecks + 1;
    if (idleChecks <= IDLE_CHECKS_MAX) return;
    cancel();
    end();
  });
}

/** Exit code of a simulator whose disk took no more. */
export const EXIT_DISK_FULL = 28;

const START_MS_MAX = 20_000;
const STOP_MS_MAX = 5_000;
const POLL_MS = 20;
/** How often a simulator that an earlier daemon started is checked: only its parent gets its end. */
const WATCH_MS = 1_000;

/** Finds the embedded broker that an earlier daemon left running, or starts one. */
export async function obtainSimulator(plan: SimulatorPlan, dir: string) {
  const found = isLockHeld(plan.lockPath) ? await writtenLink(plan) : undefined;
  if (found?.plan === plan.key && plan.options.fresh !== true && (await answers(found)))
    return watch(found, null, null, dir);
  if (found !== undefined) await stopProcess(found.pid);
  const child = await start(plan, dir);
  const link = await writtenLink(plan);
  return watch(link, child, plan.waits ? new Lockstep(link.clockMap, child) : null, dir);
}

/** `child` is null for a simulator that an earlier daemon started, `lockstep` where market time keeps its speed. */
function watch(link: SimulatorLink, child: ChildProcess | null, lockstep: Lockstep | null, dir: string) {
  let isStopping = false;
  let watch: NodeJS.Timeout | undefined = undefined;
  return {
    link,
    lockstep,
    onEnd(report: (reason: string) => void): void {
      const ended = (code: number | null): void => {
        clearInterval(watch);
        if (!isStopping) report(whyEnded(code, dir));
      };
      if (child !== null) child.once('exit', ended);
      else watch = setInterval(() => signalled(link.pid, 0) || ended(null), WATCH_MS).unref();
    },
    stop(): Promise<void> {
      isStopping = true;
      clearInterval(watch);
      return stopProcess(link.pid);
    },
  };
}

/** `code` is null where it is unknown, or a signal ended the process. */
const whyEnded = (code: number | null, dir: string): string =>
  code === EXIT_DISK_FULL
    ? `the disk of ${dir} is full`
    : `${code === null ? 'it was ended from outside' : `code ${code}`}, see ${join(dir, 'simulator.log')}`;

/** A simulator that has just been started writes its link once it listens. */
async function writtenLink({ linkPath }: SimulatorPlan): Promise<SimulatorLink> {
  for (let waited = 0; waited < START_MS_MAX; waited += POLL_MS) {
    const text = undefinedIfMissing(() => readFileSync(linkPath, 'utf8'));
    if (text !== undefined) return JSON.parse(text);
    await pause(POLL_MS);
  }
  throw new Error(`the simulator wrote no address: expected ${linkPath}`);
}

/** False when the process does not exist; signal 0 only checks. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

/** A simulator that hangs is not used. */
async function answers({ rest }: SimulatorLink): Promise<boolean> {
  try {
    const reply = await fetch(`${rest}/tartarus/v1/derivatives`, { signal: AbortSignal.timeout(2_000) });
    return reply.status === 401 || reply.status === 200;
  } catch {
    // Refused or too slow: another program, or a simulator that hangs.
    return false;
  }
}

function start(plan: SimulatorPlan, dir: string): Promise<ChildProcess> {
  const log = openSync(join(dir, 'simulator.log'), 'a', 0o600);
  const program = fileURLToPath(new URL('./simulator-process.js', import.meta.url));
  const child: ChildProcess = fork(program, [JSON.stringify(plan)], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error('the simulator did not start in time')), START_MS_MAX);
    child.once('message', () => {
      clearTimeout(deadline);
      // It sends nothing else: a message behind this one would find the channel gone, and Node.js would throw.
      if (!plan.waits) child.disconnect();
      child.unref();
      child.channel?.unref();
      resolve(child);
    });
    child.once('exit', (code) => {
      clearTimeout(deadline);
      const failure = new Error(`the simulated broker could not start: ${whyEnded(code, dir)}`);
      reject(code === EXIT_DISK_FULL ? Object.assign(failure, { code: 'ENOSPC' }) : failure);
    });
  });
}

async function stopProcess(pid: number): Promise<void> {
  if (!signalled(pid, 'SIGTERM')) return;
  for (let waited = 0; waited < STOP_MS_MAX; waited += POLL_MS) {
    if (!signalled(pid, 0)) return;
    await pause(POLL_MS);
  }
  signalled(pid, 'SIGKILL');
}

// Faults of a simulated broker, which the cockpit shows and sets through its control API.

const ANSWER_MS_MAX = 3_000;
/** A page asks four times a second. */
const READ_AGAIN_MS = 1_000;

interface ControlAnswer {
  readonly armed?: readonly ArmedFault[];
  readonly issues?: readonly (Issue | string)[];
}

/** Refusals are texts. A simulator that does not answer blocks no caller: the last answer counts. */
export class SimulatorFaults {
  readonly known = faultForms();
  readonly #url: string;
  readonly #token: string;
  #armed: readonly ArmedFault[] = [];
  #polledMs = -Infinity;

  constructor(controlUrl: string, token: string) {
    this.#url = `${controlUrl}/faults`;
    this.#token = token;
  }

  /** Faults in force, as far as is known now. */
  get armed(): readonly ArmedFaultState[] {
    if (performance.now() - this.#polledMs > READ_AGAIN_MS) {
      this.#polledMs = performance.now();
      void this.#call('', 'GET').catch(() => undefined);
    }
    return this.#armed.map(({ fault: { name, ...parameters }, left }) => {
      const given = Object.entries({ ...parameters, times: undefined }).flatMap(([parameter, value]) =>
        value === undefined ? [] : [`${parameter} ${String(value)}`],
      );
      return { name, text: [...given, ...(left === null ? [] : [`${left} left`])].join(', ') };
    });
  }

  /** `fields` are those of a page. `onAsked` hears each change that they ask for, with its outcome. */
  async change(
    { name, isOn, parameters = {} }: JsonRecord,
    onAsked: (text: string, outcome: CommandResult) => void,
  ): Promise<CommandResult> {
    if (typeof name !== 'string' || typeof isOn !== 'boolean' || !isTexts(parameters)) {
      const form = '{"name": text, "isOn": true | false, "parameters"?: {name: text}}';
      return { ok: false, message: `a fault takes ${form}` };
    }
    const fault = isOn ? parseFaultTexts(name, parameters) : null;
    const outcome =
      fault === null
        ? await this.#send(`/${encodeURIComponent(name)}`, 'DELETE', 'cleared')
        : fault.ok
          ? await this.#send('', 'POST', 'done', fault.value)
          : { ok: false, message: issuesText(fault.issues) };
    onAsked(`fault ${name} ${isOn ? 'on' : 'off'}`, outcome);
    return outcome;
  }

  async #send(path: string, method: string, done: string, body?: Fault): Promise<CommandResult> {
    try {
      const { issues } = await this.#call(path, method, body);
      await this.#call('', 'GET');
      if (issues === undefined) return { ok: true, message: done };
      const texts = issues.map((issue) => (typeof issue === 'string' ? issue : issuesText([issue])));
      return { ok: false, message: texts.join('; ') };
    } catch (error) {
      return { ok: false, message: `the simulated broker does not answer: ${errorText(error)}` };
    }
  }

  /** Each answer that lists the faults in force is the newest one. */
  async #call(path: string, method: string, body?: Fault): Promise<ControlAnswer> {
    const reply = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const answer = (await reply.json()) as ControlAnswer; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own simulator answers
    if (answer.armed !== undefined) this.#armed = answer.armed;
    return answer;
  }
}

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');

// A tape that runs faster than life, in lockstep with the daemon that trades on it. Market time runs at its speed to whatever comes next,
// an event of the market or a timer of the engine, and as in life from there until the daemon has done its work on it and has no
// call under way. So a decision, its call and its answer take the market time that they take at speed 1, whatever the speed is.

export interface SessionWork {
  /** Every message so far is decided, and every call answered. */
  readonly isIdle: boolean;
  /** Market time of the engine's next timer; Infinity for none. */
  readonly wakeAtUs: number;
}

/** JSON has no Infinity. */
const NEVER_US = Number.MAX_SAFE_INTEGER;

export class Lockstep {
  readonly #map: ClockMap;
  readonly #simulator: Pick<ChildProcess, 'send'>;
  readonly #real: Clock;
  readonly #dial: Dial;
  #step: MarketStep | undefined = undefined;
  #work: SessionWork | undefined = undefined;
  #newest = { received: 0 };
  #isChecking = false;

  /** Holders of the map follow it: the object stays the same. */
  constructor(
    map: ClockMap,
    simulator: Pick<ChildProcess, 'on' | 'send'>,
    real: Clock = systemClock,
    dial: Dial = dialWebSocket,
  ) {
    this.#map = map;
    this.#dial = dial;
    this.#simulator = simulator;
    this.#real = real;
    simulator.on('message', (step: MarketStep) => {
      this.#step = step;
      if (this.#work !== undefined) this.checkWork(this.#work);
    });
  }

  /** Counts the messages of the newest connection, as the simulator does. */
  readonly dial: Dial = (url) => {
    const socket = this.#dial(url);
    const counted = { received: 0 };
    this.#newest = counted;
    socket.on('message', () => {
      counted.received += 1;
    });
    return socket;
  };

  checkWork(work: SessionWork): void {
    this.#work = work;
    if (this.#isChecking) return;
    this.#isChecking = true;
    // By then, the caller that awaits the answer has gone on.
    setImmediate(() => {
      this.#isChecking = false;
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#work?.isIdle !== true || this.#step === undefined) return;
    if (this.#newest.received < this.#step.sent) return;
    const nextUs = Math.min(this.#step.nextUs ?? NEVER_US, this.#work.wakeAtUs, NEVER_US);
    if (nextUs !== this.#map.untilUs && nextUs > marketTimeAt(this.#map, this.#real.nowUs()))
      this.#runTo(nextUs);
  }

  #runTo(untilUs: number): void {
    const originRealUs = this.#real.nowUs();
    const { speed } = this.#map;
    const originMarketUs = marketTimeAt(this.#map, originRealUs);
    Object.assign(this.#map, { originRealUs, originMarketUs, speed, untilUs } satisfies ClockMap);
    this.#simulator.send(untilUs);
  }
}
