/** Carries out commands of the operator, whichever way they came. */
import { isAuction, phaseAt, type SessionPhase } from '../domain/calendar.ts';
import { thrownText } from '../domain/failure.ts';
import { clientOrderId, shortOrderId } from '../domain/ids.ts';
import { OPERATOR_INDEX, seconds } from '../domain/units.ts';
import type { EngineSnapshot } from '../engine/engine-snapshot.ts';
import type { Command } from '../engine/ports/engine-event.ts';
import type { CommandBody, CommandName } from '../operator/control-command.ts';
import type { CommandAnswer, CommandResult } from '../operator/control-server.ts';
import { formatLocalSecond } from '../text/dates.ts';
import { formatCount, formatNumber } from '../text/numbers.ts';
import { cancelProgress, flattenProgress, type OpenCommand } from './command-outcomes.ts';
import { noChannel, trialLines } from './alert-channels.ts';
import { afterStop } from '../host/program-files.ts';
import { withTimeout, systemClock } from '../host/system-clock.ts';
import type { Daemon } from './daemon.ts';
import { restingText } from './session/holdings.ts';
import { type ReadAgain, reload, startStrategy } from './reload.ts';

/** Done by the run around the daemon. */
export interface RunActions {
  readonly stop: (reason: string) => void;
  readonly readAgain: ReadAgain;
}

/** Commands of the control API, of a phone and of the page. A command acknowledges the alerts before it. */
export function execute(
  daemon: Daemon,
  name: CommandName,
  body: CommandBody,
  run: RunActions,
): CommandAnswer {
  const seenAlerts = daemon.alerting.acknowledge();
  if (name === 'seen') return { ok: true, message: acknowledgedText(seenAlerts) };
  return COMMANDS[name](daemon, body, run);
}

const COMMANDS: Readonly<
  Record<Exclude<CommandName, 'seen'>, (daemon: Daemon, body: CommandBody, run: RunActions) => CommandAnswer>
> = {
  stop: (_daemon, { reason }, { stop }) => {
    stop(reason);
    return { ok: true, message: `stopping: orders and positions as configured under stop${afterStop()}` };
  },
  reconnect: ({ edge: { stream, tokens } }) => {
    stream.resume();
    if (tokens.current() === undefined)
      return { ok: false, message: 'there is no token: tickwright token asks for one' };
    const isLive = stream.status().state === 'live';
    return { ok: true, message: isLive ? 'connected already' : 'connecting again' };
  },
  token: renewToken,
  otp: (daemon, { otp }) => bringOtp(daemon, otp ?? ''),
  'test-message': (daemon, { channel }) => testMessage(daemon, channel),
  // The books are swept whatever the engine is doing (rulings, 32), and the status shows how far that is.
  halt: (daemon, { reason }) => {
    daemon.command({ name: 'halt', reason });
    return { ok: true, message: 'entries are off' };
  },
  resume: (daemon, { strategy, reason }) =>
    strategy === null ? resumeAccount(daemon, reason) : resumeStrategy(daemon, strategy, reason),
  rollover: (daemon, { reason }) => post(daemon, { name: 'rollover', reason }),
  'cancel-all': (daemon, { reason }) => cancelAll(daemon, reason),
  'cancel-order': (daemon, { clientOrderId: id, reason }) => cancelOrder(daemon, id ?? '', reason),
  flatten: (daemon, body) => {
    const outcome = { code: 'flatten_ended', progressOf: flattenProgress(body.strategy) } as const;
    return withProgress(daemon, flatten(daemon, body), outcome);
  },
  'stop-strategy': (daemon, { strategy, reason }) => stopStrategy(daemon, strategy ?? '', reason),
  'start-strategy': (daemon, { strategy, reason }, { readAgain }) =>
    startStrategy(daemon, strategy ?? '', reason, readAgain),
  reload: (daemon, { reason }, { readAgain }) => reload(daemon, readAgain, reason, false),
  'check-reload': (daemon, { reason }, { readAgain }) => reload(daemon, readAgain, reason, true),
  'resolve-order': async (daemon, { clientOrderId: id, as, reason }) => {
    if (id === null || as === null) return { ok: false, message: 'expected an order and absent or live' };
    const { resolving } = daemon;
    if (resolving.has(id))
      return { ok: false, message: `${shortOrderId(clientOrderId(id))} is being resolved: ask again` };
    resolving.add(id);
    const command = { name: 'resolve_order', clientOrderId: clientOrderId(id), as, reason } as const;
    return resolveOrder(daemon, command).finally(() => resolving.delete(id));
  },
};

const NO_SESSION = { ok: false, message: 'no session is open yet' } as const;

