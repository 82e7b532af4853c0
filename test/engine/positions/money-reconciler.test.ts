/** Money of the day against the broker's: agreement, transfers, and a difference that stops entries. */
import { describe, expect, it } from 'vitest';
import type { BrokerAccount } from '../../../src/domain/broker-order.ts';
import { orderCosts } from '../../../src/domain/costs.ts';
import { alwaysOpen } from '../../../src/domain/calendar.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { milliseconds, money, OPERATOR_INDEX, US_PER_DAY } from '../../../src/domain/units.ts';
import { earlierOrder, type RowFacts } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, type RigOptions } from '../../support/engine-rig.ts';
import { CALENDAR, COSTS, DAY, FRONT, NEXT, timeOf, worth } from '../../support/engine-world.ts';

const CASH = 5_000_000_000;
const bought = (no: string, filled: number, price = 13_000): RowFacts => ({
  no,
  qty: filled,
  price,
  filled,
  value: worth(price, filled),
  status: 'matched',
});
const sold = (no: string, filled: number, price: number): RowFacts => ({
  ...bought(no, filled, price),
  side: 'sell',
});

/** Fee and tax as the broker charges them for these rows, by our schedule. */
function costsOf(rows: readonly RowFacts[]): { readonly fee: number; readonly tax: number } {
  let [fee, tax] = [0, 0];
  for (const { filled = 0, value = 0, side = 'buy' } of rows) {
    const costs = orderCosts(COSTS, DAY, { side, filledQty: filled, filledValue: value });
    fee += costs.fee;
    tax += costs.tax;
  }
  return { fee, tax };
}

interface Said {
  readonly fee?: number;
  readonly tax?: number;
  readonly profit?: number;
  readonly cash?: number;
  readonly withdrawable?: number | null;
}

const accountOf = (rows: readonly RowFacts[], said: Said): Partial<BrokerAccount> => ({
  fee: money(said.fee ?? costsOf(rows).fee),
  tax: money(said.tax ?? costsOf(rows).tax),
  profit: money(said.profit ?? 0),
  cash: money(said.cash ?? CASH),
  withdrawable: said.withdrawable === null ? null : money(said.withdrawable ?? CASH),
});

const started = (options: RigOptions = {}): EngineRig =>
  new EngineRig({ moneyMismatch: 'halt', ...options }).start().trade(13_000);

/** One read of the account between two equal scans of the book. */
function enclosed(rig: EngineRig, rows: readonly RowFacts[], said: Said = {}, held = 0): EngineRig {
  let net = 0;
  for (const { side, filled = 0 } of rows) net += side === 'sell' ? -filled : filled;
  rig.pass(2).book(rows).pass(1).account(4_000_000_000, accountOf(rows, said));
  return rig.positions(net + held).look(rows);
}

/** `held`: contracts that no row of today explains. */
const twice = (rig: EngineRig, rows: readonly RowFacts[], said: Said = {}, held = 0): EngineRig =>
  enclosed(enclosed(rig, rows, said, held), rows, said, held);

const moneyOf = (rig: EngineRig) => rig.engine.snapshot().money;
const halted = (rig: EngineRig): string | null => rig.engine.snapshot().halted;
const verdicts = (rig: EngineRig): string[] => rig.of('money_checked').map(({ verdict }) => verdict);

