/** A row of a table of refusals: what is asked, in which market, and that nothing came of it. */
import { operationNamed } from '../document/operations.ts';
import { type Answer, type BareClient, rowsOf } from './bare-client.ts';
import { type Market, openMarket } from './market.ts';
import { verdictOf } from './verdict.ts';

/** Makes ready, then asks. */
export type Attempt = (market: Market) => Promise<() => Promise<Answer>>;

export interface Refusal {
  readonly code: string;
  readonly what: string;
  readonly attempt: Attempt;
  readonly market: () => Promise<Market>;
}

export const refusal = (
  code: string,
  what: string,
  attempt: Attempt,
  market: () => Promise<Market> = openMarket,
): Refusal => ({ code, what, attempt, market });

/** Everything of a customer that a call could have changed. */
async function belongings(client: BareClient): Promise<unknown> {
  const inDay = await client.call('in-day');
  const conditions = await client.call('conditions');
  const positions = await client.call('positions');
  const { json } = await client.call('account-status');
  return [rowsOf(inDay), rowsOf(conditions), rowsOf(positions), json['data']];
}

/** What the service says, and whether anything has changed for anybody. */
export async function refusedCall(
  name: string,
  { attempt, market: open }: Refusal,
): Promise<{ readonly verdict: string; readonly before: unknown; readonly after: unknown }> {
  const market = await open();
  const ask = await attempt(market);
  const all = (): Promise<unknown[]> => Promise.all([market.alice, market.bob, market.carol].map(belongings));
  const before = await all();
  const answer = await ask();
  return { verdict: verdictOf(operationNamed(name), answer), before, after: await all() };
}
