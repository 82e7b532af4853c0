/**
 * Orders in the broker's book that the journal does not know: taken in under the operator's name, said once, never fought
 * (rulings, 40). Only what left on the emergency record belongs to the strategy that sent it (rulings, 30).
 */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { clientOrderId } from '../../domain/ids.ts';
import { OPERATOR_INDEX, type PriceTicks, priceTicks, type StrategyIndex } from '../../domain/units.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { Market } from '../market/market.ts';
import type { OrderOwner } from '../ports/engine-event.ts';
import type { EventContext } from '../state/event-context.ts';
import type { Orders } from './orders.ts';
import { OurOrder } from './our-order.ts';

export interface AdoptionParts {
  readonly turn: EventContext;
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly orders: Orders;
  readonly tradingDay: () => TradingDay;
}

export class Adoption {
  readonly #parts: AdoptionParts;
  readonly #unknownContracts = new Set<string>();
  readonly #owners = new Map<string, StrategyIndex>();

  constructor(parts: AdoptionParts) {
    this.#parts = parts;
  }

  /** Whose they are when they turn up. */
  expect(owners: readonly OrderOwner[]): void {
    for (const { clientOrderId: id, strategy } of owners) this.#owners.set(id, strategy);
  }

  /** Undefined when the row names a contract that is not listed: said once, and left to the operator. */
  adopt(row: BrokerOrder): OurOrder | undefined {
    const { turn, contracts, orders } = this.#parts;
    const contract = contracts.byOrderCode(row.orderCode);
    if (contract === undefined) {
      this.#tellUnknownContract(row);
      return undefined;
    }
    const owner = this.#ownerOf(row);
    const isForeign = owner === OPERATOR_INDEX;
    const order = new OurOrder({
      clientOrderId: this.#nameOf(row),
      strategy: owner,
      // The emergency record is for exits only.
      purpose: isForeign ? 'entry' : 'reduce',
      instrument: contract.index,
      orderCode: row.orderCode,
      side: row.side,
      qty: row.qty,
      limitPrice: row.limitPrice ?? this.#priceNear(contract),
      isAdopted: isForeign,
      createdUs: turn.nowUs,
    });
    order.status = 'accepted';
    orders.add(order);
    orders.bind(order, row.orderNo);
    const head = { cause: turn.seq, tsUs: turn.nowUs, strategy: owner };
    turn.append({ ...head, kind: 'order_adopted', clientOrderId: order.clientOrderId, order: row });
    this.#tellAdopted(row, order);
    return order;
  }

  /** What one of our conditional orders sent when it triggered. */
  adoptChild(row: BrokerOrder, sender: OurOrder): OurOrder {
    const { turn, orders } = this.#parts;
    const { strategy, purpose, instrument, clientOrderId: parent } = sender;
    const order = new OurOrder({
      clientOrderId: clientOrderId(`C.${this.#parts.tradingDay()}.${row.orderNo}`),
      strategy,
      purpose,
      instrument,
      orderCode: row.orderCode,
      side: row.side,
      qty: row.qty,
      limitPrice: row.limitPrice ?? sender.limitPrice,
      isAdopted: sender.isAdopted,
      createdUs: turn.nowUs,
      parent,
    });
    order.status = 'accepted';
    orders.add(order);
    orders.bind(order, row.orderNo);
    const head = { cause: turn.seq, tsUs: turn.nowUs, strategy };
    turn.append({ ...head, kind: 'order_adopted', clientOrderId: order.clientOrderId, order: row, parent });
    return order;
  }

  #ownerOf({ refId }: BrokerOrder): StrategyIndex {
    if (refId === null || this.#parts.orders.get(refId) !== undefined) return OPERATOR_INDEX;
    return this.#owners.get(refId) ?? OPERATOR_INDEX;
  }

  #tellAdopted(row: BrokerOrder, order: OurOrder): void {
    const { turn, orders } = this.#parts;
    const twin = row.refId === null ? undefined : orders.get(row.refId);
    const what = `${row.side} ${row.qty} ${row.orderCode}, order no. ${row.orderNo}, ${row.filledQty} filled`;
    if (twin !== undefined && twin !== order) {
      const text = `the book shows ${what} with the refId of ${twin.clientOrderId}, which is another order`;
      turn.alert(OPERATOR_INDEX, 'critical', 'duplicate_order', text);
      return;
    }
    if (!order.isAdopted) {
      turn.alert(order.strategy, 'warning', 'order_recovered', `sent when no row could be written: ${what}`);
      return;
    }
    const isForced = row.source === 'forced';
    const isOver = row.filledQty === 0 && row.status === 'canceled';
    const by = isForced ? 'the broker closed a position' : 'not ours';
    const severity = isForced ? 'critical' : isOver ? 'info' : 'warning';
    turn.alert(OPERATOR_INDEX, severity, 'order_adopted', `${by}: ${what}`);
  }

  /** The same name in every run: its own `refId` unless that is taken, else day and number. */
  #nameOf(row: BrokerOrder): OurOrder['clientOrderId'] {
    if (row.refId !== null && this.#parts.orders.get(row.refId) === undefined) return row.refId;
    return clientOrderId(`A.${this.#parts.tradingDay()}.${row.orderNo}`);
  }

  /** An order without a price has to stand somewhere until its fills tell. */
  #priceNear(contract: Contract): PriceTicks {
    const { market } = this.#parts;
    const band = market.band(contract.index);
    const reference = band === undefined ? 0 : Math.round(band.reference / contract.spec.hundredthsPerTick);
    return market.lastPrice(contract.index) ?? priceTicks(reference);
  }

  #tellUnknownContract(row: BrokerOrder): void {
    if (this.#unknownContracts.has(row.orderNo)) return;
    this.#unknownContracts.add(row.orderNo);
    const text = `order no. ${row.orderNo} is for ${row.orderCode}, which is not in the contract list`;
    this.#parts.turn.alert(OPERATOR_INDEX, 'critical', 'order_in_unknown_contract', text);
  }
}
