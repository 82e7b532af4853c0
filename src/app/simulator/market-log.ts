/** Events of a simulator for its page: rows to read, prices and candles. It keeps the latest; a journal is the client's. */
import { dayAt } from '../../domain/civil-date.ts';
import { type Contract, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceTicks, TsUs } from '../../domain/units.ts';
import { Candles } from '../../operator/cockpit/candles.ts';
import type {
  CockpitBars,
  CockpitEntry,
  ContractPrices,
  FillMark,
  Level,
} from '../../operator/cockpit/cockpit-model.ts';
import type { EntrySource, PriceSource } from '../../operator/cockpit/event-streams.ts';
import { toMs } from '../../operator/cockpit/market-state.ts';
import type { RunningSimulator } from '../../simulator/start-simulator.ts';
import { formatNumber, formatSigned } from '../../text/numbers.ts';
import type { OrderReport, TriggerReport, VenueEvent } from '../../venue/venue-event.ts';
import { systemClock } from '../host/system-clock.ts';

const ROWS_MAX = 2_000;
const FILLS_MAX = 500;

/** A contract as its stream showed it last. */
class Row {
  readonly contract: Contract;
  readonly candles = new Candles();
  atUs: TsUs;
  last: Level | null = null;
  volume = 0;
  bids: readonly BookLevel[] = [];
  asks: readonly BookLevel[] = [];
  version = 0;

  constructor(contract: Contract, atUs: TsUs) {
    this.contract = contract;
    this.atUs = atUs;
  }
}

type Told = Pick<CockpitEntry, 'kind' | 'word' | 'tone' | 'text'>;

export class MarketLog implements EntrySource, PriceSource {
  readonly #running: RunningSimulator;
  readonly #utcOffsetMinutes: number;
  readonly #rows = new Map<OrderCode, Row>();
  readonly #entries: CockpitEntry[] = [];
  readonly #fills: (FillMark & { readonly contract: OrderCode })[] = [];
  /** Other numbers than those of an earlier start, which a page may still ask for. */
  #seq = toMs(systemClock.nowUs());
  #version = 0;

