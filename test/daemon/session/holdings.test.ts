/** What the message of a halt says of positions: by reads that began after the last fill, or with the times of both. */
import { expect, it } from 'vitest';
import { holdingsText } from '../../../src/daemon/session/holdings.ts';
import { StrategyNames } from '../../../src/domain/ids.ts';
import { type TsUs, tsUs } from '../../../src/domain/units.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { FRONT } from '../../support/engine-world.ts';

const rig = new EngineRig({ isReal: true }).start().account();
const id = rig.submit(FIRST, 'buy', 1, 13_000);
rig.accepted(id, '1').pass(1);
rig.book([{ no: '1', ref: id, qty: 1, filled: 1, value: 130_000_000, status: 'matched' }]);
const view = rig.engine.snapshot();
const filledUs = view.lastFillUs ?? tsUs(0);
const own = {
  orders: [],
  positions: [{ owner: FIRST, orderCode: FRONT.orderCode, qty: 1 }],
  unknown: [],
  gone: [],
};

const held = (net: number, startedUs: number, of: typeof view | undefined = view) =>
  holdingsText(
    of,
    own,
    { kept: new Set(), held: new Map([[FRONT.orderCode, net]]), heldUs: tsUs(startedUs) },
    new StrategyNames(['first', 'second']),
    [FRONT],
    (at?: TsUs) => (at === undefined ? 'NOW' : `T${at - filledUs}`),
  );

it('is sure of a read that began with the last fill or later', () => {
  expect(held(1, filledUs)).toEqual({ text: expect.stringContaining('+1'), isDoubtful: false });
  expect(held(1, filledUs - 1).isDoubtful, 'the same by chance').toBe(true);
});

it.each([
  [-5, 'the broker shows 0 F at T-5, BEFORE the last fill, our fills until NOW come to +1 F'],
  [5, 'the broker shows 0 F at T5, our fills until NOW come to +1 F'],
])('says when both were known where they differ (%s)', (after, text) => {
  expect(held(0, filledUs + after)).toEqual({
    text: expect.stringContaining(text.replaceAll(' F', ` ${FRONT.orderCode}`)),
    isDoubtful: true,
  });
});

it('is that of the journal where no engine answers', () => {
  const { text, isDoubtful } = holdingsText(
    undefined,
    own,
    { kept: new Set(), held: null, heldUs: tsUs(0) },
    new StrategyNames(['first']),
    [FRONT],
    String,
  );
  expect({ text, isDoubtful }).toEqual({ text: expect.stringMatching(/^held: .*\+1 /), isDoubtful: false });
});
