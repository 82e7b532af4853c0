/** Frame of each call by hand: flags, configuration, address and token; a call that changes something is shown, confirmed, sent once. */
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  describeCall,
  type ManualCall,
  type ManualTrader,
  openBroker,
} from '../../daemon/edge/manual-trader.ts';
import { type CliContext, EXIT, failed, jsonText, nothingThere, wrongUsage } from '../cli-io.ts';
import { valid } from '../read-config.ts';
import { isAuction, phaseAt } from '../../domain/calendar.ts';
import { systemClock } from '../../host/system-clock.ts';
import { storedConfig } from '../../host/strategy-files/own-strategies.ts';
import { formatProblem } from '../../config/problem.ts';
import { example } from '../options.ts';

export interface BrokerFlags {
  readonly config: string;
  readonly state?: string;
  readonly json?: boolean;
}

export const brokerCommand = (parent: Command, name: string, description: string, shown: string): Command =>
  parent
    .command(name)
    .description(description)
    .option('--config <file>', 'configuration', 'config/paper.yaml')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'print JSON')
    .addHelpText('after', example(shown));

export async function withBroker<T>(
  { config, state }: BrokerFlags,
  { io }: CliContext,
  run: (trader: ManualTrader) => Promise<T>,
): Promise<T> {
  const loaded = storedConfig(config);
  // A slip in the closures must not lock a person out of what may fill.
  const configured = loaded.ok ? loaded.config : (loaded.withoutClosures ?? valid(loaded).config);
  const problem = loaded.ok ? null : loaded.problems.map(formatProblem).join('\n');
  const trader = openBroker(configured, state ?? null, (text) => io.err(`${text}\n`), problem);
  if (trader === undefined) {
    throw nothingThere(
      'the embedded broker is not running: start the paper daemon with tickwright paper, then repeat',
    );
  }
  try {
    return await run(trader);
  } finally {
    await trader.close();
  }
}

export const READ = { priority: 'lookup' } as const;

export async function needToken(trader: ManualTrader): Promise<void> {
  const token = await trader.token('needed');
  if (!token.ok) throw failed(`no token: ${token.reason}`);
}

export interface SendFlags extends BrokerFlags {
  readonly yes?: boolean;
  readonly again?: boolean;
}

export interface SendContext extends CliContext {
  readonly broker: Command;
  readonly ask: Ask;
}

/** `make` may read the broker's book first, so that details of an order need not be typed. */
type MakeCall<Flags, First, Rest> = (
  trader: ManualTrader,
  flags: Flags,
  first: First,
  rest: Rest,
) => ManualCall | Promise<ManualCall>;

/** A command whose action makes one call, shows it, asks, and sends it once. `First` and `Rest` are its arguments. */
export function addSend<Flags extends SendFlags, First = undefined, Rest = undefined>(
  { broker, ...context }: SendContext,
  name: string,
  description: string,
  shown: string,
  make: MakeCall<Flags, First, Rest>,
): Command {
  const command = brokerCommand(broker, name, description, shown).option('--yes', 'send without asking');
  return command.action((first: First, rest: Rest) => {
    const flags = command.opts<Flags>();
    return runSend(flags, context, (trader) => make(trader, flags, first, rest));
  });
}

type SendOutcome = Awaited<ReturnType<ManualTrader['send']>>;

async function runSend(
  flags: SendFlags,
  { ask, ...context }: Omit<SendContext, 'broker'>,
  make: (trader: ManualTrader) => ManualCall | Promise<ManualCall>,
): Promise<void> {
  const outcome = await withBroker(flags, context, async (trader) => {
    const allowed = async (): Promise<ManualCall> => {
      const made = await make(trader);
      const refused = trader.refusal(made, flags.again === true);
      if (refused !== null) throw wrongUsage(`not sent: ${refused}`);
      return made;
    };
    const call = await allowed();
    await confirm(questionOf(call, trader), flags.yes === true, ask);
    await needToken(trader);
    // While a person read the question, the order may have filled, or another person may have sent the same.
    if (flags.yes !== true && !isDeepStrictEqual(await allowed(), call))
      throw failed('not sent: the order has changed meanwhile; ask again');
    return trader.send(call, flags.again === true);
  });
  context.io.out(flags.json === true ? jsonText(outcome) : `${outcomeText(outcome)}\n`);
  if (outcome.status !== 'accepted') context.finish(EXIT.failed);
}

function questionOf(call: ManualCall, trader: ManualTrader): string {
  const { config, address } = trader;
  const spec = 'orderCode' in call ? trader.specOf(call.orderCode) : undefined;
  const lines = [`${config.mode}, ${address.restUrl}`, describeCall(call, address.subAccountId, spec)];
  if (trader.isDaemonRunning && 'orderCode' in call) {
    const isNew = call.kind === 'place' || call.kind === 'condition-place';
    const effect = isNew
      ? 'it will adopt this as an order of another channel, and cancel an entry while entries are off'
      : 'an order of its own goes on with these terms, until it changes them again';
    lines.push(`a daemon trades this account: ${effect}`);
  }
  const phase = phaseAt(config.calendar, systemClock.nowUs());
  // A paper account has hours of its own.
  if (config.mode === 'live' && isAuction(phase) && ['place', 'change', 'cancel'].includes(call.kind))
    lines.push(`in the ${phase.replace('_', ' ')}: no order can be changed or canceled before it ends`);
  return lines.join('\n');
}

function outcomeText(outcome: SendOutcome): string {
  switch (outcome.status) {
    case 'accepted': {
      const words = ['accepted'];
      if ('orderNo' in outcome) words.push(`order ${outcome.orderNo}`);
      if ('orderKey' in outcome && outcome.orderKey !== null) words.push(`key ${outcome.orderKey}`);
      if ('transactionId' in outcome && outcome.transactionId !== null)
        words.push(`transaction ${outcome.transactionId}`);
      return words.join(', ');
    }
    case 'rejected':
      return `rejected by the broker: ${outcome.code} ${outcome.text}`;
    case 'not_sent':
      return `not sent: ${outcome.reason}`;
    case 'unknown':
      return `UNKNOWN: it may have arrived (${outcome.reason}). It is not sent again: check the broker’s book before you repeat it`;
  }
}

/** Asks one question and waits for the line; undefined without a terminal. */
export type Ask = ((question: string) => Promise<string>) | undefined;

export function terminalAsk(): Ask {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}

/** Returns after a yes; any other answer ends the command before anything is sent. */
async function confirm(what: string, isConfirmed: boolean, ask: Ask): Promise<void> {
  if (isConfirmed) return;
  if (ask === undefined) {
    throw wrongUsage(`${what}\nnot sent: there is no terminal to confirm at; add --yes to send`);
  }
  const answer = (await ask(`${what}\nSend it? [y/N] `)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw failed('not sent');
}
