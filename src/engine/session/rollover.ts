/** Resolves the symbols of strategies to contracts, and again when a contract has expired. */
import { rollsFrom, type TradingCalendar } from '../../domain/calendar.ts';
import { addDays, type TradingDay } from '../../domain/civil-date.ts';
import { aliasOf, type ContractMonth, contractMonthOf, listedMonths } from '../../domain/contract-code.ts';
import type { Contract } from '../../domain/contract.ts';
import { addNew } from '../../domain/lists.ts';
import { issuesText, notParsed, parsed, type ParseResult } from '../../domain/parsed.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import { type InstrumentIndex, type StrategyIndex, strategyIndex, type TsUs } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import type { PositionKey } from './targets.ts';

export class RolloverMonitor {
  readonly #state: EngineState;
  readonly #alerted = new Set<string>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** Resolves every strategy's symbols against the current contract table. */
  apply(): void {
    const { settings, registry, contracts } = this.#state;
    if (contracts.all.length === 0) return;
    settings.strategies.forEach((each, i) => {
      if (!registry.isStopped(strategyIndex(i))) this.#applyTo(strategyIndex(i), each);
    });
    this.checkLeft();
    this.#planNext();
  }

  /**
   * A strategy sees neither positions nor orders in a contract that it has left, as F2M does at a roll, and any strategy whose symbols
   * were edited: entries there are withdrawn, positions are alerted. So are those in a contract that the list says is over. After each list,
   * and each read of the positions.
   */
  checkLeft(): void {
    const { calendar, context, contracts, orders, portfolio, session, withdrawal } = this.#state;
    // At night nothing fills.
    for (const order of session.phase === 'closed' ? [] : orders.open) {
      const { purpose, isAdopted, extras, clientOrderId } = order;
      if (purpose !== 'entry' || isAdopted || extras.isWithdrawn) continue;
      if (this.#hasLeft(order) && !withdrawal.isCover(clientOrderId)) withdrawal.withdrawOrder(order);
    }
    for (const held of portfolio.held()) {
      const contract = contracts.at(held.instrument);
      if (contract === undefined) continue;
      if (context.nowUs >= rollsFrom(calendar, contract)) this.#alertExpired(held, contract);
      else if (this.#hasLeft(held)) this.#alertLeft(held, contract);
    }
  }

  #alertLeft({ strategy, qty }: HeldPosition, { orderCode: code }: Contract): void {
    const { registry } = this.#state;
    const codes = registry.legs(strategy).map(({ orderCode }) => orderCode);
    const text = `${qty} of ${code}: ${registry.idOf(strategy)} trades ${codes.join(', ')} and does not see it; its stops stay`;
    this.#alertHeld(strategy, text);
  }

  /** The broker still lists the contract and shows the position: the expiry on its list is wrong. */
  #alertExpired({ strategy, instrument, qty }: HeldPosition, { orderCode, expiry }: Contract): void {
    const { contracts, positionReconciler, session } = this.#state;
    if (session.phase === 'closed' || session.tradingDay() <= expiry || contracts.isEnded(instrument)) return;
    if ((positionReconciler.brokerQty(instrument) ?? 0) === 0) return;
    const text = `${qty} of ${orderCode}: the broker shows the position, and its list says that the contract expired on ${expiry}; exits leave, its stops stay`;
    this.#alertHeld(strategy, text);
  }

  #alertHeld(strategy: StrategyIndex, text: string): void {
    if (addNew(this.#alerted, text))
      this.#state.context.alert(strategy, 'critical', 'held_outside_symbols', text);
  }

  /** An earlier version of the strategy traded what it named. */
  #hasLeft({ strategy, instrument }: PositionKey): boolean {
    const { context, registry } = this.#state;
    const legs = registry.legs(strategy);
    if (registry.isStopped(strategy) || context.decisions.isOlderVersion(strategy)) return false;
    return (
      legs.length > 0 &&
      legs.every(({ index }) => index !== instrument) &&
      !this.#comesBack(strategy, instrument)
    );
  }

