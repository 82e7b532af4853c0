/**
 * An engine that skips the rows of the in-day book which can say nothing new decides as one that reads every row of every scan does,
 * whatever the broker shows: rows that change, vanish and come back, numbers given again, rows of one order twice, scans out of order,
 * late answers, clocks set back, a next day.
 */
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { alwaysOpen } from '../../src/domain/calendar.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import { brokerOrderKey, brokerOrderNo, type ClientOrderId, clientOrderId } from '../../src/domain/ids.ts';
import { money, priceTicks, qty, tsUs, US_PER_SECOND, seconds } from '../../src/domain/units.ts';
import { BrokerIdIndex } from '../../src/engine/orders/orders.ts';
import { RowReader } from '../../src/engine/orders/row-reader.ts';
import type { BrokerOrder } from '../../src/domain/broker-order.ts';
import type { CarriedOrder } from '../../src/engine/ports/engine-event.ts';
import { earlierOrder, row, type RowFacts } from '../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';
import { CALENDAR, DAY, timeOf, worth } from '../support/engine-world.ts';

const place = fc.nat(7);
/** A number of today's first orders, or null for the next one. */
const number = fc.constantFrom(null, null, null, null, '1', '2', '3', '4', '5', '6');
const key = fc.constantFrom('901', '902', '903', '904', undefined);
const side = fc.constantFrom('buy' as const, 'sell' as const);

/** `of`: the order whose reference and terms the row has; out of range: a foreign one. */
const rowPlan = fc.record({
  of: fc.nat(5),
  hasRef: fc.boolean(),
  number,
  key,
  isAlike: fc.boolean(),
  filled: fc.nat(2),
  isPriced: fc.boolean(),
  price: fc.constantFrom(12_990, 13_000),
  status: fc.constantFrom(
    ...(['resting', 'modify_pending', 'cancel_pending', 'canceled'] as const),
    ...(['matched', 'matched', 'matched', 'matched_canceled', 'unrecognized'] as const),
  ),
  canCancel: fc.boolean(),
  source: fc.constantFrom('user' as const, 'user' as const, 'system' as const),
});
type RowPlan = typeof rowPlan extends fc.Arbitrary<infer Plan> ? Plan : never;

