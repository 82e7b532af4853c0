/** The letters of conditional orders, which differ by direction. */
import { describe, expect, it } from 'vitest';
import type { BrokerTriggerKind, BrokerTriggerStatus } from '../../../src/domain/broker-order.ts';
import {
  decodeConditionKind,
  decodeConditionStatus,
  decodeKindFilter,
  decodeStatusFilter,
  encodeConditionNotes,
  encodeConditionStatus,
  sentTriggerCode,
  shownTriggerCode,
  triggerFromSentCode,
  whenFromShownCode,
} from '../../../src/wire/rest/condition-codes.ts';

describe('a trigger', () => {
  it.each([
    ['stop', 'at_or_above', 'SOL', 'SL'],
    ['stop', 'at_or_below', 'SOU', 'SU'],
    ['trailing_stop', null, 'TSO', 'TSO'],
  ] as const)('%s %s is sent as %s and comes back as %s', (kind, when, sent, shown) => {
    expect(sentTriggerCode(kind, when)).toBe(sent);
    expect(triggerFromSentCode(sent)).toMatchObject({ kind, when });
    expect(shownTriggerCode(kind, when)).toBe(shown);
    expect(whenFromShownCode(shown)).toBe(when);
  });

  it('of an exit is written like a stop, of an arbitrage order not as one', () => {
    expect(shownTriggerCode('exit', 'at_or_above')).toBe('SL');
    expect(shownTriggerCode('exit', 'at_or_below')).toBe('SU');
    expect(shownTriggerCode('arbitrage', null)).toBe('ABI');
  });

  it.each(['', 'SL', 'SU', 'ABI', '0', 'sol '])('the sent code %j', (code) => {
    expect(triggerFromSentCode(code)?.kind).toBe(code === 'sol ' ? 'stop' : undefined);
  });

  it('that comes back with the code that was sent is understood, and no other', () => {
    expect([' sol ', 'SOU', 'XX', ''].map(whenFromShownCode)).toEqual([
      'at_or_above',
      'at_or_below',
      null,
      null,
    ]);
  });
});

describe('a status', () => {
  it.each([
    ['pending', '0'],
    ['activated', '1'],
    ['canceled', '2'],
    ['rejected', '3'],
  ] as const)('%s is %s in the book', (status, shown) => {
    expect(encodeConditionStatus(status)).toBe(shown);
    expect(decodeConditionStatus(shown)).toBe(status);
  });

  it.each([
    ['', 'all'],
    ['0', 'all'],
    ['1', 'pending'],
    ['2', 'activated'],
    ['3', 'rejected'],
    ['4', undefined],
    ['x', undefined],
  ])('%j in the filter is %s', (text, filter) => {
    expect(decodeStatusFilter(text)).toBe(filter);
  });

  it.each<[string, BrokerTriggerStatus]>([
    ['P', 'pending'],
    [' 1 ', 'activated'],
    ['', 'unrecognized'],
    ['4', 'unrecognized'],
    ['PW', 'unrecognized'],
    [encodeConditionStatus('unrecognized'), 'unrecognized'],
  ])('%j in the book is %s', (letters, status) => {
    expect(decodeConditionStatus(letters)).toBe(status);
  });
});

describe('a kind', () => {
  it.each<[BrokerTriggerKind, string, string]>([
    ['stop', 'Stop order', ''],
    ['trailing_stop', 'Stop order', 'TSO'],
    ['exit', 'SL/TP', ''],
    ['arbitrage', 'Arbitrage', ''],
  ])('%s is %s in the notes', (kind, notes, code) => {
    expect(encodeConditionNotes(kind)).toBe(notes);
    expect(decodeConditionKind(notes, code)).toBe(kind);
  });

  it.each<[string, string, BrokerTriggerKind]>([
    [' stop ORDER ', 'SL', 'stop'],
    ['sl/tp', 'SL', 'exit'],
    ['Trailing stop', 'SU', 'trailing_stop'],
    ['', 'ABI', 'arbitrage'],
    // A stop or one half of a bracket: nobody can tell.
    ['', 'SL', 'unrecognized'],
    ['OCO', 'SU', 'unrecognized'],
  ])('notes %j with code %j are %s', (notes, code, kind) => {
    expect(decodeConditionKind(notes, code)).toBe(kind);
  });

  it.each([
    ['', 'all'],
    ['3', 'arbitrage'],
    ['4', 'exit'],
    ['5', 'stop'],
    ['1', undefined],
    ['x', undefined],
  ])('%j in the filter is %s', (text, filter) => {
    expect(decodeKindFilter(text)).toBe(filter);
  });

  it('that is not known has no words', () => {
    expect(encodeConditionNotes('unrecognized')).toBe('');
  });
});
