/** Decisions about calls, of the present and of a replayed past. */
import { clientOrderId, type ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent, StopIntent, TrailingStopIntent } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { ClientOrderIds } from '../state/client-order-ids.ts';
import {
  callIdOf,
  type Decision,
  type DecisionSource,
  type IntentQueue,
  type ProposalDraft,
  type QueuedIntent,
} from '../state/event-context.ts';
import type {
  ApprovedModify,
  ApprovedOrder,
  CancelToSend,
  ModifyToSend,
  OrderToSend,
} from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { OrderOwner, UnjournaledCalls } from '../ports/engine-event.ts';
import type {
  HaltEntry,
  JournalEntry,
  PolicyEntry,
  Proposal,
  ProposalSource,
} from '../ports/journal-entry.ts';
import { approveModify, approveOrder, type Guard } from '../risk/risk-guard.ts';

/** Entries of other kinds decide nothing. */
export const DECIDING_KINDS = [
  'proposal',
  'place',
  'modify',
  'cancel',
  'denied',
  'strategy_stopped',
  'halt',
  'policy_acted',
] as const satisfies readonly JournalEntry['kind'][];

export type EventDecisions = Readonly<ReturnType<typeof eventDecisions>>;

/** Folds the journal's entries caused by one event, in order. */
export function eventDecisions(entries: readonly JournalEntry[]) {
  const proposals: QueuedIntent[] = [];
  const placed = new Map<ClientOrderId, OrderToSend>();
  /** Approved changes, by call. */
  const modified = new Map<ClientOrderId, ModifyToSend>();
  /** Submits (by order) and modifies (by call) that risk refused. */
  const denied = new Map<ClientOrderId, Denial>();
  /** Calls that were handed to the gateway in a tail and never left. */
  const lost = new Set<ClientOrderId>();
  const stopped: StrategyIndex[] = [];
  const policies: PolicyEntry[] = [];
  const halts: HaltEntry[] = [];
  for (const entry of entries) {
    if (entry.kind === 'proposal' && entry.strategy !== null) {
      const { strategy, by, proposal } = entry;
      proposals.push({ strategy, by, proposal });
    } else if (entry.kind === 'place') {
      placed.set(entry.order.clientOrderId, entry.order);
      if (entry.isLost) lost.add(entry.order.clientOrderId);
    } else if (entry.kind === 'modify') {
      modified.set(entry.modify.callId, entry.modify);
      if (entry.isLost) lost.add(entry.modify.callId);
    } else if (entry.kind === 'cancel' && entry.isLost) lost.add(entry.cancel.callId);
    else if (entry.kind === 'denied') denied.set(entry.clientOrderId, entry.denial);
    else if (entry.kind === 'strategy_stopped' && entry.strategy !== null) stopped.push(entry.strategy);
    else if (entry.kind === 'halt' && entry.halted) halts.push(entry);
    else if (entry.kind === 'policy_acted') policies.push(entry);
  }
  return { proposals, placed, modified, denied, lost, stopped, policies, halts };
}

/** Decisions of the present: the risk guard makes them. */
export class LiveDecisions implements DecisionSource {
  protected readonly ids: ClientOrderIds;
  protected readonly queue: IntentQueue;
  readonly #guard: Guard;

  constructor(ids: ClientOrderIds, queue: IntentQueue, guard: Guard) {
    this.ids = ids;
    this.queue = queue;
    this.#guard = guard;
  }

  propose(strategy: StrategyIndex, by: ProposalSource, draft: ProposalDraft): ClientOrderId {
    const id = this.ids.next();
    this.queue.push({ strategy, by, proposal: withId(draft, id) });
    return id;
  }

  load(): void {
    // Calls of the present enter the queue as they are asked for.
  }

  submit(
    { strategy, by }: QueuedIntent,
    id: ClientOrderId,
    intent: OrderIntent,
    mayWait: boolean,
  ): Decision<ApprovedOrder> {
    return this.#guard.checkSubmit(strategy, id, intent, by, mayWait);
  }

  modify(
    { strategy, by }: QueuedIntent,
    callId: ClientOrderId,
    change: ModifyIntent,
    mayWait: boolean,
  ): Decision<ApprovedModify> {
    return this.#guard.checkModify(strategy, callId, change, by, mayWait);
  }

