/** Commands to the running daemon, over its control API; the journal keeps each with its reason. */
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '../../domain/failure.ts';
import { isRecord } from '../../domain/parsed.ts';
import { Argument, type Command } from 'commander';
import { request } from 'undici';
import { type EarlierRun, readRunRecord } from '../../host/run-record.ts';
import { statePaths } from '../../host/state/state-paths.ts';
import { isAlive, readControl } from '../../host/state/running-daemons.ts';
import { isNamed, ordersView } from '../../host/state/read-state.ts';
import {
  type CliContext,
  type CliFailure,
  EXIT,
  failed,
  jsonText,
  nothingThere,
  wrongUsage,
} from '../cli-io.ts';
import {
  cancelProgress,
  flattenProgress,
  silentProgress,
  type StageProgress,
} from '../../daemon/command-outcomes.ts';
import { type DaemonStatus, statusText } from '../../daemon/program/status.ts';
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { durationMs, example, reasonText, stateCommand, stateOf } from '../options.ts';

interface ControlFlags {
  readonly state?: string;
  readonly reason?: string;
  readonly strategy?: string;
  readonly json?: boolean;
  readonly wait?: number;
  readonly check?: boolean;
  readonly keepTrading?: boolean;
  readonly inAuction?: boolean;
  readonly look?: boolean;
  readonly print?: boolean;
  readonly config?: string;
  readonly channel?: string;
}

interface CommandSpec {
  readonly name: string;
  readonly description: string;
  /** What lets trading go on, or changes it, needs one; what takes risk away is not refused for its words. */
  readonly reason: 'none' | 'any' | 'needed';
  readonly example: string;
  /** Text of its option `--strategy`; absent where it has none. */
  readonly strategy?: string;
  /** A strategy is its argument, and the answer waits for a replay. */
  readonly takesStrategy?: boolean;
}

const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'halt',
    description: 'stop entries until resume, and cancel those that work; what protects a position stays',
    reason: 'any',
    example: 'tickwright halt --reason "news at noon"',
  },
  {
    name: 'resume',
    description: "allow entries again, after halt or the account's loss limit; or those of one strategy",
    reason: 'needed',
    example:
      'tickwright resume --reason "looked at the loss, it is understood"\n  tickwright resume --strategy ema-front --reason "its loss is understood"',
    strategy: 'end the halt of this strategy, and only that',
  },
  {
    name: 'cancel-all',
    description: 'cancel every open order of the account, stops that protect positions too',
    reason: 'any',
    example: 'tickwright cancel-all --reason "wrong parameters"',
  },
  {
    name: 'rollover',
    description: 'read the contract list again and move to the new front month',
    reason: 'needed',
    example: 'tickwright rollover --reason "contract list came late"',
  },
  {
    name: 'stop',
    description: 'shut the daemon down as stop: in its configuration says, and wait for its end',
    reason: 'any',
    example: 'tickwright stop --reason "maintenance"',
  },
  {
    name: 'reconnect',
    description: 'reconnect the price stream after its attempts are used up',
    reason: 'none',
    example: 'tickwright reconnect',
  },
  {
    name: 'token',
    description: 'ask the broker for a new token now',
    reason: 'none',
    example: 'tickwright token',
  },
  {
    name: 'seen',
    description: 'acknowledge the critical alerts so far, which are sent again until somebody does',
    reason: 'none',
    example: 'tickwright seen',
  },
  {
    name: 'stop-strategy',
    description:
      'stop one strategy until start-strategy; its entries are canceled, what protects its position stays',
    reason: 'any',
    example: 'tickwright stop-strategy spread --reason "next month is too thin"',
    takesStrategy: true,
  },
  {
    name: 'start-strategy',
    description: 'let a stopped strategy start again now; its memory is made from the prices of today',
    reason: 'needed',
    example: 'tickwright start-strategy spread --reason "the new month trades"',
    takesStrategy: true,
  },
];