  constructor(running: RunningSimulator, utcOffsetMinutes: number) {
    this.#running = running;
    this.#utcOffsetMinutes = utcOffsetMinutes;
    for (const { contract } of running.boards()) this.#list(contract);
    running.onEvent((event) => this.#take(event));
  }

  /** Without a customer it concerns the simulator itself. */
  add(
    { kind, word, tone, text }: Told,
    order: Pick<CockpitEntry, 'strategy' | 'contract'> | null = null,
  ): void {
    const atUs = this.#running.marketNowUs();
    const day = dayAt(atUs, this.#utcOffsetMinutes);
    this.#seq += 1;
    this.#entries.push({
      id: `${day}-${this.#seq}`,
      day,
      seq: this.#seq,
      atMs: toMs(atUs),
      kind,
      cause: 0,
      order: null,
      strategy: order?.strategy ?? '',
      contract: order?.contract ?? null,
      word,
      tone,
      text,
    });
    if (this.#entries.length > ROWS_MAX) this.#entries.shift();
  }

  after(seq: number, max: number): readonly CockpitEntry[] {
    const from = this.#entries.findIndex((entry) => entry.seq > seq);
    return from === -1 ? [] : this.#entries.slice(from, from + max);
  }

  recent(rows: number): number {
    return this.#seq - rows;
  }

  dayOf(seq: number): string | undefined {
    return this.#entries.find((entry) => entry.seq === seq)?.day;
  }

  since(version: number): ReturnType<PriceSource['since']> {
    const prices: ContractPrices[] = [];
    if (version !== this.#version)
      for (const row of this.#rows.values()) if (row.version > version) prices.push(pricesOf(row));
    return { version: this.#version, prices };
  }

  bars(code: string): CockpitBars | null {
    const row = [...this.#rows.values()].find(({ contract }) => contract.orderCode === code);
    if (row === undefined) return null;
    const fills = this.#fills.filter(({ contract }) => contract === code);
    return { contract: code, bars: row.candles.bars(row.contract), fills, lines: [] };
  }

  #list(contract: Contract): void {
    if (!this.#rows.has(contract.orderCode))
      this.#rows.set(contract.orderCode, new Row(contract, this.#running.marketNowUs()));
  }

  #changed(code: OrderCode, atUs: TsUs): Row | undefined {
    const row = this.#rows.get(code);
    if (row === undefined) return undefined;
    this.#version += 1;
    row.version = this.#version;
    row.atUs = atUs;
    return row;
  }

  #points(code: OrderCode, price: PriceTicks): string {
    const row = this.#rows.get(code);
    return row === undefined ? String(price) : formatPoints(row.contract.spec, price);
  }

  #take(event: VenueEvent): void {
    switch (event.kind) {
      case 'trade': {
        const row = this.#changed(event.orderCode, event.tsUs);
        if (row === undefined) return;
        row.last = [pointsOf(row.contract.spec, event.price), event.qty];
        row.volume = event.totalVolume;
        row.candles.add(event.tsUs, event.price, event.qty);
        return;
      }
      case 'book': {
        const row = this.#changed(event.orderCode, event.tsUs);
        if (row === undefined) return;
        row.bids = event.bids;
        row.asks = event.asks;
        return;
      }
      case 'order':
        return this.#order('order', event.order, event.order.filledQty);
      case 'trigger':
        return this.#order('trigger', event.trigger, 0);
      case 'fill':
        return this.#fill(event);
      case 'margin_level': {
        const text = `${event.level.replaceAll('_', ' ')}, ${(event.usageBps / 100).toFixed(1)} % of its margin in use`;
        const tone = event.level === 'sound' ? 'green' : 'red';
        return this.add({ kind: event.kind, word: 'margin', tone, text }, ofCustomer(event.accountId));
      }
      case 'cash': {
        const text = `${event.reason.replaceAll('_', ' ')} ${formatSigned(event.amount)} VND, cash ${formatNumber(event.cash)} VND`;
        return this.add({ kind: event.kind, word: 'cash', tone: 'dim', text }, ofCustomer(event.accountId));
      }
      case 'day_started':
      case 'listings_changed':
        for (const { contract } of event.listings) this.#list(contract);
        return this.add({
          kind: event.kind,
          word: 'contracts',
          tone: 'dim',
          text: `${event.day}: ${event.listings.map(({ contract }) => contract.orderCode).join(', ')}`,
        });
      case 'phase':
        return this.add({
          kind: event.kind,
          word: 'phase',
          tone: 'cyan',
          text: event.phase.replaceAll('_', ' '),
        });
      case 'contract_expired':
        return this.add({ kind: event.kind, word: 'expired', tone: 'dim', text: event.orderCode });
      case 'settlement_price':
      case 'summary':
    }
  }

  #order(word: string, order: OrderReport | TriggerReport, filledQty: number): void {
    const { side, qty, orderCode, limitPrice, orderNo, status, reason, accountId } = order;
    const filled = filledQty === 0 ? '' : `, ${filledQty} filled`;
    const refused = reason === '' ? '' : `: ${reason}`;
    const price = this.#points(orderCode, limitPrice);
    const text = `#${orderNo} ${side} ${qty} ${orderCode} @ ${price}: ${status.replaceAll('_', ' ')}${filled}${refused}`;
    const tone = reason === '' ? 'plain' : 'yellow';
    this.add({ kind: word, word, tone, text }, { ...ofCustomer(accountId), contract: orderCode });
  }

  #fill({
    accountId,
    orderCode,
    orderNo,
    side,
    price,
    qty,
    tsUs,
  }: Extract<VenueEvent, { kind: 'fill' }>): void {
    const row = this.#rows.get(orderCode);
    const { strategy } = ofCustomer(accountId);
    if (row !== undefined) {
      const points = pointsOf(row.contract.spec, price);
      this.#fills.push({
        atMs: toMs(tsUs),
        order: orderNo,
        strategy,
        side,
        qty,
        points,
        contract: orderCode,
      });
      if (this.#fills.length > FILLS_MAX) this.#fills.shift();
    }
    const text = `#${orderNo} ${side === 'buy' ? 'bought' : 'sold'} ${qty} ${orderCode} @ ${this.#points(orderCode, price)}`;
    this.add({ kind: 'fill', word: 'filled', tone: 'green', text }, { strategy, contract: orderCode });
  }
}

const ACCOUNT_TAIL = 4;

const ofCustomer = (id: AccountId) => ({ strategy: `…${id.slice(-ACCOUNT_TAIL)}`, contract: null });

function pricesOf({ contract, atUs, last, volume, bids, asks }: Row): ContractPrices {
  const level = ({ price, qty }: BookLevel): Level => [pointsOf(contract.spec, price), qty];
  return {
    contract: contract.orderCode,
    atMs: toMs(atUs),
    last,
    volume,
    bids: bids.map(level),
    asks: asks.map(level),
  };
}