describe('money that agrees', () => {
  it('is alerted once, with fee, tax, profit and cash', () => {
    const rig = started();
    const rows = [bought('1', 2), sold('2', 2, 13_010)];
    twice(rig, rows, { profit: worth(10, 2) });
    expect(moneyOf(rig)).toMatchObject({
      state: 'agreed',
      figures: [
        { what: 'fee', ours: 21_000, broker: 21_000 },
        { what: 'tax' },
        { what: 'profit', ours: 200_000 },
        { what: 'cash', broker: CASH },
      ],
    });
    expect([verdicts(rig), halted(rig)]).toEqual([['agreed'], null]);
  });

  it('leaves out what a fill without a figure decides, until the figure comes', () => {
    const rig = started();
    const { value: _, ...unpriced } = bought('1', 1);
    const charged = costsOf([bought('1', 1)]);
    twice(rig, [unpriced], charged);
    expect(moneyOf(rig).figures.map(({ what }) => what)).toEqual(['fee', 'cash']);
    twice(rig, [bought('1', 1)]);
    expect(moneyOf(rig).figures.map(({ what }) => what)).toEqual(['fee', 'tax', 'cash']);
    expect(halted(rig)).toBeNull();
  });

  it('waits for the reference price of today where the midnight of the broker may come later than ours', () => {
    const rig = new EngineRig({ moneyMismatch: 'halt', startUs: timeOf(0), calendar: alwaysOpen(CALENDAR) });
    rig.session({}, [{ strategy: FIRST, qty: 1, price: 12_500 }]);
    rig.boot(1).contracts().stream('live').reference(129_000); // of yesterday
    const rows = [sold('1', 1, 13_020)];
    twice(rig, rows, { profit: worth(20) }, 1);
    expect(moneyOf(rig).state).toBe('unread');
    const asked = rig.reads.length;
    rig.pass(60).trade(13_020);
    twice(rig, rows, { profit: worth(20) }, 1);
    expect(moneyOf(rig)).toMatchObject({ state: 'agreed' });
    expect(moneyOf(rig).figures.map(({ what }) => what)).toEqual(['fee', 'tax', 'cash']);
    expect(rig.reads.slice(asked)).toContain('reference');
    rig.reference(130_000);
    twice(rig, rows, { profit: worth(20) }, 1);
    expect(moneyOf(rig).figures).toContainEqual({ what: 'profit', ours: 200_000, broker: 200_000 });
  });

  it('does not compare the profit of a day on which a position was taken over', () => {
    const rig = new EngineRig({ moneyMismatch: 'halt' }).start(1).trade(13_000);
    rig.pass(4).positions(1).look();
    expect(rig.alerts()).toEqual(['position_adopted']);
    twice(rig, [sold('1', 1, 13_020)], { profit: 777 }, 1);
    expect(moneyOf(rig).figures.map(({ what }) => what)).toEqual(['fee', 'tax', 'cash']);
  });

  it('is not compared before the open, and not long after the close: the night settles it', () => {
    const early = started({ startUs: timeOf(8) });
    twice(early, [], { fee: 99 });
    expect(moneyOf(early).state).toBe('unread');
    const late = started({ startUs: timeOf(14, 56) });
    twice(late, [bought('1', 1)], { fee: 0, tax: 0, cash: CASH - 5 });
    expect([moneyOf(late).state, halted(late)]).toEqual(['unread', null]);
  });

  it('is not compared before a price of today: the exchange may be closed, and the broker shows the last session', () => {
    const rig = new EngineRig({ moneyMismatch: 'halt' }).start();
    twice(rig, [], { fee: 99, tax: 7, profit: 3 });
    expect([moneyOf(rig).figures.map(({ what }) => what), halted(rig)]).toEqual([['cash'], null]);
    twice(rig.trade(13_000), [], { fee: 99 });
    expect(halted(rig)).toMatch(/fee ours 0, broker 99 VND/);
  });

  it('is compared before a price of today where something of today has filled: the prices may be down', () => {
    const rig = new EngineRig({ moneyMismatch: 'halt' }).start();
    twice(rig, [bought('1', 1)], { fee: 99 });
    expect(halted(rig)).toMatch(/fee ours \d+, broker 99 VND/);
  });

  it.each([-1, 1])(
    'is not compared while our clock is %d day off: the broker shows that of another day',
    (days) => {
      const rig = started();
      rig.post({ kind: 'clock_skew', skewUs: days * US_PER_DAY, roundTrip: milliseconds(20) });
      twice(rig, [], { fee: 99 });
      expect([moneyOf(rig).state, halted(rig)]).toEqual(['unread', null]);
      rig.post({ kind: 'clock_skew', skewUs: 0, roundTrip: milliseconds(20) });
      twice(rig, []);
      expect(moneyOf(rig).state).toBe('agreed');
    },
  );
});

