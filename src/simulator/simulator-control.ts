/**
 * The control API on its own loopback port: sets, lists and clears faults, and shows the simulator's exact figures, to compare
 * a client's books with.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { AccountId } from '../domain/ids.ts';
import { acceptAnyBody } from './http/rest-server.ts';
import type { Brokerage } from './brokerage/brokerage.ts';
import type { MarketClock } from './time/market-clock.ts';
import type { FaultControl } from './fault-control.ts';
import { describeFaults, parseFault } from './faults/fault.ts';

interface ControlServerParts {
  readonly faults: FaultControl;
  readonly brokerage: Brokerage;
  readonly market: MarketClock;
  readonly accounts: readonly AccountId[];
  readonly counters: ReadonlyMap<string, number>;
  /** The code that a customer's app shows now. */
  otpOf(custodyCode: string): string | undefined;
  /** Every call carries it. */
  readonly token: string;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Why a call is refused, or null. A page of the web may send to this machine, under our name or under one of its own. */
function refusalOf({ headers }: FastifyRequest, token: string): string | null {
  if (headers.origin !== undefined) return 'calls come from programs, not from pages: it carries an Origin';
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? ''))
    return 'expected Host 127.0.0.1 or localhost';
  const isKnown = timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
  return isKnown ? null : 'expected "Authorization: Bearer <controlToken>", which the simulator printed';
}

export function createControlServer(parts: ControlServerParts): FastifyInstance {
  const { faults, brokerage, market } = parts;
  const server = Fastify({ logger: false, forceCloseConnections: true });
  acceptAnyBody(server);
  server.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOf(request, parts.token);
    if (refusal !== null) await reply.code(403).send({ issues: [refusal] });
  });
  server.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ issues: [error.message] }),
  );
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ issues: ['no such call: src/simulator/README.md lists them'] }),
  );
  server.get('/faults', () => ({ armed: faults.list(), known: describeFaults() }));
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
  server.get<{ Params: { custodyCode: string } }>('/otp/:custodyCode', (request, reply) => {
    const otp = parts.otpOf(request.params.custodyCode);
    return otp === undefined ? reply.code(404).send({ issues: ['no such account'] }) : { otp };
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
