/** Money by hand, and the cancel of stock orders. Money moves only between accounts and up to the limit that the configuration names. */
import type { Command } from 'commander';
import { runSend, sendCommand, type SendContext, type SendFlags } from './broker-sends.ts';
import { amountOf, idText } from './broker-values.ts';
import type { Money } from '../../domain/units.ts';

interface MoneyFlags extends SendFlags {
  readonly note: string;
  readonly from: string;
  readonly to: string;
}

const withMoney = (command: Command): Command =>
  command
    .argument('<amount>', 'whole VND', amountOf)
    .option('--note <text>', 'for the statement', '')
    .option('--again', 'although an equal one was sent and nobody knows what became of it');

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
    .requiredOption('--from <account>', 'sub-account that gives', idText)
    .requiredOption('--to <account>', 'sub-account that takes', idText)
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
