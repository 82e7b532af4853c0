/**
 * Killed at any moment, again and again, with the real guard and the real controller: no order twice, no order lost, and our
 * positions are the broker's (failure cases, 1 to 10, 15 and 17).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { type AnswerFate, TestBroker } from '../support/engine-broker.ts';
import { limit } from '../support/engine-facts.ts';
import type { ScriptedStrategy } from '../support/engine-host.ts';
import { replay } from '../support/engine-replay.ts';
import { EngineRig, FIRST, SECOND } from '../support/engine-rig.ts';
import { timeOf } from '../support/engine-world.ts';

/** In and out every few trades, with orders that are taken back; the same trades give the same wishes. */
function swinging(every: number): ScriptedStrategy {
  let count = 0;
  return {
    onTrade: ({ price, instrument }, desk, me) => {
      count += 1;
      if (count % every !== 0) return;
      for (const order of desk.workingOrders(me)) {
        if (order.status === 'accepted' || order.status === 'partially_filled')
          desk.cancel(me, order.clientOrderId);
      }
      if (desk.workingOrders(me).length > 0) return;
      const { qty } = desk.position(me, instrument);
      if (qty === 0) desk.submit(me, limit('buy', 2, price + (count % 2)));
      else desk.submit(me, limit(qty > 0 ? 'sell' : 'buy', Math.abs(qty), price));
    },
  };
}

const market = new Set<EngineEvent['kind']>(['trade', 'book_update', 'summary']);

/** One process after another, each killed, on one journal and one broker. */
class Lives {
  readonly broker = new TestBroker();
  journal: JournalEntry[] = [];
  rig = this.#newRig();
  #boot = 1;
  /** Entries before this place, and inputs up to this number, are on disk. */
  #durable = { entries: 0, seq: 0 };
  #heldEntries = 0;

  constructor() {
    this.rig.contracts().session().boot(this.#boot).stream('live');
    this.settle(5);
    this.commit();
  }

  /** One second of life: a print, then everything that follows from it. */
  live(price: number): void {
    this.rig.pass(1);
    this.broker.print(price);
    this.rig.trade(price);
    this.#follow();
  }

  settle(seconds: number): void {
    for (let i = 0; i < seconds; i += 1) {
      this.rig.pass(1);
      this.#follow();
    }
  }

  /** Every call commits what was written before it; else it is committed now and then. */
  commit(): void {
    this.#durable = { entries: this.rig.entries.length, seq: this.rig.inputs.at(-1)?.seq ?? 0 };
  }

  /** `losesInputs`: what came in since the last commit is gone with what was decided; frames never are. */
  kill(secondsDown: number, losesInputs: boolean, isAgain = false): void {
    const { entries, seq } = this.#durable;
    const kept = this.rig.entries.slice(this.#heldEntries, entries);
    this.journal = [...this.journal, ...kept];
    const isKept = (event: EngineEvent): boolean =>
      !losesInputs || event.seq <= seq || market.has(event.kind);
    const inputs = this.rig.inputs.filter(isKept);
    const now = this.rig.now;
    this.rig = this.#newRig();
    replay(this.rig, inputs, this.journal);
    this.#heldEntries = this.rig.entries.length;
    this.broker.forgetProcess();
    this.#boot += 1;
    this.rig.now = now;
    this.rig.pass(secondsDown).contracts().boot(this.#boot).stream('live');
    // Only the inputs of this start are on disk: its own decisions are a tail for the next one.
    if (isAgain) {
      this.#durable = { entries: this.#heldEntries, seq: this.rig.inputs.at(-1)?.seq ?? 0 };
      return this.kill(secondsDown, false);
    }
    this.#follow();
  }

  /** The journal as it would be read now. */
  written(): JournalEntry[] {
    return [...this.journal, ...this.rig.entries.slice(this.#heldEntries)];
  }

  #follow(): void {
    if (this.rig.wakeAt <= this.rig.now) this.rig.clock();
    const sent = this.rig.sent.length;
    if (sent > 0) this.commit();
    this.broker.serve(this.rig);
    // The book is read by itself as often as the engine has asked for: each second, or every tenth.
    const isDue = this.rig.tempos.at(-1) === 'fast' || this.rig.now % 10_000_000 === 0;
    if (isDue) this.rig.reads.push('book');
    this.broker.answerReads(this.rig);
    this.broker.answerReads(this.rig);
    if (this.rig.sent.length > sent) this.commit();
    this.broker.serve(this.rig);
  }

  #newRig(): EngineRig {
    return new EngineRig({ strategies: [swinging(3), swinging(4)], isReal: true, startUs: timeOf(10) });
  }
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('live' as const), move: fc.integer({ min: -2, max: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('commit' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('kill' as const),
      down: fc.integer({ min: 1, max: 40 }),
      loses: fc.boolean(),
      isAgain: fc.boolean(),
    }),
  },
);
const fates = fc.array(fc.constantFrom<AnswerFate>('comes', 'comes', 'comes', 'lost', 'unknown'), {
  maxLength: 30,
});

const total = (entries: readonly JournalEntry[]): number =>
  entries.reduce((sum, entry) => {
    if (entry.kind !== 'fill') return sum;
    return sum + (entry.side === 'buy' ? entry.qty : 0 - entry.qty);
  }, 0);

it('no order twice, no order lost, positions equal', () => {
  let orders = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), fates, (steps, answers) => {
      const lives = new Lives();
      lives.broker.fates.push(...answers);
      let price = 13_000;
      for (const each of steps) {
        if (each.do === 'live') {
          price += each.move;
          lives.live(price);
        } else if (each.do === 'commit') lives.commit();
        else lives.kill(each.down, each.loses, each.isAgain);
      }
      lives.kill(5, false);
      lives.settle(60);
      const { broker, rig } = lives;
      orders += broker.orders.length;
      const refs = broker.orders.map(({ ref }) => ref);
      expect(new Set(refs).size, 'no order twice').toBe(refs.length);
      const written = lives.written();
      const placed = new Set(
        written.flatMap((entry) => (entry.kind === 'place' ? [entry.order.clientOrderId] : [])),
      );
      expect(
        refs.every((ref) => placed.has(ref)),
        'no order without its row',
      ).toBe(true);
      expect(rig.position(FIRST) + rig.position(SECOND)).toBe(broker.position());
      expect(total(written), 'the journal has the same').toBe(broker.position());
      const open = rig.engine.snapshot().orders.filter(({ orderNo }) => orderNo !== null);
      const working = broker.orders.filter(({ isCanceled, filled, qty }) => !isCanceled && filled < qty);
      expect(new Set(open.map(({ orderNo }) => orderNo))).toEqual(new Set(working.map(({ no }) => no)));
      const bad = [
        'strategy_fault',
        'order_adopted',
        'position_adopted',
        'position_mismatch',
        'order_fault',
        'system_diverged',
      ];
      const alerts = written.flatMap((entry) =>
        entry.kind === 'alert' && bad.includes(entry.code) ? [entry.text] : [],
      );
      expect(alerts).toEqual([]);
      expect(rig.engine.snapshot().unproven).toBeNull();
    }),
    { numRuns: 60 },
  );
  expect(orders, 'the stories are about something').toBeGreaterThan(100);
});
