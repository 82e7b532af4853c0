/** Orders a second through the simulator's REST over real sockets, next to a bare fastify that answers the same bytes. */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import type { Candidate } from './rounds.ts';

export interface OrderDeskData {
  /** Null is the bare server. */
  readonly stateDir: string | null;
}

/** Where orders go to, and on whose account. */
export interface OrderExecutor {
  readonly rest: string;
  readonly symbol: string;
  readonly custodyCode: string;
  readonly subAccountId: string;
  /** Empty where nobody asks for a token. */
  readonly apiKey: string;
  readonly otp: string;
}

/** Calls that wait for their answer at any time. */
const CONNECTIONS = 8;
const MIDDLE = 1_900;
const WARM_UP_PART = 2;

class OrderSender {
  readonly #thread: Worker;
  readonly #desk: OrderExecutor;
  readonly #pool: Pool;
  #headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' };
  #sent = 0;

  private constructor(thread: Worker, desk: OrderExecutor) {
    this.#thread = thread;
    this.#desk = desk;
    this.#pool = new Pool(desk.rest, { connections: CONNECTIONS });
  }

  static async open(data: OrderDeskData): Promise<OrderSender> {
    const thread = new Worker(new URL('./order-desk-server.js', import.meta.url), { workerData: data });
    const [desk]: OrderExecutor[] = await once(thread, 'message');
    if (desk === undefined) throw new Error('expected a server');
    const sender = new OrderSender(thread, desk);
    if (desk.apiKey !== '') await sender.#logIn();
    return sender;
  }

  /** Nanoseconds an order, `count` of them by `CONNECTIONS` callers at once; `crossing` ones trade, others rest. */
  async send(count: number, crossing: boolean): Promise<number> {
    const start = performance.now();
    let left = count;
    const caller = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.#place(crossing);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, caller));
    return ((performance.now() - start) * 1e6) / count;
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await this.#thread.terminate();
  }

  async #place(crossing: boolean): Promise<void> {
    this.#sent += 1;
    const at = this.#sent;
    const buys = at % 2 === 0;
    const away = crossing ? 0 : (buys ? -1 : 1) * (1 + (at % 50));
    const { symbol, custodyCode: accountId, subAccountId } = this.#desk;
    const order = { accountId, subAccountId, side: buys ? 'B' : 'S', symbol, volume: 1, orderType: '0' };
    const text = await this.#post('/khronos/v1/order/place', {
      ...order,
      price: MIDDLE + away,
      refId: `H.${at}`,
    });
    if (!text.includes('"rc":"1"')) throw new Error(`expected an accepted order, was ${text}`);
  }

  async #logIn(): Promise<void> {
    const { apiKey, otp } = this.#desk;
    const { token }: { readonly token: string } = JSON.parse(
      await this.#post('/gaia/v1/oauth2/openapi/token', { apiKey, otp }),
    );
    this.#headers = { ...this.#headers, authorization: `Bearer ${token}` };
  }

  async #post(path: string, body: object): Promise<string> {
    const reply = await this.#pool.request({
      method: 'POST',
      path,
      headers: this.#headers,
      body: JSON.stringify(body),
    });
    return reply.body.text();
  }
}

/** A new server each round, so that the day is as long for each. */
export function orderDeskCandidates(scratch: string, orders: number): Candidate[] {
  const through = (isSimulator: boolean, crossing: boolean) => async (): Promise<number> => {
    const stateDir = isSimulator ? mkdtempSync(join(scratch, 'simulator-')) : null;
    const sender = await OrderSender.open({ stateDir });
    try {
      // The first ones are for the compiler of the server's thread.
      await sender.send(Math.ceil(orders / WARM_UP_PART), crossing);
      return await sender.send(orders, crossing);
    } finally {
      await sender.close();
    }
  };
  return [
    { name: 'bare fastify and undici, the same bytes', run: through(false, false) },
    { name: 'the simulator: orders that rest, each committed', run: through(true, false) },
    { name: 'the simulator: orders that trade, each committed', run: through(true, true) },
  ];
}
