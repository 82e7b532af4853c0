import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Database } from '../../../src/sqlite/database.ts';
import { type StateKind, StateStore, VenueMemory } from '../../../src/simulator/state/state-store.ts';
import type { VenueEvent } from '../../../src/venue/venue-event.ts';
import { stop, waiting } from '../../venue/triggers/trigger-fixture.ts';
import { ALICE, at, openVenue, placed } from '../../venue/venue-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOTES: StateKind<{ readonly text: string }> = { name: 'note' };
let dir: string;
beforeEach(() => {
  dir = tempDir();
});

it('remembers documents and counters until it is opened fresh', () => {
  const first = StateStore.open({ dir, fresh: false });
  first.put(NOTES, 'b', { text: 'two' });
  first.put(NOTES, 'a', { text: 'one' });
  expect(first.count('exchange', '2026-03-04')).toBe(1);
  expect(first.count('exchange', '2026-03-04')).toBe(2);
  first.close();

  const second = StateStore.open({ dir, fresh: false });
  expect(second.all(NOTES)).toEqual([{ text: 'one' }, { text: 'two' }]);
  expect(second.counted('exchange', '2026-03-04')).toBe(2);
  expect(second.counted('exchange', '2026-03-05')).toBe(0);
  second.remove(NOTES, 'a');
  expect(second.get(NOTES, 'a')).toBeUndefined();
  second.close();

  const fresh = StateStore.open({ dir, fresh: true });
  expect(fresh.all(NOTES)).toEqual([]);
  expect(fresh.counted('exchange', '2026-03-04')).toBe(0);
  fresh.close();
});

it('leaves the state of another version alone, and says how to go on', () => {
  StateStore.open({ dir, fresh: false }).close();
  const database = new Database(join(dir, 'simulator.sqlite'));
  database.pragma('user_version = 1');
  database.close();
  expect(() => StateStore.open({ dir, fresh: false })).toThrow(
    /expected version 3, was 1: another Tickwright wrote it .* go on with that one, or forget .* --fresh/,
  );
  StateStore.open({ dir, fresh: true }).close();
});

it('writes all of a commit or nothing', () => {
  const store = StateStore.open({ dir: null, fresh: false });
  expect(() =>
    store.commit(() => {
      store.put(NOTES, 'a', { text: 'lost' });
      throw new Error('half way');
    }),
  ).toThrow('half way');
  expect(store.get(NOTES, 'a')).toBeUndefined();
  store.close();
});

const open = (): { store: StateStore; memory: VenueMemory } => {
  const store = StateStore.open({ dir: null, fresh: true });
  return { store, memory: new VenueMemory(store) };
};

/** As the brokerage does with the events of the venue. */
function touch(memory: VenueMemory, events: readonly VenueEvent[]): void {
  for (const event of events) {
    if (event.kind === 'order') memory.touch(event.order.orderNo);
    if (event.kind === 'trigger') memory.touchTrigger(event.trigger.orderNo);
  }
}

it('gives back what it was given, in order, also past nine', () => {
  const { store, memory } = open();
  const venue = openVenue();
  expect(memory.load()).toBeUndefined();
  memory.save(venue);
  for (let i = 0; i < 11; i += 1) {
    touch(memory, stop(venue, 'sell', 'at_or_below', 12_950 - i).events);
    memory.touch(placed(venue, 'buy', 1, 12_900 - i));
  }
  memory.save(venue);
  expect(new VenueMemory(store).load()).toEqual(venue.exportState());
  store.close();
});

it('writes what changed, and forgets with the day', () => {
  const { store, memory } = open();
  const venue = openVenue();
  const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
  memory.touchTrigger(row.orderNo);
  memory.save(venue);
  touch(memory, venue.cancelTrigger({ accountId: ALICE, orderKey: row.orderKey }).events);
  memory.save(venue);
  expect(new VenueMemory(store).load()?.triggers).toMatchObject([{ status: 'canceled' }]);
  touch(memory, venue.advance(at('2026-03-05', 10)));
  memory.save(venue);
  expect(new VenueMemory(store).load()).toEqual(venue.exportState());
  store.close();
});
