import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { Venue } from '../../src/venue/venue.ts';
import type { VenueState } from '../../src/venue/venue-state.ts';
import { ALICE, BOB, DELAYED, openVenue, options } from '../venue/venue-fixture.ts';
import { run, stepOf } from './venue-flow.ts';

const throughJson = (state: VenueState): VenueState => JSON.parse(JSON.stringify(state)) as VenueState;

/** What is streamed of unchanged books and averages may differ after a restart; orders and money may not. */
const told = (events: readonly VenueEvent[]): readonly VenueEvent[] =>
  events.filter(({ kind }) => kind !== 'book' && kind !== 'summary');

describe('restore(export(state))', () => {
  it('goes on as if nothing had happened: same answers, same events, same state', () => {
    const steps = fc.array(stepOf(200_000), { maxLength: 50, size: 'max' });
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const settings = { rules: { ...options().rules, ...DELAYED } };
        const venue = openVenue(settings);
        for (const step of before) run(venue, step, 13_000);
        const state = throughJson(venue.exportState());
        const again = new Venue(options({ ...settings, startUs: venue.nowUs }), state);
        again.startEvents();
        expect(again.exportState()).toEqual(state);
        for (const step of after) {
          expect(told(run(again, step, 13_000))).toEqual(told(run(venue, step, 13_000)));
        }
        expect(again.exportState()).toEqual(venue.exportState());
        for (const id of [ALICE, BOB]) {
          expect(again.account(id)).toEqual(venue.account(id));
          expect(again.orders(id)).toEqual(venue.orders(id));
          expect(again.positions(id)).toEqual(venue.positions(id));
        }
      }),
    );
  });
});
