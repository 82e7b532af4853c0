/** Orders that close something: trailing stops, the exits of brackets, and what waits to shrink a position. */
import { describe, expect, it } from 'vitest';
import { brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { OPERATOR_INDEX, priceTicks, seconds } from '../../../src/domain/units.ts';
import { traded } from '../../support/engine-facts.ts';
import { type EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { worth } from '../../support/engine-world.ts';
import {
  acceptWaiting,
  boughtBracket,
  bracketBuy,
  exitHalf,
  startWaiting,
  trailingSell,
  waits,
} from '../support/trigger-rows.ts';

const denials = (rig: EngineRig) => rig.of('denied').map(({ denial }) => denial.code);

const move = (id: string, to: number) =>
  ({ kind: 'trigger', clientOrderId: clientOrderId(id), triggerPrice: priceTicks(to) }) as const;

describe('a trailing stop', () => {
  it('follows the market without an alert that it was changed elsewhere', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, trailingSell(13_050, 20));
    const row = { key: 't', kind: 'trailing_stop', limit: 13_025, when: null } as const;
    acceptWaiting(rig, id, 't')
      .pass(1)
      .conditions([waits({ ...row, trigger: 13_050 })]);
    rig.pass(1).conditions([waits({ ...row, trigger: 13_060 })]);
    expect(rig.host.desk.workingOrders(FIRST)).toMatchObject([{ triggerPrice: 13_060 }]);
    expect(rig.alerts()).toEqual([]);
    rig.modify(FIRST, move(id, 13_080));
    expect(denials(rig), 'it has no activation price any more').toEqual(['modify_not_possible']);
  });
});

/** An exit of two contracts sent it. */
const sold = { no: '9', side: 'sell', price: 12_950, source: 'system', ...traded(12_950, 2) } as const;

