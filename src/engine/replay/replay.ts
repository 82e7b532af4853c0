/**
 * The second life of a session after a restart: what the code proposes is compared with what the journal holds. What was
 * recorded always wins; the first difference of a strategy is kept, and stops it when the replay is over (rulings, 31).
 */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Purpose } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { Proposal, ProposalSource } from '../ports/journal-entry.ts';
import type { Recorded, RecordedProposal } from './recorded.ts';

/** A proposal before it has an id. */
export type Asked =
  | { readonly do: 'submit'; readonly intent: OrderIntent }
  | { readonly do: 'modify'; readonly change: ModifyIntent }
  | { readonly do: 'cancel'; readonly clientOrderId: ClientOrderId };

export type RecordedDecision =
  | { readonly kind: 'placed'; readonly purpose: Purpose }
  | { readonly kind: 'denied'; readonly denial: Denial }
  /** Neither yet: it waited for a read. */
  | { readonly kind: 'waits' };

export class Replay {
  readonly #differences = new Map<StrategyIndex, string>();
  #recorded: Recorded | null = null;
  #left: RecordedProposal[] = [];
  #houseDifference: string | null = null;

  get isActive(): boolean {
    return this.#recorded !== null;
  }

  /** The journal holds all that was decided in this event. */
  get isDurable(): boolean {
    return this.#recorded !== null && this.#recorded.durable;
  }

  /** The tail that a kill cut off: what is decided here again has never left the house. */
  get isTail(): boolean {
    return this.#recorded !== null && !this.#recorded.durable;
  }

  /** First difference by strategy. */
  get differences(): ReadonlyMap<StrategyIndex, string> {
    return this.#differences;
  }

  get houseDifference(): string | null {
    return this.#houseDifference;
  }

  begin(recorded: Recorded | undefined): void {
    this.#recorded = recorded ?? null;
    this.#left = recorded === undefined || recorded.proposals.length === 0 ? [] : [...recorded.proposals];
  }

  /** All that was proposed in this event, in order. */
  proposals(): readonly RecordedProposal[] {
    return this.#recorded?.proposals ?? [];
  }

  stopped(): readonly StrategyIndex[] {
    return this.#recorded?.stopped ?? [];
  }

  /** Decided in a tail, now or in an earlier replay: it was never sent. */
  isLostCancel(callId: ClientOrderId): boolean {
    return this.isTail || (this.#recorded?.lostCancels.has(callId) ?? false);
  }

  decisionOn(id: ClientOrderId): RecordedDecision {
    const purpose = this.#recorded?.placed.get(id);
    if (purpose !== undefined) return { kind: 'placed', purpose };
    const denial = this.#recorded?.denied.get(id);
    return denial === undefined ? { kind: 'waits' } : { kind: 'denied', denial };
  }

  /** The id under which the journal holds the same proposal; null when it holds another one, or none. */
  match(strategy: StrategyIndex, by: ProposalSource, asked: Asked): ClientOrderId | null {
    if (by === 'desk' && this.#differences.has(strategy)) return null;
    const at = this.#left.findIndex((each) => each.strategy === strategy && each.by === by);
    const next = this.#left[at];
    if (next !== undefined && isSame(next.proposal, asked)) {
      this.#left.splice(at, 1);
      return idOf(next.proposal);
    }
    const recorded = next === undefined ? 'nothing' : describe(next.proposal);
    this.differs(strategy, by, `proposed ${describe(asked)}, the journal holds ${recorded}`);
    return null;
  }

  differs(strategy: StrategyIndex, by: ProposalSource, text: string): void {
    if (by === 'house') this.#houseDifference ??= text;
    else if (!this.#differences.has(strategy)) this.#differences.set(strategy, text);
  }

  /** After the event: what the journal holds and nobody proposed again is a difference too. */
  end(isGone: (strategy: StrategyIndex) => boolean): void {
    for (const { strategy, by, proposal } of this.#left) {
      if (by === 'desk' && isGone(strategy)) continue;
      this.differs(strategy, by, `did not propose ${describe(proposal)}, which the journal holds`);
    }
    this.#left = [];
  }

  /** What was found is being told: a later replay starts with a clean slate. */
  forget(): void {
    this.#differences.clear();
    this.#houseDifference = null;
    this.#recorded = null;
  }
}

export const idOf = (proposal: Proposal): ClientOrderId =>
  proposal.do === 'submit' ? proposal.clientOrderId : proposal.callId;

/** The reason text may change with the code; what is sent may not. */
function isSame(recorded: Proposal, asked: Asked): boolean {
  return describe(recorded) === describe(asked);
}

function describe(asked: Asked | Proposal): string {
  if (asked.do === 'submit') {
    const { side, qty, instrument, limitPrice } = asked.intent;
    return `submit ${side} ${qty} of ${instrument} at ${limitPrice}${conditionOf(asked.intent)}`;
  }
  if (asked.do === 'cancel') return `cancel ${asked.clientOrderId}`;
  return `modify ${asked.change.clientOrderId} to ${termsOf(asked.change)}`;
}

function termsOf(change: ModifyIntent): string {
  switch (change.kind) {
    case 'price':
      return `price ${change.limitPrice}`;
    case 'qty':
      return `quantity ${change.qty}`;
    case 'trigger':
      return `trigger ${change.triggerPrice}`;
  }
}

/** Everything that leaves, so that two orders that differ in one price are two. */
function conditionOf(intent: OrderIntent): string {
  switch (intent.kind) {
    case 'limit':
      return '';
    case 'stop':
      return `, stop ${intent.triggerWhen} ${intent.triggerPrice}${reducing(intent.reduceOnly)}`;
    case 'trailing_stop':
      return `, trailing ${intent.trailingOffset} from ${intent.activationPrice}${reducing(intent.reduceOnly)}`;
    case 'bracket':
      return `, bracket ${intent.stopLossPrice} to ${intent.takeProfitPrice}`;
    case 'arbitrage':
      return `, after ${intent.leg}`;
  }
}

const reducing = (reduceOnly: boolean | undefined): string => (reduceOnly === true ? ', reducing' : '');
