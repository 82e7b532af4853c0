/** A call by hand as data: checked, described, recorded and sent in this form. */
import { formatNumber } from '../../text/numbers.ts';
import type {
  ChangeRequest,
  ConditionRef,
  ConditionToChange,
  ConditionToPlace,
  PlaceRequest,
} from '../../broker/rest/rest-client.ts';
import type { Config } from '../../config/config.ts';
import { type ContractSpec, formatPoints } from '../../domain/contract.ts';
import type { BrokerOrderNo } from '../../domain/ids.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { CashMove, MoneyTransfer } from '../../wire/rest/money-calls.ts';

type OrderHead = Omit<ConditionToPlace, 'callId' | 'trigger'>;

export type MoneyCall =
  | (CashMove & { readonly kind: 'deposit' | 'withdraw' })
  | (MoneyTransfer & { readonly kind: 'transfer' });

/** Named as the operations are. */
export type ManualCall =
  | (OrderHead & { readonly kind: 'place'; readonly terms: NonNullable<PlaceRequest['terms']> })
  | (Omit<ChangeRequest, 'callId'> & { readonly kind: 'change' })
  | { readonly kind: 'cancel'; readonly orderNo: BrokerOrderNo }
  | (OrderHead & { readonly kind: 'condition-place'; readonly trigger: ConditionToPlace['trigger'] })
  | (Omit<ConditionToChange, 'callId'> & { readonly kind: 'condition-change' })
  | (ConditionRef & { readonly kind: 'condition-cancel' })
  | MoneyCall
  | {
      readonly kind: 'cancel-stock-orders';
      readonly accountNo: string;
      readonly orderIds: readonly string[];
    };

export const isMoneyCall = (call: ManualCall): call is MoneyCall =>
  call.kind === 'deposit' || call.kind === 'withdraw' || call.kind === 'transfer';

/** Only removes orders, so it may be sent when nothing else may. */
export const isCancel = ({ kind }: ManualCall): boolean =>
  kind === 'cancel' || kind === 'condition-cancel' || kind === 'cancel-stock-orders';

/** One line that the operator confirms. */
export function describeCall(call: ManualCall, subAccount: string, spec: ContractSpec | undefined): string {
  const points = (price: PriceTicks): string => (spec === undefined ? '?' : formatPoints(spec, price));
  const order = ({ side, qty, orderCode, limitPrice }: OrderHead): string =>
    `${side} ${qty} ${orderCode} at ${points(limitPrice)} on ${subAccount}`;
  switch (call.kind) {
    case 'place':
      return `place: ${order(call)}${termsText(call.terms, points)}`;
    case 'change':
      return `change order ${call.orderNo} of ${call.orderCode} to ${call.qty} at ${points(call.limitPrice)}`;
    case 'cancel':
      return `cancel order ${call.orderNo}`;
    case 'condition-place':
      return `when ${triggerText(call.trigger, points, spec)}, ${order(call)}`;
    case 'condition-change':
      return `move the trigger of condition ${call.orderKey} of ${call.orderCode} to ${points(call.triggerPrice)}`;
    case 'condition-cancel':
      return `cancel condition ${call.orderKey}`;
    case 'deposit':
      return `deposit ${formatNumber(call.amount)} VND into ${subAccount}`;
    case 'withdraw':
      return `withdraw ${formatNumber(call.amount)} VND from ${subAccount}`;
    case 'transfer':
      return `transfer ${formatNumber(call.amount)} VND from ${call.from} to ${call.to}`;
    case 'cancel-stock-orders':
      return `cancel stock orders ${call.orderIds.join(', ')} of ${call.accountNo}`;
  }
}

type Points = (price: PriceTicks) => string;

function termsText(terms: NonNullable<PlaceRequest['terms']>, points: Points): string {
  switch (terms.kind) {
    case 'regular':
      return '';
    case 'bracket':
      return `, stop-loss ${points(terms.stopLossPrice)}, take-profit ${points(terms.takeProfitPrice)}`;
    case 'arbitrage':
      return `, once our order in ${terms.leg} fills`;
  }
}

function triggerText(
  trigger: ConditionToPlace['trigger'],
  points: Points,
  spec: ContractSpec | undefined,
): string {
  if (trigger.kind === 'stop') {
    const way = trigger.triggerWhen === 'at_or_above' ? 'rises to' : 'falls to';
    return `the price ${way} ${points(trigger.triggerPrice)}`;
  }
  const step = spec === undefined ? '?' : (trigger.trailingOffset * spec.hundredthsPerTick) / 100;
  return `the price, followed from ${points(trigger.activationPrice)} on, turns by ${step}`;
}

interface Surroundings {
  readonly config: Config;
  /** The derivative sub-account of the configuration. */
  readonly subAccountId: string;
  /** The environment arms real orders. */
  readonly isArmed: boolean;
}

/** Reason why the call may not be sent, or null; confirmation does not lift it. */
export function callRefusal(
  call: ManualCall,
  { config, subAccountId, isArmed }: Surroundings,
): string | null {
  if (config.mode === 'dry-run') return 'mode dry-run: nothing is sent';
  if (config.mode === 'live' && !isArmed && !isCancel(call)) {
    return 'mode live: expected TICKWRIGHT_ARM=yes in the environment; without it only cancels leave';
  }
  if (isMoneyCall(call)) return moneyRefusal(call, config.money, subAccountId);
  if (!('qty' in call)) return null;
  const { orderQtyMax } = config.engine.risk;
  return call.qty > orderQtyMax
    ? `quantity ${call.qty}: expected at most risk.orderQtyMax, ${orderQtyMax}`
    : null;
}

function moneyRefusal(call: MoneyCall, money: Config['money'], subAccountId: string): string | null {
  if (money === undefined) {
    return 'money does not move: expected a section money: { accounts: [...], amountMax: ... } in the configuration';
  }
  const named = call.kind === 'transfer' ? [call.from, call.to] : [subAccountId];
  const foreign = named.find((account) => !money.accounts.includes(account));
  if (foreign !== undefined) return `account ${foreign}: expected one that money.accounts names`;
  if (call.kind === 'transfer' && call.from === call.to)
    return 'a transfer has two ends: expected two accounts';
  if (call.amount <= 0) return `amount ${call.amount}: expected VND above zero`;
  return call.amount > money.amountMax
    ? `amount ${call.amount}: expected at most money.amountMax, ${money.amountMax}`
    : null;
}
