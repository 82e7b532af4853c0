/** The control API on its own loopback port: faults, and the simulator's exact figures to compare a client's books with. */
import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { AccountId } from '../domain/ids.ts';
import { parsePoints } from '../domain/contract.ts';
import { notParsed, parsed, type ParseResult } from '../domain/parsed.ts';
import { acceptAnyBody } from './http/rest-server.ts';
import type { Brokerage } from './brokerage/brokerage.ts';
import type { MarketClock } from './time/market-clock.ts';
import { describeFaults, parseFault, type Fault, isLastingFault } from './faults/fault.ts';
import type { TokenService } from './auth/token-service.ts';
import type { StreamServer } from './stream/stream-server.ts';
import type { ArmedFault, FaultBoard } from './faults/fault-board.ts';

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

interface FaultControlParts {
  readonly board: FaultBoard;
  readonly stream: StreamServer;
  readonly tokens: TokenService;
  readonly brokerage: Brokerage;
  /** Trading accounts. An injected order or position belongs to the first one, unless it names another. */
  readonly accounts: readonly AccountId[];
  cutRest(): void;
}

const FRONT_MONTH = 'front';
const KNOWN_ACCOUNT = 'a custody code with a derivative account';
/** Closed without a close frame. */
const CUT = 1006;

type Injection = Extract<Fault, { readonly name: 'inject_order' | 'inject_position' }>;

/** Applies faults: lasting ones are armed, instant ones strike at once. */
export class FaultControl {
  readonly #parts: FaultControlParts;

  constructor(parts: FaultControlParts) {
    this.#parts = parts;
  }

  /** A fault that cannot strike, such as an order in an unknown contract, is refused with its reason. */
  set(fault: Fault): ParseResult<Fault> {
    const { board, stream, tokens } = this.#parts;
    if (isLastingFault(fault)) {
      board.arm(fault);
      // Maintenance does not spare connections that are kept alive.
      if (fault.name === 'refuse_connections' && fault.scope === 'all') {
        stream.closeAll(CUT);
        this.#parts.cutRest();
      }
      return parsed(fault);
    }
    switch (fault.name) {
      case 'inject_order':
      case 'inject_position':
        return this.#inject(fault);
      case 'close_stream':
        stream.closeAll(fault.code);
        break;
      case 'half_open':
        stream.halfOpenAll();
        break;
      case 'expire_token':
        if (fault.account !== undefined && this.#accountOf(fault.account) === undefined)
          return notParsed('account', KNOWN_ACCOUNT, fault.account);
        tokens.end(fault.account);
        break;
      case 'inject_frame':
        stream.sendAll(fault.text);
        break;
      case 'roll_contract':
        return this.#roll(fault);
    }
    return parsed(fault);
  }

  clear(name?: string): void {
    this.#parts.board.clear(name);
  }

  list(): readonly ArmedFault[] {
    return this.#parts.board.list();
  }

  #accountOf(named: string | undefined): AccountId | undefined {
    const { accounts } = this.#parts;
    return named === undefined ? accounts[0] : accounts.find((account) => account === named);
  }

  #roll(fault: Fault): ParseResult<Fault> {
    const outcome = this.#parts.brokerage.act((venue) => venue.rollNow());
    if (outcome.status === 'accepted') return parsed(fault);
    return notParsed('', `a market that can go on without its front month: ${outcome.refusal.text}`, fault);
  }

  #inject(fault: Injection): ParseResult<Fault> {
    const { brokerage } = this.#parts;
    const account = this.#accountOf(fault.account);
    if (account === undefined) return notParsed('account', KNOWN_ACCOUNT, fault.account);
    // Its code need not be known.
    const named = fault.symbol === FRONT_MONTH ? brokerage.boards()[0]?.contract.orderCode : fault.symbol;
    const contract = named === undefined ? undefined : brokerage.contractNamed(named);
    if (contract === undefined) return notParsed('symbol', 'a listed contract', fault.symbol);
    if (fault.name === 'inject_position') {
      const outcome = brokerage.act((venue) => venue.injectPosition(account, contract.orderCode, fault.net));
      if (outcome.status === 'accepted') return parsed(fault);
      return notParsed('net', `a position the account may have: ${outcome.refusal.text}`, fault.net);
    }
    const price = parsePoints(contract.spec, fault.points, 'points');
    if (!price.ok) return price;
    const outcome = brokerage.act((venue) =>
      venue.injectOrder({
        accountId: account,
        orderCode: contract.orderCode,
        side: fault.side,
        limitPrice: price.value,
        qty: fault.volume,
        refId: null,
      }),
    );
    if (outcome.status === 'accepted') return parsed(fault);
    return notParsed('', `an order the exchange takes: ${outcome.refusal.text}`, fault);
  }
}
