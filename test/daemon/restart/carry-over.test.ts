/** What the next session learns of orders that wait at the broker. */
import { expect, it } from 'vitest';
import {
  SessionTracker,
  carryOver,
  trackPast,
  continuesSession,
  restartDay,
} from '../../../src/daemon/restart/carry-over.ts';
import { instrumentIndex, money, priceTicks, qty, seq, signedQty, tsUs } from '../../../src/domain/units.ts';
import type { CallOutcome } from '../../../src/domain/broker-order.ts';
import type { HaltCode } from '../../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import type { OrderToSend } from '../../../src/engine/ports/approved.ts';
import { type ClientOrderId, clientOrderId, StrategyNames } from '../../../src/domain/ids.ts';
import { addDays, type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';
import { openStore, tempPath } from '../../journal/journal-fixture.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { DAY, FRONT, NEXT, worth } from '../../support/engine-world.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../../engine/support/trigger-rows.ts';

const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-03-09', '2026-03-10', '2026-03-11'].map(tradingDay) as [
  TradingDay,
  TradingDay,
  TradingDay,
];
const NAMES = new StrategyNames(['strategy-0', 'strategy-1']);

function followed(rig: EngineRig): SessionTracker {
  const carry = new SessionTracker();
  for (const entry of rig.entries)
    carry.add({ entry, strategyName: entry.strategy === null ? null : NAMES.nameOf(entry.strategy) });
  return carry;
}

const carried = (rig: EngineRig) =>
  followed(rig).carriedOver(DAY, [FRONT], NAMES).started.carriedOrders ?? [];

it('is what still waited, with its owner, as the book showed it last', () => {
  const rig = startWaiting();
  const one = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, one, 'k1');
  const other = rig.ask(FIRST, stopSell(12_900));
  acceptWaiting(rig, other, 'k2');
  rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2', trigger: 12_900 })]);
  expect(carried(rig).map(({ clientOrderId, strategy }) => [clientOrderId, strategy])).toEqual([
    [one, FIRST],
    [other, FIRST],
  ]);
  rig.pass(1).conditions([waits({ key: 'k1', status: 'canceled' }), waits({ key: 'k2', trigger: 12_900 })]);
  expect(carried(rig)).toMatchObject([
    { clientOrderId: other, row: { orderKey: 'k2', triggerPrice: 12_900 } },
  ]);
});

const REFUSED: CallOutcome = { status: 'rejected', code: '-6026', text: 'not now' };
const LOST: CallOutcome = { status: 'unknown', reason: 'HTTP 500' };

/** Three stops that would open a position. */
function threeStops() {
  const rig = startWaiting();
  const ids = ['k1', 'k2', 'k3'].map((key, at) => {
    const id = rig.ask(FIRST, stopSell(12_950 + at));
    acceptWaiting(rig, id, key);
    return id;
  });
  const rows = ids.map((_, at) => waits({ key: `k${at + 1}`, trigger: 12_950 + at }));
  rig.pass(1).conditions(rows);
  const answer = (outcomeOf: (id: ClientOrderId) => CallOutcome): void => {
    for (const each of rig.waiting)
      if (each.call === 'cancel')
        rig.outcome(
          'cancel',
          each.cancel.clientOrderId,
          each.cancel.callId,
          outcomeOf(each.cancel.clientOrderId),
        );
    rig.pass(1).conditions(rows);
  };
  return { rig, ids, answer };
}

it('keeps what the stop of a strategy withdraws, whatever the broker answers', () => {
  const { rig, answer } = threeStops();
  rig.command({ name: 'stop_strategy', strategy: FIRST, reason: 'test' });
  answer(() => REFUSED);
  expect(carried(rig).map(({ isWithdrawn }) => isWithdrawn)).toEqual([true, true, true]);
});

