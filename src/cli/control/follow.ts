/** Progress of cancel-all and flatten, from the engine's state before and after: the daemon carries them out with or without us. */
import type { DaemonStatus } from '../../app/live/daemon-control.ts';
import { shortOrderId } from '../../domain/ids.ts';
import { formatCount } from '../../text/numbers.ts';

/** `left`: it ends here without being done. */
export interface Progress {
  readonly state: 'working' | 'done' | 'left';
  readonly text: string;
}

type View = Pick<NonNullable<DaemonStatus['engine']>, 'orders' | 'strategies' | 'procedure' | 'phase'>;

export function cancelProgress(before: Pick<View, 'orders'>, now: View, isLate: boolean): Progress {
  const taken = new Set(before.orders.map(({ clientOrderId }) => clientOrderId));
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
  const text = taken.size === 0 ? 'no order was open' : `${all} ended: tickwright orders shows how`;
  return { state: 'done', text: text + news };
}

/** The view is older than the command: it proves nothing. */
export const silentProgress = (isLate: boolean): Progress => ({
  state: isLate ? 'left' : 'working',
  text: 'the engine does not answer, so nothing shows whether it is done; tickwright halt works meanwhile',
});

/** `strategy`: null for all. `wasBusy`: an earlier look saw it close something. */
export function flattenProgress(now: View, strategy: string | null, wasBusy: boolean): Progress {
  const held = now.strategies
    .filter(({ id }) => strategy === null || id === strategy)
    .flatMap(({ id, positions }) =>
      positions.filter(({ qty }) => qty !== 0).map(({ qty, orderCode }) => `${id} ${qty} of ${orderCode}`),
    );
  const steps = now.procedure.split('; ').filter((step) => step.startsWith('flattening'));
  const rest = `still held: ${held.join(', ')}`;
  if (held.length === 0 && (steps.length === 0 || strategy !== null))
    return { state: 'done', text: 'flat: nothing is held' };
  if (steps.length === 0 && wasBusy) {
    const again = 'entries stayed on, tickwright halt stops them';
    return { state: 'done', text: `it was flat, and holds again ${held.join(', ')}: ${again}` };
  }
  if (steps.length === 0)
    return {
      state: 'left',
      text: `${rest}, and no flatten is under way: tickwright journal shows why`,
    };
  if (steps.every((step) => step.endsWith(': resting')))
    return {
      state: 'left',
      text: `${rest}; its orders rest in the auction until that ends: tickwright positions shows what it took`,
    };
  const waits = steps.filter((step) => /: (?:queued|given_up)$/.test(step));
  if (waits.length === steps.length) {
    const next = 'the daemon tries again when continuous trading begins next';
    return { state: 'left', text: `${held.length === 0 ? steps.join('; ') : rest}; ${next}` };
  }
  return { state: 'working', text: steps.join('; ') };
}
