/** The kill path for orders that wait at the broker: taken out of the conditional book, as the broker's own book shows them. */
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { Timers } from '../../domain/clock.ts';
import type { BrokerOrderKey } from '../../domain/ids.ts';
import { seconds } from '../../domain/units.ts';
import type { ConditionCalls } from '../rest/broker-calls.ts';

export interface ConditionKillReport {
  readonly canceled: readonly BrokerOrderKey[];
  /** What still waits according to the last look. */
  readonly waiting: readonly BrokerTriggerOrder[];
  /** Whether the last look was at the whole book: only then is an empty `waiting` proof. */
  readonly isProven: boolean;
  /** One of them triggered meanwhile: what it sent is in the in-day book. */
  readonly hasTriggered: boolean;
}

const ROUNDS_MAX = 5;
const BETWEEN_ROUNDS = seconds(1);

/** `unrecognized` may wait: it is tried. */
const isWaiting = ({ status }: BrokerTriggerOrder): boolean =>
  status === 'pending' || status === 'unrecognized';

export async function killConditions(
  rest: Pick<ConditionCalls, 'book' | 'cancel'>,
  timers: Timers,
): Promise<ConditionKillReport> {
  const canceled = new Set<BrokerOrderKey>();
  const tried = new Set<BrokerOrderKey>();
  for (let round = 1; ; round += 1) {
    const walk = await rest.book({ priority: 'lookup' });
    const waiting = walk.orders.filter(isWaiting);
    if ((walk.complete && waiting.length === 0) || round === ROUNDS_MAX) {
      const hasTriggered = walk.orders.some(
        ({ orderKey, status }) => tried.has(orderKey) && status === 'activated',
      );
      return { canceled: [...canceled], waiting, isProven: walk.complete, hasTriggered };
    }
    await Promise.all(
      waiting.map(async ({ orderNo, orderKey }) => {
        tried.add(orderKey);
        const options = { priority: 'exit', refuse: () => null } as const;
        const outcome = await rest.cancel({ orderNo, orderKey }, options);
        if (outcome.status === 'accepted') canceled.add(orderKey);
      }),
    );
    await new Promise<void>((resolve) => timers.after(BETWEEN_ROUNDS, resolve));
  }
}