it('says of which entries the cancel was asked for and came to nothing', () => {
  const { rig, ids, answer } = threeStops();
  for (const id of ids.slice(0, 2)) rig.cancel(FIRST, id);
  answer((id) => (id === ids[0] ? LOST : REFUSED));
  rig.cancel(SECOND, ids[2]!);
  expect(carried(rig).map(({ clientOrderId, isWithdrawn }) => [clientOrderId, isWithdrawn])).toEqual([
    [ids[0], true],
    [ids[1], undefined],
    [ids[2], undefined],
  ]);
  const next = new SessionTracker();
  next.begin({ carriedOrders: carried(rig) });
  for (const { clientOrderId, row, purpose } of carried(rig))
    next.add({
      strategyName: 'strategy-0',
      entry: {
        kind: 'order_waiting',
        cause: seq(1),
        tsUs: tsUs(1),
        strategy: FIRST,
        clientOrderId,
        parent: null,
        purpose,
        isProtective: false,
        instrument: FRONT.index,
        row: row!,
      },
    });
  const [first, ...more] = next.carriedOver(DAY, [FRONT], NAMES).started.carriedOrders ?? [];
  expect(
    [first?.isWithdrawn, more.map(({ isWithdrawn }) => isWithdrawn)],
    'a session without a read',
  ).toEqual([true, [undefined, undefined]]);
  rig.modify(FIRST, { kind: 'trigger', clientOrderId: ids[0]!, triggerPrice: priceTicks(12_940) });
  expect(carried(rig)[0]?.isWithdrawn, 'its strategy wants it at another price').toBeUndefined();
});

it('lists the ids that it has minted, over sessions too, and not those of strangers', () => {
  const carry = new SessionTracker();
  const [start, earlier] = ['H.123456abcdef012326030400012', 'H.123456abcdef012326030300011'];
  carry.begin({ minted: [{ start: earlier, count: 4 }] });
  const entry = { kind: 'proposal', cause: seq(1), tsUs: tsUs(1), strategy: FIRST, by: 'strategy' } as const;
  for (const counter of ['000001', '000002']) {
    const ids = { callId: clientOrderId(start + counter), clientOrderId: clientOrderId('H.1') };
    carry.add({ strategyName: 'strategy-0', entry: { ...entry, proposal: { do: 'cancel', ...ids } } });
  }
  expect(carry.carriedOver(DAY, [FRONT], NAMES).started.minted).toEqual([
    { start: earlier, count: 4 },
    { start, count: 2 },
  ]);
});

it('comes from the last session that began: a day without a token between two leaves nothing behind', () => {
  const { store } = openStore(tempPath());
  const [friday, monday, tuesday] = ['2026-03-06', '2026-03-09', '2026-03-10'].map(tradingDay) as [
    TradingDay,
    TradingDay,
    TradingDay,
  ];
  store.beginSession(friday, tsUs(1), 'test');
  const head = { seq: seq(1), tsUs: tsUs(1) };
  store.recordInput({ ...head, kind: 'session_started', tradingDay: friday, carriedOver: [], halted: null });
  const own = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST } as const;
  store.append({ ...own, kind: 'halt', halted: true, reason: 'its loss' });
  store.beginSession(monday, tsUs(2), 'test');
  store.recordInput({ ...head, kind: 'session_started', tradingDay: monday, carriedOver: [], halted: null });
  store.append({
    cause: seq(0),
    tsUs: tsUs(2),
    strategy: null,
    kind: 'halt',
    halted: true,
    reason: 'by hand',
  });
  store.beginSession(tuesday, tsUs(3), 'test');
  expect(store.read.lastDecided(tuesday), 'a kill on Monday before the engine was heard').toBe(friday);
  expect(carryOver(store.read, friday, new StrategyNames(['strategy-0'])).started.haltedStrategies).toEqual([
    { strategy: FIRST, reason: 'its loss' },
  ]);
  expect(store.read.lastDecided(friday)).toBeUndefined();
});

it('keeps a loss limit that was reached during a halt, until the halt ends', () => {
  const { store } = openStore(tempPath());
  const day = tradingDay('2026-03-06');
  const halt = (halted: boolean, reason: string, code?: HaltCode): string | undefined => {
    store.append({ cause: seq(1), tsUs: tsUs(1), strategy: null, kind: 'halt', halted, reason, code });
    store.flush();
    return carryOver(store.read, day, new StrategyNames([])).started.lossReached;
  };
  store.beginSession(day, tsUs(1), 'test');
  expect(halt(true, 'lunch')).toBeUndefined();
  expect(halt(true, 'news; before it: lunch'), 'as the main thread has it').toBeUndefined();
  expect(halt(true, 'the loss of the day', 'entries_halted')).toBe('the loss of the day');
  expect(halt(false, 'lunch is over')).toBeUndefined();
  expect(halt(true, 'the loss of the day', 'entries_halted'), 'shown now').toBeUndefined();
});

