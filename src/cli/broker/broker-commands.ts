/** `tickwright broker`: the operations of the broker's service by hand, under their own names. */
import type { Command } from 'commander';
import { formatLocalSecond, formatUtc } from '../../text/dates.ts';
import { type CliContext, jsonText, failed } from '../cli-io.ts';
import type { Money } from '../../domain/units.ts';
import { amountOf, idText } from '../argument-values.ts';
import {
  addSend,
  type Ask,
  brokerCommand,
  type BrokerFlags,
  type SendContext,
  type SendFlags,
  terminalAsk,
  withBroker,
} from './broker-session.ts';
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
  addBrokerOrders({ ...context, broker, ask });
  addTransfers({ ...context, broker, ask });
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
    if (!ok) throw failed(`request-otp failed: ${text}`);
    io.out(flags.json === true ? jsonText({ otpId: text }) : `otpId ${text}\n`);
  });
  const exchange = brokerCommand(
    broker,
    'token',
    'exchange a one-time password for a token (ten a day) and keep it for the daemon',
    'tickwright broker token --config config/live.yaml',
  ).action(async () => {
    const flags = exchange.opts<BrokerFlags>();
    const [token, offset] = await withBroker(
      flags,
      context,
      async (trader) => [await trader.token('operator'), trader.config.calendar.utcOffsetMinutes] as const,
    );
    if (!token.ok) throw failed(`no token: ${token.reason}`);
    const until = formatLocalSecond(token.expiresAt, offset);
    const json = { expiresAt: formatUtc(token.expiresAt) };
    io.out(flags.json === true ? jsonText(json) : `token kept, good until ${until} at the exchange\n`);
  });
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

/** Money between accounts, and the cancel of stock orders. */
function addTransfers(context: SendContext): void {
  for (const kind of ['deposit', 'withdraw'] as const) {
    const way = kind === 'deposit' ? 'into' : 'out of';
    withMoney(
      addSend<MoneyFlags, Money>(
        context,
        [kind, `${kind} margin ${way} the derivative account`, `tickwright broker ${kind} 50000000`],
        (_trader, { note }, amount) => ({ kind, amount, note }),
      ),
    );
  }
  withMoney(
    addSend<MoneyFlags, Money>(
      context,
      [
        'transfer',
        'transfer money between sub-accounts',
        'tickwright broker transfer 1000000 --from 0001234567 --to 0001234568',
      ],
      (_trader, { from, to, note }, amount) => ({ kind: 'transfer', from, to, amount, note }),
    ),
  )
    .requiredOption('--from <account>', 'from this sub-account', idText)
    .requiredOption('--to <account>', 'to this sub-account', idText);
  addSend<SendFlags, string, readonly string[]>(
    context,
    [
      'cancel-stock-orders',
      'cancel normal stock orders',
      'tickwright broker cancel-stock-orders 0001234567 8000123 8000124',
    ],
    (_trader, _flags, accountNo, orderIds) => ({ kind: 'cancel-stock-orders', accountNo, orderIds }),
  )
    .argument('<account>', 'normal or margin sub-account', idText)
    .argument('<orders...>', 'order ids');
}