const read = fc.record({
  do: fc.constant('read' as const),
  times: fc.integer({ min: 1, max: 4 }),
  ago: fc.constantFrom(0.1, 0.1, 0.1, 2, 8),
  complete: fc.constantFrom(true, true, true, false),
});
const answer = fc.record({
  do: fc.constant('answer' as const),
  call: fc.constantFrom('place' as const, 'modify' as const, 'cancel' as const),
  of: place,
  number,
  key,
  status: fc.constantFrom('accepted' as const, 'rejected' as const, 'unknown' as const, 'not_sent' as const),
});
const step = fc.oneof(
  { weight: 10, arbitrary: read },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('place' as const), isSecond: fc.boolean(), side, number, key }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('row' as const), at: place, plan: rowPlan }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('fill' as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('vanish' as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('return' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), of: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('modify' as const), of: place }) },
  { weight: 3, arbitrary: answer },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      of: place,
      as: fc.constantFrom('absent' as const, 'live' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set back' as const), by: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('next day' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

const earlierPlan = fc.record({ number, key, qty: fc.constantFrom(1, 2), isOver: fc.boolean() });
type EarlierPlan = typeof earlierPlan extends fc.Arbitrary<infer Plan> ? Plan : never;

const ENDLESS = alwaysOpen(CALENDAR);

/** One engine and the book that it is shown. */
class World {
  readonly rig = new EngineRig({
    startUs: timeOf(10),
    calendar: ENDLESS,
    lookUp: { scans: 2, spread: seconds(1) },
    qtyMax: 100,
  });
  readonly #ids: ClientOrderId[] = [];
  readonly #areCopies: boolean;
  #book: readonly BrokerOrder[] = [];
  #gone: readonly BrokerOrder[] = [];
  #boot = 1;
  #lastNo = 0;
  #day = DAY;

  /** `areCopies`: each scan has rows of its own, as they come from the broker; else those that are the same are the same objects. */
  constructor(earlier: readonly EarlierPlan[], areCopies: boolean) {
    this.#areCopies = areCopies;
    const { rig } = this;
    rig.contracts().post({
      kind: 'session_started',
      tradingDay: DAY,
      follows: addDays(DAY, -1),
      carriedOver: [],
      carriedOrders: earlier.map((plan, at) => this.#earlier(plan, at)),
      halted: null,
    });
    rig.boot(1).stream('live').reference().look().pass(1).positions().look();
  }

  #earlier(plan: EarlierPlan, at: number): CarriedOrder {
    const id = clientOrderId(`E${at}`);
    this.#ids.push(id);
    return earlierOrder(id, {
      qty: qty(plan.qty),
      orderNo: brokerOrderNo(this.#numbered(plan.number)),
      orderKey: plan.key === undefined ? null : brokerOrderKey(plan.key),
      status: plan.isOver ? 'canceled' : 'accepted',
    });
  }

  /** Everything that can be seen of the engine. */
  get seen(): unknown {
    const { entries, sent, reads, waiting } = this.rig;
    return { entries, sent, reads, waiting, view: this.rig.engine.snapshot() };
  }

  take(each: Step): void {
    const { rig } = this;
    switch (each.do) {
      case 'read':
        for (let time = 0; time < each.times; time += 1) this.#read(each.ago, each.complete);
        return;
      case 'place': {
        const id = rig.submit(each.isSecond ? SECOND : FIRST, each.side, 2, 13_000);
        this.#ids.push(id);
        const no = this.#numbered(each.number);
        this.#answer('place', id, 'accepted', no, each.key);
        return this.#put(this.#book.length, row({ no, ref: id, side: each.side, qty: 2 }));
      }
      case 'row':
        return this.#put(each.at, row(this.#facts(each.plan)));
      case 'fill':
        return this.#fill(each.at);
      case 'vanish': {
        const gone = this.#book[each.at];
        if (gone === undefined) return;
        this.#gone = [...this.#gone, gone];
        this.#book = this.#book.filter((shown) => shown !== gone);
        return;
      }
      case 'return':
        this.#book = [...this.#gone, ...this.#book];
        this.#gone = [];
        return;
      case 'cancel':
        return void rig.cancel(FIRST, this.#idOf(each.of));
      case 'modify':
        return void rig.modify(FIRST, {
          kind: 'price',
          clientOrderId: this.#idOf(each.of),
          limitPrice: priceTicks(12_990),
        });
      case 'answer':
        return this.#answer(
          each.call,
          this.#idOf(each.of),
          each.status,
          this.#numbered(each.number),
          each.key,
        );
      case 'resolve':
        return void rig.command({
          name: 'resolve_order',
          clientOrderId: this.#idOf(each.of),
          as: each.as,
          reason: 'test',
        });
      case 'set back':
        return this.#setBack(each.by);
      case 'next day':
        this.#day = addDays(this.#day, 1);
        rig.pass(1).session({ tradingDay: this.#day }).pass(1).positions();
    }
  }

  #numbered(given: string | null): string {
    this.#lastNo += 1;
    return given ?? String(this.#lastNo);
  }

  #idOf(at: number): ClientOrderId {
    return this.#ids[at % Math.max(1, this.#ids.length)] ?? clientOrderId('none');
  }

  #read(ago: number, complete: boolean): void {
    const { rig } = this;
    const startedUs = tsUs(rig.pass(1).now - Math.round(ago * US_PER_SECOND));
    const orders = this.#areCopies ? structuredClone(this.#book) : this.#book;
    rig.post({ kind: 'book_snapshot', list: 'orders', startedUs, complete, orders });
  }

  #answer(
    call: 'place' | 'modify' | 'cancel',
    id: ClientOrderId,
    status: 'accepted' | 'rejected' | 'unknown' | 'not_sent',
    no: string,
    orderKey: string | undefined,
  ): void {
    const { rig } = this;
    const sent = rig.sent.findLast((each) => each.call === call && clientIdOf(each) === id);
    const callId =
      sent?.call === 'cancel' ? sent.cancel.callId : sent?.call === 'modify' ? sent.modify.callId : id;
    if (status === 'rejected') rig.outcome(call, id, callId, { status, code: '-1', text: 'no' });
    else if (status === 'accepted') {
      const named = {
        orderNo: brokerOrderNo(no),
        orderKey: orderKey === undefined ? null : brokerOrderKey(orderKey),
      };
      rig.outcome(call, id, callId, { status, ...named });
    } else rig.outcome(call, id, callId, { status, reason: 'test' });
  }

  #facts(plan: RowPlan): RowFacts {
    const id = this.#ids[plan.of];
    const order = this.rig.places().find(({ clientOrderId: each }) => each === id);
    const isAlike = plan.isAlike && order !== undefined;
    return {
      no: this.#numbered(plan.number),
      ...(plan.key === undefined ? {} : { key: plan.key }),
      ref: plan.hasRef ? (id ?? null) : null,
      side: order?.side ?? 'buy',
      qty: isAlike ? 2 : 1 + (plan.of % 2),
      price: isAlike ? 13_000 : plan.price,
      filled: plan.filled,
      ...(plan.isPriced ? { value: worth(plan.price, plan.filled) } : {}),
      status: plan.status,
      canCancel: plan.canCancel,
      source: plan.source,
    };
  }

  /** A row changes as that of a filled order does. */
  #fill(at: number): void {
    const shown = this.#book[at];
    if (shown === undefined) return;
    const filledValue = { value: money(worth(13_000, shown.qty)), quality: 'exact' } as const;
    this.#put(at, { ...shown, filledQty: shown.qty, filledValue, status: 'matched' });
  }

  #put(at: number, shown: BrokerOrder): void {
    this.#book = at < this.#book.length ? this.#book.with(at, shown) : [...this.#book, shown];
  }

  #setBack(by: number): void {
    const { rig } = this;
    this.#boot += 1;
    rig.engine.endReplay();
    rig.now = tsUs(rig.now - by * US_PER_SECOND);
    rig.boot(this.#boot).stream('live').reference();
  }
}

