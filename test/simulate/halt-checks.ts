/** A halt that is confirmed is durable and holds; one that is called proven leaves nothing at the broker, or on its way there, that enlarges. */
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { isOpenAtBroker, OPERATOR, protects, workingOf } from './broker-truth.ts';
import type { CallChecks } from './call-checks.ts';
import type { Scene } from './scene.ts';

/** A fill or an order from elsewhere since then may not have been read. */
const READ_US = 10e6;
/** A sweep cancels what two of its rounds agree about. */
const SWEPT_US = 4e6;

export class HaltChecks {
  readonly #scene: Scene;
  readonly #calls: CallChecks;
  /** A person was alerted that entries are off, and has not asked for them since. */
  #isConfirmed = false;
  #wasProven = false;

  constructor(scene: Scene, calls: CallChecks) {
    this.#scene = scene;
    this.#calls = calls;
  }

  /** A command was answered: what it says is in rows that a kill leaves. */
  confirmed(command: string): void {
    const { journal, violated, world } = this.#scene;
    journal.follow(world.disk.commits);
    if (command === 'halt') {
      this.#isConfirmed = true;
      if (journal.halted === null && !this.#isDiskRefusing)
        violated('a halt was confirmed before its row was durable');
      if (journal.halted === null && !this.#isOnEmergencyFile)
        violated('a halt was confirmed, and neither journal nor emergency file has it');
    }
    if (command === 'resume' && journal.halted !== null)
      violated('a resume was confirmed before its row was durable');
  }

  /** The operator asks for entries: from here on they may be on. */
  resuming(): void {
    this.#isConfirmed = false;
  }

  /** A row of a halt is shown to the operator. */
  shown({ kind, ...entry }: JournalEntry): void {
    if (kind !== 'halt' || !('halted' in entry) || entry.strategy !== null || this.#isDiskRefusing) return;
    const { journal, violated, world } = this.#scene;
    journal.follow(world.disk.commits);
    if ((journal.halted !== null) !== entry.halted)
      violated(`a halt was shown before its row was durable: ${entry.reason}`);
  }

  get #isDiskRefusing(): boolean {
    const { world } = this.#scene;
    return world.disk.isFull || world.daemon?.journal.isFailing === true;
  }

  get #isOnEmergencyFile(): boolean {
    return this.#scene.journal.emergencyLines().length > 0;
  }

  afterEvent(): void {
    const { world, violated } = this.#scene;
    const { daemon } = world;
    if (daemon === undefined || !world.isUp) {
      this.#wasProven = false;
      return;
    }
    if (this.#isConfirmed && daemon.halt.reason === null) {
      this.#isConfirmed = false;
      return violated('a halt that was confirmed holds no more, and nobody resumed');
    }
    const isProven = daemon.halt.reason !== null && daemon.haltEnforcer.progress.status === 'proven';
    if (isProven) this.#proven(daemon.haltEnforcer.progress.text);
    if (isProven && !this.#wasProven) this.#becomesProven(daemon.haltEnforcer.progress.text);
    this.#wasProven = isProven;
  }

  /** While the halt lasts no entry of ours works, and none is on its way. */
  #proven(text: string): void {
    const { truth, violated, journal } = this.#scene;
    for (const id of this.#calls.entriesInFlight)
      violated(`the halt is proven (${text}) while ${id} is on its way`);
    if (this.#wasProven) return;
    for (const order of truth.open()) {
      if (order.owner === OPERATOR || order.purpose !== 'entry' || order.refId === null) continue;
      if (protects(truth, order.refId)) continue;
      violated(
        `the halt is proven (${text}), and the entry ${order.refId} works; it was ${journal.orders.get(order.refId)?.status ?? 'unknown'} here`,
      );
    }
  }

  /** A cancel of the sweep leaves: what only shrinks the position of its owner stays, the halves of a bracket count once. */
  killing(name: string): void {
    const { truth, violated, world, isForeign, isTruthful, journaledQty } = this.#scene;
    const order = truth.triggers.get(name) ?? truth.order(truth.day, name)?.report;
    if (order === undefined || isForeign || !isTruthful) return;
    // What is over already is canceled in vain where no book can be read.
    if ('kind' in order ? order.status !== 'pending' : !isOpenAtBroker(order)) return;
    const { orderCode: code, side } = order;
    const owner = 'kind' in order ? truth.ownerOfTrigger(order) : truth.ownerOf(order);
    if (owner === OPERATOR || this.#isNews(code, world.time.nowUs - SWEPT_US)) return;
    const open = truth.open();
    const total = workingOf(open, owner, code, side);
    const closes = (net: number): number => (side === 'sell' ? 1 : -1) * net;
    const held = closes(truth.heldBy(owner, code));
    // Only the book shows the fill that makes it an exit.
    const isUnread = world.plan.lasting === 'no_book' && closes(journaledQty(owner, code)) < total;
    if (total > 0 && total <= held && !isUnread)
      violated(`the halt cancels ${name}: ${owner} holds ${held}, and orders over ${total} close it`);
  }

  #isNews(code: string, sinceUs: number): boolean {
    const { truth } = this.#scene;
    return (
      truth.fills.some(({ atUs, order }) => atUs > sinceUs && order.report.orderCode === code) ||
      [...truth.orders.values()].some(
        ({ firstUs, report }) => firstUs > sinceUs && report.orderCode === code && isOpenAtBroker(report),
      )
    );
  }

  /** Nothing at the broker is more than what it closes, as the word says, but for what happened just now. */
  #becomesProven(text: string): void {
    const { truth, violated, world } = this.#scene;
    if (/can turn a position round/.test(text)) return;
    const sinceUs = world.time.nowUs - READ_US;
    const codes = new Set(truth.open().map(({ code }) => code));
    for (const code of codes) {
      if (this.#isNews(code, sinceUs)) continue;
      for (const side of ['buy', 'sell'] as const) {
        const owners = new Set([...world.plan.strategies.map(({ id }) => id), OPERATOR]);
        let enlarging = 0;
        let held = 0;
        for (const owner of owners) {
          enlarging += workingOf(truth.open(), owner, code, side);
          held += Math.max(0, (side === 'sell' ? 1 : -1) * this.#heldBy(owner, code));
        }
        if (enlarging > held)
          violated(
            `the halt is proven (${text}): orders ${side} ${enlarging} ${code}, and ${held} are held against them`,
          );
      }
    }
  }

  /** The operator holds what no strategy does. */
  #heldBy(owner: string, code: string): number {
    const { truth, world } = this.#scene;
    if (owner !== OPERATOR) return truth.heldBy(owner, code);
    const strategies = world.plan.strategies.reduce((sum, { id }) => sum + truth.heldBy(id, code), 0);
    return (truth.net.get(code) ?? 0) - strategies;
  }
}
