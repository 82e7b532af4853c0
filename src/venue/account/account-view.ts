/** Works out what the broker shows of an account from the ledger, the marks and the working orders. Holds nothing. */
import { rateOn } from '../../domain/costs.ts';
import { type Contract, valueAtHundredths } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { openProfit } from '../../domain/position.ts';
import { money, type PriceHundredths, type PriceTicks } from '../../domain/units.ts';
import type { AccountFigures, PositionFigures } from './account-figures.ts';
import { dayProfitAt, NO_HOLDING } from './holding.ts';
import type { Ledger, LedgerAccount } from './ledger.ts';
import {
  marginOf,
  type MarginTerms,
  NOTHING_WORKING,
  plus,
  type WorkingQty,
  worstPosition,
} from './margin.ts';
import { type PlaceLimit, refusal, type Refusal } from '../venue-command.ts';
import type { MarginLevel } from '../venue-event.ts';
import type { VenueRules } from '../venue-options.ts';

/** What the market says a contract is worth now: last trade, after the close the settlement price, before any the reference. */
export interface Mark {
  readonly contract: Contract;
  readonly price: PriceHundredths;
  readonly lastTrade: PriceTicks | null;
}

export interface AccountContext {
  readonly terms: MarginTerms;
  readonly rules: VenueRules;
  mark(code: OrderCode): Mark;
  working(account: LedgerAccount): ReadonlyMap<OrderCode, WorkingQty>;
}

/** Shown for an account that needs margin and has none. */
const USAGE_BPS_MAX = 10_000_000;

export function accountFigures(account: LedgerAccount, context: AccountContext): AccountFigures {
  const { terms, rules } = context;
  const working = context.working(account);
  const codes = new Set([...account.holdings.keys(), ...working.keys()]);
  let [initial, dayProfit, workingMargin] = [0, 0, 0];
  for (const code of codes) {
    const { price } = context.mark(code);
    const holding = account.holdings.get(code) ?? NO_HOLDING;
    const own = marginOf(terms, holding.entry.qty, price);
    const worst = worstPosition(holding.entry.qty, working.get(code) ?? NOTHING_WORKING);
    initial += own;
    workingMargin += marginOf(terms, worst, price) - own;
    dayProfit += dayProfitAt(holding, valueAtHundredths(terms.spec, price, 1));
  }
  const { brokerFee, exchangeFee, clearingFee, tax } = account.accrued;
  const uncollected = brokerFee + exchangeFee + clearingFee + tax;
  const collateral = account.cash;
  const required = initial + lossOf(dayProfit) + uncollected;
  const usage = usageBps(required, collateral);
  const atRatio = (bps: number): number => Math.ceil((required * 10_000) / bps);
  return {
    accountId: account.accountId,
    subAccountId: account.subAccountId,
    cash: money(account.cash),
    collateral: money(collateral),
    netAssetValue: money(account.cash + dayProfit - uncollected),
    initialMargin: money(initial),
    dayProfit: money(dayProfit),
    deliveryMargin: money(0),
    requiredMargin: money(required),
    workingMargin: money(workingMargin),
    buyingPower: money(
      Math.max(0, Math.floor((collateral * rules.entryBps) / 10_000) - required - workingMargin),
    ),
    usageBps: usage,
    level: levelOf(usage, rules),
    uncollected: money(uncollected),
    brokerFee: money(brokerFee),
    exchangeFee: money(exchangeFee),
    clearingFee: money(clearingFee),
    tax: money(tax),
    withdrawable: money(Math.max(0, account.cash - atRatio(rules.entryBps) - workingMargin)),
    topUp: money(Math.max(0, atRatio(rules.warnBps) - collateral)),
  };
}

const lossOf = (profit: number): number => Math.max(0, -profit);

function usageBps(required: number, collateral: number): number {
  if (required === 0) return 0;
  return collateral > 0
    ? Math.min(USAGE_BPS_MAX, Math.ceil((required / collateral) * 10_000))
    : USAGE_BPS_MAX;
}

function levelOf(usage: number, { entryBps, warnBps, forceBps }: VenueRules): MarginLevel {
  if (usage >= forceBps) return 'forced_close';
  if (usage >= warnBps) return 'warned';
  return usage >= entryBps ? 'no_entry' : 'sound';
}

export function positionFigures(account: LedgerAccount, context: AccountContext): PositionFigures[] {
  const working = context.working(account);
  return Array.from(account.holdings, ([code, holding]) => {
    const { contract, price, lastTrade } = context.mark(code);
    const { terms } = context;
    const unitValue = valueAtHundredths(terms.spec, price, 1);
    const net = holding.entry.qty;
    const { buy, sell } = working.get(code) ?? NOTHING_WORKING;
    const initial = marginOf(terms, net, price);
    const dayProfit = dayProfitAt(holding, unitValue);
    return {
      orderCode: code,
      net,
      marginBps: rateOn(terms.costs.marginBps, terms.day),
      lastPrice: price,
      openValue: holding.entry.openValue,
      boughtQty: holding.boughtQty,
      boughtValue: money(holding.boughtValue),
      soldQty: holding.soldQty,
      soldValue: money(holding.soldValue),
      initialMargin: initial,
      requiredMargin: money(initial + lossOf(dayProfit)),
      dayProfit,
      openProfit: openProfit(holding.entry, unitValue),
      closedProfit: holding.day.realised,
      closableQty: Math.max(0, Math.abs(net) - (net > 0 ? sell : buy)),
      longQty: Math.max(0, net),
      shortQty: Math.max(0, 0 - net),
      expiryDay: contract.expiry,
      lastTradePrice: lastTrade,
    };
  });
}

/** Has the account margin and room for this much more? An order that reduces the position, working orders considered, is never refused. */
export function riskRefusal(command: PlaceLimit, ledger: Ledger, context: AccountContext): Refusal | null {
  const account = ledger.account(command.accountId);
  if (account === undefined) return refusal(-6001);
  const all = context.working(account);
  const working = all.get(command.orderCode) ?? NOTHING_WORKING;
  const net = ledger.netOf(command.accountId, command.orderCode);
  const before = worstPosition(net, working);
  const after = worstPosition(net, plus(working, command.side, command.qty));
  if (after <= before) return null;
  let elsewhere = 0;
  for (const code of new Set([...account.holdings.keys(), ...all.keys()])) {
    const held = account.holdings.get(code)?.entry.qty ?? 0;
    if (code !== command.orderCode) elsewhere += worstPosition(held, all.get(code) ?? NOTHING_WORKING);
  }
  if (elsewhere + after > context.rules.positionMax) return refusal(-6038);
  const figures = accountFigures(account, context);
  if (figures.usageBps >= context.rules.entryBps) return refusal(-6032);
  const { price } = context.mark(command.orderCode);
  const extra = marginOf(context.terms, after, price) - marginOf(context.terms, before, price);
  return extra > figures.buyingPower ? refusal(-6012) : null;
}