  policies(): PolicyEntry[] | null {
    return null;
  }

  halts(): HaltEntry[] | null {
    return null;
  }

  markIfLost(_callId: ClientOrderId): boolean {
    return false;
  }

  stopsNow(_strategy: StrategyIndex): boolean {
    return true;
  }

  isOlderVersion(_strategy: StrategyIndex): boolean {
    return false;
  }

  isLeftBehind(_call: QueuedIntent): boolean {
    return false;
  }
}

function withId(draft: ProposalDraft, id: ClientOrderId): Proposal {
  if (draft.do === 'submit') return { do: 'submit', clientOrderId: id, intent: draft.intent };
  if (draft.do === 'modify') return { do: 'modify', callId: id, change: draft.change };
  const cancel = { do: 'cancel', callId: id, clientOrderId: draft.clientOrderId } as const;
  return draft.isWithdrawal === true ? { ...cancel, isWithdrawal: true } : cancel;
}

/** Reports to a strategy an order that its earlier version did not place. */
interface RefusalSink {
  onDenied(strategy: StrategyIndex, id: ClientOrderId, intent: OrderIntent, denial: Denial): void;
}

const NOTHING = eventDecisions([]);
/** Most refusals that earlier versions get in one event. */
const REFUSALS_MAX = 16;

/**
 * Decisions about a replayed past: the journal makes them. A recorded decision always wins over the one that the code would make
 * now; the first difference of a strategy stops it when the replay is over (rulings, 31). A past that an earlier version of a
 * strategy decided is no difference: its calls are the journal's, and those of the present version are refused to it. The tail that a kill
 * cut off the journal is decided again: of these calls only those in the emergency file were sent.
 */
export class JournalDecisions extends LiveDecisions {
  readonly #refusals: RefusalSink;
  readonly #differences = new Map<StrategyIndex, string>();
  readonly #lost = new Set<ClientOrderId>();
  #sent: ReadonlyMap<ClientOrderId, SentCall> = new Map();
  #event: EventDecisions | null = NOTHING;
  /** Proposals that the replay has not made again. */
  #unrepeated: QueuedIntent[] = [];
  #policies: PolicyEntry[] | null = [];
  #halts: HaltEntry[] = [];
  #systemDifference: string | null = null;
  #unmatched = 0;
  #olderVersions: readonly StrategyIndex[] = [];
  #refused = 0;

  constructor(ids: ClientOrderIds, queue: IntentQueue, guard: Guard, refusals: RefusalSink) {
    super(ids, queue, guard);
    this.#refusals = refusals;
  }

  get differences(): ReadonlyMap<StrategyIndex, string> {
    return this.#differences;
  }

  get systemDifference(): string | null {
    return this.#systemDifference;
  }

