/** Snapshots are written as what changed: whatever they were, the reader must find them as they were. */
import fc from 'fast-check';
import { StrategyNames } from '../../src/domain/ids.ts';
import { expect, it } from 'vitest';
import { tsUs } from '../../src/domain/units.ts';
import { InputCodec, type JournaledInput } from '../../src/journal/compact-input.ts';
import { DAY, openStore, tempPath } from './journal-fixture.ts';

type Loose = { readonly kind: string; readonly [field: string]: unknown };

const numbers = fc.integer({ min: 0, max: 3 });
/** Few values, so that rows repeat, change, vanish, swap places and share a number. */
const orders = fc.array(
  fc.record({
    orderNo: numbers.map(String),
    status: fc.constantFrom('resting', 'matched'),
    filledQty: numbers,
  }),
  { maxLength: 5 },
);
const triggers = fc.array(
  fc.record({ orderKey: numbers.map(String), status: fc.constantFrom('pending', 'activated') }),
  {
    maxLength: 3,
  },
);
const positions = fc.array(fc.record({ orderCode: numbers.map(String), qty: numbers }), { maxLength: 2 });

const inputs: fc.Arbitrary<readonly Loose[]> = fc.array(
  fc.oneof(
    orders.map((rows): Loose => ({ kind: 'book_snapshot', list: 'orders', complete: true, orders: rows })),
    triggers.map((rows): Loose => ({
      kind: 'book_snapshot',
      list: 'triggers',
      complete: true,
      orders: rows,
    })),
    positions.map((rows): Loose => ({ kind: 'position_snapshot', startedUs: 1, positions: rows })),
    numbers.map((cash): Loose => ({ kind: 'account_snapshot', startedUs: 1, account: { cash } })),
    numbers.map((reason): Loose => ({ kind: 'stream', state: 'down', reason: String(reason) })),
  ),
  { maxLength: 30 },
);

const asInput = (loose: Loose, i: number): JournaledInput =>
  ({ ...loose, seq: i + 1, tsUs: (i + 1) * 1_000 }) as unknown as JournaledInput;

it('reads back what was written, whatever came before', () => {
  fc.assert(
    fc.property(inputs, (stream) => {
      const writer = new InputCodec(new StrategyNames());
      const reader = new InputCodec(new StrategyNames());
      for (const loose of stream) {
        const { kind, ...body } = loose;
        expect(reader.decode(kind, writer.encode(asInput(loose, 0)))).toEqual(body);
      }
    }),
  );
});

it('reads back whole sessions that were broken off and gone on with', () => {
  fc.assert(
    fc.property(inputs, fc.nat({ max: 30 }), (stream, cut) => {
      const all = stream.map(asInput);
      const path = tempPath();
      for (const part of [all.slice(0, cut), all.slice(cut)]) {
        const { store } = openStore(path);
        store.beginSession(DAY, tsUs(1), 'test.yaml');
        for (const input of part) store.recordInput(input);
        store.close();
      }
      const { store } = openStore(path);
      expect([...store.read.inputs(DAY)]).toEqual(all);
      expect(store.read.lastSeq(DAY)).toBe(all.length);
      store.close();
    }),
    { numRuns: 25 },
  );
});

it('writes a repeated book in a few bytes, and a changed one as its change', () => {
  const codec = new InputCodec(new StrategyNames());
  const rows = Array.from({ length: 200 }, (_, i) => ({ orderNo: String(i), status: 'resting' }));
  const book = (changed: readonly unknown[]) =>
    codec.encode(asInput({ kind: 'book_snapshot', startedUs: 1, complete: true, orders: changed }, 0));
  const whole = book(rows).length;
  expect(book(rows).length).toBeLessThan(whole / 50);
  expect(book([...rows.slice(0, -1), { orderNo: '199', status: 'matched' }]).length).toBeLessThan(whole / 20);
});

it('refuses a body that this program cannot have written', () => {
  expect(() => new InputCodec(new StrategyNames()).decode('stream', '5')).toThrow('expected an object');
  expect(() => new InputCodec(new StrategyNames()).decode('stream', '{"sta')).toThrow(
    /^a row \(stream\) of the journal is damaged: .*; tickwright journal verify shows which; put /,
  );
  expect(() =>
    new InputCodec(new StrategyNames()).decode('book_snapshot', '{"orders":{"$delta":5}}'),
  ).toThrow('expected rows');
});
