/** Rows of the in-day book that are skipped, and what has them read again. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { brokerOrderNo } from '../../../src/domain/ids.ts';
import { RowReader } from '../../../src/engine/orders/row-reader.ts';
import type { RowFacts } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { DAY } from '../../support/engine-world.ts';

afterEach(() => vi.restoreAllMocks());

/** Orders that are over, by the numbers of their rows. */
class Reader {
  readonly rig = new EngineRig().start();
  readonly #read = vi.spyOn(RowReader.prototype, 'applyOrderRow');
  readonly ids = ['1', '2', '3'].map((no) => this.rig.resting(FIRST, 'buy', 1, 12_990 + Number(no), no));

  over(no: string, change: Partial<RowFacts> = {}): RowFacts {
    const place = Number(no);
    return { no, ref: this.ids[place - 1] ?? null, price: 12_990 + place, status: 'canceled', ...change };
  }

  /** Numbers of the rows that are read. */
  scan(rows: readonly RowFacts[], ago = 0.1): string[] {
    this.#read.mockClear();
    this.rig.look(rows, { ago });
    return this.#read.mock.calls.map(([, { orderNo }]) => orderNo);
  }
}

describe('rows of orders that are over', () => {
  it('are read again on a new day, whose orders are others', () => {
    const reader = new Reader();
    const book = [reader.over('1')];
    reader.scan(book);
    const last = reader.rig.entries.length;
    reader.rig
      .session({ tradingDay: addDays(DAY, 1) })
      .pass(86_400)
      .positions();
    expect(reader.scan(book)).toEqual(['1']);
    const kinds = reader.rig.entries.slice(last).map(({ kind }) => kind);
    expect(kinds, 'it belongs to nobody of that day').toContain('order_adopted');
  });

  it('are read again when they change, and the others are not', () => {
    const reader = new Reader();
    const [one, two, three] = [reader.over('1'), reader.over('2'), reader.over('3')];
    reader.scan([one, two, three]);
    expect(reader.scan([reader.over('1', { text: 'PWX' }), two])).toEqual(['1']);
    expect(reader.scan([reader.over('1', { text: 'PWX' }), two, three])).toEqual([]);
  });

  it('are read again after an answer to a call of their order', () => {
    const reader = new Reader();
    const book = [reader.over('1'), reader.over('2')];
    reader.scan(book);
    reader.rig.unknown(reader.ids[0]!);
    expect(reader.scan(book)).toEqual(['1', '2']);
  });

  it('are read in the scan in which a second row of an order comes before them', () => {
    const reader = new Reader();
    const [one, two] = [reader.over('1'), reader.over('2')];
    reader.scan([one, two]);
    expect(reader.scan([one, reader.over('1', { text: 'PWX' }), two])).toEqual(['1', '2']);
  });

  it('are read again when another order takes a number that theirs was found by', () => {
    const reader = new Reader();
    const book = [reader.over('1')];
    reader.scan(book);
    const later = reader.rig.submit(FIRST, 'sell', 1, 13_000);
    reader.rig.answered(later, { status: 'accepted', orderNo: brokerOrderNo('1'), orderKey: null });
    expect(reader.scan(book)).toEqual(['1']);
  });
});