  /** Calls that left while the journal could not be written: the emergency file knows them (rulings, 30), and no tail loses them. */
  noteUnjournaledCalls({ owners, changes, cancels }: UnjournaledCalls): void {
    this.#sent = new Map<ClientOrderId, SentCall>([
      ...owners.map((owner) => [owner.clientOrderId, owner] as const),
      ...[...changes, ...cancels].map((call) => [call.callId, call] as const),
    ]);
  }

  /** An event begins. Null: the journal was cut off before it. */
  begin(decisions: EventDecisions | null, olderVersions: readonly StrategyIndex[]): void {
    this.#event = decisions;
    this.#olderVersions = olderVersions;
    this.#refused = 0;
    this.#policies = decisions?.policies.slice() ?? null;
    this.#halts = decisions?.halts.slice() ?? [];
    if (decisions === null) return;
    if (decisions.proposals.length > 0) this.#unrepeated = [...decisions.proposals];
    for (const id of decisions.lost) this.#lost.add(id);
  }

  override propose(strategy: StrategyIndex, by: ProposalSource, draft: ProposalDraft): ClientOrderId {
    // Where the journal was cut off before this event, the engine decides its own calls now, whichever version the strategy had.
    if (this.isOlderVersion(strategy) && (this.#event !== null || by === 'strategy'))
      return this.#proposeEarlier(strategy, by, draft);
    if (this.#event !== null) return this.#match(strategy, by, draft) ?? this.#unmatchedId();
    // Another version, or without one of the strategies, asks for something else: the id has left as another call.
    const { ids } = this;
    for (let sent = this.#sent.get(ids.following); sent !== undefined && !isSent(sent, strategy, draft);) {
      ids.next();
      sent = this.#sent.get(ids.following);
    }
    return super.propose(strategy, by, draft);
  }

  /** The journal's proposals take the place of those that were made again. */
  override load(): void {
    for (const each of this.#event?.proposals ?? []) {
      this.ids.skipPast(callIdOf(each.proposal));
      this.queue.push(each);
    }
  }

  override submit(
    call: QueuedIntent,
    id: ClientOrderId,
    intent: OrderIntent,
    mayWait: boolean,
  ): Decision<ApprovedOrder> {
    if (this.#event === null) return super.submit(call, id, intent, mayWait);
    const order = this.#event.placed.get(id);
    if (order === undefined) return this.#notApproved(id);
    // Another configuration may order its strategies differently.
    return { kind: 'approved', approved: approveOrder({ ...order, strategy: call.strategy }) };
  }

  override modify(
    call: QueuedIntent,
    callId: ClientOrderId,
    change: ModifyIntent,
    mayWait: boolean,
  ): Decision<ApprovedModify> {
    if (this.#event === null) return super.modify(call, callId, change, mayWait);
    const modify = this.#event.modified.get(callId);
    if (modify === undefined) return this.#notApproved(callId);
    return { kind: 'approved', approved: approveModify({ ...modify, strategy: call.strategy }) };
  }

  override policies(): PolicyEntry[] | null {
    return this.#policies;
  }

  /** A limit reached in a tail was never alerted: the present loss decides. */
  override halts(): HaltEntry[] {
    return this.#halts;
  }

  /** A call sent in a tail is lost, now and in every later replay; a call that only waited there leaves afterwards. */
  override markIfLost(callId: ClientOrderId): boolean {
    if (this.#event === null && !this.#sent.has(callId)) this.#lost.add(callId);
    return this.#lost.has(callId);
  }

  /** True for a call of the past that never left. */
  isLost(callId: ClientOrderId): boolean {
    return this.#lost.has(callId);
  }

  override stopsNow(strategy: StrategyIndex): boolean {
    return !this.isOlderVersion(strategy) && this.#event?.stopped.includes(strategy) === true;
  }

  override isOlderVersion(strategy: StrategyIndex): boolean {
    return this.#olderVersions.includes(strategy);
  }

  override isLeftBehind(call: QueuedIntent): boolean {
    return call.by === 'strategy' && this.isOlderVersion(call.strategy) && this.#unrepeated.includes(call);
  }

  /** After the event: a journaled proposal that was not made again is a difference too. */
  end(isGone: (strategy: StrategyIndex) => boolean): void {
    if (this.#unrepeated.length === 0) return;
    for (const { strategy, by, proposal } of this.#unrepeated) {
      if (this.isOlderVersion(strategy) || (by === 'strategy' && isGone(strategy))) continue;
      this.#differs(strategy, by, `did not propose ${proposalText(proposal)}, which the journal holds`);
    }
    this.#unrepeated = [];
  }

  /** Another process began, perhaps with other settings, and alerted what the engine had decided otherwise before. */
  processBegan(): void {
    this.#systemDifference = null;
  }

  /** The differences are being alerted: a later replay starts without them. */
  forget(): void {
    this.#differences.clear();
    this.#systemDifference = null;
    this.#event = NOTHING;
    this.#olderVersions = [];
  }

  /** The present version may have asked for the same; all else is refused, and what was denied: an update may have said so before. */
  #proposeEarlier(strategy: StrategyIndex, by: ProposalSource, draft: ProposalDraft): ClientOrderId {
    const at = this.#unrepeated.findIndex(
      ({ proposal, ...each }) =>
        each.strategy === strategy &&
        each.by === by &&
        isSameProposal(proposal, draft) &&
        this.#event?.denied.has(callIdOf(proposal)) !== true,
    );
    const [same] = at === -1 ? [] : this.#unrepeated.splice(at, 1);
    if (same !== undefined) return callIdOf(same.proposal);
    const id = this.#unmatchedId();
    // A strategy that answers each refusal with another order would hold the event for ever.
    this.#refused += 1;
    if (by === 'strategy' && draft.do === 'submit' && this.#refused <= REFUSALS_MAX)
      this.#refusals.onDenied(strategy, id, draft.intent, { code: 'rebuilding' });
    return id;
  }

  /** The id under which the journal holds the same proposal; null when it holds another one, or none. */
  #match(strategy: StrategyIndex, by: ProposalSource, draft: ProposalDraft): ClientOrderId | null {
    if (by === 'strategy' && this.#differences.has(strategy)) return null;
    const at = this.#unrepeated.findIndex((each) => each.strategy === strategy && each.by === by);
    const next = this.#unrepeated[at];
    if (next !== undefined && isSameProposal(next.proposal, draft)) {
      this.#unrepeated.splice(at, 1);
      return callIdOf(next.proposal);
    }
    const recorded = next === undefined ? 'nothing' : proposalText(next.proposal);
    this.#differs(strategy, by, `proposed ${proposalText(draft)}, the journal holds ${recorded}`);
    return null;
  }

  /** A placeholder id: the strategy is about to be stopped, or its call is refused. */
  #unmatchedId(): ClientOrderId {
    this.#unmatched += 1;
    return clientOrderId(`D.${this.#unmatched}`);
  }

  /** Neither approved nor denied in this event: it waited for a read. */
  #notApproved(id: ClientOrderId): Decision<never> {
    const denial = this.#event?.denied.get(id);
    return denial === undefined ? { kind: 'pending' } : { kind: 'denied', denial };
  }

  #differs(strategy: StrategyIndex, by: ProposalSource, text: string): void {
    if (by === 'system') this.#systemDifference ??= text;
    else if (!this.#differences.has(strategy)) this.#differences.set(strategy, text);
  }
}

/** The reason text may change with the code; the order itself may not. */
function isSameProposal(recorded: Proposal, draft: ProposalDraft): boolean {
  return proposalText(recorded) === proposalText(draft);
}

function proposalText(draft: ProposalDraft | Proposal): string {
  if (draft.do === 'submit') {
    const { side, qty, instrument, limitPrice } = draft.intent;
    return `submit ${side} ${qty} of ${instrument} at ${limitPrice}${triggerText(draft.intent)}`;
  }
  if (draft.do === 'cancel') return `cancel ${draft.clientOrderId}`;
  return `modify ${draft.change.clientOrderId} to ${termsOf(draft.change)}`;
}

type SentCall = OrderOwner | ModifyToSend | CancelToSend;

function isSent(sent: SentCall, strategy: StrategyIndex, draft: ProposalDraft): boolean {
  if (sent.strategy !== strategy) return false;
  if ('qty' in sent) return draft.do === 'modify' && isChange(sent, draft.change);
  if ('callId' in sent) return draft.do === 'cancel' && draft.clientOrderId === sent.clientOrderId;
  const { order } = sent;
  if (draft.do !== 'submit' || order === undefined) return draft.do === 'submit';
  const { side, qty, instrument, limitPrice, kind } = draft.intent;
  const isAsLarge = order.side === side && order.qty === qty && order.instrument === instrument;
  return isAsLarge && order.limitPrice === limitPrice && (order.trigger?.kind ?? 'limit') === kind;
}

function isChange(
  { clientOrderId: id, qty, limitPrice, triggerPrice }: ModifyToSend,
  change: ModifyIntent,
): boolean {
  if (change.clientOrderId !== id) return false;
  switch (change.kind) {
    case 'price':
      return change.limitPrice === limitPrice;
    case 'qty':
      return change.qty === qty;
    case 'trigger':
      return change.triggerPrice === triggerPrice;
  }
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

/** Every field that is sent, so that orders which differ in one price are distinguished. */
function triggerText(intent: OrderIntent): string {
  switch (intent.kind) {
    case 'limit':
      return '';
    case 'stop':
      return `, stop ${intent.triggerWhen} ${intent.triggerPrice}${closingText(intent)}`;
    case 'trailing_stop':
      return `, trailing ${intent.trailingOffset} from ${intent.activationPrice}${closingText(intent)}`;
    case 'bracket':
      return `, bracket ${intent.stopLossPrice} to ${intent.takeProfitPrice}`;
    case 'arbitrage':
      return `, after ${intent.leg}`;
  }
}

function closingText({ reduceOnly, mayReverse }: StopIntent | TrailingStopIntent): string {
  if (mayReverse === true) return ', reversing';
  return reduceOnly === true ? ', reducing' : '';
}
