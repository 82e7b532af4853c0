/** The record of calls by hand. */
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { CallLog, type ManualOutcome, type MoneyCall } from '../../../src/daemon/edge/manual-trader.ts';
import { brokerOrderNo } from '../../../src/domain/ids.ts';
import { money, tsUs } from '../../../src/domain/units.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: string;
let path: string;
let log: CallLog;

beforeEach(() => {
  dir = tempDir();
  path = join(dir, 'calls.jsonl');
  log = new CallLog(path);
});

const DEPOSIT: MoneyCall = { kind: 'deposit', amount: money(5), note: 'a' };
const at = tsUs;
const UNKNOWN: ManualOutcome = { status: 'unknown', reason: 'lost' };

it('knows of no twin before anything was sent', () => {
  expect(log.unknownTwin(DEPOSIT)).toBeUndefined();
});

it.each<[string, ManualOutcome, boolean]>([
  ['accepted', { status: 'accepted', transactionId: null }, false],
  ['rejected', { status: 'rejected', code: '-1', text: 'no' }, false],
  ['not sent', { status: 'not_sent', reason: 'no token' }, false],
  ['unknown', UNKNOWN, true],
])('an equal move that ended %s', (_what, outcome, isOpen) => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  log.append({ id: '1', at: at(11), outcome: outcome });
  expect(log.unknownTwin({ ...DEPOSIT, note: 'b' })).toBe(isOpen ? 10 : undefined);
});

it('a move without an outcome is unknown: the process died in between', () => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  expect(log.unknownTwin(DEPOSIT)).toBe(10);
});

it.each<[string, MoneyCall]>([
  ['another amount', { ...DEPOSIT, amount: money(6) }],
  ['another way', { ...DEPOSIT, kind: 'withdraw' }],
  ['a transfer', { kind: 'transfer', from: 'a', to: 'b', amount: money(5), note: 'a' }],
])('%s is no twin', (_what, other) => {
  log.append({ id: '1', at: at(10), call: other });
  log.append({ id: '1', at: at(11), outcome: UNKNOWN });
  expect(log.unknownTwin(DEPOSIT)).toBeUndefined();
});

it('a later one that ended well was sent by somebody who had checked the earlier one', () => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  log.append({ id: '1', at: at(11), outcome: UNKNOWN });
  log.append({ id: '2', at: at(20), call: DEPOSIT });
  expect(log.unknownTwin(DEPOSIT)).toBe(20);
  log.append({ id: '2', at: at(21), outcome: { status: 'accepted', transactionId: 'x' } });
  expect(log.unknownTwin(DEPOSIT)).toBeUndefined();
});

it('one that crossed it and was not sent says nothing of it', () => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  log.append({ id: '2', at: at(11), call: DEPOSIT });
  expect(log.unknownTwin(DEPOSIT, false, '1')).toBeUndefined();
  expect(log.unknownTwin(DEPOSIT, false, '2')).toBe(10);
  log.append({ id: '2', at: at(12), outcome: { status: 'not_sent', reason: 'an equal one' } });
  log.append({ id: '1', at: at(13), outcome: UNKNOWN });
  expect(log.unknownTwin(DEPOSIT)).toBe(10);
});

it('whoever checked before sending again knew of no call since', () => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  const [one, other] = [new CallLog(path), new CallLog(path)];
  expect(one.unknownTwin(DEPOSIT, true)).toBeUndefined();
  one.append({ id: '2', at: at(20), call: DEPOSIT });
  expect(one.unknownTwin(DEPOSIT, true, '2')).toBeUndefined();
  expect(other.unknownTwin(DEPOSIT, true)).toBe(20);
});

it('a disk that has room for a part of a record refuses it', (context) => {
  const small = join(dir, 'small');
  const disk = smallDisk(context, small, '64k');
  const full = new CallLog(join(small, 'calls.jsonl'));
  writeFileSync(join(small, 'calls.jsonl'), '\n'.repeat(4_060));
  disk.fill();
  expect(() => full.append({ id: '1', at: at(10), call: DEPOSIT })).toThrow('ENOSPC');
});

it('orders in between change nothing', () => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  log.append({ id: '2', at: at(11), call: { kind: 'cancel', orderNo: brokerOrderNo('17') } });
  log.append({
    id: '2',
    at: at(12),
    outcome: { status: 'accepted', orderNo: brokerOrderNo('17'), orderKey: null },
  });
  expect(log.unknownTwin(DEPOSIT)).toBe(10);
});

it('is for its owner alone, and half a line of a power cut stays alone', () => {
  log.append({ id: '1', at: at(10), call: DEPOSIT });
  appendFileSync(path, '{"id":"2","at":1');
  log.append({ id: '1', at: at(11), outcome: { status: 'accepted', transactionId: null } });
  expect(log.unknownTwin(DEPOSIT)).toBeUndefined();
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
