/** The same day through the simulated broker: calls over HTTP on loopback, prices over its stream, time moved by the test alone. */
import { sessionAfter } from '../../src/domain/calendar.ts';
import { momentOf, type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { durationUs, milliseconds, seconds, tsUs, type TsUs, US_PER_HOUR } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/default-options.ts';
import type { RunningSimulator } from '../../src/simulator/running-simulator.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { threeSubAccounts } from '../../src/simulator/accounts/account-settings.ts';
import type { VenueCondition } from '../../src/venue/conditions/venue-condition.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { firstOf, FrameTap, type Json, type Reply, rowsOf, Stranger } from '../simulator/support/stranger.ts';
import { VirtualTime } from '../simulator/support/virtual-time.ts';
import { VN_COSTS } from '../support/backtest-plan.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { type DayOutcome, fillLine, type ParityDay, type SentCall, type Target } from './parity.ts';

export interface WireDayOutcome extends DayOutcome {
  /** Trades of the stream: how many, and the day's volume by the last of them. */
  readonly trades: number;
  readonly volume: number;
}

const OFFSET_MINUTES = 420;
const CUSTODY_CODE = '105CPARITY';
const CODE = /^VN30F\d{4}$/;
/** The stream's heartbeats run on the clock of the test, which leaps. */
const HEARTBEAT_SECONDS = 100_000;
/** Time goes on in pieces, so that the stream is read while it is written. */
const PIECE = seconds(300);

export async function wireDay(
  { path, tape, capital, latency }: ParityDay,
  calls: readonly SentCall[],
): Promise<WireDayOutcome> {
  const day = tradingDay(tape.day);
  const startUs = momentOf(day, 8.5 * US_PER_HOUR, OFFSET_MINUTES);
  const time = new VirtualTime(startUs);
  const account = {
    apiKey: 'key-of-parity',
    otp: '111111',
    custodyCode: CUSTODY_CODE,
    name: 'Parity',
    subAccounts: threeSubAccounts(CUSTODY_CODE, { normal: 0, margin: 0, derivative: capital }),
  };
  const simulator = await startSimulator({
    accounts: [account],
    market: {
      kind: 'tape',
      path,
      referencePoints: tape.reference === undefined ? null : tape.reference / 100,
    },
    time: { speed: 1, originRealUs: null, originMarketUs: startUs, start: 'origin' },
    calendar: MARKET_CALENDAR,
    costs: VN_COSTS,
    codes: 'legacy',
    rules: { gatewayDelay: milliseconds(0) },
    stream: { ...DEFAULT_OPTIONS.stream, heartbeatTimeoutSeconds: HEARTBEAT_SECONDS },
    clock: time,
    timers: time,
  });
  try {
    const { rest, stream } = simulator;
    const stranger = new Stranger({ rest, stream, ...account, subAccountId: simulator.subAccountId });
    await stranger.logIn();
    const wire = new WireDay(simulator, stranger, time, day);
    await wire.listen();
    for (const call of calls) {
      await wire.moveTo(tsUs(call.atUs + latency));
      await wire.send(call);
    }
    return await wire.end(momentOf(day, 15 * US_PER_HOUR, OFFSET_MINUTES));
  } finally {
    await simulator.close();
  }
}

interface Named {
  readonly orderNo: string;
  readonly orderKey: string;
}

class WireDay {
  readonly #simulator: RunningSimulator;
  readonly #client: Stranger;
  readonly #time: VirtualTime;
  readonly #day: TradingDay;
  readonly #symbol: string;
  /** What waits or waited at the broker, by its key, in the order of its coming. */
  readonly #waiting = new Map<string, VenueCondition>();
  readonly #names = new Map<string, Named>();
  readonly #fills: string[] = [];
  readonly #forced = new Set<string>();
  readonly #refused: string[] = [];
  #tap: FrameTap | null = null;
  #trades = 0;
  #volume = 0;

  constructor(simulator: RunningSimulator, client: Stranger, time: VirtualTime, day: TradingDay) {
    this.#day = day;
    this.#simulator = simulator;
    this.#client = client;
    this.#time = time;
    this.#symbol = simulator.frontMonth;
    if (!CODE.test(this.#symbol)) throw new Error(`a code of the old form, was ${this.#symbol}`);
    simulator.onEvent((event) => this.#heard(event));
  }

  async listen(): Promise<void> {
    this.#tap = await FrameTap.authenticated(this.#simulator.stream, this.#client.token);
    this.#tap.send(`d|s|tk|tm|${this.#symbol}`);
    await this.#read();
  }

  async moveTo(atUs: TsUs): Promise<void> {
    while (this.#time.nowUs() < atUs) {
      const piece = Math.min(PIECE, atUs - this.#time.nowUs());
      this.#time.advance(durationUs(piece));
      await this.#read();
    }
  }

  async send(call: SentCall): Promise<void> {
    const reply = await this.#post(call);
    if (Number(reply.json['rc']) !== 1) this.#refused.push(`${call.call} ${call.clientOrderId}`);
    else if (call.call === 'place') {
      const row = firstOf(reply);
      const { clientOrderId: id } = call;
      this.#names.set(id, {
        orderNo: textOf(row['orderNo']),
        orderKey: textOf(row['pk_orderNo'] ?? row['pkOrderNo']),
      });
    }
  }

  async end(atUs: TsUs): Promise<WireDayOutcome> {
    await this.moveTo(atUs);
    const orders = new Map<string, string>();
    for (const row of await this.#book()) {
      const refId = String(row['refId']);
      if (refId !== '' && Number(row['matchVolume']) > 0)
        orders.set(refId, `${Number(row['matchVolume'])} for ${Number(row['matchValue'])}`);
    }
    this.#tap?.socket.terminate();
    // The night: the day is paid out when the next one begins.
    const morning = momentOf(sessionAfter(MARKET_CALENDAR, this.#day), 8 * US_PER_HOUR, OFFSET_MINUTES);
    this.#time.jump(durationUs(morning - this.#time.nowUs()));
    this.#time.advance(PIECE);
    const net = this.#simulator.positions().reduce((sum, position) => sum + position.net, 0);
    return {
      fills: this.#fills,
      cash: this.#simulator.account().cash,
      net,
      orders,
      trades: this.#trades,
      volume: this.#volume,
      refused: this.#refused,
    };
  }

  #post(call: SentCall): Promise<Reply> {
    const client = this.#client;
    switch (call.call) {
      case 'place':
        return this.#place(call);
      case 'modify': {
        const { orderNo, orderKey } = this.#named(call.target);
        return call.triggerPrice === null
          ? client.change(orderNo, points(call.limitPrice), call.qty, '')
          : client.changeCondition(orderKey, points(call.triggerPrice), '');
      }
      case 'cancel': {
        const { orderNo, orderKey } = this.#named(call.target);
        return call.isWaiting ? client.cancelCondition(orderKey) : client.cancel(orderNo);
      }
    }
  }

  #place({
    side,
    qty,
    limitPrice,
    condition,
    clientOrderId,
  }: Extract<SentCall, { call: 'place' }>): Promise<Reply> {
    const wish = {
      side: side === 'buy' ? 'B' : 'S',
      symbol: this.#symbol,
      price: points(limitPrice),
      volume: qty,
      refId: clientOrderId,
    } as const;
    switch (condition?.kind) {
      case undefined:
        return this.#client.place(wish);
      case 'bracket': {
        const orderType = `SLP=${points(condition.stopLossPrice)},${points(condition.takeProfitPrice)}`;
        const withExits = { ...wish, orderType };
        return this.#client.place(withExits);
      }
      case 'stop': {
        const orderType = condition.triggerWhen === 'at_or_above' ? 'SOL' : 'SOU';
        return this.#client.placeCondition({ ...wish, orderType, soPrice: points(condition.triggerPrice) });
      }
      case 'trailing_stop':
        return this.#client.placeCondition({
          ...wish,
          orderType: 'TSO',
          soPrice: 0,
          activationPrice: points(condition.activationPrice),
          callbackPoint: points(condition.trailingOffset),
        });
      case 'arbitrage':
        throw new Error('a tape has one contract: nothing to wait for in another');
    }
  }

  #named(target: Target): Named {
    switch (target.is) {
      case 'ours': {
        const named = this.#names.get(target.clientOrderId);
        if (named === undefined) throw new Error(`the wire has accepted ${target.clientOrderId}`);
        return named;
      }
      case 'waiting': {
        for (const row of this.#waiting.values()) if (row.orderNo === target.orderNo) return row;
        throw new Error(`order ${target.orderNo} waits on the wire`);
      }
      case 'child': {
        const { orderKey } = this.#named(target.of);
        const child = this.#waiting.get(orderKey)?.children[target.place];
        if (child === undefined) throw new Error(`what waited as ${orderKey} has sent an order on the wire`);
        return { orderNo: child, orderKey: '' };
      }
    }
  }

  #heard(event: VenueEvent): void {
    if (event.kind === 'condition') this.#waiting.set(event.condition.orderKey, event.condition);
    if (event.kind === 'order' && event.order.origin === 'forced') this.#forced.add(event.order.orderNo);
    if (event.kind !== 'fill') return;
    const { tsUs: at, side, qty, price, orderNo, clause } = event;
    this.#fills.push(
      fillLine({ tsUs: at, side, qty, price, clause: clause ?? 'none', isForced: this.#forced.has(orderNo) }),
    );
  }

  async #book(): Promise<readonly Json[]> {
    const rows: Json[] = [];
    for (let page = 1; ; page += 1) {
      const got = rowsOf(await this.#client.inDay({ pageSize: '100', pageNo: String(page) }));
      rows.push(...got);
      if (got.length < 100) return rows;
    }
  }

  /** Everything the stream has said so far; kept are the figures alone. */
  async #read(): Promise<void> {
    const tap = this.#tap!;
    await tap.settle();
    for (const frame of tap.frames.splice(0)) {
      if (!frame.startsWith('s|21|')) continue;
      this.#trades += 1;
      this.#volume = Number((JSON.parse(frame.slice(5)) as Json)['totalVolume']);
    }
  }
}

/** Numbers of orders come as text or as numbers. */
const textOf = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : '';

const points = (ticks: number): number => ticks / 10;
