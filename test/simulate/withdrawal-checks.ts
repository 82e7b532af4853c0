/**
 * What was taken back stays taken back: entries that a policy or a stop withdrew are gone at rest, and a stopped strategy asks for nothing.
 * With the entries no exit goes that only shrinks what its owner holds.
 */
import { TERMINAL_STATUSES } from '../../src/domain/order.ts';
import {
  type BrokerOrderTruth,
  isOpenAtBroker,
  type OpenTruth,
  protects,
  workingOf,
} from './broker-truth.ts';
import type { CommittedRow, JournaledOrder } from './committed-journal.ts';
import type { Scene } from './scene.ts';

/** A fill or an order since then may not have been read. */
const READ_US = 4e6;
/** A cancel that came to nothing is asked for again within seconds: from the moment at which nothing fails any more. */
const AGAIN_US = 40e6;
/** A flatten takes everything back first. */
const FLATTEN_US = 120e6;

export class WithdrawalChecks {
  readonly #scene: Scene;
  /** Entries by their ids, and what withdrew them. */
  readonly #withdrawn = new Map<string, string>();
  /** By a person, until a person starts it again. */
  readonly #stopped = new Map<string, string>();
  #flattenedUs = -Infinity;
  /** Entries that the policy of one event has to cancel within it. */
  #owed: { readonly cause: number; readonly why: string; readonly ids: Set<string> } | null = null;
  /** The withdrawn entry that works though nothing fails, and since when. */
  #left: { readonly id: string; readonly sinceUs: number } | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** A person asks for it: from here on it may trade. */
  starting(strategy: string): void {
    this.#stopped.delete(strategy);
  }

  row({ entry, owner, id, cause, session }: CommittedRow): void {
    this.#judgeOwed(cause);
    switch (
      entry.kind // oxlint-disable-line typescript/switch-exhaustiveness-check -- the others say nothing of it
    ) {
      case 'policy_acted':
        if (entry.policy === 'flatten') this.#flattenedUs = this.#scene.world.time.livedUs;
        if (entry.policy === 'hold') return;
        // What closes a position then stays the strategy's own, also once the position is gone.
        this.#withdraw(owner, entry.text, (order) => this.#closes(order));
        return this.#owe(owner, entry.text, { cause, session });
      case 'command':
        // By its name, as it is stored.
        if (entry.command.name === 'start_strategy') this.starting(String(entry.command.strategy));
        if (entry.command.name === 'flatten') this.#flattenedUs = this.#scene.world.time.livedUs;
        return;
      case 'strategy_stopped':
        if (entry.isLasting === true && owner !== null) this.#stopped.set(owner, entry.reason);
        return this.#withdraw(owner, entry.reason);
      case 'proposal': {
        const why = entry.by === 'strategy' && owner !== null ? this.#stopped.get(owner) : undefined;
        if (why !== undefined)
          this.#scene.violated(`row ${id} is of ${owner}, which a person has stopped: ${why}`);
        const { by, proposal } = entry;
        if (by !== 'system' || proposal.do !== 'cancel') return;
        this.#owed?.ids.delete(proposal.clientOrderId);
        if (proposal.isWithdrawal === true) this.#takesBack(proposal.clientOrderId);
        return;
      }
      default:
    }
  }

