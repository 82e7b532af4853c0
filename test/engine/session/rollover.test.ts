import { expect, test } from 'vitest';
import { SETTINGS } from '../support/state-rig.ts';
import { boardOn } from '../support/board.ts';
import { SessionWorld } from '../support/session-world.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { DAY, FRONT, NEXT, SETTINGS as SEATS, worth } from '../../support/engine-world.ts';
import { replay } from '../../support/engine-replay.ts';
import { addDays, tradingDay } from '../../../src/domain/civil-date.ts';
import { withAliases } from '../../../src/domain/contract-code.ts';
import { instrumentIndex } from '../../../src/domain/units.ts';

const CONFIGURED = { definition: 'scripted', params: {}, paramsDigest: '', codeDigest: '', run: 0 };

const naming = (...symbols: readonly string[]) => ({
  strategies: [{ ...SETTINGS.strategies[0]!, symbols, overnight: true }],
});

test('a symbol that means nothing stops the strategy before it begins, with what is listed', () => {
  const world = new SessionWorld({ settings: naming('VN30F1M', 'VN30F2605') }).start();
  expect(world.asked).toEqual([
    'stop 0 VN30F2605: expected a listed contract, was "41I1G3000 41I1G4000 41I1G6000 41I1G9000"',
  ]);
});

test.each([
  ['VN30F1M', 'VN30F2603'],
  ['VN30F2603', '41I1G3000'],
])('%s and %s are one contract, and no two legs of a strategy', (...symbols) => {
  const world = new SessionWorld({ settings: naming(...symbols) }).start();
  expect(world.asked).toEqual([expect.stringContaining(`stop 0 ${symbols[1]} is 41I1G3000`)]);
});

test('an alias that has come to mean the contract of another leg stops its strategy', () => {
  const world = new SessionWorld({ day: '2026-04-16', settings: naming('VN30F2M', 'VN30F2606') }).start();
  world.runUntil('15:00:01');
  expect(world.asked).toEqual([
    'legs 0 41I1G5000 41I1G6000',
    expect.stringContaining('stop 0 VN30F2606 is 41I1G6000'),
  ]);
});

test.each([
  ['the evening of an expiry', '2026-02-13', '15:00:01'],
  ['a morning whose list lacks the new month', '2026-02-23', '08:20'],
])('%s stops no strategy whose alias stands on its other leg until its month is listed', (_, day, time) => {
  const settings = naming('VN30F2M', 'VN30F2606');
  const world = new SessionWorld({ day, time, settings });
  world.start(() => world.list(boardOn('2026-02-13').map((each) => ({ ...each })))).run(1);
  expect(world.asked.at(-1)).toBe('legs 0 41I1G6000 41I1G6000');
  world.runUntil('08:20:02', '2026-02-23').list(boardOn('2026-02-23').map((each) => ({ ...each })));
  expect(world.asked.at(-1)).toBe('legs 0 41I1G4000 41I1G6000');
  expect(world.asks('stop')).toEqual([]);
});

test('a list that has lost a contract which still trades is alerted once, and the legs are kept', () => {
  const world = new SessionWorld({ settings: naming('VN30F1M', 'VN30F2M') }).start();
  for (let i = 0; i < 2; i += 1) world.list(world.state.contracts.all.slice(0, 1));
  expect(world.asks('legs')).toHaveLength(1);
  expect(world.asks('stop')).toEqual([]);
  expect(world.codes()).toEqual(['symbol_unresolved']);
});

test('a named contract that is over stops its strategy', () => {
  const world = new SessionWorld({ day: '2026-02-13', settings: naming('VN30F2602') }).start();
  world.runUntil('15:00');
  expect(world.asks('stop')).toEqual([]);
  world.runUntil('15:00:01');
  expect(world.asks('stop')).toEqual([
    'stop 0 VN30F2602: expected a contract that has not expired, was "2026-02-13"',
  ]);
});

test('a list of the morning is asked for, and a new front month is taken from it', () => {
  const world = new SessionWorld({
    day: '2026-02-13',
    time: '15:05',
    settings: naming('VN30F1M', 'VN30F2M'),
  }).start();
  expect(world.asks('legs')).toEqual(['legs 0 41I1G3000 41I1G6000']); // yesterday's list has no April
  world.runUntil('08:20', '2026-02-23').command({ name: 'rollover', reason: 'schedule' });
  expect(world.asks('read')).toEqual(['read contracts']);
  world.list(boardOn('2026-02-23').map((each) => ({ ...each })));
  expect(world.asks('legs').at(-1)).toBe('legs 0 41I1G3000 41I1G4000');
});

