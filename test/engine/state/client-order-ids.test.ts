import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { ClientOrderIds, countOf } from '../../../src/engine/state/client-order-ids.ts';

const DAY = tradingDay('2026-03-04');
const minted = (...start: Parameters<ClientOrderIds['boot']>): string => {
  const ids = new ClientOrderIds();
  ids.boot(...start);
  return ids.next();
};

describe('ids of our calls', () => {
  it('name account, installation, start, day, boot and count in the length of a UUID', () => {
    const id = minted(12, '123456', 'abcdef0123', DAY);
    expect(id).toBe('H.123456abcdef012326030400012000001');
    expect(id.length).toBeLessThanOrEqual('123e4567-e89b-12d3-a456-426614174000'.length);
  });

  it('differ by installation, by start of the same number, by day and by boot', () => {
    const all = [
      minted(1, '123456', 'abcdef0123', DAY),
      minted(1, '123456', 'abcdee0123', DAY),
      minted(1, '123456', 'abcdef0124', DAY),
      minted(1, '123456', 'abcdef0123', tradingDay('2026-03-05')),
      minted(2, '123456', 'abcdef0123', DAY),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('are as before for a start without a stamp', () => {
    expect(minted(12, '123456', '', DAY)).toBe('H.12345600012000001');
  });

  it('go on behind 999,999 with a letter, in the order of their texts', () => {
    const ids = new ClientOrderIds();
    ids.boot(12, '123456', 'abcdef0123', DAY);
    ids.skipPast(clientOrderId('H.123456abcdef012326030400012999998'));
    const next = Array.from({ length: 3 }, () => ids.next());
    expect(next.map((id) => id.slice(-6))).toEqual(['999999', 'A00000', 'A00001']);
    expect(next.map(countOf)).toEqual([999_999, 1_000_000, 1_000_001]);
    expect(next.toSorted()).toEqual(next);
    ids.skipPast(clientOrderId('H.123456abcdef012326030400012A0000Z'));
    expect(ids.next()).toBe('H.123456abcdef012326030400012A00010');
    expect(ids.strangerOf(clientOrderId('H.123456abcdef012326030400012A00010'))).toBeNull();
    expect(ids.strangerOf(clientOrderId('H.123456abcdef012326030400012A00011'))).toBe('abcdef');
  });

  it('count on behind what a replay has seen', () => {
    const ids = new ClientOrderIds();
    ids.boot(12, '123456', 'abcdef0123', DAY);
    const first = ids.next();
    ids.boot(12, '123456', 'abcdef0123', DAY);
    ids.skipPast(first);
    expect(ids.next()).not.toBe(first);
  });
});

const booted = (stamp = 'abcdef0123'): ClientOrderIds => {
  const ids = new ClientOrderIds();
  ids.boot(12, '123456', stamp, DAY);
  ids.next();
  return ids;
};
const strangerOf = (ids: ClientOrderIds, id: string): string | null => ids.strangerOf(clientOrderId(id));

describe('an id of the book', () => {
  it('is a stranger where this journal never minted it: of another installation, or of another start', () => {
    const ids = booted();
    expect(strangerOf(ids, 'H.123456fedcba012326030400012000001')).toBe('fedcba');
    expect(strangerOf(ids, 'H.123456abcdef999926030400013000001'), 'a copy of this directory').toBe('abcdef');
    expect(strangerOf(ids, 'H.123456abcdef012326030400012000002'), 'a copy of this process').toBe('abcdef');
  });

  it('is known of this start, of the starts before it, and of sessions before', () => {
    const ids = booted();
    const [first, second] = [ids.next(), ids.next()];
    ids.boot(13, '123456', 'abcdef4567', DAY);
    ids.before.carryOver([{ start: 'H.123456abcdef000026030300007', count: 2 }]);
    const known = [first, second, ids.next(), 'H.123456abcdef000026030300007000002'];
    expect(known.map((id) => strangerOf(ids, id))).toEqual([null, null, null, null]);
    expect(strangerOf(ids, 'H.123456abcdef000026030300007000003')).toBe('abcdef');
  });

  it('of another account, of another program or without a stamp says nothing', () => {
    const ids = booted();
    const others = [
      'H.654321fedcba012326030400012000001',
      'H.1234561772600000000',
      'H.12345600012000001',
      'x',
    ];
    expect(others.map((id) => strangerOf(ids, id))).toEqual([null, null, null, null]);
    expect(
      strangerOf(booted(''), 'H.123456fedcba012326030400012000001'),
      'a dry run sends nothing',
    ).toBeNull();
  });
});
