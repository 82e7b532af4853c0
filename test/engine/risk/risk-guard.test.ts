import { expect, test } from 'vitest';
import { formatDenial } from '../../../src/engine/ports/denial.ts';
import { RISK_RULES } from '../../../src/engine/risk/risk-rules.ts';
import { contract } from '../../support/strategy-fixtures.ts';
import { FakeRiskView, LAST } from '../support/fake-risk-view.ts';
import { ALPHA, holding, ID, submit, verdict, verdictWhen } from '../support/guard-fixture.ts';
import { RULE_ROWS } from '../support/rule-rows.ts';

test('an order without fault is approved as an entry, with the event that caused it', () => {
  expect(submit(new FakeRiskView(), { qty: 2, side: 'sell' })).toEqual({
    ok: true,
    order: {
      clientOrderId: ID,
      strategy: ALPHA,
      purpose: 'entry',
      shrinks: false,
      instrument: 0,
      orderCode: contract(0).orderCode,
      side: 'sell',
      qty: 2,
      limitPrice: LAST,
      trigger: null,
      cause: 7,
    },
  });
});

test.each(RULE_ROWS)('$rule: $denial', ({ change, wanted, denial }) => {
  expect(verdictWhen(change, wanted)).toBe(denial);
});

test('every rule has a row, and the rows are in the order of the rules', () => {
  const rows = [...new Set(RULE_ROWS.map(({ rule }) => rule))];
  expect(rows).toEqual(RISK_RULES.map(({ name }) => name));
});

const ENTRY_RULES = new Set(
  RISK_RULES.filter(({ appliesTo }) => appliesTo === 'entry').map(({ name }) => name),
);

test.each(RULE_ROWS.filter(({ rule }) => ENTRY_RULES.has(rule)))(
  'a reduction is not held by $rule: $denial',
  ({ change, wanted }) => {
    const view = holding();
    change(view);
    view.positionsRead = view.now;
    expect(verdict(view, { ...wanted, side: 'sell', qty: 1 })).toBe('approved as reduce');
  },
);

test('a denial is one stable line with its numbers', () => {
  expect(formatDenial({ code: 'qty_above_max', qty: 6, max: 5 })).toBe('qty_above_max: qty=6 max=5');
  expect(formatDenial({ code: 'stream_down' })).toBe('stream_down');
});
