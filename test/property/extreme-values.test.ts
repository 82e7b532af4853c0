/** Values that a broker may send in any field: what is read of them ends no engine, neither today nor in the replay of its day. */
import { expect, it } from 'vitest';
import type { ParseResult } from '../../src/domain/parsed.ts';
import type { EngineEvent, UnnumberedInput } from '../../src/engine/ports/engine-event.ts';
import { IGNORE_DRIFT } from '../../src/wire/drift.ts';
import { conditionBook } from '../../src/wire/rest/condition-book.ts';
import { inDayBook } from '../../src/wire/rest/in-day-book.ts';
import { derivatives } from '../../src/wire/rest/market-reads.ts';
import { openPositions } from '../../src/wire/rest/positions.ts';
import { decodeServerFrame } from '../../src/wire/stream/server-frame.ts';
import { limit } from '../support/engine-facts.ts';
import { replay } from '../support/engine-replay.ts';
import { EngineRig, type RigOptions } from '../support/engine-rig.ts';
import { FRONT } from '../support/engine-world.ts';

const NUMBERS = [0, -1, 0.1, 1e7, 2 ** 31, 1e11, 1e15, 2 ** 53 - 1, 1e300, '1e15', 'NaN', '', null, {}];
const WORDS = ['01/01/0001', '01/01/1970', '31/12/9999', 'PMWX', 'S', 'H.1', '__proto__'];

type Row = Readonly<Record<string, unknown>>;
type Input = UnnumberedInput<EngineEvent>;

const symbol = FRONT.orderCode;
const specOf = (code: string) => (code === symbol ? FRONT.spec : undefined);
const LISTED = { byStreamCode: (code: string) => (code === symbol ? FRONT : undefined) };
const envelope = (data: unknown) => ({ cmd: '', rc: '1', rs: '', oID: '', data });

const ORDER = {
  orderNo: '9',
  pk_orderNo: '90',
  side: 'S',
  symbol,
  volume: 2,
  showPrice: '1300',
  isCancel: '1',
};
const CONDITION = { orderNo: '5', pk_orderNo: '50', side: 'B', symbol, showPrice: 1290, volume: 2 };
const PRICES = { ceilPrice: 1391, floorPrice: 1209, refPrice: 1300, matchPrice: 1300 };

const given = <T>(read: ParseResult<T>, inputOf: (value: T) => Input): readonly Input[] =>
  read.ok ? [inputOf(read.value)] : [];

/** A right message of each kind, and what becomes of it; nothing where it is refused. */
const MESSAGES: Readonly<Record<string, readonly [Row, (row: Row, rig: EngineRig) => readonly Input[]]>> = {
  order: [
    { ...ORDER, matchVolume: 1, status: 'PM', matchPriceBQ: '1300', matchValue: '1.3E8', refId: '' },
    (row, { now: startedUs }) =>
      given(inDayBook.decodeResponse(envelope([row]), specOf, IGNORE_DRIFT), ({ orders }) => {
        return { kind: 'book_snapshot', list: 'orders', startedUs, complete: true, orders };
      }),
  ],
  condition: [
    { ...CONDITION, soPrice: 1295, orderType: 'SL', status: '0', notes: 'Stop order', exp_time: '' },
    (row, { now: startedUs }) =>
      given(conditionBook.decodeResponse(envelope([row]), specOf, IGNORE_DRIFT), ({ orders }) => {
        return { kind: 'book_snapshot', list: 'triggers', startedUs, complete: true, orders };
      }),
  ],
  position: [
    { symbol, net: 3, side: 'L', lastPrice: 1300, vm_remain: 1 },
    (row, { now: startedUs }) =>
      given(openPositions.decodeResponse(envelope([row]), IGNORE_DRIFT), (positions) => {
        return { kind: 'position_snapshot', startedUs, positions };
      }),
  ],
  quote: [
    { symbol, ...PRICES, expiryDate: '19/03/2026' },
    (row) => {
      const read = derivatives.decodeResponse({ data: [row] }, specOf, IGNORE_DRIFT);
      return (read.ok ? read.value : []).flatMap(
        ({ ceiling, floor, reference, lastPrice, expiry }): Input[] => {
          const isWhole = ceiling !== null && floor !== null && reference !== null;
          const rows = isWhole ? [{ instrument: FRONT.index, ceiling, floor, reference, lastPrice }] : [];
          return [
            { kind: 'contracts', contracts: [{ ...FRONT, expiry: expiry ?? FRONT.expiry }] },
            { kind: 'stream', state: 'down', reason: '' },
            { kind: 'reference', rows },
          ];
        },
      );
    },
  ],
  trade: [{ symbol, matchPrice: 1300, matchQtty: 1, totalVolume: 50 }, (row, rig) => framed(21, row, rig)],
};

function framed(channel: number, row: Row, { inputs, now }: EngineRig): readonly Input[] {
  const seq = inputs.at(-1)!.seq;
  const frame = decodeServerFrame(`s|${channel}|${JSON.stringify(row)}`, LISTED, seq, now);
  return frame.kind === 'market' ? [frame.event] : [];
}

/** The first strategy buys three on the first trade, and holds them. */
function options(): RigOptions {
  let isFirst = true;
  const buyer: NonNullable<RigOptions['strategies']>[number] = {
    onTrade: (_, desk, me) => {
      if (isFirst) desk.submit(me, limit('buy', 3, 13_000));
      isFirst = false;
    },
  };
  return { strategies: [buyer, {}], isReal: true, alter: (state) => state, canWait: true };
}

/** A day with this message, and its replay; the failure, if one ended an engine. */
function failureOf(row: Row, inputsOf: (row: Row, rig: EngineRig) => readonly Input[]): unknown {
  try {
    const rig = new EngineRig(options()).start().account().trade(13_000);
    const { clientOrderId } = rig.places()[0]!;
    rig
      .accepted(clientOrderId, '1')
      .look([{ no: '1', ref: clientOrderId, qty: 3, filled: 3, status: 'matched' }]);
    for (let i = 0; i < 3; i += 1) for (const input of inputsOf(row, rig.pass(2))) rig.post(input);
    rig.trade(13_001).pass(1).positions(3).account().pass(60).clock();
    rig.command({ name: 'flatten', strategy: null, reason: 'test' }).trade(12_999).pass(5).clock();
    replay(new EngineRig(options()), rig.inputs, rig.entries);
    return undefined;
  } catch (error) {
    return error;
  }
}

it.each(Object.entries(MESSAGES))('%s: no value of a field ends an engine', (_, [right, inputsOf]) => {
  expect(inputsOf(right, new EngineRig().start())).not.toEqual([]);
  for (const key of Object.keys(right)) {
    for (const value of [...NUMBERS, ...WORDS])
      expect(
        failureOf({ ...right, [key]: value }, inputsOf),
        `${key} ${JSON.stringify(value)}`,
      ).toBeUndefined();
  }
});
