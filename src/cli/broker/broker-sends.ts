/** Sends one call by hand: refused, shown, confirmed, sent, told. */
import type { Command } from 'commander';
import { describeCall, type HandCall } from '../../app/manual/broker-call.ts';
import type { ManualTrader } from '../../app/manual/manual-trader.ts';
import { type Ask, confirm } from './broker-confirm.ts';
import { brokerCommand, type BrokerFlags, needToken, withBroker } from './broker-session.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { type CliContext, printJson } from '../cli-io.ts';

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

/** `make` may read the broker's book first: what it needs to know of an order is not typed by hand. */
export async function runSend(
  flags: SendFlags,
  context: SendContext,
  make: (desk: ManualTrader) => HandCall | Promise<HandCall>,
): Promise<void> {
  const outcome = await withBroker(flags, context, async (desk) => {
    const call = await make(desk);
    const refused = desk.refusal(call, flags.again === true);
    if (refused !== null) throw new CliFailure(EXIT.usage, `not sent: ${refused}`);
    await confirm(questionOf(call, desk), flags.yes === true, context.ask);
    await needToken(desk);
    return desk.send(call);
  });
  if (flags.json === true) printJson(context.io, outcome);
  else context.io.out(`${outcomeText(outcome)}\n`);
  if (outcome.status !== 'accepted') context.finish(EXIT.failed);
}

function questionOf(call: HandCall, desk: ManualTrader): string {
  const { config, address } = desk;
  const spec = 'orderCode' in call ? desk.specOf(call.orderCode) : undefined;
  const lines = [`${config.mode}, ${address.restUrl}`, describeCall(call, address.subAccountId, spec)];
  if (desk.isDaemonRunning && 'orderCode' in call) {
    lines.push('a daemon works on this account: it will take this for an order of another channel');
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
      return `UNKNOWN: it may have arrived (${outcome.reason}). It is not sent again: look what the broker shows before you do`;
  }
}