it('keeps entries off after a difference of positions that nobody has answered', () => {
  const { store } = openStore(tempPath());
  const day = tradingDay('2026-03-06');
  const head = { cause: seq(1), tsUs: tsUs(1), strategy: null } as const;
  const alert = (code: string): JournalEntry => ({
    ...head,
    kind: 'alert',
    severity: 'info',
    code,
    text: code,
  });
  const resume = (strategy?: number): JournalEntry => ({
    ...head,
    kind: 'command',
    by: 'operator',
    command: { name: 'resume', reason: 'seen', ...(strategy === undefined ? {} : { strategy: FIRST }) },
  });
  const mismatch: JournalEntry = { ...head, kind: 'position_mismatch', broker: [], ours: [] };
  const isOff = (...entries: readonly JournalEntry[]): boolean => {
    for (const entry of entries) store.append(entry);
    store.flush();
    return carryOver(store.read, day, new StrategyNames([])).halted !== null;
  };
  store.beginSession(day, tsUs(1), 'test');
  expect(isOff()).toBe(false);
  expect(isOff(mismatch)).toBe(true);
  expect(isOff(resume(0)), 'of one strategy').toBe(true);
  expect(isOff(resume(), alert('position_unsettled'))).toBe(true);
  expect(isOff(resume())).toBe(false);
  expect(isOff(mismatch, alert('positions_agree')), 'it ended with its contract').toBe(false);
});

it('keeps the peak of the account until a person accepts the fall from it, also by night', () => {
  const { store } = openStore(tempPath());
  const day = tradingDay('2026-03-06');
  const peak = (isHalted: boolean) => {
    store.flush();
    return carryOver(store.read, day, new StrategyNames([]), { isHalted }).started.equityPeak;
  };
  const head = { cause: seq(1), tsUs: tsUs(1), strategy: null } as const;
  store.beginSession(day, tsUs(1), 'test');
  store.append({ ...head, kind: 'equity_peak', value: money(900) });
  store.append({ ...head, kind: 'halt', halted: true, reason: 'the account has lost enough, he says' });
  store.append({ ...head, kind: 'halt', halted: false, reason: 'back' });
  expect([peak(true), peak(false)]).toEqual([900, 900]);
  store.append({
    ...head,
    kind: 'halt',
    halted: true,
    reason: 'the account has lost 60 since its peak of 900',
    code: 'drawdown',
  });
  expect([peak(true), peak(false)]).toEqual([900, undefined]);
  store.append({ ...head, kind: 'halt', halted: false, reason: 'seen' });
  expect(peak(false)).toBeUndefined();
  store.append({ ...head, kind: 'equity_peak', value: money(840) });
  expect(peak(false)).toBe(840);
});

it('leaves a strategy that the operator stopped as it is, until he starts it', () => {
  const { store } = openStore(tempPath());
  const day = tradingDay('2026-03-06');
  const head = { cause: seq(1), tsUs: tsUs(1) } as const;
  const stops = () => carryOver(store.read, day, new StrategyNames(['strategy-0'])).started.stoppedStrategies;
  store.beginSession(day, tsUs(1), 'test');
  store.append({ ...head, strategy: FIRST, kind: 'strategy_stopped', reason: 'fault' });
  store.flush();
  expect(stops(), 'a fault is for the day').toEqual([]);
  store.append({ ...head, strategy: FIRST, kind: 'strategy_stopped', reason: 'too thin', isLasting: true });
  store.flush();
  expect(stops()).toEqual([{ strategy: FIRST, reason: 'too thin' }]);
  const command = { name: 'start_strategy', strategy: FIRST, reason: 'new month' } as const;
  store.append({ ...head, strategy: null, kind: 'command', by: 'operator', command });
  store.flush();
  expect(stops()).toEqual([]);
});

