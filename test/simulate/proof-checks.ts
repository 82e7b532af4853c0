/** What is called proven was read: a halt is proven by both books, and the broker has served each of them since the halt began. */
import type { Request } from './network.ts';
import type { Scene } from './scene.ts';

const BOOKS = ['in-day', 'conditions'] as const;
/** A sweep reads both books again in each of its rounds; one of its reads may wait for its turn and be tried again. */
const READ_US = 30e6;

export class ProofChecks {
  readonly #scene: Scene;
  readonly #servedUs = new Map<string, number>();
  #start = 0;
  #haltedUs = Infinity;
  #wasProven = false;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** The broker answers a read with a success. */
  served({ operation }: Request): void {
    this.#servedUs.set(operation, this.#scene.world.time.livedUs);
  }

  afterEvent(): void {
    const { world, violated } = this.#scene;
    const { daemon } = world;
    if (daemon === undefined || !world.isUp || daemon.halt.reason === null) {
      this.#haltedUs = Infinity;
      this.#wasProven = false;
      return;
    }
    const { livedUs } = world.time;
    if (world.starts !== this.#start) this.#haltedUs = Infinity;
    this.#start = world.starts;
    this.#haltedUs = Math.min(this.#haltedUs, livedUs);
    const { status, text } = daemon.haltEnforcer.progress;
    const isProven = status === 'proven';
    if (isProven && !this.#wasProven)
      for (const book of BOOKS)
        if ((this.#servedUs.get(book) ?? -Infinity) < Math.max(this.#haltedUs, livedUs - READ_US))
          violated(
            `the halt is proven (${text}), and the broker has not served the ${book} book since it began`,
          );
    this.#wasProven = isProven;
  }
}
