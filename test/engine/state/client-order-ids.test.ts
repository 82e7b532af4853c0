import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { ClientOrderIds } from '../../../src/engine/state/intent-queue.ts';

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

  it('count on behind what a replay has seen', () => {
    const ids = new ClientOrderIds();
    ids.boot(12, '123456', 'abcdef0123', DAY);
    const first = ids.next();
    ids.boot(12, '123456', 'abcdef0123', DAY);
    ids.skipPast(first);
    expect(ids.next()).not.toBe(first);
  });
});
