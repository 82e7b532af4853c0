/** The same day through the simulated broker: calls over HTTP on loopback, prices over its stream, time moved by the test alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionAfter } from '../../src/domain/calendar.ts';
import { momentOf, type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { durationUs, milliseconds, seconds, tsUs, type TsUs, US_PER_HOUR } from '../../src/domain/units.ts';
import {
  DEFAULT_OPTIONS,
  type AccountSettings,
  threeSubAccounts,
} from '../../src/simulator/simulator-options.ts';
import { type RunningSimulator, startSimulator } from '../../src/simulator/start-simulator.ts';
import type { TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';
import { BareStream } from '../contract/broker/support/bare-stream.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';
import { VN_COSTS } from '../support/strategy-fixtures.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { type DayOutcome, fillLine, type ParityDay, type SentCall, type Target } from './parity.ts';
import { BareClient, type Answer, firstRow, rowsOf } from '../contract/broker/support/bare-client.ts';
import type { Json } from '../contract/broker/support/../document/answer-check.ts';

export interface WireDayOutcome extends DayOutcome {
  /** Trades of the stream: how many, and the day's volume by the last of them. */
  readonly trades: number;
  readonly volume: number;
  /** Net asset value after the last print, before the day is settled. */
  readonly worth: number;
}

const OFFSET_MINUTES = 420;
const CUSTODY_CODE = '105CPARITY';
/** The stream's heartbeats run on the clock of the test, which leaps. */
const HEARTBEAT_SECONDS = 100_000;
/** The closing cross is printed within this, the day is settled after it. */
const LAST_PRINTS = seconds(1);
/** Time goes on in pieces, so that the stream is read while it is written. */
const PIECE = seconds(300);

/** The latency of the script is the whole way to the exchange. */
const RULES = { gatewayDelay: milliseconds(0) };

const account = (capital: number): AccountSettings => ({
  apiKey: 'key-of-parity',
  otp: '111111',
  custodyCode: CUSTODY_CODE,
  name: 'Parity',
  subAccounts: threeSubAccounts(CUSTODY_CODE, { normal: 0, margin: 0, derivative: capital }),
});

export async function wireDay(day: ParityDay, calls: readonly SentCall[]): Promise<WireDayOutcome> {
  const dir = day.restarts === undefined ? null : mkdtempSync(join(tmpdir(), 'parity-state-'));
  const wire = new WireDay(day, dir);
  try {
    await wire.open();
    for (const call of calls) {
      await wire.moveTo(tsUs(call.atUs + day.latency));
      await wire.send(call);
    }
    return await wire.end();
  } finally {
    await wire.close();
    if (dir !== null) rmSync(dir, { recursive: true });
  }
}

interface Running {
  readonly simulator: RunningSimulator;
  readonly client: BareClient;
  readonly tap: BareStream;
}

interface Named {
  readonly orderNo: string;
  readonly orderKey: string;
}

class WireDay {
  readonly #parity: ParityDay;
  /** Null keeps it in memory. */
  readonly #stateDir: string | null;
  readonly #day: TradingDay;
  readonly #time: VirtualTimers;
  /** What waits or waited at the broker, by its key, in the order of its coming. */
  readonly #waiting = new Map<string, TriggerReport>();
  readonly #names = new Map<string, Named>();
  readonly #fills: string[] = [];
  readonly #forced = new Set<string>();
  readonly #refused: string[] = [];
  #restarts: readonly TsUs[];
  #running: Running | null = null;
  #trades = 0;
  #volume = 0;

  constructor(parity: ParityDay, stateDir: string | null) {
    this.#parity = parity;
    this.#stateDir = stateDir;
    this.#restarts = parity.restarts ?? [];
    this.#day = tradingDay(parity.tape.day);
    this.#time = new VirtualTimers(momentOf(this.#day, 8.5 * US_PER_HOUR, OFFSET_MINUTES));
  }

