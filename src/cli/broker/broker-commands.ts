/** `tickwright broker`: the operations of the broker's service by hand, under their own names. */
import type { Command } from 'commander';
import { formatUtc } from '../../text/dates.ts';
import { type CliContext, CliFailure, EXIT, printJson } from '../cli-io.ts';
import { brokerCommand, type BrokerFlags, withBroker } from './broker-session.ts';
import { addBrokerMoney, type Ask, terminalAsk } from './broker-sends.ts';
import { addBrokerOrders } from './broker-orders.ts';
import { addBrokerReads } from './broker-reads.ts';

const AFTER_HELP = `
Uses the address, token and request rate of the configuration; in mode paper,
the embedded broker of the running daemon. Commands that send orders or move
money ask first (--yes skips the question), write the call to calls.jsonl in
the state directory before they send it, and send it once. Prices are points,
money is VND.
`;

export function addBrokerCommands(program: Command, context: CliContext, ask: Ask = terminalAsk()): void {
  const broker = program
    .command('broker')
    .description('call one operation of the broker by hand')
    .addHelpText('after', AFTER_HELP);
  addTokenCalls(broker, context);
  addBrokerReads(broker, context);
  addBrokerOrders(broker, { ...context, ask });
  addBrokerMoney(broker, { ...context, ask });
}

/** A token is never shown; it goes to the cache that the daemon reads. */
function addTokenCalls(broker: Command, context: CliContext): void {
  const { io } = context;
  const request = brokerCommand(
    broker,
    'request-otp',
    'ask the broker to send a one-time password',
    'tickwright broker request-otp',
  ).action(async () => {
    const flags = request.opts<BrokerFlags>();
    const { ok, text } = await withBroker(flags, context, (trader) => trader.requestOtp());
    if (!ok) throw new CliFailure(EXIT.failed, `request-otp failed: ${text}`);
    if (flags.json === true) printJson(io, { otpId: text });
    else io.out(`otpId ${text}\n`);
  });
  const exchange = brokerCommand(
    broker,
    'token',
    'exchange a one-time password for a token (ten a day) and keep it for the daemon',
    'tickwright broker token --config config/live.yaml',
  ).action(async () => {
    const flags = exchange.opts<BrokerFlags>();
    const token = await withBroker(flags, context, (trader) => trader.token('operator'));
    if (!token.ok) throw new CliFailure(EXIT.failed, `no token: ${token.reason}`);
    const until = formatUtc(token.expiresAt);
    if (flags.json === true) printJson(io, { expiresAt: until });
    else io.out(`token kept, good until ${until}\n`);
  });
}