test('the evening of an expiry names no month that an alias will not mean', () => {
  const settings = naming('VN30F1M', 'VN30F2M');
  const world = new SessionWorld({ day: '2026-02-13', settings }).start();
  world.runUntil('15:00:01');
  const told = () => world.said.filter((line) => line.includes('rolled_over'));
  const evening =
    'info rolled_over alpha trades VN30F1M (41I1G3000), VN30F2M (the next list has its month) from now on';
  expect(told()).toEqual([evening]);
  expect(withAliases(evening, world.calendar, tradingDay('2026-02-13'))).toBe(evening);
  world.runUntil('08:20', '2026-02-23').list(boardOn('2026-02-23').map((each) => ({ ...each })));
  expect(told()).toEqual([evening, expect.stringContaining('VN30F2M (41I1G4000) from now on')]);
});

test('a list of the morning that lacks the new month is alerted: F2M enters nothing until it comes', () => {
  const late = boardOn('2026-02-13').map((each) => ({ ...each }));
  const world = new SessionWorld({
    day: '2026-02-23',
    time: '08:20',
    settings: naming('VN30F1M', 'VN30F2M'),
  });
  world.start(() => world.state.contracts.set(late));
  world.list(late);
  expect(world.asks('legs').at(-1)).toBe('legs 0 41I1G3000 41I1G6000');
  expect(world.state.registry.lacksMonth(FIRST)).toBe(true);
  expect(world.said.filter((line) => line.includes('symbol_unresolved'))).toEqual([
    expect.stringMatching(/VN30F2M: .* not list its month yet: alpha sees 41I1G6000 in its place and enters/),
  ]);
  world.list(boardOn('2026-02-23').map((each) => ({ ...each })));
  expect(world.asks('legs').at(-1)).toBe('legs 0 41I1G3000 41I1G4000');
  expect(world.state.registry.lacksMonth(FIRST)).toBe(false);
});

test.each([
  ['as the roll comes', '2026-02-13', '15:00', '41I1G6000'],
  ['at a start after it', '2026-02-23', '08:40', '41I1G4000'],
])('a position in a contract that F2M has left is alerted once: %s', (_, day, time, code) => {
  const world = new SessionWorld({ day, time, settings: naming('VN30F2M') });
  const march = world.state.contracts.all.find(({ orderCode }) => orderCode === '41I1G3000');
  world.start(() => world.hold(0, 2, march?.index));
  world.runUntil('15:01').list(world.state.contracts.all);
  expect(world.said.filter((line) => line.includes('held_outside_symbols'))).toEqual([
    `critical held_outside_symbols 2 of 41I1G3000: alpha trades ${code} and does not see it; its stops stay`,
  ]);
});

test('a position in a contract that F1Q means again with the list of the morning is not alerted until it comes', () => {
  const world = new SessionWorld({ day: '2026-02-13', time: '14:50', settings: naming('VN30F1Q') });
  const listed = world.state.contracts.all;
  world.start(() => world.hold(0, 2, listed.find(({ orderCode }) => orderCode === '41I1G6000')?.index));
  world.runUntil('15:01').afterEvent('position_snapshot');
  expect(world.asks('legs').at(-1)).toBe('legs 0 41I1G9000');
  world.runUntil('08:50', '2026-02-23').list(listed);
  world.afterEvent('position_snapshot');
  const [, april] = boardOn('2026-02-23');
  world.list([...listed, { ...april!, index: instrumentIndex(listed.length) }]);
  expect(world.asks('legs').at(-1)).toBe('legs 0 41I1G6000');
  expect(world.codes()).not.toContain('held_outside_symbols');
});

