import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EmergencyRecord } from '../../../src/daemon/restart/emergency-record.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { brokerOrderNo, clientOrderId, StrategyNames } from '../../../src/domain/ids.ts';
import { priceTicks, strategyIndex } from '../../../src/domain/units.ts';
import type { EngineSnapshot } from '../../../src/engine/engine-snapshot.ts';
import { openEmergencyFile } from '../../../src/journal/emergency-file.ts';
import { createCancel, createModify, createOrder } from '../../broker/support/broker-orders.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY = tradingDay('2026-03-18');
const NEXT_DAY = tradingDay('2026-03-19');

const namesOf = (...names: readonly string[]) => new StrategyNames(names);

const ID = clientOrderId('H.00000100001000014');
const OTHER = clientOrderId('H.00000100001000015');

/** What the gateway hands over. */
const PLACE = {
  call: 'place',
  callId: ID,
  clientOrderId: ID,
  request: createOrder({ clientOrderId: ID, strategy: strategyIndex(1), purpose: 'reduce' }),
} as const;

const CANCEL = {
  ...PLACE,
  call: 'cancel',
  request: createCancel({ clientOrderId: ID, strategy: strategyIndex(0) }),
} as const;

const MODIFY = {
  ...PLACE,
  call: 'modify',
  request: createModify({
    callId: OTHER,
    clientOrderId: ID,
    strategy: strategyIndex(1),
    purpose: 'reduce',
    orderNo: brokerOrderNo('7'),
  }),
} as const;

function opened(path: string, names: StrategyNames): EmergencyRecord {
  const record = new EmergencyRecord(openEmergencyFile(path), names);
  onTestFinished(() => record.close());
  return record;
}

function tempPath(): string {
  const dir = tempDir();
  return join(dir, 'emergency');
}

it('shows the next start whose order it was, also when strategies were renumbered or removed', () => {
  const path = tempPath();
  const before = opened(path, namesOf('trend', 'spread'));
  before.recordHalt('database or disk is full');
  before.recordSent(PLACE, DAY);
  before.recordSent(CANCEL, DAY);
  expect(opened(path, namesOf('spread')).unjournaled(DAY).owners).toEqual([
    {
      clientOrderId: ID,
      strategy: strategyIndex(0),
      order: { ...PLACE.request, strategy: strategyIndex(0) },
    },
  ]);
  const left = namesOf('trend');
  const without = opened(path, left);
  expect(without.unjournaled(DAY).owners.map(({ strategy }) => left.nameOf(strategy))).toEqual(['spread']);
  expect(without.lines).toHaveLength(3);
});

it('has the call of an order on its own day, later its owner alone', () => {
  const path = tempPath();
  const trigger = { kind: 'stop', triggerPrice: priceTicks(19_013), triggerWhen: 'at_or_above' } as const;
  const stop = {
    ...PLACE,
    clientOrderId: OTHER,
    request: { ...PLACE.request, clientOrderId: OTHER, trigger },
  };
  const record = opened(path, namesOf('trend', 'spread'));
  record.recordSent(PLACE, DAY);
  record.recordSent(stop, DAY);
  const owner = { clientOrderId: ID, strategy: strategyIndex(1) };
  const other = { clientOrderId: OTHER, strategy: strategyIndex(1) };
  expect(record.unjournaled(DAY).owners).toEqual([
    { ...owner, order: PLACE.request },
    { ...other, order: stop.request },
  ]);
  expect(record.unjournaled(NEXT_DAY).owners).toEqual([owner, other]);
});

it('has the changes of the day', () => {
  const record = opened(tempPath(), namesOf('trend', 'spread'));
  record.recordSent(PLACE, DAY);
  record.recordSent(MODIFY, DAY);
  expect(record.unjournaled(DAY).changes).toEqual([MODIFY.request]);
  expect(record.unjournaled(NEXT_DAY).changes).toEqual([]);
  expect(record.unjournaled(DAY).owners).toHaveLength(1);
});

it('has nothing once the journal is whole again', () => {
  const path = tempPath();
  const record = opened(path, namesOf('trend', 'spread'));
  record.recordSent(PLACE, DAY);
  record.clearOwn();
  expect([record.lines, record.unjournaled(DAY).owners]).toEqual([[], []]);
});

it('keeps what an earlier run left until the journal has it, though the disk fills and empties before', () => {
  const path = tempPath();
  const names = namesOf('trend', 'spread');
  opened(path, names).recordSent(PLACE, DAY);
  const record = opened(path, names);
  record.recordHalt('database or disk is full');
  record.clearOwn();
  expect(record.unjournaled(DAY).owners).toMatchObject([{ clientOrderId: ID, strategy: strategyIndex(1) }]);
  record.clearEarlier();
  expect(record.lines).toEqual([]);
  record.recordSent(CANCEL, DAY);
  record.clearOwn();
  expect(record.lines).toEqual([]);
});

const fail = (): never => {
  throw new Error('disk full');
};

it('keeps what an earlier run left until its rows are decided again and durable', async () => {
  const path = tempPath();
  const names = namesOf('trend', 'spread');
  opened(path, names).recordSent(PLACE, DAY);
  const record = opened(path, names);
  const decided = Promise.resolve({} as EngineSnapshot); // oxlint-disable-line typescript/no-unsafe-type-assertion -- only that there is one counts
  await record.clearOnce(undefined, () => undefined);
  await record.clearOnce(Promise.reject(new Error('engine lost')), () => undefined);
  await record.clearOnce(decided, fail);
  expect(record.lines).toHaveLength(1);
  await record.clearOnce(decided, () => undefined);
  expect(record.lines).toEqual([]);
});

it.each([
  '{"call":"pla',
  '7',
  'null',
  '{"call":"place"}',
  '{"call":"place","clientOrderId":1,"strategy":"a"}',
])('has no owner in what is left of %s, and keeps the line', (line) => {
  const path = tempPath();
  const file = openEmergencyFile(path);
  file.write(line);
  file.close();
  const record = opened(path, namesOf('trend'));
  expect([record.unjournaled(DAY).owners, record.lines]).toEqual([[], [line]]);
});

it('keeps the mark of a failure only where there is room, and never fails for it', () => {
  const record = opened(tempPath(), namesOf('trend', 'spread'));
  const reason = 'x'.repeat(1024 * 1024);
  expect(() => record.recordHalt(reason)).not.toThrow();
  expect(record.lines).toEqual([]);
});