  /** At the time that it is; a second time it carries on from its state. */
  async open(): Promise<void> {
    const { path, capital } = this.#parity;
    const simulator = await startSimulator({
      accounts: [account(capital)],
      stateDir: this.#stateDir,
      market: { kind: 'tape', path, referencePoints: null },
      time: { speed: 1, originRealUs: null, originMarketUs: this.#time.nowUs(), start: 'origin' },
      calendar: MARKET_CALENDAR,
      costs: VN_COSTS,
      codes: 'legacy',
      rules: RULES,
      stream: { ...DEFAULT_OPTIONS.stream, heartbeatTimeoutSeconds: HEARTBEAT_SECONDS },
      clock: this.#time,
      timers: this.#time,
    });
    simulator.onEvent((event) => this.#heard(event));
    const { rest, stream } = simulator;
    const client = new BareClient(rest, account(capital));
    await client.logIn();
    const tap = await BareStream.authenticated(stream, client.token);
    tap.send(`d|s|tk|tm|${simulator.frontMonth}`);
    this.#running = { simulator, client, tap };
    await this.#read();
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    running?.tap.socket.terminate();
    await running?.simulator.close();
  }

  async moveTo(atUs: TsUs): Promise<void> {
    for (const restartUs of this.#restarts.filter((each) => each <= atUs)) {
      await this.#runTo(restartUs);
      await this.close();
      await this.open();
    }
    this.#restarts = this.#restarts.filter((each) => each > atUs);
    await this.#runTo(atUs);
  }

  async #runTo(atUs: TsUs): Promise<void> {
    while (this.#time.nowUs() < atUs) {
      this.#time.advance(durationUs(Math.min(PIECE, atUs - this.#time.nowUs())));
      await this.#read();
    }
  }

  async send(call: SentCall): Promise<void> {
    const reply = await this.#post(call);
    const rc = Number(reply.json['rc']);
    if (rc !== 1) this.#refused.push(`${call.call} ${call.clientOrderId} ${rc}`);
    else if (call.call === 'place') {
      const row = firstRow(reply);
      const { clientOrderId: id } = call;
      this.#names.set(id, {
        orderNo: textOf(row['orderNo']),
        orderKey: textOf(row['pk_orderNo'] ?? row['pkOrderNo']),
      });
    }
  }

  async end(): Promise<WireDayOutcome> {
    await this.moveTo(tsUs(momentOf(this.#day, 14.75 * US_PER_HOUR, OFFSET_MINUTES) + LAST_PRINTS));
    const worth = this.#open.simulator.account().netAssetValue;
    await this.moveTo(momentOf(this.#day, 15 * US_PER_HOUR, OFFSET_MINUTES));
    const orders = new Map<string, string>();
    for (const row of await this.#book()) {
      const refId = String(row['refId']);
      if (refId !== '' && Number(row['matchVolume']) > 0)
        orders.set(refId, `${Number(row['matchVolume'])} for ${Number(row['matchValue'])}`);
    }
    const { simulator, tap } = this.#open;
    tap.socket.terminate();
    // The night: the day is paid out when the next one begins.
    const morning = momentOf(sessionAfter(MARKET_CALENDAR, this.#day), 8 * US_PER_HOUR, OFFSET_MINUTES);
    this.#time.jump(durationUs(morning - this.#time.nowUs()));
    this.#time.advance(PIECE);
    return {
      fills: this.#fills,
      cash: simulator.account().cash,
      net: simulator.positions().reduce((sum, position) => sum + position.net, 0),
      orders,
      trades: this.#trades,
      volume: this.#volume,
      worth,
      refused: this.#refused,
    };
  }

  get #open(): Running {
    if (this.#running === null) throw new Error('the simulator was opened');
    return this.#running;
  }

  #post(call: SentCall): Promise<Answer> {
    const { client } = this.#open;
    switch (call.call) {
      case 'place':
        return this.#place(call);
      case 'modify': {
        const { orderNo, orderKey } = this.#named(call.target);
        return call.triggerPrice === null
          ? client.call('change', { orderNo, refId: '', nprice: points(call.limitPrice), nvol: call.qty })
          : client.call('condition-change', {
              pkOrderNo: orderKey,
              refId: '',
              soPrice: points(call.triggerPrice),
            });
      }
      case 'cancel': {
        const { orderNo, orderKey } = this.#named(call.target);
        return call.isWaiting
          ? client.call('condition-cancel', { orderNo: orderKey })
          : client.call('cancel', { orderNo });
      }
    }
  }

  #place({
    side,
    qty,
    limitPrice,
    condition,
    clientOrderId,
  }: Extract<SentCall, { call: 'place' }>): Promise<Answer> {
    const { client, simulator } = this.#open;
    const wish = {
      side: side === 'buy' ? 'B' : 'S',
      symbol: simulator.frontMonth,
      price: points(limitPrice),
      volume: qty,
      refId: clientOrderId,
    } as const;
    switch (condition?.kind) {
      case undefined:
        return client.call('place', wish);
      case 'bracket': {
        const [loss, profit] = [condition.stopLossPrice, condition.takeProfitPrice].map((exit) =>
          points(Math.abs(exit - limitPrice)),
        );
        return client.call('place', { ...wish, orderType: `SLP=${loss},${profit}` });
      }
      case 'stop': {
        const orderType = condition.triggerWhen === 'at_or_above' ? 'SOL' : 'SOU';
        return client.call('condition-place', {
          ...wish,
          orderType,
          soPrice: points(condition.triggerPrice),
        });
      }
      case 'trailing_stop':
        return client.call('condition-place', {
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
    if (event.kind === 'trigger') this.#waiting.set(event.trigger.orderKey, event.trigger);
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
      const got = rowsOf(await this.#open.client.call('in-day', { pageSize: '100', pageNo: String(page) }));
      rows.push(...got);
      if (got.length < 100) return rows;
    }
  }

  /** Everything the stream has said so far; kept are the figures alone. */
  async #read(): Promise<void> {
    const { tap } = this.#open;
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
