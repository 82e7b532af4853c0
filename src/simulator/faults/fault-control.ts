/** Applies faults: standing ones are armed, instant ones strike at once. */
import { parsePoints } from '../../domain/contract.ts';
import type { AccountId } from '../../domain/ids.ts';
import { notParsed, parsed, type Parsed } from '../../domain/parsed.ts';
import type { TokenDesk } from '../auth/token-desk.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { StreamServer } from '../stream/stream-server.ts';
import type { ArmedFault, FaultBoard } from './fault-board.ts';
import type { Fault } from './fault.ts';

export interface FaultControlParts {
  readonly board: FaultBoard;
  readonly stream: StreamServer;
  readonly tokens: TokenDesk;
  readonly brokerage: Brokerage;
  /** The account that injected orders and positions belong to. */
  readonly account: AccountId;
  /** Ends the REST connections that stand. */
  cutRest(): void;
}

/** Closed without a close frame. */
const CUT = 1006;

type Injection = Extract<Fault, { readonly name: 'inject_order' | 'inject_position' }>;

export class FaultControl {
  readonly #parts: FaultControlParts;

  constructor(parts: FaultControlParts) {
    this.#parts = parts;
  }

  /** A fault that cannot strike, such as an order in an unknown contract, is refused with its reason. */
  set(fault: Fault): Parsed<Fault> {
    const { board, stream, tokens } = this.#parts;
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
        tokens.end();
        break;
      case 'refuse_connections':
        board.arm(fault);
        // Maintenance does not spare connections that are kept alive.
        if (fault.scope === 'all') this.#cutEverything();
        break;
      case 'accept_then_drop':
      case 'late_answer':
      case 'http_500':
      case 'html_502':
      case 'http_429':
      case 'hide_new_order':
      case 'contradict_status':
      case 'lose_frame':
      case 'duplicate_frame':
      case 'stop_pongs':
        board.arm(fault);
    }
    return parsed(fault);
  }

  /** Clears the standing faults of a name, or all. */
  clear(name?: string): void {
    this.#parts.board.clear(name);
  }

  list(): readonly ArmedFault[] {
    return this.#parts.board.list();
  }

  #cutEverything(): void {
    this.#parts.stream.closeAll(CUT);
    this.#parts.cutRest();
  }

  #inject(fault: Injection): Parsed<Fault> {
    const { brokerage, account } = this.#parts;
    const contract = brokerage.contractNamed(fault.symbol);
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
