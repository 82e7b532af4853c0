/** Calls that change something at the broker: checked, shown, confirmed, then sent once. */
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { describeCall, type ManualCall } from '../../app/manual/broker-call.ts';
import type { ManualTrader } from '../../app/manual/manual-trader.ts';
import type { Money } from '../../domain/units.ts';
import { type CliContext, CliFailure, EXIT, printJson } from '../cli-io.ts';
import { brokerCommand, type BrokerFlags, needToken, withBroker } from './broker-session.ts';
import { amountOf, idText } from '../argument-values.ts';

export interface SendFlags extends BrokerFlags {
  readonly yes?: boolean;
  readonly again?: boolean;
}

export interface SendContext extends CliContext {
  readonly ask: Ask;
}

export const sendCommand = (parent: Command, name: string, description: string, example: string): Command =>
  brokerCommand(parent, name, description, example).option('--yes', 'send without asking');

type Outcome = Awaited<ReturnType<ManualTrader['send']>>;

/** `make` may read the broker's book first, so that details of an order need not be typed. */
export async function runSend(
  flags: SendFlags,
  context: SendContext,
  make: (trader: ManualTrader) => ManualCall | Promise<ManualCall>,
): Promise<void> {
  const outcome = await withBroker(flags, context, async (trader) => {
    const call = await make(trader);
    const refused = trader.refusal(call, flags.again === true);
    if (refused !== null) throw new CliFailure(EXIT.usage, `not sent: ${refused}`);
    await confirm(questionOf(call, trader), flags.yes === true, context.ask);
    await needToken(trader);
    return trader.send(call);
  });
  if (flags.json === true) printJson(context.io, outcome);
  else context.io.out(`${outcomeText(outcome)}\n`);
  if (outcome.status !== 'accepted') context.finish(EXIT.failed);
}

function questionOf(call: ManualCall, trader: ManualTrader): string {
  const { config, address } = trader;
  const spec = 'orderCode' in call ? trader.specOf(call.orderCode) : undefined;
  const lines = [`${config.mode}, ${address.restUrl}`, describeCall(call, address.subAccountId, spec)];
  if (trader.isDaemonRunning && 'orderCode' in call) {
    lines.push('a daemon trades this account: it will adopt this as an order of another channel');
  }
  return lines.join('\n');
}

function outcomeText(outcome: Outcome): string {
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
    throw new CliFailure(
      EXIT.usage,
      `${what}\nnot sent: there is no terminal to confirm at; add --yes to send`,
    );
  }
  const answer = (await ask(`${what}\nSend it? [y/N] `)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new CliFailure(EXIT.failed, 'not sent');
}

interface MoneyFlags extends SendFlags {
  readonly note: string;
  readonly from: string;
  readonly to: string;
}

const withMoney = (command: Command): Command =>
  command
    .argument('<amount>', 'whole VND', amountOf)
    .option('--note <text>', 'text for the statement', '')
    .option('--again', 'send although the outcome of an equal call is unknown');

export function addBrokerMoney(broker: Command, context: SendContext): void {
  for (const kind of ['deposit', 'withdraw'] as const) {
    const way = kind === 'deposit' ? 'into' : 'out of';
    const command = withMoney(
      sendCommand(
        broker,
        kind,
        `${kind} margin ${way} the derivative account`,
        `tickwright broker ${kind} 50000000`,
      ),
    ).action((amount: Money) => {
      const flags = command.opts<MoneyFlags>();
      return runSend(flags, context, () => ({ kind, amount, note: flags.note }));
    });
  }
  const transfer = withMoney(
    sendCommand(
      broker,
      'transfer',
      'transfer money between sub-accounts',
      'tickwright broker transfer 1000000 --from 0001234567 --to 0001234568',
    ),
  )
    .requiredOption('--from <account>', 'from this sub-account', idText)
    .requiredOption('--to <account>', 'to this sub-account', idText)
    .action((amount: Money) => {
      const { from, to, note, ...flags } = transfer.opts<MoneyFlags>();
      return runSend(flags, context, () => ({ kind: 'transfer', from, to, amount, note }));
    });
  const cancel = sendCommand(
    broker,
    'cancel-stock-orders',
    'cancel normal stock orders',
    'tickwright broker cancel-stock-orders 0001234567 8000123 8000124',
  )
    .argument('<account>', 'normal or margin sub-account', idText)
    .argument('<orders...>', 'order ids')
    .action((accountNo: string, orderIds: readonly string[]) =>
      runSend(cancel.opts<SendFlags>(), context, () => ({
        kind: 'cancel-stock-orders',
        accountNo,
        orderIds,
      })),
    );
}
