/** `tickwright broker`: each operation of the broker's service by hand, named as the operation is. */
import type { Command } from 'commander';
import { type CliContext, CliFailure, EXIT, printJson } from '../cli-io.ts';
import { brokerCommand, type BrokerFlags, withBroker } from './broker-session.ts';
import { addBrokerMoney, type Ask, terminalAsk } from './broker-sends.ts';
import { addBrokerOrders } from './broker-orders.ts';
import { addBrokerReads } from './broker-reads.ts';

const AFTER_HELP = `
Uses the address, the token and the pace of the configuration; in mode paper, the embedded broker of the daemon that runs.
What sends orders or moves money asks first (--yes: it does not), is written to calls.jsonl in the state directory before
it leaves, and is sent once. Prices are points, money is VND.
`;

export function addBrokerCommands(program: Command, context: CliContext, ask: Ask = terminalAsk()): void {
  const broker = program
    .command('broker')
    .description('one operation of the broker by hand')
    .addHelpText('after', AFTER_HELP);
  addTokenCalls(broker, context);
  addBrokerReads(broker, context);
  addBrokerOrders(broker, { ...context, ask });
  addBrokerMoney(broker, { ...context, ask });
}

/** Neither shows a token: it goes to the cache that the daemon reads. */
function addTokenCalls(broker: Command, context: CliContext): void {
  const { io } = context;
  const request = brokerCommand(
    broker,
    'request-otp',
    'step 1 of the request route: let the broker send a one-time password',
    'tickwright broker request-otp',
  ).action(async () => {
    const flags = request.opts<BrokerFlags>();
    const { ok, text } = await withBroker(flags, context, (desk) => desk.requestOtp());
    if (!ok) throw new CliFailure(EXIT.failed, `request-otp failed: ${text}`);
    if (flags.json === true) printJson(io, { otpId: text });
    else io.out(`otpId ${text}\n`);
  });
  const exchange = brokerCommand(
    broker,
    'token',
    'exchange a one-time password for a token (one of ten a day) and keep it for the daemon',
    'tickwright broker token --config config/live.yaml',
  ).action(async () => {
    const flags = exchange.opts<BrokerFlags>();
    const token = await withBroker(flags, context, (desk) => desk.token('operator'));
    if (!token.ok) throw new CliFailure(EXIT.failed, `no token: ${token.reason}`);
    const until = new Date(token.expiresAt / 1000).toISOString();
    if (flags.json === true) printJson(io, { expiresAt: until });
    else io.out(`token kept, good until ${until}\n`);
  });
}
