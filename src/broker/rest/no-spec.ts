import type { CallOutcome } from '../../domain/broker-order.ts';

/** Nothing about the contract is known: a price of it cannot even be written. */
export const noSpec = (code: string): Promise<CallOutcome> =>
  Promise.resolve({ status: 'not_sent', reason: `no contract specification for ${code}` });
