/**
 * A tape that runs faster than life, in lockstep with the daemon that trades on it. Market time runs at its speed to whatever comes next,
 * an event of the market or a timer of the engine, and as in life from there until the daemon has done its work on it and has no
 * call under way. So a decision, its call and its answer take the market time that they take at speed 1, whatever the speed is.
 */
import type { ChildProcess } from 'node:child_process';
import { type Dial, dialWebSocket } from '../../broker/stream/open-socket.ts';
import { type Clock, type ClockMap, marketTimeAt } from '../../domain/clock.ts';
import { systemClock } from '../../host/system-clock.ts';
import type { MarketStep } from '../../simulator/start-simulator.ts';

export interface SessionWork {
  /** Every message so far is decided, and every call answered. */
  readonly isIdle: boolean;
  /** Market time of the engine's next timer; Infinity for none. */
  readonly wakeAtUs: number;
}

/** JSON has no Infinity. */
const NEVER_US = Number.MAX_SAFE_INTEGER;

export class Lockstep {
  readonly #map: ClockMap;
  readonly #simulator: Pick<ChildProcess, 'send'>;
  readonly #real: Clock;
  readonly #dial: Dial;
  #step: MarketStep | undefined = undefined;
  #work: SessionWork | undefined = undefined;
  #newest = { received: 0 };
  #isLooking = false;

  /** Holders of the map follow it: the object stays the same. */
  constructor(
    map: ClockMap,
    simulator: Pick<ChildProcess, 'on' | 'send'>,
    real: Clock = systemClock,
    dial: Dial = dialWebSocket,
  ) {
    this.#map = map;
    this.#dial = dial;
    this.#simulator = simulator;
    this.#real = real;
    simulator.on('message', (step: MarketStep) => {
      this.#step = step;
      if (this.#work !== undefined) this.look(this.#work);
    });
  }

  /** Counts the messages of the newest connection, as the simulator does. */
  readonly dial: Dial = (url) => {
    const socket = this.#dial(url);
    const counted = { received: 0 };
    this.#newest = counted;
    socket.on('message', () => {
      counted.received += 1;
    });
    return socket;
  };

  look(work: SessionWork): void {
    this.#work = work;
    if (this.#isLooking) return;
    this.#isLooking = true;
    // By then, the caller that awaits the answer has gone on.
    setImmediate(() => {
      this.#isLooking = false;
      this.#go();
    });
  }

  #go(): void {
    if (this.#work?.isIdle !== true || this.#step === undefined) return;
    if (this.#newest.received < this.#step.sent) return;
    const nextUs = Math.min(this.#step.nextUs ?? NEVER_US, this.#work.wakeAtUs, NEVER_US);
    if (nextUs !== this.#map.untilUs && nextUs > marketTimeAt(this.#map, this.#real.nowUs()))
      this.#runTo(nextUs);
  }

  #runTo(untilUs: number): void {
    const originRealUs = this.#real.nowUs();
    const { speed } = this.#map;
    const originMarketUs = marketTimeAt(this.#map, originRealUs);
    Object.assign(this.#map, { originRealUs, originMarketUs, speed, untilUs } satisfies ClockMap);
    this.#simulator.send(untilUs);
  }
}
