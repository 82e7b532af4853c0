/**
 * The control API on its own loopback port: sets, lists and clears faults, and tells the simulator's own exact figures, to
 * compare a client's books with.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { AccountId } from '../../domain/ids.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { MarketClock } from '../time/market-clock.ts';
import type { FaultControl } from './fault-control.ts';
import { FAULT_PARAMETERS, parseFault } from './parse-fault.ts';

export interface ControlServerParts {
  readonly faults: FaultControl;
  readonly brokerage: Brokerage;
  readonly market: MarketClock;
  readonly accounts: readonly AccountId[];
  readonly counters: ReadonlyMap<string, number>;
}

const KNOWN = Object.entries(FAULT_PARAMETERS).map(([name, parameters]) => ({
  name,
  parameters: Object.fromEntries(
    Object.entries(parameters).map(([parameter, { expected, required }]) => [
      parameter,
      required ? `${expected}; required` : expected,
    ]),
  ),
}));

export function createControlServer(parts: ControlServerParts): FastifyInstance {
  const { faults, brokerage, market } = parts;
  const server = Fastify({ logger: false, forceCloseConnections: true });
  server.get('/faults', () => ({ armed: faults.list(), known: KNOWN }));
  server.post('/faults', (request, reply) => {
    const fault = parseFault(request.body);
    const outcome = fault.ok ? faults.set(fault.value) : fault;
    return outcome.ok ? { set: outcome.value } : reply.code(400).send({ issues: outcome.issues });
  });
  server.delete('/faults', () => {
    faults.clear();
    return { armed: faults.list() };
  });
  server.delete<{ Params: { name: string } }>('/faults/:name', (request) => {
    faults.clear(request.params.name);
    return { armed: faults.list() };
  });
  server.get('/clock', () => ({ held: market.held, nowUs: market.nowUs(), map: market.map }));
  server.get('/counters', () => Object.fromEntries(parts.counters));
  server.get<{ Params: { account: string } }>('/accounts/:account', (request, reply) => {
    const account = parts.accounts.find((known) => known === request.params.account);
    if (account === undefined) return reply.code(404).send({ issues: ['no such account'] });
    return {
      account: brokerage.account(account),
      positions: brokerage.positions(account),
      orders: brokerage.orders(account),
    };
  });
  return server;
}
