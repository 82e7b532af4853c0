import { filter, merge, of, switchMap, withLatestFrom } from 'rxjs';
import type { CancelTimer } from '../../src/domain/clock.ts';
import {
  type LegTrader,
  type LegTicks,
  mayEnter,
  minutes,
  type OrderUpdate,
  PositionWorker,
  seconds,
} from '../../src/strategy/index.ts';
import { lost, readings, spreadOf, type SpreadReading, standbys } from './spread-readings.ts';

export interface SpreadParams {
  readonly sampleSeconds: number;
  readonly window: number;
  readonly entryZ: number;
  readonly exitZ: number;
  readonly entryTicks: number;
  readonly qty: number;
  readonly restSeconds: number;
  readonly firstLegSeconds: number;
  readonly secondLegSeconds: number;
  readonly pauseSeconds: number;
  readonly slipTicks: number;
}

interface Leg {
  readonly ticks: LegTicks;
  readonly trader: LegTrader;
}

/**
 * `flat`: looking for an entry. `entering`: the first leg is on its way, the second follows each of its fills. `open`: both
 * are held. `closing`: the first leg goes back, the second follows. `unwinding`: something went wrong, both go to zero at once.
 */
type State = 'flat' | 'entering' | 'open' | 'closing' | 'unwinding';

/** No spread is begun this shortly before trading pauses. */
const LAST_ENTRY_BEFORE = minutes(3);

export class SpreadTrader {
  readonly #params: SpreadParams;
  readonly #front: LegTrader;
  readonly #next: LegTrader;
  readonly #first: PositionWorker;
  readonly #second: PositionWorker;
  #state: State = 'flat';
  #deadline: CancelTimer | null = null;
  #entryEnd: CancelTimer | null = null;
  /** The second leg was asked to follow. */
  #isFollowing = false;
  #pausedUntilUs = 0;

