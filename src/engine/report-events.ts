/** What the broker answers when it is asked: books, positions, money, reference prices, its clock. */
import { US_PER_SECOND } from '../domain/units.ts';
import type { EngineParts } from './engine-parts.ts';
import type {
  AccountSnapshot,
  BookSnapshot,
  ClockSkew,
  PositionSnapshot,
  ReadFailed,
  ReferencePrices,
} from './ports/engine-event.ts';

/** Clock skew above which a person is told (rulings, 28). */
const SKEW_TOLD_US = 2 * US_PER_SECOND;

export class ReportEvents {
  readonly #parts: EngineParts;
  #isSkewTold = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  reference(prices: ReferencePrices): void {
    const { market, snapshots, polls, lossBand } = this.#parts;
    polls.succeeded('reference');
    snapshots.failed('reference');
    lossBand.invalidate();
    market.reference(prices);
  }

  account(snapshot: AccountSnapshot): void {
    const { snapshots, polls, session } = this.#parts;
    polls.succeeded('account');
    snapshots.arrived('account', snapshot.startedUs);
    session.takeAccount(snapshot);
  }

  readFailed(failed: ReadFailed): void {
    const { polls, executor } = this.#parts;
    polls.failed(failed);
    if (failed.what === 'positions') executor.retryParked(true);
  }

  book(snapshot: BookSnapshot): void {
    const {
      snapshots,
      polls,
      contracts,
      reconciler,
      dayEnd,
      session,
      positionReconciler,
      fills,
      orders,
      children,
      exitCover,
    } = this.#parts;
    const what = snapshot.list === 'orders' ? 'book' : 'triggers';
    polls.succeeded(what);
    snapshots.arrived(what, snapshot.startedUs);
    // Rows name contracts: before the list is known they say nothing.
    if (contracts.all.length === 0) return;
    reconciler.take(snapshot);
    if (snapshot.list === 'triggers') {
      if (snapshot.complete) session.triggersReadUs = Math.max(session.triggersReadUs, snapshot.startedUs);
      return;
    }
    dayEnd.afterBook(snapshot);
    if (!snapshot.complete) return;
    session.bookReadUs = Math.max(session.bookReadUs, snapshot.startedUs);
    const isOneAbsent = orders.presumedAbsent !== null;
    // What a row of unknown ownership filled may be what a difference is made of.
    const unresolved = orders.unresolved + children.held;
    positionReconciler.takeBook(snapshot, { fillVersion: fills.version, unresolved, isOneAbsent });
    if (unresolved === 0) exitCover.step(snapshot.startedUs);
    if (unresolved === 0 && positionReconciler.nextRead() === 'positions') snapshots.want('positions');
  }

  positions(snapshot: PositionSnapshot): void {
    const { snapshots, polls, contracts, positionReconciler, fills, executor } = this.#parts;
    polls.succeeded('positions');
    snapshots.arrived('positions', snapshot.startedUs);
    if (contracts.all.length === 0) return;
    positionReconciler.takePositions(snapshot, fills.version);
    executor.retryParked(false);
    if (positionReconciler.nextRead() === 'book') snapshots.want('book');
  }

  clockSkew({ skewUs }: ClockSkew): void {
    const { session, context } = this.#parts;
    session.clockSkewUs = skewUs;
    const isLarge = Math.abs(skewUs) > SKEW_TOLD_US;
    if (isLarge && !this.#isSkewTold) {
      context.alert(
        null,
        'warning',
        'clock_skew',
        `our clock differs from the broker's by ${skewUs / US_PER_SECOND} s`,
      );
    }
    this.#isSkewTold = isLarge;
  }
}