it('is the same whether a process followed the day or reads it from the journal', () => {
  const rig = new EngineRig().start();
  const id = rig.resting(FIRST, 'buy', 3, 13_000, '7');
  rig.look([{ no: '7', qty: 3, filled: 1, value: worth(12_990), status: 'matched' }]);
  rig.cancel(FIRST, id);
  rig.submit(FIRST, 'sell', 1, 13_100);
  const { store } = openStore(tempPath());
  store.beginSession(DAY, tsUs(1), 'test');
  const head = { seq: seq(1), tsUs: tsUs(1) };
  store.recordInput({ ...head, kind: 'contracts', contracts: [FRONT] });
  const live = new SessionTracker();
  store.follow(live.add);
  for (const entry of rig.entries) store.append(entry);
  store.flush();
  const read = carryOver(store.read, DAY, NAMES);
  expect(live.carriedOver(DAY, store.read.contracts(DAY), NAMES)).toEqual(read);
  expect(read.started).toMatchObject({
    carriedOver: [{ strategy: FIRST, qty: 1, openValue: worth(12_990) }],
    carriedOrders: [{ clientOrderId: id, status: 'pending_cancel', filledQty: 1 }, { status: 'submitted' }],
  });
});

it('is the same when the first half of a session is read in parts and the second comes meanwhile', async () => {
  const rig = startWaiting();
  const stop = rig.ask(FIRST, stopSell(12_950));
  acceptWaiting(rig, stop, 'k1');
  rig.pass(1).conditions([waits({ key: 'k1' })]);
  for (let no = 1; no <= 180; no += 1) {
    const side = no % 3 === 0 ? 'sell' : 'buy';
    const ref = rig.resting(FIRST, side, 1, 13_000, String(no));
    const filled = { filled: 1, value: worth(13_000), status: 'matched' } as const;
    rig.look([{ no: String(no), ref, side, price: 13_000, ...filled }]);
  }
  const { entries } = rig;
  const half = Math.floor(entries.length / 2);
  expect(half, 'more than one part').toBeGreaterThan(500);
  const { store } = openStore(tempPath());
  store.beginSession(DAY, tsUs(1), 'test');
  store.recordInput({ seq: seq(1), tsUs: tsUs(1), kind: 'contracts', contracts: [FRONT] });
  for (const entry of entries.slice(0, half)) store.append(entry);
  store.beginSession(DAY, tsUs(1), 'test');
  const carry = trackPast(store.read, DAY);
  store.follow(carry.add);
  const reading = carry.readPast();
  for (const entry of entries.slice(half)) store.append(entry);
  store.flush();
  await reading;
  const left = carry.carriedOver(DAY, [FRONT], NAMES);
  expect(left).toEqual(carryOver(store.read, DAY, NAMES));
  expect(left).toEqual(followed(rig).carriedOver(DAY, [FRONT], NAMES));
});

it('begins again where another session has run since, from the one that an engine decided last', () => {
  const { store } = openStore(tempPath());
  const { read } = store;
  const begin = (day: TradingDay, boot: number, from: number, qtyHeld: number, isDecided = true): void => {
    store.beginSession(day, tsUs(boot), 'test');
    const at = { tsUs: tsUs(boot) };
    const cause = seq(from + 1);
    store.recordInput({ ...at, seq: seq(from), kind: 'contracts', contracts: [FRONT] });
    store.recordInput({
      ...at,
      seq: cause,
      kind: 'session_started',
      tradingDay: day,
      carriedOver: [],
      halted: null,
    });
    store.recordInput({
      ...at,
      seq: seq(from + 2),
      kind: 'booted',
      boot,
      accountTail: '1',
      stamp: 'a',
      owners: [],
    });
    const head = { ...at, cause, strategy: FIRST } as const;
    const position = {
      instrument: FRONT.index,
      qty: signedQty(qtyHeld),
      value: money(qtyHeld * 100),
    } as const;
    if (isDecided) {
      store.append({ ...head, kind: 'position_event', event: 'carried_over', ...position });
      store.append({ ...head, kind: 'halt', halted: true, reason: `boot ${boot}` });
    }
    store.flush();
  };
  const leaves = (day: TradingDay) => carryOver(read, day, NAMES).started;

  expect(continuesSession(read, MONDAY), 'before any').toBe(false);
  begin(MONDAY, 1, 1, 1, false);
  expect(continuesSession(read, MONDAY), 'a kill before the first decision of all').toBe(true);
  begin(TUESDAY, 2, 1, 2, false);
  expect(continuesSession(read, TUESDAY)).toBe(true);

  begin(WEDNESDAY, 3, 1, 3);
  expect(read.lastDecided(TUESDAY)).toBe(WEDNESDAY);
  expect(continuesSession(read, TUESDAY), 'Wednesday has run since').toBe(false);
  begin(TUESDAY, 4, 9, 4);
  expect([read.replayedFrom(TUESDAY), read.replayedFrom(WEDNESDAY)]).toEqual([9, 0]);
  expect([continuesSession(read, TUESDAY), continuesSession(read, WEDNESDAY)]).toEqual([true, false]);
  expect(read.lastDecided(WEDNESDAY)).toBe(TUESDAY);
  expect(read.lastDecided(MONDAY), 'not the latest day').toBe(TUESDAY);
  begin(WEDNESDAY, 5, 9, 5, false);
  expect(continuesSession(read, WEDNESDAY), 'begun again, and decided nothing since').toBe(false);
  expect(leaves(TUESDAY).haltedStrategies).toEqual([{ strategy: FIRST, reason: 'boot 4' }]);
  expect(leaves(WEDNESDAY).haltedStrategies, "those before are the other session's to know").toEqual([]);
});