  constructor(front: Leg, next: Leg, params: SpreadParams) {
    this.#params = params;
    this.#front = front.trader;
    this.#next = next.trader;
    const settings = { rest: seconds(params.restSeconds), reprice: seconds(1), slipTicks: params.slipTicks };
    // The next month is thinner, so it goes first; the front month is there when it is needed.
    this.#first = new PositionWorker(next.ticks, next.trader, settings);
    this.#second = new PositionWorker(front.ticks, front.trader, settings);
    front.ticks.orders$.subscribe((update) => this.#onOrder(update));
    front.ticks.rollovers$.subscribe(({ leg }) => this.#restart(`${leg} rolled over`));
    // Looking: every few seconds of continuous trading.
    const moments$ = front.ticks.every(seconds(params.sampleSeconds));
    const looks$ = moments$.pipe(filter(() => this.#front.phase() === 'continuous'));
    looks$.subscribe(() => {
      if (this.#state === 'flat' && this.#holdsAnything()) this.#takeOver();
    });
    const spread$ = spreadOf(front.ticks, next.ticks);
    // What the window remembers of another contract, or of the time before a hole, says nothing.
    // The first one is the last of them, so that each later hole is seen before the sample of that moment.
    merge(front.ticks.rollovers$, lost(front.ticks), standbys(moments$, params), of(null))
      .pipe(
        switchMap(() =>
          looks$.pipe(
            withLatestFrom(spread$, (_, spread) => spread),
            readings(params.window),
          ),
        ),
      )
      .subscribe((reading) => this.#decide(reading, this.#front.time()));
  }

  #decide(reading: SpreadReading, now: number): void {
    if (this.#state === 'flat') this.#lookForEntry(reading, now);
    else if (this.#state === 'open') this.#lookForExit(reading);
  }

  #lookForEntry({ spread, mean, z }: SpreadReading, now: number): void {
    const { entryZ, entryTicks, qty, firstLegSeconds } = this.#params;
    if (Math.abs(z) < entryZ || Math.abs(spread - mean) < entryTicks || now < this.#pausedUntilUs) return;
    if (!mayEnter(this.#front.calendar(), this.#front.time(), LAST_ENTRY_BEFORE)) return;
    // A spread that is too wide is sold: the next month down, the front month up.
    this.#state = 'entering';
    this.#entryEnd = this.#front.after(seconds(firstLegSeconds), () => this.#endEntry());
    this.#first.aim(
      z > 0 ? -qty : qty,
      `spread ${spread.toFixed(1)}, mean ${mean.toFixed(1)}, z ${z.toFixed(2)}`,
    );
  }

  /** The spread came back to its mean, or went through it. */
  #lookForExit({ spread, z }: SpreadReading): void {
    const isBack = this.#next.position().qty > 0 ? z >= -this.#params.exitZ : z <= this.#params.exitZ;
    if (!isBack) return;
    this.#state = 'closing';
    this.#first.aim(0, `spread ${spread.toFixed(1)} is back, z ${z.toFixed(2)}`);
  }

  /** Gives up the part of the first leg that is not filled by now. */
  #endEntry(): void {
    this.#entryEnd = null;
    if (this.#state !== 'entering') return;
    this.#first.aim(this.#next.position().qty, 'the rest was not filled in time');
    this.#balance();
  }

  // Balance: the second leg follows the first, and has a deadline.

  #onOrder({ instrument, status }: OrderUpdate): void {
    const isRefused = status === 'denied' || status === 'rejected' || status === 'not_sent';
    const isSecond = instrument === this.#front.contract.index;
    if (isRefused && isSecond && this.#state !== 'flat' && this.#state !== 'unwinding') {
      this.#unwind(`the second leg was ${status}`);
    } else this.#balance();
  }

  #balance(): void {
    if (this.#state === 'flat') return;
    if (this.#state === 'unwinding') {
      this.#unwindFurther();
      return;
    }
    const first: number = this.#next.position().qty;
    if (this.#first.target === null || (this.#isFollowing && this.#second.target === null)) {
      this.#unwind('the position was moved by another hand');
      return;
    }
    if (first !== 0 || this.#isFollowing) this.#follow(first);
    this.#watchDeadline(first + this.#front.position().qty !== 0);
    this.#settle(first);
  }

  #follow(first: number): void {
    this.#isFollowing = true;
    this.#second.aim(-first, 'follows the first leg', 'urgent');
  }

  /** Time without the second leg is bounded. */
  #watchDeadline(isUneven: boolean): void {
    if (!isUneven && this.#deadline !== null) {
      this.#deadline();
      this.#deadline = null;
    } else if (isUneven && this.#deadline === null) {
      this.#deadline = this.#front.after(seconds(this.#params.secondLegSeconds), () => {
        this.#deadline = null;
        this.#unwind('the second leg was not filled in time');
      });
    }
  }

  /** Both legs are where they should be: the spread is open, or closed. */
  #settle(first: number): void {
    if (this.#first.isWorking || this.#second.isWorking || this.#deadline !== null) return;
    if (this.#first.target !== first) return;
    this.#entryEnd?.();
    this.#entryEnd = null;
    if (first !== 0) this.#state = 'open';
    else this.#toFlat();
  }

  // When something goes wrong.

  /** Both legs go to zero at once, whatever the price; then a pause. */
  #unwind(why: string): void {
    this.#front.note(`unwinding: ${why}`);
    this.#deadline?.();
    this.#deadline = null;
    this.#state = 'unwinding';
    this.#unwindFurther();
  }

  #unwindFurther(): void {
    this.#first.aim(0, 'unwinding', 'urgent');
    this.#second.aim(0, 'unwinding', 'urgent');
    if (this.#holdsAnything() || this.#first.isWorking || this.#second.isWorking) return;
    this.#pausedUntilUs = this.#front.time() + seconds(this.#params.pauseSeconds);
    this.#toFlat();
  }

  #toFlat(): void {
    this.#state = 'flat';
    this.#isFollowing = false;
    this.#entryEnd?.();
    this.#entryEnd = null;
    this.#first.release();
    this.#second.release();
  }

  /** A position from before this start: an even one is kept and closed by the rule, an uneven one is unwound. */
  #takeOver(): void {
    const first: number = this.#next.position().qty;
    if (first + this.#front.position().qty !== 0) {
      this.#unwind('an uneven position was found');
      return;
    }
    this.#front.note('took over an open spread');
    this.#state = 'open';
    this.#first.aim(first, 'taken over');
    this.#follow(first);
  }

  /** The legs mean other contracts now: what the old ones did says nothing. A position is checked with the next sample. */
  #restart(why: string): void {
    this.#front.note(`starting again: ${why}`);
    this.#deadline?.();
    this.#deadline = null;
    this.#toFlat();
  }

  #holdsAnything(): boolean {
    return this.#next.position().qty !== 0 || this.#front.position().qty !== 0;
  }
}