export function addControlCommands(program: Command, context: CliContext): void {
  addStatus(program, context);
  addOtp(program, context);
  for (const { name, description, takesStrategy = false, ...spec } of COMMANDS) {
    const command = stateCommand(program, name, description, example(spec.example));
    if (spec.reason === 'any') command.option(...(name === 'halt' ? HALT_REASON : ANY_REASON));
    if (spec.reason === 'needed') command.requiredOption(...REASON);
    if (spec.strategy !== undefined) command.option('--strategy <id>', spec.strategy);
    if (name === 'stop') command.option('--wait <span>', 'wait so long for the end (5m)', durationMs);
    if (takesStrategy) command.argument('<id>', 'its id in the configuration');
    command.action(async (given: unknown) => {
      const { reason, strategy = takesStrategy ? given : undefined, ...flags } = command.opts<ControlFlags>();
      const state = stateOf(flags, name === 'halt' ? 'any' : 'change');
      const before = name === 'cancel-all' ? await engineOf(state) : null;
      const path = statePaths(state).run;
      const run = name === 'stop' ? readRunRecord(path)?.run : undefined;
      const body = spec.reason === 'none' ? {} : { strategy, reason };
      const answer = await sendCommand(context, state, name, body, takesStrategy ? REPLAY_MS_MAX : undefined);
      if (name === 'halt') await followHalt(context, state);
      if (run !== undefined) await followEnd(context, path, run, flags.wait);
      if (before !== null) await follow(context, state, answer, cancelProgress(before));
    });
  }
  for (const add of [addFlatten, addReload, addOpen, addTestMessage]) add(program, context);
}

function addStatus(program: Command, { io }: CliContext): void {
  const help = example('tickwright status --json');
  stateCommand(program, 'status', 'show the state of the running daemon', help)
    .option('--json', 'as JSON')
    .action(async ({ json, ...flags }: ControlFlags) => {
      const status = await getStatus(stateOf(flags));
      io.out(json === true ? jsonText(status) : statusText(status));
    });
}

/** As an argument the password enters the history of the shell; it works once. */
function addOtp(program: Command, context: CliContext): void {
  const description = 'bring the one-time password of the broker to a daemon that waits for it';
  stateCommand(program, 'otp', description, example('tickwright otp 123456'))
    .argument('[password]', 'the password; read from standard input when it is left out')
    .action(async (given: string | undefined, flags: ControlFlags) => {
      const otp = given ?? (await typedLine(context));
      if (otp === '') throw wrongUsage('no password was given: tickwright otp 123456');
      await sendCommand(context, stateOf(flags, 'change'), 'otp', { otp }, OTP_MS_MAX);
    });
}

async function typedLine({ io }: CliContext): Promise<string> {
  if (process.stdin.isTTY) io.err('One-time password: ');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
}

function addFlatten(program: Command, context: CliContext): void {
  stateCommand(
    program,
    'flatten',
    'turn entries off until resume, then cancel and close the positions of one strategy or of all',
    example(
      'tickwright flatten --strategy ema-front --reason "enough for today"\n  tickwright flatten --keep-trading --reason "start afresh after the news"',
    ),
  )
    .option(...ANY_REASON)
    .option('--strategy <id>', 'this strategy only, its entries alone go off (all)')
    .option('--keep-trading', 'leave entries as they are: a strategy may enter again at once')
    .option(
      '--in-auction',
      'in an auction, where nothing can be taken back: send orders at the floor or ceiling, which trade at its price (without it, it waits)',
    )
    .action(async ({ keepTrading = false, inAuction = false, reason, strategy, ...flags }: ControlFlags) => {
      const state = stateOf(flags);
      const body = { reason, keepTrading, inAuction, strategy };
      const answer = await sendCommand(context, state, 'flatten', body);
      await follow(context, state, answer, flattenProgress(strategy ?? null));
    });
}

