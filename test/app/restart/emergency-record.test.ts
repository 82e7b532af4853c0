import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EmergencyRecord } from '../../../src/app/restart/emergency-record.ts';
import { StrategyNames } from '../../../src/domain/strategy-names.ts';
import { clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import { instrumentIndex, priceTicks, qty, seq, strategyIndex } from '../../../src/domain/units.ts';
import type { EngineView } from '../../../src/engine/engine-snapshot.ts';
import type { ApprovedCancel, ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import { openEmergencyFile } from '../../../src/journal/emergency-file.ts';

const namesOf = (...names: readonly string[]) => new StrategyNames(names);

const ID = clientOrderId('H.00000100001000014');

/** What the gateway hands over; risk's mark of approval is of no matter here. */
const PLACE = {
  call: 'place',
  callId: ID,
  clientOrderId: ID,
  request: {
    clientOrderId: ID,
    strategy: strategyIndex(1),
    purpose: 'reduce',
    instrument: instrumentIndex(0),
    orderCode: orderCode('41I1GC000'),
    side: 'buy',
    qty: qty(1),
    limitPrice: priceTicks(19_023),
    cause: seq(9),
  } as ApprovedOrder, // oxlint-disable-line typescript/no-unsafe-type-assertion -- only risk may make one
} as const;

const CANCEL = {
  ...PLACE,
  call: 'cancel',
  request: { clientOrderId: ID, strategy: strategyIndex(0) } as ApprovedCancel, // oxlint-disable-line typescript/no-unsafe-type-assertion -- as above
} as const;

const { orderCode: CODE, side: SIDE, qty: QTY, limitPrice: LIMIT } = PLACE.request;
const TERMS = { orderCode: CODE, side: SIDE, qty: QTY, limitPrice: LIMIT };

function opened(path: string, names: StrategyNames): EmergencyRecord {
  const record = new EmergencyRecord(openEmergencyFile(path), names);
  onTestFinished(() => record.close());
  return record;
}

function tempPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-emergency-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'emergency');
}

it('tells the next start whose order it was, also when strategies were renumbered or removed', () => {
  const path = tempPath();
  const before = opened(path, namesOf('trend', 'spread'));
  before.journalFailed('database or disk is full');
  before.sent(PLACE);
  before.sent(CANCEL);
  expect(opened(path, namesOf('spread')).owners()).toEqual([
    { clientOrderId: ID, strategy: strategyIndex(0), limit: TERMS },
  ]);
  const left = namesOf('trend');
  const without = opened(path, left);
  expect(without.owners().map(({ strategy }) => left.nameOf(strategy))).toEqual(['spread']);
  expect(without.lines).toHaveLength(3);
});

it('tells the terms of a stop, which the broker lists without a name of ours', () => {
  const path = tempPath();
  const trigger = { kind: 'stop', triggerPrice: priceTicks(19_013), triggerWhen: 'at_or_above' } as const;
  opened(path, namesOf('trend', 'spread')).sent({ ...PLACE, request: { ...PLACE.request, trigger } });
  expect(opened(path, namesOf('trend', 'spread')).owners()).toEqual([
    {
      clientOrderId: ID,
      strategy: strategyIndex(1),
      stop: { ...TERMS, trigger },
    },
  ]);
});

it('tells nothing once the journal is whole again', () => {
  const path = tempPath();
  const record = opened(path, namesOf('trend', 'spread'));
  record.sent(PLACE);
  record.recovered();
  expect([record.lines, record.owners()]).toEqual([[], []]);
});

it('keeps what an earlier run left until the journal has it, though the disk fills and empties before', () => {
  const path = tempPath();
  const names = namesOf('trend', 'spread');
  opened(path, names).sent(PLACE);
  const record = opened(path, names);
  record.journalFailed('database or disk is full');
  record.recovered();
  expect(record.owners()).toEqual([{ clientOrderId: ID, strategy: strategyIndex(1), limit: TERMS }]);
  record.taken();
  expect(record.lines).toEqual([]);
  record.sent(CANCEL);
  record.recovered();
  expect(record.lines).toEqual([]);
});

const fail = (): never => {
  throw new Error('disk full');
};

it('keeps what an earlier run left until its rows are decided again and durable', async () => {
  const path = tempPath();
  const names = namesOf('trend', 'spread');
  opened(path, names).sent(PLACE);
  const record = opened(path, names);
  const decided = Promise.resolve({} as EngineView); // oxlint-disable-line typescript/no-unsafe-type-assertion -- only that there is one counts
  await record.takenOnce(undefined, () => undefined);
  await record.takenOnce(Promise.reject(new Error('engine lost')), () => undefined);
  await record.takenOnce(decided, fail);
  expect(record.lines).toHaveLength(1);
  await record.takenOnce(decided, () => undefined);
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
  expect([record.owners(), record.lines]).toEqual([[], [line]]);
});

it('keeps the mark of a failure only where there is room, and never fails for it', () => {
  const record = opened(tempPath(), namesOf('trend', 'spread'));
  const reason = 'x'.repeat(1024 * 1024);
  expect(() => record.journalFailed(reason)).not.toThrow();
  expect(record.lines).toEqual([]);
});
