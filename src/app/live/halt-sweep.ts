/**
 * Empties the broker's books of entries while a halt holds. It calls them empty only after complete reads that began with no call in
 * flight; an order whose fate is unknown counts as there until reads spread over some time don't show it (rulings, 8). Afterwards
 * it watches the books that are read anyway, and cancels what turns up late.
 */
import type { WholeKill } from '../../broker/gateway/kill-all.ts';
import type { RestGateway } from '../../broker/gateway/rest-gateway.ts';
import { type BrokerOrder, mayWork } from '../../domain/broker-order.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { errorText } from '../../domain/failure.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import { type DurationUs, durationUs, seconds } from '../../domain/units.ts';
import type { EngineEvent, Unsequenced } from '../../engine/ports/engine-event.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';

/** `unproven`: told to a person; the daemon goes on trying. */
export type SweepStatus = 'idle' | 'working' | 'proven' | 'unproven';

export interface SweepParts {
  readonly gateway: Pick<RestGateway, 'killAll' | 'settled' | 'inFlight'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly lookUp: LookUpSettings;
  readonly isHalted: () => boolean;
  /** An order of this day that such an in-day book cannot tell of: its rows are of the day before alone. */
  readonly untold: (rows: readonly BrokerOrder[]) => ClientOrderId | null;
  readonly tell: (severity: AlertSeverity, code: string, text: string) => void;
}

/** Reads that began after the last answer, and did not show the order. */
interface Absence {
  scans: number;
  firstUs: number;
}

/** A doubt that reads alone cannot end is told at once. */
interface Doubt {
  readonly text: string;
  readonly isBlind: boolean;
}

/** Doubts that cancels and reads may still end are told after this. */
const PATIENCE = seconds(60);
const PAUSE_MIN = seconds(1);
const PAUSE_MAX = seconds(30);

export class HaltSweep {
  readonly #parts: SweepParts;
  readonly #unknown = new Map<ClientOrderId, Absence>();
  readonly #canceled = new Set<string>();
  #kept: ReadonlySet<string> = new Set();
  #excess = 0;
  #positions = '';
  #status: SweepStatus = 'idle';
  #text = '';
  #isRunning = false;
  #isStale = false;
  #isOver = false;
  #endPause: (() => void) | null = null;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  get progress(): { readonly status: SweepStatus; readonly text: string } {
    return { status: this.#status, text: this.#text };
  }

  /** Names of orders that protect a position, as the last complete reads showed them. */
  get kept(): ReadonlySet<string> {
    return this.#kept;
  }