function clientIdOf(sent: EngineRig['sent'][number]): ClientOrderId {
  if (sent.call === 'place') return sent.order.clientOrderId;
  return sent.call === 'modify' ? sent.modify.clientOrderId : sent.cancel.clientOrderId;
}

afterEach(() => vi.restoreAllMocks());

it.each([
  { rows: 'are copies', areCopies: true },
  { rows: 'stay the same objects', areCopies: false },
])('skipping settled rows comes to the same as reading all: rows that $rows', ({ areCopies }) => {
  let skipped = 0;
  let readsAll = false;
  const { markUnchanged } = BrokerIdIndex.prototype; // oxlint-disable-line typescript/unbound-method -- called with its object
  vi.spyOn(BrokerIdIndex.prototype, 'markUnchanged').mockImplementation(function (
    this: BrokerIdIndex,
    order,
    shown,
  ) {
    if (!readsAll) markUnchanged.call(this, order, shown);
  });
  const { applyOrderRow } = RowReader.prototype; // oxlint-disable-line typescript/unbound-method -- called with its object
  vi.spyOn(RowReader.prototype, 'applyOrderRow').mockImplementation(function (this: RowReader, ...taken) {
    skipped += readsAll ? 1 : -1;
    applyOrderRow.apply(this, taken);
  });
  fc.assert(
    fc.property(
      fc.array(earlierPlan, { maxLength: 2, size: 'small' }),
      fc.array(step, { minLength: 10, maxLength: 80, size: 'max' }),
      (earlier, steps) => {
        const quick = new World(earlier, areCopies);
        const whole = new World(earlier, areCopies);
        for (const each of steps) {
          readsAll = false;
          quick.take(each);
          readsAll = true;
          whole.take(each);
        }
        expect(quick.seen).toEqual(whole.seen);
      },
    ),
    { numRuns: 250 },
  );
  expect(skipped).toBeGreaterThan(200);
});