describe('a bracket', () => {
  it('counts with the exits that it owes before they are shown', () => {
    const rig = startWaiting({ isReal: true, qtyMax: 4 });
    boughtBracket(rig);
    rig.submit(FIRST, 'sell', 4, 13_050);
    expect(denials(rig)).toEqual([]);
    rig.submit(FIRST, 'sell', 1, 13_060);
    expect(denials(rig)).toEqual(['strategy_position_limit']);
    rig.pass(1).conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
    rig.submit(FIRST, 'sell', 1, 13_060);
    expect(denials(rig)).toEqual(['strategy_position_limit', 'strategy_position_limit']);
  });

  it('is a normal order whose exits belong to it, and count once', () => {
    const rig = startWaiting();
    const id = boughtBracket(rig);
    expect(rig.reads.at(-1)).toBe('triggers');
    rig.pass(1).conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
    const working = rig.host.desk.workingOrders(FIRST);
    expect(working).toMatchObject([
      { parent: id, status: 'pending_trigger', triggerPrice: 12_950, side: 'sell' },
      { parent: id, status: 'pending_trigger', triggerPrice: 13_080, side: 'sell' },
    ]);
    rig.look([]);
    expect(rig.alerts()).not.toContain('exit_too_large');
    // One takes the position out, the broker takes the other back.
    rig
      .pass(1)
      .conditions([
        exitHalf('a', 12_950, { status: 'activated', children: ['9'] }),
        exitHalf('b', 13_080, { status: 'canceled' }),
      ]);
    const sold = { no: '9', side: 'sell', qty: 2, price: 12_950, source: 'system' } as const;
    rig.look([{ ...sold, ...traded(12_950, 2) }]);
    expect(rig.position(FIRST)).toBe(0);
    expect(rig.engine.snapshot().orders).toEqual([]);
  });

  it.each([
    ['no in-day book can be read', false],
    ['the last in-day book was served before them', true],
  ])('that is looked up keeps its exits for as long as %s', (_, isServed) => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
    rig.unknown(id);
    const halves = [exitHalf('a', 12_950, { parent: '5' }), exitHalf('b', 13_080, { parent: '5' })];
    rig.pass(5);
    if (isServed) rig.book([], { ago: 1 });
    rig.conditions(halves, { ago: 2 });
    for (let i = 0; i < 20; i += 1) rig.pass(5).conditions(halves);
    rig.look([{ no: '5', ref: id, ...traded(13_000, 2) }]);
    rig.pass(1).conditions(halves);
    expect(rig.of('order_waiting').map(({ parent }) => parent)).toEqual([id, id]);
    expect(rig.alerts()).not.toContain('trigger_adopted');
  });

  it('ends an exit whose order a person has given away', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
    rig.unknown(id);
    const bought = { no: '5', ref: id, ...traded(13_000, 2) } as const;
    rig.pass(1).conditions([]).look([sold]);
    rig.command({ name: 'resolve_order', clientOrderId: clientOrderId('9'), as: 'live', reason: 'mine' });
    rig.look([sold]);
    expect(rig.position(OPERATOR_INDEX)).toBe(-2);
    rig.look([bought, sold]);
    const exits = [
      exitHalf('a', 12_950, { status: 'activated', children: ['9'] }),
      exitHalf('b', 13_080, { status: 'canceled' }),
    ];
    rig.pass(1).conditions(exits).look([bought, sold]);
    expect(rig.engine.snapshot().orders).toEqual([]);
    expect(rig.alerts()).toContain('child_reported_late');
  });

  it('that has filled in part when the day ends keeps exits for that part, which outlive it', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
    const row = { no: '5', ref: id, qty: 2, filled: 1, value: worth(13_000) } as const;
    rig.accepted(id, '5').look([row]);
    const exits = [exitHalf('a', 12_950, { qty: 1 }), exitHalf('b', 13_080, { qty: 1 })];
    rig.pass(1).conditions(exits);
    // After the last auction a complete scan shows all fills of the day.
    rig
      .pass(5 * 3_600)
      .clock()
      .pass(301)
      .book([row])
      .pass(1)
      .conditions(exits);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['expired', 1]);
    const waitingNow = () =>
      rig.host.desk.workingOrders(FIRST).map((each) => [each.parent, each.status, each.qty]);
    const both = [
      [id, 'pending_trigger', 1],
      [id, 'pending_trigger', 1],
    ];
    expect(waitingNow()).toEqual(both);
    rig.pass(24 * 3_600).clock();
    expect(waitingNow()).toEqual(both);
    expect(rig.alerts()).not.toContain('exits_missing');
    expect(rig.alerts()).not.toContain('exit_too_large');
    // The journal is what the next day takes them over from.
    expect(
      rig.of('order_waiting').map(({ parent, purpose, row: { qty: size } }) => [parent, purpose, size]),
    ).toEqual([
      [id, 'reduce', 1],
      [id, 'reduce', 1],
    ]);
  });

  it('whose exits cover a part of what has filled is alerted for the rest', () => {
    const rig = startWaiting({ lookUp: { scans: 3, spread: seconds(3) } });
    boughtBracket(rig);
    const exits = [exitHalf('a', 12_950, { qty: 1 }), exitHalf('b', 13_080, { qty: 1 })];
    for (let scan = 0; scan < 4; scan += 1) rig.pass(2).conditions(exits);
    const alerts = rig.of('alert').filter(({ code }) => code === 'exits_missing');
    expect(alerts).toMatchObject([{ text: expect.stringMatching(/^1 of VN30F2603 have no exits/) }]);
  });

  it('needs its entry between its exits', () => {
    const rig = startWaiting();
    rig.ask(FIRST, bracketBuy(13_000, 13_010, 13_080));
    rig.ask(FIRST, bracketBuy(13_000, 12_950, 12_990));
    rig.ask(FIRST, bracketBuy(13_000, 13_000, 13_080));
    rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_000));
    expect(denials(rig)).toEqual(Array(4).fill('exit_price_side'));
  });
});

