/**
 * Whose a new row of the conditional book is. The exits of a bracket belong to it and to its strategy; what nobody here asked
 * for is watched under the operator's name and never changed (rulings, 40).
 */
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { clientOrderId, type ClientOrderId } from '../../domain/ids.ts';
import { opposite } from '../../domain/order.ts';
import { OPERATOR_INDEX, priceTicks } from '../../domain/units.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { Orders } from '../orders/orders.ts';
import { OurOrder } from '../orders/our-order.ts';
import type { CarriedCondition } from '../ports/engine-event.ts';
import type { EventContext } from '../state/event-context.ts';

/** Of a row that names neither limit nor trigger. */
const NO_PRICE = priceTicks(1);

export interface ConditionOwnersParts {
  readonly turn: EventContext;
  readonly contracts: ContractTable;
  readonly orders: Orders;
  readonly tradingDay: () => TradingDay;
}

export class ConditionOwners {
  readonly #parts: ConditionOwnersParts;
  /** Brackets of today, whether or not they still work: exits outlive their entry. */
  readonly #brackets = new Set<OurOrder>();
  readonly #unknownContracts = new Set<string>();

  constructor(parts: ConditionOwnersParts) {
    this.#parts = parts;
  }

  /** A bracket was placed. */
  expect(bracket: OurOrder): void {
    this.#brackets.add(bracket);
  }

  nextDay(): void {
    this.#brackets.clear();
  }

  /** An exit of one of our brackets, or undefined. */
  exitOf(row: BrokerTriggerOrder): OurOrder | undefined {
    if (row.kind !== 'exit') return undefined;
    for (const bracket of this.#brackets) {
      if (bracket.orderCode !== row.orderCode || opposite(bracket.side) !== row.side) continue;
      const exits = this.#exitsOf(bracket);
      if (!isTriggerOf(bracket, row) && !exits.some(({ triggerPrice }) => triggerPrice === row.triggerPrice))
        continue;
      const exit = this.#add(row, {
        clientOrderId: this.#nameOf(row, 'X'),
        owner: bracket,
        parent: bracket.clientOrderId,
      });
      if (exit === undefined) return undefined;
      const other = exits.find(
        (each) => !each.isFinal && each.partner === null && each.triggerWhen !== exit.triggerWhen,
      );
      if (other !== undefined) {
        exit.partner = other;
        exit.isSecondHalf = true;
        other.partner = exit;
      }
      return exit;
    }
    return undefined;
  }

  /** Contracts that the exits of a bracket cover: the smaller half counts. */
  coveredBy(bracket: OurOrder): number {
    const halves = new Map<string, number>();
    for (const exit of this.#exitsOf(bracket)) {
      const half = exit.triggerWhen ?? '';
      halves.set(half, (halves.get(half) ?? 0) + exit.qty);
    }
    return halves.size < 2 ? 0 : Math.min(...halves.values());
  }

  /** Undefined for what has ended, and for a contract that is not listed: that is said once. */
  adopt(row: BrokerTriggerOrder): OurOrder | undefined {
    if (row.status !== 'pending' && row.status !== 'unrecognized') return undefined;
    const { turn } = this.#parts;
    const order = this.#add(row, { clientOrderId: this.#nameOf(row, 'W'), owner: null, parent: null });
    if (order === undefined) return undefined;
    const trigger = row.triggerPrice === null ? '' : ` at ${row.triggerPrice} ticks`;
    const text = `not ours: ${row.kind} ${row.side} ${row.qty} ${row.orderCode}${trigger} waits at the broker, no. ${row.orderNo}`;
    turn.alert(OPERATOR_INDEX, 'warning', 'condition_adopted', text);
    return order;
  }

  /** Waited already when the last session ended. */
  carry({ clientOrderId: id, parent, purpose, instrument, row, strategy }: CarriedCondition): void {
    const { orders, turn } = this.#parts;
    if (orders.get(id) !== undefined) return;
    const order = new OurOrder({
      clientOrderId: id,
      strategy,
      purpose,
      instrument,
      orderCode: row.orderCode,
      side: row.side,
      qty: row.qty,
      limitPrice: row.limitPrice ?? row.triggerPrice ?? NO_PRICE,
      isAdopted: strategy === OPERATOR_INDEX,
      createdUs: turn.nowUs,
      book: 'conditional',
      ...(parent === null ? {} : { parent }),
    });
    this.#enter(order, row);
    order.tellOnce('carried');
    // The day after may know it only from here.
    const head = { cause: turn.seq, tsUs: turn.nowUs, strategy };
    turn.append({ ...head, kind: 'condition_known', clientOrderId: id, parent, purpose, instrument, row });
  }

  #exitsOf(bracket: OurOrder): readonly OurOrder[] {
    return this.#parts.orders.childrenOf(bracket.clientOrderId).filter(({ isWaiting }) => isWaiting);
  }

  #add(
    row: BrokerTriggerOrder,
    who: {
      readonly clientOrderId: ClientOrderId;
      readonly owner: OurOrder | null;
      readonly parent: ClientOrderId | null;
    },
  ): OurOrder | undefined {
    const { contracts, turn } = this.#parts;
    const contract = contracts.byOrderCode(row.orderCode);
    if (contract === undefined) {
      this.#tellUnknownContract(row);
      return undefined;
    }
    const order = new OurOrder({
      clientOrderId: who.clientOrderId,
      strategy: who.owner?.strategy ?? OPERATOR_INDEX,
      purpose: who.owner === null ? 'entry' : 'reduce',
      instrument: contract.index,
      orderCode: row.orderCode,
      side: row.side,
      qty: row.qty,
      limitPrice: row.limitPrice ?? row.triggerPrice ?? NO_PRICE,
      isAdopted: who.owner === null,
      createdUs: turn.nowUs,
      book: 'conditional',
      ...(who.parent === null ? {} : { parent: who.parent }),
    });
    this.#enter(order, row);
    return order;
  }

  #enter(order: OurOrder, row: BrokerTriggerOrder): void {
    const { orders } = this.#parts;
    order.status = 'pending_trigger';
    order.conditionKind = row.kind;
    order.triggerPrice = row.triggerPrice;
    order.triggerWhen = row.triggerWhen;
    orders.add(order);
    orders.bindCondition(order, row.orderNo, row.orderKey);
  }

  /** The same name in every run. */
  #nameOf(row: BrokerTriggerOrder, letter: string): ClientOrderId {
    return clientOrderId(`${letter}.${this.#parts.tradingDay()}.${row.orderKey}`);
  }

  #tellUnknownContract({ orderKey, orderNo, orderCode }: BrokerTriggerOrder): void {
    if (this.#unknownContracts.has(orderKey)) return;
    this.#unknownContracts.add(orderKey);
    const text = `conditional order no. ${orderNo} is for ${orderCode}, which is not in the contract list`;
    this.#parts.turn.alert(OPERATOR_INDEX, 'critical', 'order_in_unknown_contract', text);
  }
}

function isTriggerOf({ condition }: OurOrder, { triggerPrice }: BrokerTriggerOrder): boolean {
  if (condition?.kind !== 'bracket') return false;
  return condition.stopLossPrice === triggerPrice || condition.takeProfitPrice === triggerPrice;
}