  #withdraw(
    owner: string | null,
    why: string,
    isLeft: (order: JournaledOrder) => boolean = () => false,
  ): void {
    for (const order of this.#scene.journal.orders.values()) {
      const { place } = order;
      if (place === null || place.isLost || place.terms.purpose !== 'entry') continue;
      if ((owner !== null && order.owner !== owner) || isLeft(order)) continue;
      if (!TERMINAL_STATUSES.has(order.status)) this.#withdrawn.set(order.id, why);
    }
  }

  /** By the rows so far it is no larger than what its owner holds on the other side. */
  #closes({ id, owner, place }: JournaledOrder): boolean {
    if (place === null) return false;
    const { orderCode, side } = place.terms;
    // A change may have made it smaller.
    const qty = this.#scene.truth.named(id)?.report.qty ?? place.terms.qty;
    return qty <= (side === 'sell' ? 1 : -1) * this.#scene.journaledQty(owner, orderCode);
  }

  /** By the rows so far it can only enlarge what its owner holds: the policy cancels it in the same event. */
  #owe(owner: string | null, why: string, { cause, session }: Pick<CommittedRow, 'cause' | 'session'>): void {
    const { journal, journaledQty, isForeign, isReassigned } = this.#scene;
    if (isForeign) return;
    const ids = this.#owed?.cause === cause ? this.#owed.ids : new Set<string>();
    for (const order of journal.orders.values()) {
      const { place } = order;
      if (place === null || place.isLost || place.terms.purpose !== 'entry') continue;
      // The end of a day ends orders without a row.
      if (place.row.session !== session) continue;
      const isGoing = TERMINAL_STATUSES.has(order.status) || order.status === 'pending_cancel';
      if (isGoing || isReassigned(order.owner)) continue;
      const held = journaledQty(order.owner, place.terms.orderCode);
      const isIncreasing = place.terms.side === 'buy' ? held >= 0 : held <= 0;
      if ((owner === null || order.owner === owner) && isIncreasing) ids.add(order.id);
    }
    this.#owed = { cause, why, ids };
  }

  /** Rows of the main thread come between those of one event. */
  #judgeOwed(cause: number): void {
    if (this.#owed === null || cause === 0 || cause === this.#owed.cause) return;
    const { why, ids } = this.#owed;
    this.#owed = null;
    for (const each of ids) this.#scene.violated(`the entry ${each} is not canceled: ${why}`);
  }

  /** The halves of a bracket count once. */
  #takesBack(id: string): void {
    const { truth, journal, world, violated, isForeign, isTruthful } = this.#scene;
    if (isForeign || !isTruthful || world.time.livedUs - this.#flattenedUs < FLATTEN_US) return;
    const order = journal.orders.get(id);
    const trigger = truth.triggerNamed(id) ?? truth.triggers.get(order?.waitingKey ?? '');
    if (order === undefined || order.isProtective || trigger?.status !== 'pending') return;
    const { orderCode: code, side } = trigger;
    const sinceUs = world.time.nowUs - READ_US;
    // Fills of an order that no row names yet are booked for nobody: by the rows the order closes nothing.
    const isUnread = ({ report }: BrokerOrderTruth): boolean =>
      truth.senderOf(report) !== undefined && !journal.isNumbered(report);
    const isNews =
      truth.fills.some(
        (fill) => fill.order.report.orderCode === code && (fill.atUs > sinceUs || isUnread(fill.order)),
      ) || [...truth.orders.values()].some((each) => each.firstUs > sinceUs && isOpenAtBroker(each.report));
    const owner = truth.ownerOfTrigger(trigger);
    const total = workingOf(truth.open(), owner, code, side);
    const held = (side === 'sell' ? 1 : -1) * truth.heldBy(owner, code);
    if (!isNews && total > 0 && total <= held)
      violated(`${id} is taken back: ${owner} holds ${held}, and orders over ${total} close it`);
  }

  /** Why a withdrawn entry still works, or null; at rest. */
  difference(): string | null {
    const { truth } = this.#scene;
    const isLeft = ({ refId, purpose }: OpenTruth): boolean =>
      refId !== null && purpose === 'entry' && this.#withdrawn.has(refId) && !protects(truth, refId);
    const left = truth.open().find(isLeft);
    this.#judgeLeft(left?.refId ?? null);
    if (left === undefined) return null;
    return `the entry ${left.refId} works, and was withdrawn: ${this.#withdrawn.get(left.refId ?? '')}`;
  }

  #judgeLeft(id: string | null): void {
    const { world, violated } = this.#scene;
    const { livedUs } = world.time;
    // A fault that lasts, and an auction, keep a cancel from going.
    if (id === null || world.plan.lasting !== null || world.plan.hasAuctions) this.#left = null;
    else if (this.#left?.id !== id) this.#left = { id, sinceUs: livedUs };
    else if (livedUs - this.#left.sinceUs > AGAIN_US)
      violated(
        `the entry ${id} works, and was withdrawn ${AGAIN_US / 1e6} s ago: ${this.#withdrawn.get(id)}`,
      );
  }
}
