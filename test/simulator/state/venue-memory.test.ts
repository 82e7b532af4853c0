import { expect, it } from 'vitest';
import { StateStore } from '../../../src/simulator/state/state-store.ts';
import { VenueMemory } from '../../../src/simulator/state/venue-memory.ts';
import type { VenueEvent } from '../../../src/venue/venue-event.ts';
import { stop, waiting } from '../../venue/triggers/trigger-fixture.ts';
import { ALICE, at, openVenue, placed } from '../../venue/venue-fixture.ts';

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
