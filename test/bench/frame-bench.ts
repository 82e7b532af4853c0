/** Frames a second from their text to the strategies, in process; against JSON.parse of the same texts alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerContracts } from '../../src/broker/reports/broker-contracts.ts';
import { seq, type Seq } from '../../src/domain/units.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { MarketEvent } from '../../src/engine/ports/engine-event.ts';
import { openFrameLog } from '../../src/recording/frame-log.ts';
import { decodeServerFrame } from '../../src/wire/stream/server-frame.ts';
import { CountingOutbound, createEngine, openingEvents, paperStrategies } from './engine-setup.ts';
import { DAY, type Frame, type MarketDay } from './market-day.ts';
import { type Candidate, timed } from './rounds.ts';

/** What is between the second bar and the end. */
const payloadOf = (text: string): unknown => JSON.parse(text.slice(text.indexOf('|', 2) + 1));

function contractTable({ contracts }: MarketDay): BrokerContracts {
  const table = new BrokerContracts();
  table.reset(contracts);
  return table;
}

/** Numbers go on after those of the opening. */
const FIRST_SEQ = 1_000;

export function decodeAll(day: MarketDay): MarketEvent[] {
  const table = contractTable(day);
  return day.frames.map((frame, at) => decoded(frame, table, seq(FIRST_SEQ + at)));
}

function decoded({ text, tsUs }: Frame, table: BrokerContracts, number: Seq): MarketEvent {
  const frame = decodeServerFrame(text, table, number, tsUs);
  if (frame.kind !== 'market') throw new Error(`expected a market frame, was ${frame.kind}: ${text}`);
  return frame.event;
}

export function openEngine(day: MarketDay): { engine: Engine; outbound: CountingOutbound } {
  const outbound = new CountingOutbound();
  const engine = createEngine(day, paperStrategies(day.config), outbound);
  for (const event of openingEvents(day)) engine.process(event);
  return { engine, outbound };
}

export function frameCandidates(day: MarketDay, scratch: string): Candidate[] {
  const { frames } = day;
  const table = contractTable(day);
  let kept: unknown = null;
  return [
    {
      name: 'JSON.parse of the payload alone',
      run: () =>
        timed(frames.length, () => {
          for (const { text } of frames) kept = payloadOf(text);
        }),
    },
    {
      name: 'decode',
      run: () =>
        timed(frames.length, () => {
          let number = FIRST_SEQ;
          for (const frame of frames) kept = decoded(frame, table, seq(number++));
        }),
    },
    {
      name: 'decode, engine.process, hub, strategies',
      run: () => {
        const { engine } = openEngine(day);
        return timed(frames.length, () => {
          let number = FIRST_SEQ;
          for (const frame of frames) engine.process(decoded(frame, table, seq(number++)));
        });
      },
    },
    {
      name: 'frame log on disk, decode, engine.process, hub, strategies',
      run: () => {
        const { engine } = openEngine(day);
        const dir = mkdtempSync(join(scratch, 'frames-'));
        const log = openFrameLog(dir, DAY);
        const ns = timed(frames.length, () => {
          let number = FIRST_SEQ;
          for (const frame of frames) {
            const at = seq(number++);
            log.append([{ seq: at, tsUs: frame.tsUs, text: frame.text }]);
            engine.process(decoded(frame, table, at));
          }
        });
        log.close();
        rmSync(dir, { recursive: true });
        if (kept === undefined) throw new Error('the results are looked at');
        return ns;
      },
    },
  ];
}