function post(
  daemon: Daemon,
  command: Command,
  message = 'accepted; see tickwright journal for its effect',
): CommandResult {
  if (daemon.sessionDay === undefined) return NO_SESSION;
  daemon.command(command);
  return { ok: true, message };
}

/** Longest wait for a view: an engine that is busy for longer must not look like a refusal. */
const VIEW_WAIT_MAX = seconds(5);

/** Answers when the next status shows the effect: the caller follows it there. */
async function afterView(daemon: Daemon, result: CommandResult): Promise<CommandResult> {
  if (!result.ok || (await withTimeout(daemon.refreshView(), VIEW_WAIT_MAX)) !== undefined) return result;
  return { ok: true, message: 'taken, but the engine does not answer yet; tickwright halt works meanwhile' };
}

async function cancelAll(daemon: Daemon, reason: string): Promise<CommandResult> {
  // Asked for ahead of the command and awaited after it: the last view lacks orders of the last second.
  const view = withTimeout(daemon.refreshView(), VIEW_WAIT_MAX);
  const result = post(daemon, { name: 'cancel_all', reason }, '');
  const stageOf = cancelProgress((await view) ?? daemon.lastView ?? null);
  return withProgress(daemon, result, { code: 'cancel_all_ended', progressOf: (now) => stageOf(now, false) });
}

/** The answer says how far it is; where it is not over, an alert says the end. */
async function withProgress(
  daemon: Daemon,
  result: CommandResult,
  command: OpenCommand,
): Promise<CommandResult> {
  const answer = await afterView(daemon, result);
  const { lastView: view, config } = daemon;
  if (!answer.ok) return answer;
  if (config.mode === 'dry-run')
    return { ok: true, message: joined(answer.message, 'a dry run sends nothing') };
  if (answer !== result || view === undefined) {
    daemon.outcomes.watch(command);
    return answer;
  }
  const { state, text } = command.progressOf(view);
  const isOpen = state === 'working' || state === 'waits';
  if (isOpen) daemon.outcomes.watch(command);
  return { ok: true, message: joined(answer.message, text, isOpen ? unsentText(daemon) : '') };
}

/** The answer says where no cancel can be sent. */
async function canceling(daemon: Daemon, result: CommandResult): Promise<CommandResult> {
  const answer = await afterView(daemon, result);
  return answer.ok ? { ok: true, message: joined(answer.message, unsentText(daemon)) } : answer;
}

/** Empty where calls can be sent. */
function unsentText({ edge, config, clock }: Daemon): string {
  if (edge.tokens.current() === undefined) return 'there is no token: no call is sent until there is one';
  const phase = phaseAt(config.calendar, clock.nowUs());
  if (phase === 'break') return 'nothing fills in the break, and cancels are sent after it';
  return isAuction(phase) ? `no cancel is taken in the ${nameOf(phase)}: what rests there may fill` : '';
}

const nameOf = (phase: SessionPhase): string => phase.replace('_', ' ');

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('; ');

const WITHIN_LIMITS = 'as far as limits and risk allow them';

/** A strategy at its loss limit has a resume of its own. */
async function resumeStrategy(daemon: Daemon, id: string, reason: string): Promise<CommandResult> {
  if (!daemon.names.all.includes(id)) return unknown(daemon, id);
  // Requested first and awaited later: a halt that comes meanwhile has to find the resume done.
  const nextView = daemon.refreshView();
  const message = `entries of ${id} are allowed again, ${WITHIN_LIMITS}`;
  const account =
    daemon.halt.reason === null ? '' : '; those of the account are off: resume without a strategy';
  const result = post(daemon, { name: 'resume', strategy: daemon.names.indexOf(id), reason }, message);
  if (!result.ok) return result;
  const view = await withTimeout(nextView, VIEW_WAIT_MAX);
  return view?.strategies.find((each) => each.id === id)?.halted === null
    ? { ok: true, message: `nothing of ${id} was halted${account}` }
    : { ok: true, message: `${message}${acceptedText(view ?? daemon.lastView, id)}` };
}

/** Also without a session: the next one begins with entries allowed. */
async function resumeAccount(daemon: Daemon, reason: string): Promise<CommandResult> {
  const nextView = daemon.refreshView();
  const haltedFor = daemon.halt.reason;
  // Only an engine can accept what blocks entries besides a halt.
  if (haltedFor === null && daemon.sessionDay === undefined) return NO_SESSION;
  // Posted all the same: a resume also accepts differences of positions and money.
  const failure = thrownText(() => daemon.command({ name: 'resume', strategy: null, reason }));
  if (failure !== null)
    return { ok: false, message: `entries stay off: the journal cannot take the resume: ${failure}` };
  const view = (await withTimeout(nextView, VIEW_WAIT_MAX)) ?? daemon.lastView;
  const wasHalted = (haltedFor ?? view?.halted ?? null) !== null;
  const unproven = view?.unproven ?? null;
  const before = wasHalted
    ? 'entries are allowed again'
    : unproven === null
      ? 'nothing was halted: entries were allowed already'
      : `entries were blocked: ${unproven}; a difference of positions is taken over as the operator's, unless a lost order may have filled it, and entries are allowed`;
  const others = (view?.strategies ?? []).flatMap(({ id: each, halted }) =>
    halted === null ? [] : [`; those of ${each} stay off until tickwright resume --strategy ${each}`],
  );
  const again = daemon.halt.reason;
  if (again !== null)
    return {
      ok: false,
      message: `the halt was ended, and entries are off again: ${again}${others.join('')}`,
    };
  return { ok: true, message: `${before}, ${WITHIN_LIMITS}${acceptedText(view, null)}${others.join('')}` };
}

