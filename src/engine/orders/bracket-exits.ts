/**
 * The exits of brackets: which row of the trigger book is an exit of which bracket, which two are halves of one another, and
 * whether all that has filled is protected.
 */
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import { opposite } from '../../domain/order.ts';
import type { TsUs } from '../../domain/units.ts';
import type { EventContext } from '../state/event-context.ts';
import type { Orders } from './orders.ts';
import type { OurOrder } from './our-order.ts';
import { ScanEvidence } from './scan-evidence.ts';

export interface BracketExitsParts {
  readonly context: EventContext;
  readonly orders: Orders;
  readonly lookUp: LookUpSettings;
}

export class BracketExits {
  readonly #parts: BracketExitsParts;
  /** Brackets of today, whether or not they still work: exits outlive their entry. */
  readonly #brackets = new Set<OurOrder>();
  /** Scans that did not show the exits of a bracket that has filled. */
  readonly #owing = new Map<OurOrder, ScanEvidence>();

  constructor(parts: BracketExitsParts) {
    this.#parts = parts;
  }

  /** A bracket was placed. */
  expect(bracket: OurOrder): void {
    this.#brackets.add(bracket);
  }

  nextDay(): void {
    this.#brackets.clear();
    this.#owing.clear();
  }

  /** The bracket of ours that brought this exit, or undefined. */
  bracketOf(row: BrokerTriggerOrder): OurOrder | undefined {
    if (row.kind !== 'exit') return undefined;
    for (const bracket of this.#brackets) {
      if (bracket.orderCode !== row.orderCode || opposite(bracket.side) !== row.side) continue;
      const isOther = this.#exitsOf(bracket).some(({ triggerPrice }) => triggerPrice === row.triggerPrice);
      if (isOther || isTriggerOf(bracket, row)) return bracket;
    }
    return undefined;
  }

  /** One cancels the other: the half that was found second exposes nothing while the first may trigger. */
  pair(bracket: OurOrder, exit: OurOrder): void {
    const other = this.#exitsOf(bracket).find(
      (each) => !each.isFinal && each.partner === null && each.triggerWhen !== exit.triggerWhen,
    );
    if (other === undefined) return;
    exit.partner = other;
    exit.isSecondHalf = true;
    other.partner = exit;
  }

  /** After a complete scan of the trigger book: a bracket that has filled is protected once its exits stand there. */
  check(startedUs: TsUs): void {
    const { orders, lookUp, context } = this.#parts;
    for (const bracket of orders.owingExits) {
      if (this.#lossBandedBy(bracket) >= bracket.filledQty) {
        orders.owingExits.delete(bracket);
        orders.changed();
        this.#owing.delete(bracket);
        continue;
      }
      const evidence = this.#owing.get(bracket) ?? new ScanEvidence(context.nowUs);
      this.#owing.set(bracket, evidence);
      evidence.add(startedUs);
      if (!evidence.isEnough(lookUp) || !bracket.tellOnce('exits')) continue;
      const text = `${bracket.clientOrderId} has filled ${bracket.filledQty}, and its exits are not in the trigger book`;
      context.alert(bracket.strategy, 'critical', 'exits_missing', text);
    }
  }

  /** Contracts that the exits of a bracket cover: the smaller half counts. */
  #lossBandedBy(bracket: OurOrder): number {
    const halves = new Map<string, number>();
    for (const exit of this.#exitsOf(bracket)) {
      const half = exit.triggerWhen ?? '';
      halves.set(half, (halves.get(half) ?? 0) + exit.qty);
    }
    return halves.size < 2 ? 0 : Math.min(...halves.values());
  }

  #exitsOf(bracket: OurOrder): readonly OurOrder[] {
    return this.#parts.orders.childrenOf(bracket.clientOrderId).filter(({ isWaiting }) => isWaiting);
  }
}

function isTriggerOf({ trigger }: OurOrder, { triggerPrice }: BrokerTriggerOrder): boolean {
  if (trigger?.kind !== 'bracket') return false;
  return trigger.stopLossPrice === triggerPrice || trigger.takeProfitPrice === triggerPrice;
}
