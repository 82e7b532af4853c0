/** The one list everything the venue says goes through, in the order it happened. */
import type { VenueEvent } from './venue-event.ts';

export class Outbox {
  #events: VenueEvent[] = [];

  emit(event: VenueEvent): void {
    this.#events.push(event);
  }

  take(): readonly VenueEvent[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }
}
