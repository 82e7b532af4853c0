/** Money and positions of one account as the broker shows them (notes, 5), from ledger, marks and working orders. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { initialMargin, rateOn } from '../../domain/costs.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { type Side, SIDES, signOf } from '../../domain/order.ts';
import { openProfit } from '../../domain/position.ts';
import { BPS, type PriceHundredths, money, qty, tsUs } from '../../domain/units.ts';
import { type PlaceLimit, refusal, type Refusal, insufficientFunds } from '../venue-command.ts';
import type { MarginLevel } from '../venue-event.ts';
import type { AccruedCosts, LedgerAccount, Rounds } from './ledger.ts';
import {
  type MarginRules,
  type MarginTerms,
  NOTHING_WORKING,
  plus,
  type WorkingQty,
  marginOf,
  usageBps,
  worstPosition,
} from './margin.ts';

/** Price of a contract now: last trade, after the close the settlement price, before any trade the reference. */
export interface Mark extends MarginTerms {
  readonly contract: Contract;
  readonly price: PriceHundredths;
}

export interface AccountContext {
  readonly day: TradingDay;
  readonly rules: MarginRules;
  mark(code: OrderCode): Mark;
  working(id: AccountId): ReadonlyMap<OrderCode, WorkingQty>;
}

export const uncollectedOf = ({ brokerFee, exchangeFee, clearingFee, tax }: AccruedCosts): number =>
  brokerFee + exchangeFee + clearingFee + tax;

/** Over all contracts, at their marks; flat contracts need none. */
export function dayProfitOf(
  { holdings }: Pick<LedgerAccount, 'holdings'>,
  marks: { mark(code: OrderCode): MarginTerms },
): number {
  let profit = 0;
  for (const [code, holding] of holdings)
    profit +=
      holding.entry.qty === 0 ? holding.day.realised : holding.dayProfitAt(marks.mark(code).unitValue);
  return profit;
}

export function marginFigures(account: LedgerAccount, context: AccountContext) {
  const { rules } = context;
  const { cash } = account;
  const { day } = context;
  let initial = 0;
  let dayProfit = 0;
  for (const [code, holding] of account.holdings) {
    const { qty: net } = holding.entry;
    if (net === 0) dayProfit += holding.day.realised;
    else {
      const { costs, unitValue } = context.mark(code);
      initial += initialMargin(costs, day, Math.abs(net) * unitValue, net);
      dayProfit += holding.dayProfitAt(unitValue);
    }
  }
  const uncollected = uncollectedOf(account.accrued);
  const required = initial + lossOf(dayProfit) + uncollected;
  const free = Math.floor((cash * rules.entryBps) / BPS) - required - workingMargin(account, context);
  const usage = usageBps(required, cash);
  return {
    cash: money(cash),
    collateral: money(cash),
    netAssetValue: money(cash + dayProfit - uncollected),
    initialMargin: money(initial),
    /** `vm`: profit of the day, open and closed, before costs. */
    dayProfit: money(dayProfit),
    requiredMargin: money(required),
    buyingPower: money(Math.max(0, free)),
    /** `tyle` in parts of 10,000. */
    usageBps: usage,
    level: levelOf(usage, rules),
    /** Fees and tax of the day, accrued and not yet taken from cash. */
    uncollected: money(uncollected),
  };
}

/**
 * Identities: `requiredMargin = initialMargin + max(0, -dayProfit) + deliveryMargin + uncollected`;
 * `usageBps = requiredMargin / collateral`; `netAssetValue = cash + dayProfit - uncollected`;
 * `buyingPower = collateral x entry ratio - requiredMargin - workingMargin`, never below zero.
 */
export type AccountFigures = ReturnType<typeof accountFigures>;

export function accountFigures(account: LedgerAccount, context: AccountContext) {
  const { rules } = context;
  const { brokerFee, exchangeFee, clearingFee, tax } = account.accrued;
  const figures = marginFigures(account, context);
  const atRatio = (bps: number): number => Math.ceil((figures.requiredMargin * BPS) / bps);
  const free = account.cash - atRatio(rules.entryBps) - workingMargin(account, context);
  return {
    ...figures,
    accountId: account.accountId,
    subAccountId: account.subAccountId,
    deliveryMargin: money(0),
    brokerFee: money(brokerFee),
    exchangeFee: money(exchangeFee),
    clearingFee: money(clearingFee),
    tax: money(tax),
    withdrawable: money(Math.max(0, free)),
    /** Cash missing to come back under the warning ratio. */
    topUp: money(Math.max(0, atRatio(rules.warnBps) - account.cash)),
  };
}

/** Margin that working orders would need on top of the positions' margin. */
function workingMargin(account: LedgerAccount, context: AccountContext): number {
  let margin = 0;
  for (const [code, working] of context.working(account.accountId)) {
    const net = netIn(account, code);
    const mark = context.mark(code);
    margin += marginOf(mark, context.day, worstPosition(net, working)) - marginOf(mark, context.day, net);
  }
  return margin;
}

const netIn = ({ holdings }: LedgerAccount, code: OrderCode): number => holdings.get(code)?.entry.qty ?? 0;

