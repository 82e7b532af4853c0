/** The end of a cancel-all and of a flatten, from the engine's state before and after: the daemon carries them out, whoever asked. */
import { shortOrderId } from '../domain/ids.ts';
import type { EngineSnapshot } from '../engine/engine-snapshot.ts';
import type { AlertSeverity } from '../engine/ports/journal-entry.ts';
import { formatCount } from '../text/numbers.ts';

type Outcome = 'cancel_all_ended' | 'flatten_ended';

export interface OpenCommand {
  readonly code: Outcome;
  readonly progressOf: (now: EngineStatus) => StageProgress;
}

/** Alerts the end of each command whose answer could not have it yet. */
export class CommandOutcomes {
  readonly #alert: (severity: AlertSeverity, code: Outcome, text: string) => void;
  #open: readonly OpenCommand[] = [];

  constructor(alert: (severity: AlertSeverity, code: Outcome, text: string) => void) {
    this.#alert = alert;
  }

  watch(command: OpenCommand): void {
    this.#open = [...this.#open, command];
  }

  /** A view that is newer than the commands. */
  observe(view: EngineStatus): void {
    const open = this.#open;
    this.#open = [];
    for (const command of open) {
      const { state, text } = command.progressOf(view);
      if (state === 'working' || state === 'waits') this.watch(command);
      else this.#alert(state === 'done' ? 'info' : 'warning', command.code, text);
    }
  }
}

/** `waits`: for the market. `left`: it ends here without being done. */
export interface StageProgress {
  readonly state: 'working' | 'waits' | 'left' | 'done';
  readonly text: string;
}

type EngineStatus = Pick<EngineSnapshot, 'orders' | 'strategies' | 'flattens' | 'phase' | 'tradingDay'>;

/** `before`: null where no engine could show what was open. */
export function cancelProgress(before: Pick<EngineStatus, 'orders' | 'tradingDay'> | null) {
  let taken: ReadonlySet<string> | null = null;
  let day = before?.tradingDay ?? null;
  return (now: EngineStatus, isLate: boolean): StageProgress => {
    day ??= now.tradingDay;
    // The engine of another day does not follow each order of before.
    if (day !== now.tradingDay) {
      const text = `${day} was over before each open order had ended: compare the broker’s own list`;
      return { state: 'left', text };
    }
    // The first view after the command shows what it cancels of the moment since the one before.
    taken ??= new Set(
      [...(before?.orders ?? []), ...now.orders.filter(({ status }) => status === 'pending_cancel')].map(
        ({ clientOrderId }) => clientOrderId,
      ),
    );
    return cancelStage(taken, now, isLate, before === null);
  };
}

function cancelStage(
  taken: ReadonlySet<string>,
  now: EngineStatus,
  isLate: boolean,
  isUnseen: boolean,
): StageProgress {
  const left = now.orders.filter(({ clientOrderId }) => taken.has(clientOrderId));
  const all = formatCount(taken.size, 'open order');
  if (left.length > 0) {
    const names = left.map(({ clientOrderId, status }) => `${shortOrderId(clientOrderId)} ${status}`);
    const text = `${left.length} of ${all} not ended yet: ${names.join(', ')}`;
    return isLate
      ? { state: 'left', text: `${text}; the phase is ${now.phase}` }
      : { state: 'working', text };
  }
  const more = now.orders.length - left.length;
  const news = more === 0 ? '' : `; ${more} more since: cancel-all stops no strategy, tickwright halt does`;
  const none = isUnseen
    ? 'no cancel is under way: tickwright orders shows how each ended'
    : 'no order was open';
  const text = taken.size === 0 ? none : `${all} ended: tickwright orders shows how`;
  return { state: 'done', text: text + news };
}

/** The view is older than the command: it proves nothing. */
export const silentProgress = (isLate: boolean): StageProgress => ({
  state: isLate ? 'left' : 'working',
  text: 'the engine does not answer, so nothing shows whether it is done; tickwright halt works meanwhile',
});

export const flattenProgress =
  (strategy: string | null) =>
  (now: EngineStatus): StageProgress => {
    const flattened = now.strategies.filter(({ id }) => strategy === null || id === strategy);
    const held = flattened.flatMap(({ id, positions }) =>
      positions.filter(({ qty }) => qty !== 0).map(({ qty, orderCode }) => `${id} ${qty} of ${orderCode}`),
    );
    const steps = now.flattens;
    const texts = steps.map(({ text }) => text).join('; ');
    // Steps may be those of another strategy; an entry of this one may fill until it has ended.
    const isOver = strategy !== null && flattened.every(({ openOrders }) => openOrders === 0);
    const summary = held.length === 0 ? texts : `still held: ${held.join(', ')}`;
    if (held.length === 0 && (steps.length === 0 || isOver))
      return {
        state: 'done',
        text: `flat: ${strategy === null ? 'nothing is held' : `${strategy} holds nothing`}`,
      };
    if (steps.length === 0) {
      const why = 'it was dropped, or a strategy entered again: tickwright journal shows which';
      return { state: 'left', text: `${summary}, and no flatten is under way: ${why}` };
    }
    if (steps.every(({ progress }) => progress === 'resting'))
      return {
        state: 'waits',
        text: `${summary}; its orders rest in the auction until that ends: tickwright positions shows what it took`,
      };
    if (steps.every(({ progress }) => progress === 'queued' || progress === 'given_up')) {
      const isLeft = steps.some(({ progress }) => progress === 'given_up');
      const person = isLeft
        ? 'it was given up: close the rest in the broker’s own program, or flatten again; '
        : '';
      const next = 'the daemon tries again when continuous trading begins next';
      return { state: 'waits', text: `${summary}; ${person}${next}` };
    }
    return { state: 'working', text: texts };
  };
