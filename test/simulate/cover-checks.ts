/**
 * Where stops are configured, no position of a strategy is without one at the broker for longer than the limit, unless it was alerted, and no
 * stop of the engine's is larger than the position for as long.
 */
import type { EngineSnapshot } from '../../src/engine/engine-snapshot.ts';
import { type OpenTruth, workingOf } from './broker-truth.ts';
import type { Scene } from './scene.ts';

/** Reads, answers and the disk take their time on top of the limit. */
const SLACK_US = 10e6;

/** Until it is withdrawn: reads, answers, and a cancel that is asked for again. */
const OVERSIZED_US = 30e6;

interface Naked {
  sinceUs: number;
  isAlerted: boolean;
}

export class CoverChecks {
  readonly #scene: Scene;
  readonly #naked = new Map<string, Naked>();
  #start = -1;
  /** It may have been alerted of a position whose stop the broker had still, and the engine did not know of. */
  #alertedUs = -Infinity;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** An alert that says of a position, or of the daemon, why there may be no stop. */
  alerted(code: string, text: string): void {
    const isAbout = /no stop at the broker|and get none/.test(text) || ALERTS.test(code);
    if (!isAbout) return;
    this.#alertedUs = this.#scene.world.time.livedUs;
    for (const naked of this.#naked.values()) naked.isAlerted = true;
  }

  afterEvent(): void {
    const { world, truth, violated, isForeign } = this.#scene;
    const { protectiveTicks, nakedSeconds, isDryRun, strategies } = world.plan;
    if (protectiveTicks === null || isDryRun || isForeign) return;
    const isWatching = world.isUp && world.daemon?.sessionDay !== undefined && truth.phase === 'continuous';
    if (!isWatching || world.starts !== this.#start) this.#naked.clear();
    this.#start = world.starts;
    if (!isWatching) return;
    const { livedUs } = world.time;
    const open = truth.open();
    this.#lookAtSizes(open);
    for (const { id } of strategies)
      for (const code of truth.net.keys()) {
        const key = `${id} ${code}`;
        const held = this.#knownQty(id, code);
        const cover = workingOf(open, id, code, held > 0 ? 'sell' : 'buy', ({ isStop }) => isStop);
        if (cover >= Math.abs(held)) this.#naked.delete(key);
        else if (!this.#naked.has(key))
          this.#naked.set(key, { sinceUs: livedUs, isAlerted: livedUs - this.#alertedUs < SLACK_US });
        const naked = this.#naked.get(key);
        if (naked === undefined || naked.isAlerted) continue;
        if (livedUs - naked.sinceUs < nakedSeconds * 1e6 + SLACK_US) continue;
        naked.isAlerted = true;
        violated(
          `${key}: ${held} held and stops over ${cover} for more than ${nakedSeconds} s, and no alert says so`,
        );
      }
  }

  /** A stop over more than is held opens a position that nobody wants. */
  #lookAtSizes(open: readonly OpenTruth[]): void {
    const { world, violated } = this.#scene;
    const { livedUs } = world.time;
    for (const stop of open) {
      if (!stop.isProtective || !stop.isWaiting || stop.refId === null) continue;
      const closes = (net: number): number => (stop.side === 'sell' ? 1 : -1) * net;
      const { owner, code } = stop;
      // Only the book says whose a fill was: while it cannot be read, a stop is as large as what the journal knows of.
      const isBookLost = world.plan.lasting === 'no_book';
      const held = Math.max(
        closes(this.#scene.heldBy(owner, code)),
        isBookLost ? closes(this.#scene.journaledQty(owner, code)) : 0,
      );
      const kept = workingOf(open, owner, code, stop.side, (order) => order.isProtective && order.isWaiting);
      const key = `size of ${stop.refId}`;
      // No cancel can leave.
      if (kept <= held || world.network.isDown) this.#naked.delete(key);
      else if (!this.#naked.has(key)) this.#naked.set(key, { sinceUs: livedUs, isAlerted: false });
      const large = this.#naked.get(key);
      if (large === undefined || large.isAlerted || livedUs - large.sinceUs < OVERSIZED_US) continue;
      large.isAlerted = true;
      violated(
        `${stop.refId}: stops over ${kept} for more than ${OVERSIZED_US / 1e6} s, and ${held} are held`,
      );
    }
  }

  /** With a protective stop every position of a strategy is covered by stops at the broker, or by what they sent; ours is never the larger. */
  difference({ strategies, phase }: EngineSnapshot): string | null {
    const { world, truth, journal, isForeign } = this.#scene;
    const { protectiveTicks, isDryRun } = world.plan;
    if (protectiveTicks === null || isDryRun || phase !== 'continuous' || isForeign) return null;
    const stops = truth.waiting().map((stop) => ({
      ...stop,
      owner: truth.ownerOfTrigger(stop),
    }));
    const sent = truth
      .openOrders()
      .filter(({ refId }) => refId === null)
      .map((order) => ({ ...order, half: null, owner: truth.ownerOf(order) }));
    for (const { refId, owner, orderCode: code, side } of stops) {
      if (refId === null || journal.placed(refId)?.isProtective !== true) continue;
      const held = (side === 'sell' ? 1 : -1) * this.#scene.heldBy(owner, code);
      if (held <= 0) return `${refId} is a protective stop, and ${owner} holds nothing that it closes`;
    }
    for (const { id, positions } of strategies) {
      for (const { orderCode, qty: held } of positions) {
        const closing = [...stops, ...sent].filter(
          ({ owner, orderCode: code, side, half }) =>
            owner === id &&
            code === orderCode &&
            side === (held > 0 ? 'sell' : 'buy') &&
            half !== 'take_profit',
        );
        const cover = closing.reduce((sum, { qty }) => sum + qty, 0);
        const kept = closing
          .filter(({ refId }) => refId !== null && journal.placed(refId)?.isProtective === true)
          .reduce((sum, { qty }) => sum + qty, 0);
        if (kept > 0) world.saw('a protective stop waits');
        if (kept > Math.abs(held)) return `${id} ${orderCode}: ${held} held, protective stops over ${kept}`;
        if (cover < Math.abs(held)) return `${id} ${orderCode}: ${held} held, stops over ${cover}`;
      }
    }
    return null;
  }

  /** What is held at the broker, as far as the journal knows of it. */
  #knownQty(id: string, code: string): number {
    const { truth } = this.#scene;
    const there = truth.heldBy(id, code);
    const here = this.#scene.journaledQty(id, code);
    return Math.sign(there) === Math.sign(here)
      ? Math.sign(there) * Math.min(Math.abs(there), Math.abs(here))
      : 0;
  }
}

const ALERTS =
  /^(exits_missing|trigger_refused|failure_policy|flatten|engine_lost|engine_gone|no_room|journal_failed|position_mismatch|orphan)/;