const worstIn = (
  account: LedgerAccount,
  working: ReadonlyMap<OrderCode, WorkingQty>,
  code: OrderCode,
): number => worstPosition(netIn(account, code), working.get(code) ?? NOTHING_WORKING);

/** Refusal of an order without margin or room; null otherwise, and for one that reduces the position, working orders considered. */
export function riskRefusal(
  { orderCode: code, side, qty: more }: Pick<PlaceLimit, 'orderCode' | 'side' | 'qty'>,
  account: LedgerAccount,
  context: AccountContext,
): Refusal | null {
  const { day, rules } = context;
  const working = context.working(account.accountId);
  const before = worstIn(account, working, code);
  const after = worstPosition(netIn(account, code), plus(working.get(code) ?? NOTHING_WORKING, side, more));
  if (after <= before) return null;
  let positions = after;
  for (const other of account.holdings.keys())
    if (other !== code) positions += worstIn(account, working, other);
  for (const other of working.keys())
    if (other !== code && !account.holdings.has(other)) positions += worstIn(account, working, other);
  if (positions > rules.positionMax) return refusal(-6038);
  const { usageBps: usage, buyingPower: free } = marginFigures(account, context);
  if (usage >= rules.entryBps) return refusal(-6032);
  const mark = context.mark(code);
  return insufficientFunds(marginOf(mark, day, after) - marginOf(mark, day, before), free);
}

const lossOf = (profit: number): number => Math.max(0, -profit);

function levelOf(usage: number, { entryBps, warnBps, forceBps }: MarginRules): MarginLevel {
  if (usage >= forceBps) return 'forced_close';
  if (usage >= warnBps) return 'warned';
  return usage >= entryBps ? 'no_entry' : 'sound';
}

export type PositionFigures = ReturnType<typeof positionFigures>[number];

export function positionFigures(account: LedgerAccount, context: AccountContext) {
  const working = context.working(account.accountId);
  return Array.from(account.holdings, ([code, holding]) => {
    const mark = context.mark(code);
    const { unitValue } = mark;
    const net = holding.entry.qty;
    const { buy, sell } = working.get(code) ?? NOTHING_WORKING;
    const initial = marginOf(mark, context.day, net);
    const dayProfit = holding.dayProfitAt(unitValue);
    return {
      orderCode: code,
      net,
      marginBps: rateOn(mark.costs.marginBps, context.day),
      lastPrice: mark.price,
      /** Average entry of the open quantity: money, not a price; divide by |net| to show it. */
      openValue: holding.entry.openValue,
      boughtQty: holding.boughtQty,
      boughtValue: money(holding.boughtValue),
      soldQty: holding.soldQty,
      soldValue: money(holding.soldValue),
      initialMargin: initial,
      requiredMargin: money(initial + lossOf(dayProfit)),
      /** Profit since the last settlement (or since entry today), open and closed. */
      dayProfit,
      openProfit: openProfit(holding.entry, unitValue),
      /** Profit of the contracts closed today, against their entry or the last settlement. */
      closedProfit: holding.day.realised,
      /** Contracts that can still be closed: |net| less working closing orders. */
      closableQty: Math.max(0, Math.abs(net) - (net > 0 ? sell : buy)),
      longQty: Math.max(0, net),
      shortQty: Math.max(0, 0 - net),
      expiryDay: mark.contract.expiry,
    };
  });
}

/** Contracts closed today in one contract and direction. */
export type ClosedPosition = ReturnType<typeof closedRow>[number];

export function closedPositionsOf(account: LedgerAccount, context: AccountContext): ClosedPosition[] {
  const rows: ClosedPosition[] = [];
  for (const [code, rounds] of account.settled) {
    for (const side of SIDES) rows.push(...closedRow(code, side, rounds, 0, 0));
  }
  for (const [code, { entry, rounds }] of account.holdings) {
    const open = openProfit(entry, context.mark(code).unitValue);
    for (const side of SIDES) rows.push(...closedRow(code, side, rounds, signOf(side) * entry.qty, open));
  }
  return rows;
}

/** No row where nothing was closed. */
function closedRow(code: OrderCode, side: Side, rounds: Rounds, net: number, open: number) {
  const round = side === 'buy' ? rounds.long : rounds.short;
  if (round.qty === 0) return [];
  const held = Math.max(0, net);
  const gain = round.closeValue - round.openValue;
  return [
    {
      orderCode: code,
      /** How it was opened: `buy` was long. */
      side,
      closedQty: qty(round.qty),
      /** Closed today and still open, on this side. */
      totalQty: qty(round.qty + held),
      /** Money at which the closed contracts were entered and left: divide by `closedQty` for the averages. */
      openValue: money(round.openValue),
      closeValue: money(round.closeValue),
      fee: money(round.fee),
      tax: money(round.tax),
      /** Against the entry, before costs. */
      closedProfit: money(side === 'buy' ? gain : -gain),
      /** Of the contracts still open on this side, against their entry. */
      openProfit: money(held === 0 ? 0 : open),
      lastClosedUs: tsUs(round.lastUs),
    },
  ];
}
