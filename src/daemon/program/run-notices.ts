/**
 * One message for each start and each end of a run: its cause, positions, waiting stops, and whether the books agree. Where a position is
 * held, or a run died, every channel gets it.
 */
import type { Config } from '../../config/config.ts';
import { withTimeout, systemTimers } from '../../host/system-clock.ts';
import type { EarlierRun, RunRecord } from '../../host/run-record.ts';
import { overLimits } from '../reload.ts';
import type { Daemon } from '../daemon.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import { seconds } from '../../domain/units.ts';
import { formatLocalSecond } from '../../text/dates.ts';
import { formatCount } from '../../text/numbers.ts';
import { bookFacts, comparisons, holdings, ourHoldings } from '../session/holdings.ts';

const POLL_EVERY = seconds(1);
/** Books that do not agree by then are reported as they are. */
const POLLS_MAX = 60;
const ANSWER_MAX = seconds(3);

export class RunNotices {
  readonly #daemon: Daemon;
  /** Null in the first run of a state directory. */
  readonly #runBefore: EarlierRun | null;
  #cancelPoll: CancelTimer | undefined;

  /** Reports the start once positions and stops are proven, or are not for a minute. */
  constructor(daemon: Daemon, runRecord: RunRecord) {
    this.#daemon = daemon;
    this.#runBefore = runRecord.earlier;
    const excluded = runRecord.excluded(daemon.config.strategies.map(({ id }) => id));
    if (excluded !== null)
      daemon.alert('critical', 'process_died', `${excluded.reason}; orders and stops at the broker stay`);
    this.#cancelPoll = systemTimers.after(POLL_EVERY, () => void this.#poll(1));
  }

  close(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  /** `reason`: the name of a signal, or a person's text. Returns it with what is left, for the record. */
  async stopped(reason: string): Promise<string> {
    this.close();
    const { isHolding, text } = await heldBy(this.#daemon);
    const by = reason.startsWith('SIG') ? `by the signal ${reason}` : `by request: ${reason}`;
    this.#daemon.alert(
      'info',
      isHolding ? 'stopped_with_a_position' : 'daemon_stopped',
      `stopped ${by}; until the next start nobody steers what is at the broker; ${text}`,
    );
    return `${reason}; ${this.#daemon.named(text)}`;
  }

  async #poll(polls: number): Promise<void> {
    const view = await viewOf(this.#daemon);
    if (this.#cancelPoll === undefined) return;
    const isProven = view?.unproven === null && view.stopsUnproven === null;
    if (isProven || polls >= POLLS_MAX) return this.#started();
    this.#cancelPoll = systemTimers.after(POLL_EVERY, () => void this.#poll(polls + 1));
  }

  async #started(): Promise<void> {
    const { isHolding, text } = await heldBy(this.#daemon);
    if (this.#cancelPoll === undefined) return;
    this.close();
    const earlier = this.#runBefore;
    const time = (us: number): string => formatLocalSecond(us, this.#daemon.config.calendar.utcOffsetMinutes);
    if (earlier?.ended === null) {
      const begun = earlier.startedUs === null ? '' : `, begun at ${time(earlier.startedUs)},`;
      const run = `the run before${begun} was killed or crashed`;
      return this.#daemon.alert('warning', 'started_after_a_crash', `${run}; ${text}`);
    }
    const before =
      earlier === null
        ? 'the first run of this state directory'
        : `the run before ended at ${time(earlier.ended.atUs)}: ${earlier.ended.reason.split('; ', 1).join()}`;
    const code = isHolding ? 'started_with_a_position' : 'daemon_started';
    this.#daemon.alert('info', code, `${before}; ${text}`);
  }
}

/** Positions and orders that the daemon leaves alone, or takes over: by the engine, or by the journal where no engine answers. */
export async function heldBy(daemon: Daemon) {
  const { contracts } = daemon.edge.table;
  const view = await viewOf(daemon);
  if (view !== undefined) {
    const held = holdings(view, contracts);
    const books = bookFacts(
      view,
      comparisons(view, daemon.config.calendar.utcOffsetMinutes, daemon.clock.nowUs()),
    );
    const compared = books.map(([label, text]) => `${label}: ${text}`);
    return stateOf(held, view.orders.length, [...compared, ...overLimitsOf(view, daemon.config)].join('; '));
  }
  const ours = await daemon.cycle.readOurBooks().catch(() => null);
  if (ours === null) return { isHolding: true, text: 'the journal is not read: what is held is NOT known' };
  const open = ours.orders.filter(({ isOpen }) => isOpen);
  const why = daemon.cycle.degraded ?? 'no engine answers';
  const books = `books: NOT compared, this is what our journal holds (${why})`;
  return stateOf(ourHoldings(ours, daemon.names, contracts), open.length, books);
}

/** Of each strategy: no limit that is lowered between two runs takes back what rests. */
const overLimitsOf = (view: EngineSnapshot, { engine }: Config): readonly string[] =>
  engine.strategies.flatMap(({ id, risk }) => {
    const entry = view.strategies.find((each) => each.id === id);
    return entry === undefined ? [] : overLimits(entry, risk, view.orders).map((text) => `${id} ${text}`);
  });

const viewOf = (daemon: Daemon): Promise<EngineSnapshot | undefined> =>
  withTimeout(daemon.refreshView(), ANSWER_MAX);

const stateOf = (held: readonly string[], openOrders: number, books: string) => ({
  isHolding: held.length > 0,
  text: `${held.length === 0 ? 'nothing is held' : `held: ${held.join('; ')}`}; ${formatCount(openOrders, 'open order')}; ${books}`,
});
