/** What this program makes of a session that an older one left behind. */
import { join } from 'node:path';
import { Database } from '../../../src/sqlite/database.ts';
import { expect, it } from 'vitest';
import { carryOver } from '../../../src/app/restart/carry-over.ts';
import { StrategyNames } from '../../../src/domain/strategy-names.ts';
import { readJournal } from '../../../src/journal/journal-reader.ts';
import { frameLogPath, readFrames } from '../../../src/recording/frame-log.ts';
import { decodeServerFrame } from '../../../src/wire/stream/server-frame.ts';
import { olderState, OLDER_DAY } from '../../support/older-session.ts';

const names = new StrategyNames(['waiter', 'ema-front']);

it('the next session takes its positions and the orders that still wait over', () => {
  const opened = readJournal(join(olderState(), 'journal.db'), names);
  const { contracts, started } = carryOver(opened.read, OLDER_DAY, names);
  const halt = opened.read.lastHalt();
  opened.close();
  expect(halt).toBeNull();
  expect(contracts).toMatchObject([{ index: 0, orderCode: '41I1GC000' }]);
  expect(started.carriedOver.map(({ strategy, instrument, qty }) => [strategy, instrument, qty])).toEqual([
    [0, 0, 1],
    [1, 0, 1],
  ]);
  expect(started.carriedOverOrders).toMatchObject([
    {
      clientOrderId: 'H.00000100001000005',
      strategy: 0,
      purpose: 'entry',
      row: { orderKey: '7000006', side: 'sell', kind: 'stop', triggerPrice: 18_903, status: 'pending' },
    },
  ]);
  expect(started.haltedStrategies).toEqual([]);
});

it('the next session takes the halt of a strategy and of all over', () => {
  const path = join(olderState(), 'journal.db');
  const database = new Database(path);
  const halt = database.prepare(
    `INSERT INTO entries (session, cause, ts_us, strategy, kind, client_order_id, body, wall_us)
     VALUES (?, 9000, 9000, ?, 'latch', NULL, ?, 0)`,
  );
  for (const [name, reason] of [
    [null, 'the loss of the day'],
    ['ema-front', 'its own loss'],
  ])
    halt.run(OLDER_DAY, name, JSON.stringify({ latched: true, reason }));
  database.close();
  const opened = readJournal(path, names);
  const { started } = carryOver(opened.read, OLDER_DAY, names);
  const last = opened.read.lastHalt();
  opened.close();
  expect(last).toMatchObject({ halted: true, reason: 'the loss of the day' });
  expect(started.haltedStrategies).toEqual([{ strategy: 1, reason: 'its own loss' }]);
});

it('positions that it carried over itself are read under the name of today', () => {
  const path = join(olderState(), 'journal.db');
  const database = new Database(path);
  database
    .prepare(
      `INSERT INTO entries (session, cause, ts_us, strategy, kind, client_order_id, body, wall_us)
       VALUES (?, 9000, 9000, 'waiter', 'position_event', NULL, ?, 0)`,
    )
    .run(OLDER_DAY, JSON.stringify({ event: 'carried', instrument: 0, qty: 1, value: 1 }));
  database.close();
  const opened = readJournal(path, names);
  const events = opened.read.entries({ session: OLDER_DAY, kinds: ['position_event'] });
  opened.close();
  expect(events.at(-1)?.entry).toMatchObject({ kind: 'position_event', event: 'carried_over' });
});

it('its frames are read as they were', () => {
  const dir = olderState();
  const opened = readJournal(join(dir, 'journal.db'));
  const contracts = opened.read.contracts(OLDER_DAY);
  opened.close();
  const table = { byStreamCode: (code: string) => contracts.find(({ streamCode }) => streamCode === code) };
  const kinds = new Map<string, number>();
  for (const { text, seq, tsUs } of readFrames(frameLogPath(join(dir, 'frames'), OLDER_DAY))) {
    const frame = decodeServerFrame(text, table, seq, tsUs);
    const kind = frame.kind === 'market' ? frame.event.kind : frame.kind;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  expect(Object.fromEntries(kinds)).toEqual({ book_update: 3033, summary: 179, trade: 1276 });
});