  /** A list without the new month moves an alias on: the next one, of the morning at night, brings its contract back. */
  #comesBack(strategy: StrategyIndex, instrument: InstrumentIndex): boolean {
    const { calendar, contracts, session, settings } = this.#state;
    const day = addDays(session.tradingDay(), session.phase === 'closed' ? 1 : 0);
    return (settings.strategies[strategy]?.symbols ?? []).some((symbol) => {
      const alias = aliasOf(symbol);
      if (alias === undefined) return false;
      const months = listedMonths(calendar, alias.underlying, day);
      return isOfMonth(contracts.codeOf(instrument), months[alias.place]);
    });
  }

  #applyTo(strategy: StrategyIndex, { id, symbols }: StrategySettings): void {
    const { calendar, context, contracts, registry, session, stopper } = this.#state;
    const before = registry.legs(strategy);
    const legs: Contract[] = [];
    /** An alias with what it means from now on: of the day that ends it may mean another month, or the list may lack its new one. */
    const names: string[] = [];
    const day = session.tradingDay();
    let lacksMonth = false;
    /** A month is to come: until then its alias may stand on another leg. */
    let isProvisional = false;
    let twin: string | null = null;
    for (const symbol of symbols) {
      const found = resolveSymbol(symbol, contracts.all, calendar, context.nowUs);
      if (!found.ok) return this.#alertUnresolved(strategy, before, issuesText([found.issues[0]]));
      if (legs.includes(found.value))
        twin = `${symbol} is ${found.value.orderCode}, as another leg is: each trades a contract of its own`;
      legs.push(found.value);
      this.#alertUnlisted(strategy, symbol, found.value);
      const isLate = this.#isOtherMonth(symbol, found.value, addDays(day, 1));
      const { orderCode } = found.value;
      const month = isLate ? 'the next list has its month' : orderCode;
      names.push(aliasOf(symbol) === undefined ? orderCode : `${symbol} (${month})`);
      const isOther = this.#isOtherMonth(symbol, found.value, day);
      isProvisional ||= isLate || isOther;
      if (!isOther) continue;
      lacksMonth = true;
      const text = `${symbol}: the broker does not list its month yet: ${id} sees ${found.value.orderCode} in its place and enters nothing; tickwright rollover reads the list again`;
      if (addNew(this.#alerted, text)) context.alert(strategy, 'warning', 'symbol_unresolved', text);
    }
    if (twin !== null && !isProvisional) return stopper.stop(strategy, twin, null);
    const isSame =
      before.length === legs.length && legs.every(({ index }, leg) => before[leg]?.index === index);
    if (isSame && lacksMonth === registry.lacksMonth(strategy)) return;
    registry.setLegs(strategy, legs, lacksMonth);
    if (before.length === 0 || isSame) return;
    const codes = names.filter((_, leg) => before[leg]?.index !== legs[leg]?.index).join(', ');
    context.alert(strategy, 'info', 'rolled_over', `${id} trades ${codes} from now on`);
  }

  /** A list without a contract that still trades may be wrong: the strategy keeps its contract. */
  #alertUnresolved(strategy: StrategyIndex, before: readonly Contract[], why: string): void {
    const { calendar, context, stopper } = this.#state;
    const now = context.nowUs;
    const isUsable = before.length > 0 && before.every((contract) => now < rollsFrom(calendar, contract));
    if (!isUsable) return stopper.stop(strategy, why, null);
    if (!addNew(this.#alerted, `${strategy} ${why}`)) return;
    context.alert(strategy, 'warning', 'symbol_unresolved', `${why}; the contracts of before are kept`);
  }

  /** It has left the list before its end: the strategy keeps it, and no price of it comes. */
  #alertUnlisted(strategy: StrategyIndex, symbol: string, { index, orderCode, expiry }: Contract): void {
    const { context, contracts, polls, registry } = this.#state;
    if (!contracts.isEnded(index)) return;
    polls.onContractMissing();
    const text = `${symbol}: the broker's list lacks ${orderCode}, which expires on ${expiry}: ${registry.idOf(strategy)} keeps it, and gets no prices until it is listed again`;
    if (addNew(this.#alerted, text)) context.alert(strategy, 'warning', 'symbol_unresolved', text);
  }

  /** The list of the morning after an expiry may lack the new month: F2M is a quarter end then, until the list comes. */
  #isOtherMonth(symbol: string, { orderCode }: Contract, day: TradingDay): boolean {
    const { calendar, context, contracts } = this.#state;
    const alias = aliasOf(symbol);
    if (alias === undefined) return false;
    const { underlying, place } = alias;
    const months = listedMonths(calendar, underlying, day);
    const [front] = liveContracts(contracts.all, calendar, context.nowUs, underlying);
    // After the last close of a contract the months of its day are those of before.
    return isOfMonth(front?.orderCode, months[0]) && !isOfMonth(orderCode, months[place]);
  }

  /** The next moment at which a listed contract is left. */
  #planNext(): void {
    const { calendar, timers, contracts, context } = this.#state;
    const ends = contracts.all
      .map((contract) => rollsFrom(calendar, contract))
      .filter((from) => from > context.nowUs);
    const [first] = ends.toSorted((a, b) => Number(a) - Number(b));
    if (first === undefined) timers.stop(this);
    else timers.at(this, first, () => this.apply());
  }
}

/**
 * The contract that a configured symbol names today (market rules, 1 and 2). An alias counts the contracts that are not over yet, nearest expiry first; soon after the close of its last day a contract no
 * longer counts. Anything else is a code, in either of its forms.
 */
export function resolveSymbol(
  symbol: string,
  contracts: readonly Contract[],
  calendar: TradingCalendar,
  now: TsUs,
): ParseResult<Contract> {
  const alias = aliasOf(symbol);
  const contract =
    alias === undefined
      ? byCode(symbol, contracts)
      : liveContracts(contracts, calendar, now, alias.underlying)[alias.place];
  if (contract === undefined) return notParsed(symbol, 'a listed contract', codesOf(contracts));
  if (now >= rollsFrom(calendar, contract))
    return notParsed(symbol, 'a contract that has not expired', contract.expiry);
  return parsed(contract);
}

const liveContracts = (
  contracts: readonly Contract[],
  calendar: TradingCalendar,
  now: TsUs,
  underlying: string,
): readonly Contract[] =>
  contracts
    .filter((contract) => contract.spec.underlying === underlying && now < rollsFrom(calendar, contract))
    .toSorted((a, b) => (a.expiry < b.expiry ? -1 : 1));

function byCode(symbol: string, contracts: readonly Contract[]): Contract | undefined {
  const exact = contracts.find(({ orderCode, streamCode }) => orderCode === symbol || streamCode === symbol);
  const month = contractMonthOf(symbol);
  if (exact !== undefined || month === undefined) return exact;
  return contracts.find(({ orderCode }) => isSameMonth(contractMonthOf(orderCode), month));
}

const isSameMonth = (a: ContractMonth | undefined, b: ContractMonth): boolean =>
  a !== undefined && a.underlying === b.underlying && a.year === b.year && a.month === b.month;

const isOfMonth = (code: string | undefined, month: ContractMonth | undefined): boolean =>
  code !== undefined && month !== undefined && isSameMonth(contractMonthOf(code), month);

const codesOf = (contracts: readonly Contract[]): string =>
  contracts.map(({ orderCode }) => orderCode).join(' ');