it('has what a day that restarts has earned since it began, in the session of between too', () => {
  const { store } = openStore(tempPath());
  const sell = (day: TradingDay, qtyHeld: number, entry: number, exit: number): void => {
    store.beginSession(day, tsUs(1), 'test');
    const head = { cause: seq(2), tsUs: tsUs(1), strategy: FIRST, instrument: FRONT.index } as const;
    store.recordInput({ seq: seq(1), tsUs: tsUs(1), kind: 'contracts', contracts: [FRONT] });
    const started = { kind: 'session_started', tradingDay: day, carriedOver: [], halted: null } as const;
    store.recordInput({ ...started, seq: seq(2), tsUs: tsUs(1) });
    const event = { ...head, kind: 'position_event', event: 'carried_over' } as const;
    store.append({ ...event, qty: signedQty(qtyHeld), value: money(qtyHeld * entry) });
    store.append({ ...event, event: 'adopted', qty: signedQty(-1), value: money(exit) });
    store.flush();
  };
  sell(MONDAY, 1, 900, 100); // before the day
  sell(TUESDAY, 2, 500, 430);
  sell(WEDNESDAY, 1, 500, 480);
  const left = carryOver(store.read, WEDNESDAY, NAMES);
  expect(restartDay(left, store.read, TUESDAY, NAMES).started.earned).toEqual([
    { strategy: FIRST, net: -90 },
  ]);
  expect(restartDay(left, store.read, addDays(WEDNESDAY, 1), NAMES).started.earned).toBeUndefined();
});

it('takes what is left into a contract table that another session has begun', () => {
  const carry = new SessionTracker();
  const head = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST } as const;
  const position = { instrument: instrumentIndex(0), qty: signedQty(2), value: money(200) } as const;
  const entry = { ...head, kind: 'position_event', event: 'carried_over', ...position } as const;
  carry.add({ entry, strategyName: 'strategy-0' });
  const into = [{ ...NEXT, index: instrumentIndex(0) }];
  const listed = [{ ...FRONT, index: instrumentIndex(0) }];
  const added = carry.carriedOver(DAY, listed, NAMES, { isHalted: false, into });
  expect(added.contracts.map(({ orderCode, index }) => [orderCode, index])).toEqual([
    [NEXT.orderCode, 0],
    [FRONT.orderCode, 1],
  ]);
  expect(added.started.carriedOver).toMatchObject([{ instrument: 1, qty: 2 }]);
  const known = carry.carriedOver(DAY, listed, NAMES, { isHalted: false, into: added.contracts });
  expect(known.contracts).toEqual(added.contracts);
  expect(known.started.carriedOver).toMatchObject([{ instrument: 1, qty: 2 }]);
});

/** An exit as it was sent. */
const exit = (id: string, trigger: OrderToSend['trigger'] = null): OrderToSend => ({
  clientOrderId: clientOrderId(id),
  strategy: FIRST,
  purpose: 'reduce',
  shrinks: true,
  instrument: FRONT.index,
  orderCode: FRONT.orderCode,
  side: 'buy',
  qty: qty(1),
  limitPrice: priceTicks(13_000),
  trigger,
  cause: seq(1),
});