test.each([
  ['F2M has left is withdrawn at the open', 'VN30F2M', '41I1G3000', ['withdraw 0 stop'], 'new'],
  [
    'F2M has left is withdrawn at the open, also by a late list',
    'VN30F2M',
    '41I1G3000',
    ['withdraw 0 stop'],
    'late',
  ],
  ['F1Q means again with the list of the morning stays', 'VN30F1Q', '41I1G6000', [], 'new'],
  ['F1Q means again stays by a late list', 'VN30F1Q', '41I1G6000', [], 'late'],
])(
  'an entry in a contract that %s: its strategy would not see the fill',
  (_, symbol, code, withdrawn, list) => {
    const world = new SessionWorld({ day: '2026-02-13', time: '15:00', settings: naming(symbol) }).start();
    const listed = world.state.contracts.all;
    const instrument = listed.find(({ orderCode }) => orderCode === code)?.index;
    world.add({ id: 'stop', side: 'buy', qty: 1, price: 13_100, instrument: instrument! });
    world.runUntil('15:01').runUntil('08:20', '2026-02-23').afterEvent('position_snapshot');
    expect(world.asks('withdraw')).toEqual([]);
    const [, april] = boardOn('2026-02-23');
    const news = list === 'new' ? [{ ...april!, index: instrumentIndex(listed.length) }] : [];
    world.list([...listed, ...news]);
    world.runUntil('08:45').afterEvent('position_snapshot');
    expect(world.asks('withdraw')).toEqual(withdrawn);
  },
);

test('an entry of the symbols before an edit is withdrawn, and alerted where it fills all the same', () => {
  const rig = new EngineRig({ isReal: true }).start().account();
  rig.strategies(SEATS.strategies.map((settings) => ({ ...CONFIGURED, settings })));
  const id = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  rig.pass(1).book([{ no: '1', ref: id }]);
  const seats = SEATS.strategies.map((each) => ({ ...each, symbols: ['VN30F2M'] }));
  const edited = new EngineRig({ isReal: true, seats });
  replay(edited, rig.inputs, rig.entries, [FIRST, SECOND]);
  edited.pass(1).strategies(seats.map((settings) => ({ ...CONFIGURED, settings })));
  expect(edited.cancels().map(({ clientOrderId }) => clientOrderId)).toEqual([id]);
  const filled = [{ no: '1', ref: id, filled: 1, value: worth(13_000), status: 'matched' as const }];
  edited.look(filled).pass(1).positions(1);
  expect(edited.alerts()).toEqual(['held_outside_symbols']);
});

test.each(['a reload', 'a restart', 'a restart on the next day'])(
  'symbols edited while a position of the old one is held are alerted: by %s',
  (how) => {
    const rig = new EngineRig({ isReal: true }).start().account();
    rig.strategies(SEATS.strategies.map((settings) => ({ ...CONFIGURED, settings })));
    const id = rig.resting(FIRST, 'buy', 1, 13_000, '1');
    rig.pass(1).book([{ no: '1', ref: id, filled: 1, value: worth(13_000), status: 'matched' }]);
    const seats = SEATS.strategies.map((each) => ({ ...each, symbols: ['VN30F2M'] }));
    const edited = new EngineRig({ isReal: true, seats });
    if (how === 'a restart on the next day') {
      edited.pass(86_400).contracts();
      edited.session({ tradingDay: addDays(DAY, 1), follows: DAY }, [{ strategy: FIRST, qty: 1 }]);
    } else replay(edited, rig.inputs, rig.entries, [FIRST, SECOND]);
    edited.pass(1);
    if (how !== 'a reload') edited.contracts().boot(2);
    edited.strategies(seats.map((settings) => ({ ...CONFIGURED, settings }))).clock();
    expect(edited.position(FIRST)).toBe(1);
    expect(edited.of('alert').map(({ code, text }) => `${code} ${text}`)).toContain(
      'held_outside_symbols 1 of VN30F2603: first trades VN30F2604 and does not see it; its stops stay',
    );
  },
);

test('a position in a contract that a wrong list says is over is alerted once, and its exit leaves', () => {
  const rig = new EngineRig({
    isReal: true,
    seats: SEATS.strategies.map((each) => ({ ...each, overnight: true })),
  });
  rig
    .session({}, [{ strategy: FIRST, qty: 1 }])
    .boot(1)
    .contracts()
    .stream('live')
    .reference()
    .account();
  rig.look().pass(1).positions(1).look().pass(1);
  expect(rig.alerts()).toEqual([]);
  rig.pass(1).contracts([{ ...FRONT, expiry: tradingDay('2026-03-02') }, NEXT]);
  for (let i = 0; i < 2; i += 1) rig.pass(5).look().pass(1).positions(1);
  const exit = rig.submit(FIRST, 'sell', 1, 13_000);
  expect([rig.of('denied'), rig.statusOf(exit)]).toEqual([[], 'submitted']);
  expect(rig.of('alert').filter(({ severity }) => severity === 'critical')).toMatchObject([
    { code: 'held_outside_symbols', strategy: FIRST, text: expect.stringContaining('1 of VN30F2603') },
  ]);
});
