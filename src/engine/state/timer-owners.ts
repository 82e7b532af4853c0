/** Owners of timers that are no strategy, and what the engine's own timers are for. */
export const ENGINE_TIMER = -2;
export const CONTROLLER_TIMER = -3;

export const POLL_POSITIONS = 1;
export const POLL_ACCOUNT = 2;
export const PARKED_EXITS = 3;
export const AWAIT_REFERENCE = 4;
export const POLL_TRIGGERS = 5;