/** What a resume of this strategy, or of the account, accepts by this view; empty for nothing. */
export function acceptedText(view: EngineSnapshot | undefined, id: string | null): string {
  const loss = (id === null ? view : view?.strategies.find((each) => each.id === id))?.lossToAccept ?? 0;
  if (loss === 0) return '';
  return `; the loss of the day of ${formatNumber(loss)} VND is accepted, and the limit is measured from there`;
}

const acknowledgedText = (count: number): string =>
  count === 0 ? 'nothing waited' : `${formatCount(count, 'critical alert')} acknowledged`;

async function testMessage({ alerting }: Daemon, channel: string | null): Promise<CommandResult> {
  const trials = await alerting.try(channel);
  if (trials.length === 0) return { ok: false, message: noChannel(channel) };
  const isEach = trials.every(({ failure }) => failure === null);
  return { ok: isEach, message: `${isEach ? '' : 'not every channel delivers\n'}${trialLines(trials)}` };
}

async function renewToken(daemon: Daemon): Promise<CommandResult> {
  const renewed = daemon.edge.tokens.refresh('operator');
  // The person who asked is the one who has to bring the password.
  if (daemon.otpInbox.isWaiting) return { ok: true, message: WAITS_FOR_OTP };
  const result = await withTimeout(renewed, ANSWER_MAX);
  if (result === undefined)
    return { ok: true, message: daemon.otpInbox.isWaiting ? WAITS_FOR_OTP : NO_ANSWER_YET };
  return result.ok ? { ok: true, message: tokenText(daemon) } : { ok: false, message: result.failure.reason };
}

const WAITS_FOR_OTP =
  'the daemon waits for a one-time password: bring it with tickwright otp, or /otp in the chat';
const NO_ANSWER_YET = 'no answer yet: tickwright status shows whether there is a token';
/** The command line and a chat wait for about this long. */
const ANSWER_MAX = seconds(12);

/** An unneeded password is not spent; a refused one costs only itself. */
async function bringOtp(daemon: Daemon, otp: string): Promise<CommandResult> {
  const { otpInbox, edge } = daemon;
  const { tokens } = edge;
  const refusal = otpInbox.isWaiting ? null : needlessOtp(daemon);
  if (refusal !== null) return { ok: false, message: refusal };
  const isEarly = !otpInbox.isWaiting;
  const brought = otpInbox.submit(otp);
  if (isEarly)
    void tokens
      .refresh('operator')
      .then((result) => otpInbox.rejectEarly(result.ok ? 'there is a token already' : result.failure.reason));
  const result = await withTimeout(brought, ANSWER_MAX);
  if (result === undefined) return { ok: true, message: `the password is with the broker; ${NO_ANSWER_YET}` };
  if (result.ok) return { ok: true, message: tokenText(daemon) };
  const { used, allowed } = tokens.budget;
  return { ok: false, message: `${result.reason} (${used} of ${allowed} exchanges of the day are used)` };
}

function needlessOtp({ edge, config }: Daemon): string | null {
  const { tokens } = edge;
  const token = tokens.current();
  const { used, allowed } = tokens.budget;
  if (used >= allowed) return `all ${allowed} exchanges of the day are used: no new token before tomorrow`;
  if (token !== undefined && tokens.wantedUs() > systemClock.nowUs())
    return `no password is needed, and none was spent: the token is valid until ${formatLocalSecond(token.expiresAt, config.calendar.utcOffsetMinutes)}; tickwright token asks for a new one`;
  if (config.auth.otpRoute === 'request')
    return 'the broker sends a password when it is asked for: tickwright token asks';
  return null;
}

function tokenText({ edge, config }: Daemon): string {
  const { used, allowed } = edge.tokens.budget;
  const until = edge.tokens.current();
  const valid =
    until === undefined
      ? ''
      : `, valid until ${formatLocalSecond(until.expiresAt, config.calendar.utcOffsetMinutes)}`;
  return `a new token is in use${valid}; ${used} of ${allowed} exchanges of the day are used`;
}