/** Two strategies bought under brackets with one stop price; the second one's fill is not in the book yet unless `isFilled`. */
const twoBrackets = (isFilled: boolean) => {
  const rig = startWaiting();
  const first = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  const second = rig.ask(SECOND, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(first, '5').accepted(second, '6').pass(1);
  const worked = (no: string, ref: typeof first, filled: number) =>
    ({
      no,
      ref,
      qty: 2,
      filled,
      value: worth(13_000, filled),
      status: filled === 2 ? 'matched' : 'resting',
    }) as const;
  const rows = (of: number) => [worked('5', first, 2), worked('6', second, of)];
  rig.book(rows(isFilled ? 2 : 0));
  const parents = () =>
    rig.of('order_waiting').map(({ clientOrderId: id, parent }) => [id.at(-1), parent === first ? 1 : 2]);
  return { rig, rows, parents };
};

const parents = (rig: EngineRig) => rig.of('order_waiting').map(({ parent, row }) => [row.orderKey, parent]);

describe('canceled exits of an earlier bracket at the same prices', () => {
  const exits = [exitHalf('a', 12_950), exitHalf('b', 13_080)];
  it.each([
    ['without the number of their bracket', {}],
    ['with a number of another day', { parent: '77' }],
    ["with the number that is this one's today", { parent: '5' }],
  ])('%s take nothing from a younger one', (_, named) => {
    const rig = startWaiting();
    const old = [
      exitHalf('x', 12_950, { status: 'canceled', ...named }),
      exitHalf('y', 13_080, { status: 'canceled', ...named }),
    ];
    rig.pass(1).conditions(old).pass(1);
    const id = boughtBracket(rig);
    rig.pass(1).conditions([...old, ...exits]);
    expect(parents(rig)).toEqual([
      ['a', id],
      ['b', id],
    ]);
    expect(rig.alerts()).toEqual([]);
  });

  it('take no room from exits that live, whenever the book shows them', () => {
    const rig = startWaiting();
    const id = boughtBracket(rig);
    const old = [
      exitHalf('x', 12_950, { status: 'canceled' }),
      exitHalf('y', 13_080, { status: 'canceled' }),
    ];
    rig.pass(1).conditions([...old, ...exits]);
    expect(parents(rig)).toEqual([
      ['a', id],
      ['b', id],
    ]);
  });
});

describe('exits of two strategies with one stop price', () => {
  const ofFirst = [exitHalf('a', 12_950), exitHalf('b', 13_080)];
  const ofSecond = [exitHalf('c', 12_950), exitHalf('d', 13_080)];
  const named = (rows: typeof ofFirst, parent: string) =>
    rows.map((row) => ({ ...row, parent: brokerOrderNo(parent) }));

  it('belong to the order whose number their rows give, whichever row comes first', () => {
    const { rig, rows, parents } = twoBrackets(true);
    rig.pass(1).conditions([...named(ofSecond, '6'), ...named(ofFirst, '5')]);
    expect(parents()).toEqual([
      ['c', 2],
      ['d', 2],
      ['a', 1],
      ['b', 1],
    ]);
    rig.look(rows(2));
    expect(rig.cancels()).toEqual([]);
    expect(rig.alerts()).toEqual([]);
  });

  it('that name the order of somebody else stay at the broker, with an alert', () => {
    const { rig, rows } = twoBrackets(true);
    const theirs = { no: '9', ...traded(13_000, 2) } as const;
    rig.look([...rows(2), theirs]);
    rig
      .pass(1)
      .conditions([...named(ofFirst, '5'), ...named(ofSecond, '6'), ...named([exitHalf('x', 12_950)], '9')]);
    expect(rig.alerts()).toContain('trigger_adopted');
    rig.look([...rows(2), theirs]);
    expect(rig.cancels()).toEqual([]);
    expect(rig.waiting.filter(({ call }) => call === 'cancel')).toEqual([]);
  });

  it('that no bracket has room for stay at the broker, with an alert', () => {
    const { rig, rows } = twoBrackets(true);
    const all = [...ofFirst, ...ofSecond, exitHalf('x', 12_950)];
    for (let i = 0; i < 4; i += 1) rig.pass(15).conditions(all);
    rig.book(rows(2));
    expect(rig.alerts()).toEqual(['trigger_adopted']);
    expect(rig.waiting.filter(({ call }) => call === 'cancel')).toEqual([]);
  });

  it.each([
    ['at its limit', [13_000, 13_000], 0],
    ['better than its limit', [12_990, 12_990], 10],
    ['at two prices', [12_990, 12_996], 10],
  ])('without a number are as far from the first fill as from the limit: filled %s', (_, fills, better) => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
    rig.accepted(id, '5').pass(1);
    const value = fills.reduce((sum, price) => sum + worth(price), 0);
    const row = { no: '5', ref: id, qty: 2, filled: 2, value, status: 'matched' } as const;
    rig.book([row]);
    const theirs = exitHalf('x', 12_900);
    rig.pass(1).conditions([exitHalf('a', 12_950 - better), exitHalf('b', 13_080 - better), theirs]);
    expect(rig.host.desk.workingOrders(FIRST)).toMatchObject([
      { parent: id, triggerPrice: 12_950 - better },
      { parent: id, triggerPrice: 13_080 - better },
    ]);
    for (let i = 0; i < 4; i += 1)
      rig.pass(15).conditions([exitHalf('a', 12_950 - better), exitHalf('b', 13_080 - better), theirs]);
    expect(rig.alerts(), 'the one that is too far away is of somebody else').toEqual(['trigger_adopted']);
  });
});