describe('money that differs', () => {
  it('stops entries when two reads show it, with both figures in one alert', () => {
    const rig = started();
    const rows = [bought('1', 1)];
    enclosed(rig, rows, { fee: 7_250 });
    expect(halted(rig), 'one bad read is not the truth').toBeNull();
    enclosed(rig, rows, { fee: 7_250 });
    expect(halted(rig)).toMatch(/fee ours 5250, broker 7250 VND/);
    expect(moneyOf(rig).state).toBe('differs');
    twice(rig, rows, { fee: 7_250 });
    expect(rig.of('money_checked')).toMatchObject([
      {
        verdict: 'differs',
        figures: [{ what: 'fee', ours: 5_250, broker: 7_250 }, { what: 'tax' }, { what: 'cash' }],
      },
    ]);
    expect(rig.alerts().filter((code) => code === 'money_mismatch')).toHaveLength(1);
  });

  it('is not seen while fills come: the book must not change before and after the read', () => {
    const rig = started();
    for (let filled = 1; filled < 6; filled += 1) {
      const row = (now: number): RowFacts => ({ ...bought('1', now), qty: 9, status: 'resting' });
      rig
        .pass(2)
        .book([row(filled)])
        .pass(1)
        .account(4_000_000_000, accountOf([row(filled + 1)], {}));
      rig.look([row(filled + 1)]);
    }
    expect([verdicts(rig), halted(rig)]).toEqual([[], null]);
  });

  it('a resume books fee and tax under the operator, also in the loss of the day', () => {
    const rig = started();
    const rows = [bought('1', 1), sold('2', 1, 13_000)];
    const charged = { fee: 14_500, tax: costsOf(rows).tax + 7, profit: 0 };
    twice(rig, rows, charged);
    const before = rig.engine.snapshot();
    rig.command({ name: 'resume', reason: 'the tariff of today' });
    const after = rig.engine.snapshot();
    expect([after.halted, after.fee, after.tax]).toEqual([null, 14_500, charged.tax]);
    expect(after.dayPnl).toBe(before.dayPnl - 4_007);
    expect(after.strategies.find(({ strategy }) => strategy === OPERATOR_INDEX)).toMatchObject({
      fee: 14_500,
    });
    twice(rig, rows, charged);
    expect([verdicts(rig), halted(rig)]).toEqual([['differs', 'accepted', 'agreed'], null]);
  });

  it('only alerts where the settings say so', () => {
    const rig = started({ moneyMismatch: 'alert' });
    twice(rig, [bought('1', 1)], { tax: 1 });
    expect([halted(rig), rig.alerts()]).toEqual([null, expect.arrayContaining(['money_mismatch'])]);
  });

  it('a wrong profit counts as soon as the account is flat', () => {
    const rig = started();
    twice(rig, [bought('1', 1), sold('2', 1, 13_010)], { profit: 90_000 });
    expect(halted(rig)).toMatch(/profit ours 100000, broker 90000 VND/);
  });
});