/** An alert reports an order that ended since the last view. */
async function cancelOrder(daemon: Daemon, id: string, reason: string): Promise<CommandResult> {
  // Without a view of this engine it is the engine that knows.
  const lacksIt = (view: EngineSnapshot | undefined): boolean =>
    view?.orders.every((order) => order.clientOrderId !== id) === true;
  // The last view lacks orders of the last second.
  if (lacksIt(daemon.lastView) && lacksIt(await withTimeout(daemon.refreshView(), VIEW_WAIT_MAX)))
    return { ok: false, message: `there is no open order ${id}: see tickwright orders` };
  return canceling(daemon, post(daemon, { name: 'cancel_order', clientOrderId: clientOrderId(id), reason }));
}

type ResolveCommand = Extract<Command, { readonly name: 'resolve_order' }>;

/** An order that is booked for nobody has the broker's number alone, and is in no view. */
async function resolveOrder(daemon: Daemon, command: ResolveCommand): Promise<CommandResult> {
  const { clientOrderId: id, as } = command;
  const order = () => daemon.lastView?.orders.find((each) => each.clientOrderId === id);
  await withTimeout(daemon.refreshView(), VIEW_WAIT_MAX);
  const before = order();
  const isOver = before === undefined && id.startsWith('H.') && daemon.lastView !== undefined;
  if (isOver || (as === 'live' && before?.isInDoubt === false)) {
    const status = before?.status ?? 'over: tickwright orders shows how';
    return { ok: false, message: `nothing is to be resolved: ${shortOrderId(id)} is ${status}` };
  }
  const result = await afterView(daemon, post(daemon, command));
  if (!result.ok || before === undefined) return result;
  const status = order()?.status ?? 'over';
  const message = `${shortOrderId(id)} was ${before.status}, and is ${status} now`;
  return as === 'live' || status === 'over'
    ? { ok: true, message }
    : { ok: false, message: `${message}: the book shows it, cancel it` };
}

/** Null: the whole account. Entries go off first (rulings, 38): a strategy that goes on would enter again a second later. */
function flatten(daemon: Daemon, { strategy, reason, keepTrading, inAuction }: CommandBody): CommandResult {
  if (strategy !== null && !daemon.names.has(strategy)) return unknown(daemon, strategy);
  const index = strategy === null ? null : daemon.names.indexOf(strategy);
  if (daemon.sessionDay === undefined)
    return {
      ok: false,
      message:
        'no session is open yet: nothing was closed, and entries are as before; tickwright halt stops them',
    };
  const isHalted = !keepTrading && index !== OPERATOR_INDEX;
  if (isHalted) daemon.command({ name: 'halt', strategy: index, reason });
  daemon.command({ name: 'flatten', strategy: index, reason, inAuction });
  const what = strategy === null ? 'all positions are' : `the position of ${strategy} is`;
  const entries = isHalted ? haltText(strategy) : ENTRIES_UNCHANGED;
  return { ok: true, message: `${what} to be closed; ${entries}${auctionText(daemon, inAuction, strategy)}` };
}

/** Empty outside of auctions. */
function auctionText(daemon: Daemon, isConfirmed: boolean, strategy: string | null): string {
  const { config, clock, lastView: view, edge } = daemon;
  const phase = phaseAt(config.calendar, clock.nowUs());
  if (!isAuction(phase)) return '';
  const name = nameOf(phase);
  const resting = view === undefined ? '' : restingText(view, edge.table.contracts, strategy);
  const orders = `${resting === '' ? 'orders' : 'orders for what is left'} at the floor or ceiling`;
  return isConfirmed
    ? `; ${orders} go into the ${name}, trade at its price, and cannot be taken back${resting}`
    : `; nothing is sent into the ${name}: --in-auction sends ${orders}, which cannot be taken back${resting}`;
}

const ENTRIES_UNCHANGED = 'entries stay as they were: where they are on, a strategy may enter again';

const haltText = (strategy: string | null): string =>
  strategy === null
    ? 'entries are off until tickwright resume'
    : `entries of ${strategy} are off until tickwright resume --strategy ${strategy}`;

function stopStrategy(daemon: Daemon, id: string, reason: string): CommandAnswer {
  if (!daemon.names.all.includes(id)) return unknown(daemon, id);
  const message = `${id} is stopped until start-strategy: its entries are canceled, what protects its position stays`;
  const strategy = daemon.names.indexOf(id);
  return canceling(daemon, post(daemon, { name: 'stop_strategy', strategy, reason }, message));
}

const unknown = ({ names }: Daemon, id: string): CommandResult => ({
  ok: false,
  message: `there is no strategy ${id}; those of this daemon: ${names.all.join(', ')}`,
});