function addReload(program: Command, { io }: CliContext): void {
  stateCommand(
    program,
    'reload',
    'read the configuration again and change the strategies of the running daemon',
    example('tickwright reload --check\n  tickwright reload --reason "slower in the afternoon"'),
  )
    .option('--reason <text>', 'reason, written to the journal; needed without --check', reasonText)
    .option('--check', 'show what would change, with the effect on open positions; change nothing')
    .option('--json', 'print JSON')
    .action(async ({ reason, check = false, json = false, ...flags }: ControlFlags) => {
      if (!check && reason === undefined) throw wrongUsage('--reason is needed; nothing was changed');
      const answer = await call(
        stateOf(flags, check ? 'any' : 'change'),
        'POST',
        `/commands/${check ? 'check-reload' : 'reload'}`,
        check ? {} : { reason },
        REPLAY_MS_MAX,
      );
      io.out(json ? jsonText(answer) : doneText(answer));
    });
}

export function addOrderCommands(orders: Command, context: CliContext): void {
  const cancelHelp = example('tickwright orders cancel 01000042 --reason "the news at ten"');
  stateCommand(orders, 'cancel', 'cancel one order of the running daemon', cancelHelp)
    .argument(...ORDER)
    .option(...ANY_REASON)
    .action(async (id: string, { reason, ...flags }: ControlFlags) => {
      const state = stateOf(flags, 'change');
      const clientOrderId = idOf(state, id, 'absent');
      await sendCommand(context, state, 'cancel-order', { clientOrderId, reason });
    });
  const place = new Argument('<state>', 'absent: the broker never had it; live: it has it');
  const help = example('tickwright orders resolve 01000042 absent --reason "phoned broker"');
  stateCommand(orders, 'resolve', 'settle an order whose outcome is unknown', help)
    .argument(...ORDER)
    .addArgument(place.choices(['absent', 'live']))
    .requiredOption(...REASON)
    .action(async (id: string, as: string, { reason, ...flags }: ControlFlags) => {
      const state = stateOf(flags, 'change');
      await sendCommand(context, state, 'resolve-order', { clientOrderId: idOf(state, id, as), as, reason });
    });
}

/** An order without an owner has only the broker's number, and can only be live. */
function idOf(state: string, shown: string, as: string): string {
  if (shown.startsWith('H.')) return shown;
  const ids = ordersView({ state }).rows.map(({ clientOrderId }) => clientOrderId);
  const found = ids.filter((id) => isNamed(id, shown));
  if (found.length === 1 && found[0] !== undefined) return found[0];
  if (found.length === 0 && as === 'live' && /^\d+$/.test(shown)) return shown;
  const problem =
    found.length === 0 ? `no order ${shown}` : `${found.length} orders ${shown}: ${found.join(', ')}`;
  throw wrongUsage(`${problem}; tickwright orders --json shows whole ids`);
}

async function sendCommand(
  { io }: CliContext,
  state: string,
  name: string,
  body: object,
  waitMs?: number,
): Promise<string> {
  const text = doneText(await call(state, 'POST', `/commands/${name}`, body, waitMs));
  io.out(text);
  return text.trimEnd();
}

const POLL_EVERY_MS = 300;

/** Waits for as long as the daemon empties the books. */
const followHalt = (context: CliContext, state: string): Promise<void> =>
  watch(context, state, '', ({ halt: { status, text } }) => {
    if (status === 'unproven') return { state: 'left', text };
    return { state: status === 'working' ? 'working' : 'done', text };
  });

/** Waits for the end of this run, by its record: a supervisor may begin the next one at once. */
async function followEnd({ io }: CliContext, path: string, run: EarlierRun, waitMs = STOP_MS_MAX) {
  for (const until = performance.now() + waitMs; performance.now() < until; await pause(POLL_EVERY_MS)) {
    // Asked first: a run marks its end just before its process ends.
    const isDead = run.pid !== null && !isAlive(run.pid);
    const now = readRunRecord(path)?.run;
    if (now?.startedUs !== run.startedUs) return io.out('ended, and another run has begun\n');
    const reason = now?.ended?.reason ?? (isDead ? 'failed: it died before its clean end' : null);
    if (reason?.startsWith('failed') === true) throw failed(`the daemon ended: ${reason}`);
    if (reason !== null) return io.out(`ended: ${reason}\n`);
  }
  throw failed(`not ended after ${waitMs / 1_000} s: tickwright status shows what it waits for`);
}

/** Polls without any change after which the rest is reported. */
const POLLS_MAX = 100;

