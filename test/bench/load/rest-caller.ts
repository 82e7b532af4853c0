/** The other half of the load: calls of all sorts at an even pace, each timed, none retried. */
import { Pool } from 'undici';

export interface CallCounts {
  calls: number;
  /** Anything but HTTP 200 with an envelope that says so. */
  readonly failures: string[];
  /** The broker said no, in its own words: no margin, no price. */
  refusals: number;
  readonly ms: number[];
}

export interface Caller {
  readonly custodyCode: string;
  readonly subAccountId: string;
  readonly token: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Points away from the last price at which orders rest. */
const AWAY_POINTS = 3;

export class RestCaller {
  readonly counts: CallCounts = { calls: 0, failures: [], refusals: 0, ms: [] };
  readonly #pool: Pool;
  readonly #callers: readonly Caller[];
  readonly #symbol: string;
  /** Orders that may still be cancelled, by the customer that sent them. */
  readonly #resting = new Map<string, string[]>();
  readonly #waiting = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #price = 0;

  constructor(rest: string, callers: readonly Caller[], symbol: string) {
    this.#pool = new Pool(rest, { connections: 8 });
    this.#callers = callers;
    this.#symbol = symbol;
  }

  start(callsPerSecond: number): void {
    this.#timer = setInterval(() => this.#next(), 1_000 / callsPerSecond);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#waiting);
    await this.#pool.close();
  }

  #next(): void {
    const at = this.counts.calls;
    const caller = this.#callers[at % this.#callers.length];
    if (caller === undefined) return;
    this.counts.calls += 1;
    const call = this.#call(caller, Math.floor(at / this.#callers.length))
      .catch((error: unknown) => void this.counts.failures.push(String(error)))
      .finally(() => this.#waiting.delete(call));
    this.#waiting.add(call);
  }

  /** Of eight calls of a customer: the price list, two orders, two reads of the book, a cancel, positions, money. */
  async #call(caller: Caller, turn: number): Promise<void> {
    const { custodyCode: accountId, subAccountId } = caller;
    switch (turn % 8) {
      case 0:
        return this.#readPrice(caller);
      case 1:
      case 2:
        return this.#place(caller, turn);
      case 3:
      case 5:
        return void (await this.#get(
          caller,
          `/khronos/v1/order/in-day?accountId=${accountId}&pageNo=1&pageSize=50&symbol=ALL,ALL&orderType=&status=0`,
        ));
      case 4:
        return this.#cancel(caller);
      case 6:
        return void (await this.#get(
          caller,
          `/khronos/v1/account/portfolio/status?accountId=${accountId}&subAccountId=${subAccountId}`,
        ));
      default:
        return void (await this.#get(
          caller,
          `/khronos/v1/account/status?accountId=${accountId}&subAccountId=${subAccountId}&getType=0`,
        ));
    }
  }

  async #readPrice(caller: Caller): Promise<void> {
    const { data } = await this.#get(caller, '/tartarus/v1/derivatives');
    const rows: readonly Body[] = Array.isArray(data) ? data : [];
    const row = rows.find(({ symbol }) => symbol === this.#symbol);
    this.#price = Number(row?.['matchPrice'] ?? row?.['refPrice']);
  }

  async #place(caller: Caller, turn: number): Promise<void> {
    const { custodyCode: accountId, subAccountId } = caller;
    const buys = turn % 16 < 8;
    // One of the two trades at once, the other one rests.
    const away = (turn % 2 === 0 ? AWAY_POINTS : -AWAY_POINTS) * (buys ? -1 : 1);
    const { data } = await this.#post(caller, '/khronos/v1/order/place', {
      accountId,
      subAccountId,
      side: buys ? 'B' : 'S',
      symbol: this.#symbol,
      price: Math.round((this.#price + away) * 10) / 10,
      volume: 1,
      orderType: '0',
      refId: `H.${accountId.slice(-6)}${turn}`,
    });
    const orderNo: unknown = Array.isArray(data) ? data[0]?.orderNo : undefined;
    if (typeof orderNo === 'string') this.#restingOf(accountId).push(orderNo);
  }

  async #cancel(caller: Caller): Promise<void> {
    const { custodyCode: accountId } = caller;
    const orderNo = this.#restingOf(accountId).shift() ?? '1';
    await this.#post(caller, '/khronos/v1/order/cancel', { accountId, orderNo, cmd: 'Web.cancelOrder' });
  }

  #restingOf(accountId: string): string[] {
    const known = this.#resting.get(accountId) ?? [];
    this.#resting.set(accountId, known);
    return known;
  }

  #get(caller: Caller, path: string): Promise<Body> {
    return this.#send(caller, { method: 'GET', path });
  }

  #post(caller: Caller, path: string, body: Body): Promise<Body> {
    return this.#send(caller, { method: 'POST', path, body: JSON.stringify(body) });
  }

  async #send(
    { token }: Caller,
    request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string },
  ): Promise<Body> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const start = performance.now();
    const { statusCode, body } = await this.#pool.request({ ...request, headers });
    const text = await body.text();
    this.counts.ms.push(performance.now() - start);
    if (statusCode !== 200) throw new Error(`${request.path}: HTTP ${statusCode} ${text}`);
    const answer: Body = JSON.parse(text);
    const { rc } = answer;
    if (typeof rc === 'string' && Number(rc) < 0) this.counts.refusals += 1;
    else if (rc !== undefined && rc !== '1') throw new Error(`${request.path}: ${text}`);
    return answer;
  }
}