describe('cash that moves', () => {
  it('is a transfer while the rest agrees: alerted, and entries go on', () => {
    const rig = started();
    const rows = [bought('1', 1)];
    twice(rig, rows);
    twice(rig, rows, { cash: CASH - 70, withdrawable: CASH - 70 });
    twice(rig, rows, { cash: CASH + 30 });
    expect([verdicts(rig), halted(rig)]).toEqual([['agreed', 'moved', 'moved'], null]);
    expect(rig.alerts().filter((code) => code === 'money_moved')).toHaveLength(2);
    expect(moneyOf(rig)).toMatchObject({ state: 'agreed' });
  });

  it('more than could be withdrawn is no transfer', () => {
    const rig = started();
    twice(rig, [], { withdrawable: 1_000 });
    twice(rig, [], { cash: CASH - 1_001, withdrawable: 0 });
    expect(halted(rig)).toMatch(/cash ours 5000000000, broker 4999998999 VND/);
    rig.command({ name: 'resume', reason: 'the broker took it' });
    twice(rig, [], { cash: CASH - 1_001, withdrawable: 0 });
    expect([moneyOf(rig).state, halted(rig)]).toEqual(['agreed', null]);
  });

  it('the tax of a contract that expired is a cost of the operator', () => {
    const rig = started({ isReal: true });
    const rows = [bought('1', 1)];
    twice(rig, rows);
    rig.contracts([FRONT, NEXT], [NEXT]).pass(1).clock();
    rig.pass(2).book(rows).pass(1).positions().look(rows).pass(1).positions().look(rows);
    rig.post({ kind: 'closed_snapshot', startedUs: rig.now, positions: [] });
    expect(rig.of('position_event')).toMatchObject([{ event: 'settled' }]);
    const { fee, tax } = costsOf(rows);
    twice(rig, rows, { tax: 2 * tax, cash: CASH + 12 }, -1);
    expect([verdicts(rig), halted(rig)]).toEqual([['agreed', 'moved'], null]);
    expect(rig.engine.snapshot()).toMatchObject({ fee, tax: 2 * tax });
    twice(rig, rows, { tax: 4 * tax, cash: CASH + 12 }, -1);
    expect(halted(rig)).toMatch(/tax ours/);
  });

  it('waits for positions that agree: a difference of theirs explains one of money', () => {
    const rig = started();
    twice(rig, [], {});
    twice(rig, [], { tax: 5 }, 2);
    expect([verdicts(rig), halted(rig)]).toEqual([['agreed'], null]);
    twice(rig, [], { tax: 5 });
    expect(halted(rig)).toMatch(/tax ours 0, broker 5 VND/);
  });

  it('profit that is paid out in the day is no mismatch', () => {
    const rig = started();
    const rows = [bought('1', 1), sold('2', 1, 13_010)];
    twice(rig, rows, { profit: 100_000 });
    twice(rig, rows, { profit: 0, cash: CASH + 100_000 });
    expect([verdicts(rig), halted(rig)]).toEqual([['agreed', 'moved'], null]);
    twice(rig, rows, { profit: 0, cash: CASH + 100_000 });
    expect(moneyOf(rig).state).toBe('agreed');
  });
});

/** A buy of two at 13,000 was working when yesterday's session ended. */
function followed(): EngineRig {
  const rig = new EngineRig({ moneyMismatch: 'halt', startUs: timeOf(8) });
  rig.contracts().session({ follows: addDays(DAY, -1), carriedOrders: [earlierOrder('H.1')] });
  return rig.boot(2).stream('live').reference(130_200).pass(1);
}

function opened(rig: EngineRig): EngineRig {
  rig.now = timeOf(9, 5);
  return rig;
}

describe('a fill of yesterday that is known only today', () => {
  const late = { ...bought('7', 2), ref: clientOrderId('H.1') };

  it('was charged yesterday: the fee of today is no mismatch', () => {
    const rig = followed();
    twice(rig, [late]);
    expect(rig.of('fill')).toMatchObject([{ clientOrderId: 'H.1', qty: 2 }]);
    twice(opened(rig), [], { fee: 0, tax: 0 }, 2);
    expect([moneyOf(rig).state, halted(rig)]).toEqual(['agreed', null]);
    twice(rig, [], { fee: 0, tax: 0, cash: CASH - 1, withdrawable: null }, 2);
    twice(rig, [], { fee: 0, tax: 0, cash: CASH - 2 }, 2);
    expect(halted(rig), 'cash is compared as ever').toMatch(/cash ours/);
  });
});