/** A dry run sends nothing: nothing comes of it. */
function follow(
  context: CliContext,
  state: string,
  answer: string,
  progressOf: (now: NonNullable<DaemonStatus['engine']>, isLate: boolean) => StageProgress,
): Promise<void> {
  let polls = 0;
  let last = '';
  return watch(context, state, answer, ({ engine, engineSilentMs, mode }) => {
    if (mode === 'dry-run') return { state: 'done', text: 'a dry run sends nothing' };
    if (engine === null) return { state: 'left', text: 'no session is open any more: see tickwright status' };
    const isLate = polls >= POLLS_MAX;
    const progress = engineSilentMs === null ? progressOf(engine, isLate) : silentProgress(isLate);
    polls = progress.text === last ? polls + 1 : 0;
    last = progress.text;
    return progress;
  });
}

/** Shows each change after the answer until it is done; the daemon goes on without us. */
async function watch(
  { io }: CliContext,
  state: string,
  answer: string,
  progressOf: (status: DaemonStatus) => StageProgress,
): Promise<void> {
  const onInterrupt = (): void => {
    io.err('the daemon goes on with it: tickwright status shows how far it is\n');
    process.exit(EXIT.failed);
  };
  process.once('SIGINT', onInterrupt);
  try {
    for (let shown = ''; ;) {
      const { state: reached, text } = progressOf(await getStatus(state));
      if (reached === 'left' || reached === 'waits') throw failed(text);
      if (text !== shown && text !== '' && !answer.endsWith(text)) io.out(`${text}\n`);
      shown = text;
      if (reached === 'done') return;
      await pause(POLL_EVERY_MS);
    }
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

const REASON = ['--reason <text>', 'reason, written to the journal', reasonText] as const;
const ANY_REASON = [...REASON, 'by the command line'] as const;
/** A halt is not refused for its words; the daemon takes no larger body. */
const HALT_REASON = [REASON[0], REASON[1], (text: string) => text.slice(0, 200), ANY_REASON[3]] as const;
const ORDER = ['<id>', 'the order, as tickwright orders shows it'] as const;

const ANSWER_MS_MAX = 15_000;
/** Longer than cancels and a flatten take; a stop that waits for a phase of the market may take longer. */
const STOP_MS_MAX = 300_000;
/** The daemon answers after 12 s at the latest. */
const OTP_MS_MAX = 20_000;
/** A busy day is replayed in seconds. */
const REPLAY_MS_MAX = 180_000;

export const statusIfRuns = (stateDir: string): Promise<DaemonStatus | null> =>
  getStatus(stateDir).catch(() => null);

async function getStatus(stateDir: string): Promise<DaemonStatus> {
  const status = await call(stateDir, 'GET', '/status', null);
  if (typeof status === 'object' && status !== null && 'halt' in status && 'stream' in status)
    return status as DaemonStatus; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own daemon, known by two of its fields
  throw failed('the daemon is of another version: use the tickwright that started it');
}

const VIEW_POLLS_MAX = 5;

/** A daemon that has just begun shows its orders within a second; null where there is no engine to show any. */
async function engineOf(stateDir: string): Promise<DaemonStatus['engine']> {
  for (let polls = 0; polls < VIEW_POLLS_MAX; polls += 1) {
    const { engine } = await getStatus(stateDir);
    if (engine !== null) return engine;
    await pause(POLL_EVERY_MS);
  }
  return null;
}

/** The daemon's answer; a refusal ends the command. */
async function call(
  stateDir: string,
  method: 'GET' | 'POST',
  path: string,
  body: object | null,
  waitMs = ANSWER_MS_MAX,
): Promise<unknown> {
  const link = readControl(stateDir);
  if (link === undefined) throw noDaemon(stateDir);
  // Not `fetch`: in Node.js 20 it never ends where the other side closes at once, and the command would end without a word.
  const { statusCode, answer } = await request(`http://127.0.0.1:${link.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${link.token}`,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body: body === null ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(waitMs),
  })
    .then(async (response) => ({ ...response, answer: await response.body.json() }))
    .catch((error: unknown) => {
      // A daemon that died left its file behind.
      if (hasCode(error, 'ECONNREFUSED')) throw noDaemon(stateDir);
      const advice = 'try again; if it stays so, use the broker’s own program, and restart the daemon';
      throw failed(`the daemon on port ${link.port} did not answer: ${String(error)} (${advice})`);
    });
  if (statusCode === 200) return answer;
  throw failed(`refused: ${messageOf(answer) ?? `HTTP ${statusCode}`}`);
}

const noDaemon = (stateDir: string): CliFailure =>
  nothingThere(
    `no daemon runs on ${stateDir}: start one with tickwright paper, or name its state directory with --state`,
  );

const messageOf = (answer: unknown): string | undefined =>
  isRecord(answer) && typeof answer['message'] === 'string' ? answer['message'] : undefined;

const doneText = (answer: unknown): string => `${messageOf(answer) ?? 'done'}\n`;

/** A browser has read the file by then. */
const FILE_MS = 5_000;

const OPEN_HELP = `
The link opens once, within ten minutes; the session lasts a day, and ends with
the daemon. From another machine: ssh -L 8600:127.0.0.1:PORT HOST, then open the
printed link with port 8600.

Example:
  tickwright open --print
`;

function addOpen(program: Command, { io }: CliContext): void {
  const what = 'print a link to the page of the running daemon, and open it in the browser';
  stateCommand(program, 'open', what, OPEN_HELP)
    .option('--look', 'a session that sees everything and commands nothing')
    .option('--print', 'print the link only')
    .action(async ({ look, print, ...flags }: ControlFlags) => {
      const state = stateOf(flags);
      const kind = look === true ? 'look' : 'steer';
      const link = linkOf(await call(state, 'POST', `/links/${kind}`, null));
      io.out(`${link}\n`);
      if (print !== true && hasDisplay()) await showFile(join(resolve(state), 'open.html'), link);
    });
}

function linkOf(answer: unknown): string {
  if (isRecord(answer) && typeof answer['link'] === 'string') return answer['link'];
  throw failed('the daemon gave no link: use the tickwright that started it');
}

const hasDisplay = (): boolean =>
  process.platform === 'darwin' ||
  process.env['DISPLAY'] !== undefined ||
  process.env['WAYLAND_DISPLAY'] !== undefined;

/** A file of the owner passes the link on: other users of the machine see arguments of programs. */
async function showFile(path: string, link: string): Promise<void> {
  writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">\n`, {
    mode: 0o600,
  });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const browser = spawn(program, [pathToFileURL(path).href], { stdio: 'ignore', detached: true });
  // Without one the printed link is left.
  browser.on('error', () => undefined);
  browser.unref();
  await new Promise((done) => setTimeout(done, FILE_MS));
  rmSync(path, { force: true });
}