it('brings what left on the emergency file, as the rows of the journal have it where there are some', () => {
  const { store } = openStore(tempPath());
  store.beginSession(DAY, tsUs(1), 'test');
  store.recordInput({ kind: 'contracts', seq: seq(1), tsUs: tsUs(1), contracts: [FRONT] });
  const stop = { kind: 'stop', triggerPrice: priceTicks(12_990), triggerWhen: 'at_or_above' } as const;
  const journaled = exit('H.2');
  const head = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST };
  store.append({ ...head, kind: 'place', order: journaled, isLost: true });
  store.flush();
  const owners = [exit('H.1'), journaled, exit('H.3', stop)].map((order) => ({
    clientOrderId: order.clientOrderId,
    strategy: FIRST,
    order,
  }));
  const alone = { clientOrderId: clientOrderId('H.4'), strategy: FIRST };
  const left = carryOver(store.read, DAY, NAMES, {}, [...owners, alone]);
  expect(left.started.carriedOrders).toMatchObject([
    {
      clientOrderId: 'H.1',
      strategy: FIRST,
      side: 'buy',
      qty: 1,
      orderNo: null,
      status: 'submitted',
      trigger: null,
    },
    { clientOrderId: 'H.3', strategy: FIRST, orderNo: null, status: 'submitted', trigger: stop },
  ]);
});

it('says whose position was to be closed, unless it was closed since', () => {
  const rig = new EngineRig().start();
  rig.resting(FIRST, 'buy', 1, 13_000, '7');
  const bought = { no: '7', filled: 1, value: worth(13_000), status: 'matched' } as const;
  rig.look([bought]);
  rig.command({ name: 'flatten', strategy: null, reason: 'by hand' });
  const unclosed = () => followed(rig).carriedOver(DAY, [FRONT], NAMES).started.unclosed;
  expect(unclosed()).toEqual([{ strategy: FIRST, reason: 'by hand' }]);
  rig.resting(FIRST, 'sell', 1, 13_000, '8');
  rig.look([bought, { ...bought, no: '8', side: 'sell' }]);
  rig.resting(FIRST, 'buy', 1, 13_000, '9');
  rig.look([bought, { ...bought, no: '8', side: 'sell' }, { ...bought, no: '9' }]);
  expect([rig.position(FIRST), unclosed()]).toEqual([1, undefined]);
});

it('says whose entry may have filled after a flatten, until it has ended', () => {
  const rig = new EngineRig().start();
  rig.resting(FIRST, 'buy', 1, 13_000, '7');
  rig.command({ name: 'flatten', strategy: null, reason: 'by hand' });
  const unclosed = () => followed(rig).carriedOver(DAY, [FRONT], NAMES).started.unclosed;
  const asked = [{ strategy: FIRST, reason: 'by hand' }];
  expect(unclosed(), 'its cancel is on its way').toEqual(asked);
  const row = { no: '7', filled: 1, value: worth(13_000), status: 'matched' } as const;
  rig.look([row]);
  expect([rig.position(FIRST), unclosed()]).toEqual([1, asked]);
  const other = new EngineRig().start();
  other.resting(FIRST, 'buy', 1, 13_000, '7');
  other.command({ name: 'flatten', strategy: null, reason: 'by hand' });
  other.look([{ no: '7', status: 'canceled' }]);
  expect(followed(other).carriedOver(DAY, [FRONT], NAMES).started.unclosed).toBeUndefined();
});

it('keeps a word about an order that no engine has read, unless the new day shows it', () => {
  const { store } = openStore(tempPath());
  store.beginSession(DAY, tsUs(1), 'test');
  const head = { kind: 'command', by: 'operator', tsUs: tsUs(1) } as const;
  const [absent, live] = (['absent', 'live'] as const).map(
    (as) => ({ name: 'resolve_order', clientOrderId: clientOrderId('H.1'), as, reason: 'seen' }) as const,
  );
  store.recordInput({ ...head, seq: seq(1), command: absent! });
  store.recordInput({ ...head, seq: seq(2), command: live! });
  store.flush();
  expect(carryOver(store.read, DAY, NAMES).commands).toEqual([absent]);
});
