/** `tickwright broker`: the operations of the broker's service by hand, under their own names. */
import { type Command, Option } from 'commander';
import { formatLocalSecond, formatUtc } from '../../text/dates.ts';
import { type CliContext, jsonText, failed, nothingThere, wrongUsage } from '../cli-io.ts';
import type { Money, PriceTicks, Qty } from '../../domain/units.ts';
import { amountOf, idText, pointsAboveZero, quantity } from '../options.ts';
import {
  addSend,
  type Ask,
  brokerCommand,
  type BrokerFlags,
  READ,
  type SendContext,
  type SendFlags,
  terminalAsk,
  withBroker,
  needToken,
} from './broker-session.ts';
import { addBrokerReads } from './broker-reads.ts';
import type { ManualCall, ManualTrader } from '../../daemon/edge/manual-trader.ts';
import { parsePoints } from '../../domain/contract.ts';
import { brokerOrderNo, orderCode } from '../../domain/ids.ts';

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
  for (const add of [addNormalOrders, addTriggerOrders, addTransfers]) add({ ...context, broker, ask });
}

/** A token is never shown; it goes to the cache that the daemon reads. */
function addTokenCalls(broker: Command, context: CliContext): void {
  const { io } = context;
  brokerCommand(
    broker,
    'request-otp',
    'ask the broker to send a one-time password',
    'tickwright broker request-otp',
  ).action(async (flags: BrokerFlags) => {
    const { ok, text } = await withBroker(flags, context, (trader) => trader.requestOtp());
    if (!ok) throw failed(`request-otp failed: ${text}`);
    io.out(flags.json === true ? jsonText({ otpId: text }) : `otpId ${text}\n`);
  });
  brokerCommand(
    broker,
    'token',
    'exchange a one-time password for a token (ten a day) and keep it for the daemon',
    'tickwright broker token --config config/live.yaml',
  ).action(async (flags: BrokerFlags) => {
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

const AGAIN = ['--again', 'send although the outcome of an equal call is unknown'] as const;

const withMoney = (command: Command): Command =>
  command
    .argument('<amount>', 'whole VND', amountOf)
    .option('--note <text>', 'text for the statement', '')
    .option(...AGAIN);

/** Money between accounts, and the cancel of stock orders. */
function addTransfers(context: SendContext): void {
  for (const kind of ['deposit', 'withdraw'] as const) {
    const way = kind === 'deposit' ? 'into' : 'out of';
    withMoney(
      addSend<MoneyFlags, Money>(
        context,
        kind,
        `${kind} margin ${way} the derivative account`,
        `tickwright broker ${kind} 50000000`,
        (_trader, { note }, amount) => ({ kind, amount, note }),
      ),
    );
  }
  withMoney(
    addSend<MoneyFlags, Money>(
      context,
      'transfer',
      'transfer money between sub-accounts',
      'tickwright broker transfer 1000000 --from 0001234567 --to 0001234568',
      (_trader, { from, to, note }, amount) => ({ kind: 'transfer', from, to, amount, note }),
    ),
  )
    .requiredOption('--from <account>', 'from this sub-account', idText)
    .requiredOption('--to <account>', 'to this sub-account', idText);
  addSend<SendFlags, string, readonly string[]>(
    context,
    'cancel-stock-orders',
    'cancel normal stock orders',
    'tickwright broker cancel-stock-orders 0001234567 8000123 8000124',
    (_trader, _flags, accountNo, orderIds) => ({ kind: 'cancel-stock-orders', accountNo, orderIds }),
  )
    .argument('<account>', 'normal or margin sub-account', idText)
    .argument('<orders...>', 'order ids');
}

// Orders by hand: place, change and cancel, with and without a trigger.

interface OrderFlags extends SendFlags {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly qty: Qty;
  readonly price: number;
  readonly stopLoss?: number;
  readonly takeProfit?: number;
  readonly leg?: string;
  readonly above?: number;
  readonly below?: number;
  readonly activation?: number;
  readonly trail?: number;
}

interface ChangeFlags extends SendFlags {
  readonly qty?: Qty;
  readonly price?: number;
  readonly trigger: number;
}

const withOrder = (command: Command): Command =>
  command
    .requiredOption('--symbol <code>', 'contract')
    .addOption(new Option('--side <side>').choices(['buy', 'sell']).makeOptionMandatory())
    .requiredOption('--qty <contracts>', 'whole contracts', quantity)
    .requiredOption('--price <points>', 'limit price', pointsAboveZero)
    .option(...AGAIN);

function addNormalOrders(context: SendContext): void {
  withOrder(
    addSend<OrderFlags>(
      context,
      'place',
      'place a limit order, also with stop-loss and take-profit, or after a leg',
      'tickwright broker place --symbol VN30F2601 --side buy --qty 1 --price 1300.5',
      (trader, flags) => {
        const contract = contractOf(trader, flags.symbol);
        const head = headOf(contract, flags);
        return { kind: 'place', ...head, terms: termsOf(trader, contract, head, flags) };
      },
    ),
  )
    .option('--stop-loss <points>', 'with --take-profit: for what of it fills', pointsAboveZero)
    .option('--take-profit <points>', 'with --stop-loss', pointsAboveZero)
    .option('--leg <code>', 'place it once our order in this contract fills');
  addSend<ChangeFlags, string>(
    context,
    'change',
    'change price or total quantity of an order that works',
    'tickwright broker change 17 --price 1301',
    changeOf,
  )
    .argument('<order>', 'its number, as in-day shows it', idText)
    .option('--price <points>', 'new price', pointsAboveZero)
    .option('--qty <contracts>', 'new total quantity', quantity);
  addSend<SendFlags, string>(
    context,
    'cancel',
    'cancel a normal order',
    'tickwright broker cancel 17 --yes',
    // Its number is enough: a cancel does not wait for the book.
    (_trader, _flags, order) => ({ kind: 'cancel', orderNo: brokerOrderNo(order) }),
  ).argument('<order>', 'its number, as in-day shows it', idText);
}

function addTriggerOrders(context: SendContext): void {
  withOrder(
    addSend<OrderFlags>(
      context,
      'condition-place',
      'let an order wait for a price: a stop, or a trailing stop',
      'tickwright broker condition-place --symbol VN30F2601 --side sell --qty 1 \\\n    --price 1290 --below 1292',
      (trader, flags) => {
        const contract = contractOf(trader, flags.symbol);
        return { kind: 'condition-place', ...headOf(contract, flags), trigger: triggerOf(contract, flags) };
      },
    ),
  )
    .option('--above <points>', 'a stop: send it when a trade is at this price or above', pointsAboveZero)
    .option('--below <points>', 'a stop: send it when a trade is at this price or below', pointsAboveZero)
    .option('--activation <points>', 'a trailing stop: follow the price from here on', pointsAboveZero)
    .option('--trail <points>', 'a trailing stop: how far behind the best price', pointsAboveZero);
  addSend<ChangeFlags, string>(
    context,
    'condition-change',
    'move the trigger of an order that waits',
    'tickwright broker condition-change 7625321 --trigger 1293',
    async (trader, { trigger }, key) => {
      const { orderNo, orderKey, orderCode } = await triggerOrderOf(trader, key);
      const triggerPrice = ticksOf(contractOf(trader, orderCode), trigger, 'trigger');
      return { kind: 'condition-change', orderNo, orderKey, orderCode, triggerPrice };
    },
  )
    .argument('<key>', 'its key, as conditions shows it', idText)
    .requiredOption('--trigger <points>', 'new trigger; of a trailing stop its activation', pointsAboveZero);
  addSend<SendFlags, string>(
    context,
    'condition-cancel',
    'cancel an order that waits for its trigger',
    'tickwright broker condition-cancel 7625321',
    async (trader, _flags, key) => {
      const { orderNo, orderKey } = await triggerOrderOf(trader, key);
      return { kind: 'condition-cancel', orderNo, orderKey };
    },
  ).argument('<key>', 'its key, as conditions shows it', idText);
}

const headOf = (contract: OrderContract, { side, qty, price }: OrderFlags) => ({
  orderCode: contract.code,
  side,
  qty,
  limitPrice: ticksOf(contract, price, 'price'),
});

function termsOf(
  trader: ManualTrader,
  contract: OrderContract,
  { side, limitPrice }: ReturnType<typeof headOf>,
  { stopLoss, takeProfit, leg }: OrderFlags,
): Extract<ManualCall, { kind: 'place' }>['terms'] {
  if (leg !== undefined && (stopLoss ?? takeProfit) === undefined) {
    return { kind: 'arbitrage', leg: contractOf(trader, leg).code };
  }
  if (leg === undefined && stopLoss !== undefined && takeProfit !== undefined) {
    const stopLossPrice = ticksOf(contract, stopLoss, 'stop-loss');
    const takeProfitPrice = ticksOf(contract, takeProfit, 'take-profit');
    const [low, high] = side === 'buy' ? [stopLossPrice, takeProfitPrice] : [takeProfitPrice, stopLossPrice];
    if (low < limitPrice && limitPrice < high) return { kind: 'bracket', stopLossPrice, takeProfitPrice };
    throw wrongUsage(`expected --stop-loss and --take-profit on either side of the price of a ${side}`);
  }
  if (leg === undefined && stopLoss === undefined && takeProfit === undefined) return { kind: 'regular' };
  throw wrongUsage('expected --stop-loss and --take-profit together, or --leg alone');
}

/** The exchange lets one change touch price or quantity (rulings, 10): the other is repeated from the book. */
async function changeOf(
  trader: ManualTrader,
  { qty, price }: ChangeFlags,
  order: string,
): Promise<ManualCall> {
  if ((qty === undefined) === (price === undefined)) {
    throw wrongUsage('expected --price or --qty, one of them');
  }
  const found = await orderOf(trader, order);
  const contract = contractOf(trader, found.orderCode);
  const limitPrice = price === undefined ? found.limitPrice : ticksOf(contract, price, 'price');
  if (limitPrice === null) throw failed(`order ${order} has no price to repeat`);
  if (qty !== undefined && found.filledQty > 0) {
    throw failed(`order ${order} is partly filled: only its price may be changed`);
  }
  const { orderNo, orderCode } = found;
  return { kind: 'change', orderNo, orderCode, qty: qty ?? found.qty, limitPrice };
}

function triggerOf(
  contract: OrderContract,
  { above, below, activation, trail }: OrderFlags,
): Extract<ManualCall, { kind: 'condition-place' }>['trigger'] {
  const given = [above, below, activation, trail].filter((value) => value !== undefined).length;
  if (activation !== undefined && trail !== undefined && given === 2) {
    return {
      kind: 'trailing_stop',
      activationPrice: ticksOf(contract, activation, 'activation'),
      trailingOffset: ticksOf(contract, trail, 'trail'),
    };
  }
  const level = above ?? below;
  if (level === undefined || given !== 1) {
    throw wrongUsage('expected --above or --below, or --activation with --trail');
  }
  return {
    kind: 'stop',
    triggerPrice: ticksOf(contract, level, above === undefined ? 'below' : 'above'),
    triggerWhen: above === undefined ? 'at_or_below' : 'at_or_above',
  };
}

async function orderOf(trader: ManualTrader, orderNo: string) {
  await needToken(trader);
  const { orders, reason } = await trader.rest.inDayBook(READ);
  return orders.find((order) => order.orderNo === orderNo) ?? absent(`order ${orderNo}`, reason);
}

async function triggerOrderOf(trader: ManualTrader, key: string) {
  await needToken(trader);
  const { orders, reason } = await trader.rest.conditions.book(READ);
  return orders.find(({ orderKey }) => orderKey === key) ?? absent(`condition ${key}`, reason);
}

function absent(what: string, reason: string): never {
  const hint = reason === '' ? '' : ` (${reason})`;
  throw nothingThere(`the broker's book does not show ${what}${hint}`);
}

type OrderContract = ReturnType<typeof contractOf>;

function contractOf(trader: ManualTrader, code: string) {
  const spec = trader.specOf(code);
  if (spec === undefined) {
    const hint = 'tickwright broker derivatives lists them';
    throw wrongUsage(`expected a contract of this market, was ${code} (${hint})`);
  }
  return { code: orderCode(code), spec };
}

function ticksOf({ spec }: OrderContract, points: number, what: string): PriceTicks {
  const price = parsePoints(spec, points, what);
  if (price.ok) return price.value;
  throw wrongUsage(`${what}: expected ${price.issues[0].expected}, was ${points}`);
}