  /** Starts, or looks again at once. */
  begin(): void {
    this.#isStale = true;
    this.#endPause?.();
    if (!this.#isRunning) void this.#run();
  }

  /** A person resumed: the next halt is proven anew. A sweep under way sees it by itself. */
  end(): void {
    this.#canceled.clear();
    this.#kept = new Set();
    this.#become('idle', '');
  }

  /** The daemon ends. */
  close(): void {
    this.#isOver = true;
    this.#endPause?.();
  }

  /** A placement that may have reached the broker. */
  doubt(id: ClientOrderId): void {
    this.#unknown.set(id, { scans: 0, firstUs: 0 });
  }

  /** Reports and answers on their way to the engine. */
  see(event: Unsequenced<EngineEvent>): void {
    if (event.kind === 'call_outcome') {
      if (event.call === 'place' && event.outcome.status === 'unknown') this.doubt(event.clientOrderId);
    } else if (event.kind === 'book_snapshot') {
      if (event.list === 'orders') this.#look(event.orders.filter(mayWork).map(({ orderNo }) => orderNo));
      else this.#look(event.orders.filter(mayWork).map(({ orderKey }) => orderKey));
    } else if (event.kind === 'position_snapshot') {
      const positions = event.positions.map(({ orderCode, qty }) => `${orderCode} ${qty}`).join('|');
      const isNews = positions !== this.#positions;
      this.#positions = positions;
      // An exit without its position is an entry.
      if (isNews && this.#kept.size > 0) this.#lookAgain();
    }
  }

  #look(open: readonly string[]): void {
    if (open.some((name) => !this.#kept.has(name))) this.#lookAgain();
  }

  /** A sweep under way reads the books itself. */
  #lookAgain(): void {
    if (this.#status === 'proven' && this.#parts.isHalted()) this.begin();
  }

  async #run(): Promise<void> {
    const { gateway, clock } = this.#parts;
    this.#isRunning = true;
    const startedUs = clock.nowUs();
    const before = this.#canceled.size;
    if (this.#status !== 'proven') this.#become('working', 'reads the books of the broker');
    for (let pause: DurationUs = PAUSE_MIN; this.#goesOn;) {
      this.#isStale = false;
      const isQuiet = gateway.inFlight === 0;
      const doubt = await this.#sweep();
      if (!this.#goesOn) break;
      if (!isQuiet) {
        await gateway.settled();
        continue;
      }
      if (this.#isStale) continue;
      if (doubt === null) {
        this.#prove(this.#canceled.size - before);
        break;
      }
      const isLate = clock.nowUs() - startedUs >= PATIENCE;
      if (doubt.isBlind || isLate || this.#status === 'unproven') this.#doubt(doubt.text);
      else this.#become('working', `${this.#counts}; ${doubt.text}`);
      await this.#pause(pause);
      pause = durationUs(Math.min(PAUSE_MAX, pause * 2));
    }
    this.#isRunning = false;
    if (!this.#parts.isHalted()) this.#become('idle', '');
  }

  get #goesOn(): boolean {
    return !this.#isOver && this.#parts.isHalted();
  }

  get #counts(): string {
    const kept = this.#kept.size === 0 ? '' : `, ${this.#kept.size} that protect a position stay`;
    const excess =
      this.#excess === 0 ? '' : `: they could close ${this.#excess} more than is held, and are all there is`;
    return `${this.#canceled.size} orders canceled${kept}${excess}`;
  }

  /** Null when it is proven that nothing works that can enlarge a position. */
  async #sweep(): Promise<Doubt | null> {
    const startedUs = this.#parts.clock.nowUs();
    try {
      const kill = await this.#parts.gateway.killAll(() => this.#goesOn);
      for (const name of [...kill.orders.canceled, ...kill.triggers.canceled]) this.#canceled.add(name);
      this.#kept = new Set(kill.kept);
      this.#excess = kill.excess;
      return doubtOf(kill) ?? this.#doubtOfBook(kill) ?? this.#doubtOfUnknown(startedUs);
    } catch (error) {
      return { text: errorText(error), isBlind: true };
    }
  }

  /** Such a book proves no absence. */
  #doubtOfBook({ rows }: WholeKill): Doubt | null {
    const id = this.#parts.untold(rows);
    if (id === null) return null;
    const text = `the in-day book shows orders of the day before alone: it does not tell whether ${id} works`;
    return { text, isBlind: false };
  }

  /** Call after complete reads of this day's books. */
  #doubtOfUnknown(startedUs: number): Doubt | null {
    const { scans, spread } = this.#parts.lookUp;
    for (const [id, absence] of this.#unknown) {
      if (absence.scans === 0) absence.firstUs = startedUs;
      absence.scans += 1;
      if (absence.scans >= scans && startedUs - absence.firstUs >= spread) this.#unknown.delete(id);
    }
    const [first] = this.#unknown.keys();
    if (first === undefined) return null;
    return { text: `the fate of ${first} is not known yet: it is canceled if it turns up`, isBlind: false };
  }

  #prove(canceled: number): void {
    const wasProven = this.#status === 'proven';
    const isWhole = this.#excess === 0;
    const text = isWhole
      ? 'no order works that can enlarge a position'
      : 'no entry works, but a stop that stays can turn a position round';
    this.#become('proven', `${text}: ${this.#counts}`);
    if (!wasProven) this.#parts.tell(isWhole ? 'info' : 'warning', 'halt_proven', this.#text);
    else if (canceled > 0)
      this.#parts.tell(
        'warning',
        'halt_late_order',
        `${canceled} orders that turned up during the halt are canceled`,
      );
  }

  #doubt(text: string): void {
    const wasTold = this.#status === 'unproven';
    this.#become(
      'unproven',
      `${this.#counts}; not proven that no entry works: ${text}; the daemon goes on trying`,
    );
    if (!wasTold) this.#parts.tell('critical', 'halt_unproven', this.#text);
  }

  #become(status: SweepStatus, text: string): void {
    this.#status = status;
    this.#text = text;
  }

  #pause(span: DurationUs): Promise<void> {
    return new Promise((resolve) => {
      const cancel: CancelTimer = this.#parts.timers.after(span, () => this.#endPause?.());
      this.#endPause = () => {
        cancel();
        this.#endPause = null;
        resolve();
      };
    });
  }
}

function doubtOf({ orders, triggers, keptReason }: WholeKill): Doubt | null {
  if (!orders.isProven)
    return { text: `the in-day book was not read whole: ${orders.reason}`, isBlind: true };
  if (!triggers.isProven)
    return { text: `the trigger book was not read whole: ${triggers.reason}`, isBlind: true };
  const open = [...orders.open, ...triggers.open];
  if (open.length > 0) {
    const [failure] = [...orders.failed, ...triggers.failed];
    const why = failure === undefined ? '' : ` (${failure.reason})`;
    return { text: `still open: ${open.map(({ orderNo }) => orderNo).join(', ')}${why}`, isBlind: false };
  }
  return keptReason === '' ? null : { text: keptReason, isBlind: true };
}
