/** All that an order passes on its way out, put together as in the daemon, in one thread, against a broker that refuses at once. */
import { pipe } from 'rxjs';
import { decodeFrames, marketEvents } from '../../src/wire/stream/server-frame.ts';
import { StrategyNames } from '../../src/domain/strategy-names.ts';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { systemClock, systemTimers } from '../../src/host/system-clock.ts';
import { NEVER_BEHIND } from '../support/simple-parts.ts';
import { Inbox } from '../../src/daemon/session/inbox.ts';
import { RestGateway } from '../../src/broker/gateway/rest-gateway.ts';
import { createRestClient } from '../../src/broker/rest/rest-client.ts';
import { Transport } from '../../src/broker/rest/transport.ts';
import { accountId, subAccountId } from '../../src/domain/ids.ts';
import {
  addUs,
  priceTicks,
  qty,
  strategyIndex,
  type TsUs,
  US_PER_DAY,
  US_PER_SECOND,
} from '../../src/domain/units.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { JournalStore } from '../../src/journal/journal-store.ts';
import { type FrameLog, openFrameLog } from '../../src/recording/frame-log.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import type { StrategyInstance } from '../../src/strategy/running-strategy.ts';
import { IGNORE_DRIFT } from '../../src/wire/drift.ts';
import { encodeTrade } from '../../src/wire/stream/data-frame.ts';
import { createEngine, openingEvents } from './engine-setup.ts';
import { contractTable, FIRST_SEQ } from './frame-bench.ts';
import { DAY, type MarketDay, REFERENCE, START_TICKS } from './market-day.ts';

/** An order that takes longer has not left. */
const ANSWER_MS_MAX = 10_000;
/** Prices in turn, so that no two orders of a run are the same request. */
const PRICES = 300;

/** Answers each trade with an order one tick or more below it. */
const taker = (): StrategyInstance => ({
  index: strategyIndex(0),
  id: 'taker',
  params: {},
  definition: defineStrategy({
    name: 'taker',
    summary: 'an order a trade',
    params: z.object({}),
    legs: ['contract'],
    connect: (ticks, trader) => {
      ticks.trades$.subscribe(({ price, totalVolume }) =>
        trader.buy({ qty: 1, price: priceTicks(price - 1 - (totalVolume % PRICES)), reason: 'bench' }),
      );
    },
  }),
});

export class OrderPath {
  readonly #day: MarketDay;
  readonly #journal: JournalStore;
  readonly #frameLog: FrameLog;
  readonly #transport: Transport;
  readonly #inbox: Inbox;
  readonly #engine: Engine;
  #now: TsUs;
  #volume = 0;
  /** When the gateway's last look was taken: the body is written, no byte has left. */
  #leftAt = 0;
  #answered: (outcome: string) => void = () => undefined;

  /** `durable` commits the journal before each order leaves, as the daemon does. */
  constructor(day: MarketDay, scratch: string, brokerUrl: string, durable: boolean) {
    this.#day = day;
    this.#now = day.startUs;
    const dir = mkdtempSync(join(scratch, 'order-'));
    this.#journal = new JournalStore({
      path: join(dir, 'journal.db'),
      wallClock: systemClock,
      timers: systemTimers,
      names: new StrategyNames(['taker']),
      onFailure: (error) => {
        throw error;
      },
    });
    this.#journal.beginSession(DAY, day.startUs, 'bench');
    this.#frameLog = openFrameLog(dir, DAY);
    const clock = { nowUs: () => this.#now };
    this.#inbox = new Inbox({
      clock,
      realClock: clock,
      engine: { canAccept: () => true, process: (events) => this.#process(events) },
      decode: pipe(decodeFrames(contractTable(day)), marketEvents),
      recordInput: (input) => this.#journal.recordInput(input),
      watch: NEVER_BEHIND,
    });
    this.#inbox.frameLog = this.#frameLog;
    this.#inbox.goOnAfter(FIRST_SEQ, day.startUs);
    this.#transport = new Transport({
      baseUrl: brokerUrl,
      pace: { callsPerSecond: 10_000, burst: 10_000 },
      clock: systemClock,
      timers: systemTimers,
      sink: { post: () => undefined },
      onSignal: () => undefined,
    });
    const gateway = this.#gateway(durable);
    this.#engine = createEngine(day, [taker()], {
      gateway,
      reports: { read: () => undefined, bookTempo: () => undefined },
      journal: {
        append: (entry) => {
          this.#journal.append(entry);
          if (entry.kind === 'denied') this.#answered(`denied: ${JSON.stringify(entry.denial)}`);
        },
      },
      alarm: { wakeAt: () => undefined },
    });
    this.#process(openingEvents(day));
  }

  /** Nanoseconds from the text of a frame to the order that is ready to leave. */
  async sample(): Promise<number> {
    this.#now = addUs(this.#now, US_PER_SECOND);
    this.#volume += 1;
    const [front] = this.#day.contracts;
    if (front === undefined) throw new Error('expected a contract');
    const trade = { price: START_TICKS, qty: qty(1), totalVolume: this.#volume };
    const text = encodeTrade(front, trade, REFERENCE);
    const answer = new Promise<string>((resolve) => {
      const limit = setTimeout(() => resolve(`unanswered for ${ANSWER_MS_MAX} ms`), ANSWER_MS_MAX);
      this.#answered = (outcome) => {
        clearTimeout(limit);
        resolve(outcome);
      };
    });
    const start = performance.now();
    this.#inbox.frame(text);
    this.#inbox.flush();
    const outcome = await answer;
    if (outcome !== 'rejected')
      throw new Error(`order ${this.#volume}: expected the broker's refusal, was ${outcome}`);
    return (this.#leftAt - start) * 1e6;
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#frameLog.close();
    this.#journal.close();
  }

  #process(events: readonly EngineEvent[]): void {
    for (const event of events) {
      this.#engine.process(event);
      if (event.kind === 'execution_report' && event.answer !== null)
        this.#answered(event.answer.outcome.status);
    }
  }

  #gateway(durable: boolean): RestGateway {
    const { contracts } = this.#day.config;
    const rest = createRestClient({
      transport: this.#transport,
      tokens: {
        current: () => ({ jwt: 'bench', expiresAt: addUs(systemClock.nowUs(), US_PER_DAY) }),
        onChange: () => () => undefined,
        reject: () => undefined,
        doubt: () => undefined,
        prove: () => undefined,
      },
      account: { accountId: accountId('105C000001'), subAccountId: subAccountId('105C000001A') },
      specOf: () => contracts['VN30'],
      drift: IGNORE_DRIFT,
      timers: systemTimers,
      onSignal: () => undefined,
    });
    return new RestGateway({
      rest,
      sink: this.#inbox,
      timers: systemTimers,
      commit: () => {
        if (durable) this.#journal.flush();
      },
      haltReason: () => {
        this.#leftAt = performance.now();
        return null;
      },
      emergency: () => undefined,
      onSignal: () => undefined,
    });
  }
}