/** The daemon gives each channel 30 s. */
const TEST_MS_MAX = 40_000;

/** Proves that each channel reaches its owner, before it is needed. */
function addTestMessage(program: Command, context: CliContext): void {
  stateCommand(
    program,
    'test-message',
    'send a test message through each channel of the running daemon, or of a configuration',
    example('tickwright test-message\n  tickwright test-message --config config/live.yaml --channel phone'),
  )
    .option('--channel <id>', 'this channel only (all)')
    .option('--config <file>', 'without a daemon: the channels of this file, with the secrets found here')
    .action(async ({ config, channel, ...flags }: ControlFlags) => {
      if (config === undefined) {
        await sendCommand(context, stateOf(flags), 'test-message', { channel }, TEST_MS_MAX);
        return;
      }
      // Mail and strategies are loaded for this alone.
      const { readConfig } = await import('../read-config.ts');
      const { noChannel, testMessage, trialLines } = await import('../../daemon/alert-channels.ts');
      const trials = await testMessage(readConfig(config), channel ?? null);
      if (trials.length === 0) throw wrongUsage(`${config}: ${noChannel(channel ?? null)}`);
      context.io.out(`${trialLines(trials)}\n`);
      if (trials.some(({ failure }) => failure !== null)) context.finish(EXIT.failed);
    });
}
