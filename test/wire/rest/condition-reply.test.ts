import { describe, expect, it } from 'vitest';
import type { CallOutcome } from '../../../src/domain/broker-order.ts';
import { classifyCallReply } from '../../../src/wire/rest/call-reply.ts';
import { classifyConditionReply } from '../../../src/wire/rest/condition-reply.ts';
import { CONDITION } from '../support/condition-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';

const ACCEPTED = { status: 'accepted', orderNo: '3', orderKey: '7625321' };
const classify = (httpStatus: number, json: unknown, drift = new CountedDrift()): CallOutcome =>
  classifyConditionReply({ httpStatus, text: JSON.stringify(json) }, 'condition', CONDITION, drift);

describe('of a conditional order', () => {
  it('a place is accepted with number and key', () => {
    const text = JSON.stringify(goldenAnswer('condition-place'));
    expect(classifyCallReply({ httpStatus: 200, text }, 'condition-place', new CountedDrift())).toEqual(
      ACCEPTED,
    );
  });

  it.each(['condition-change', 'condition-cancel'])('the documents’ answer to a %s accepts it', (name) => {
    const drift = new CountedDrift();
    expect(classify(200, goldenAnswer(name), drift)).toStrictEqual(ACCEPTED);
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ['no list', { data: null }, ACCEPTED],
    ['the key as a number', { data: [{ pkOrderNo: 7_625_321 }] }, ACCEPTED],
    ['the key under its other name', { data: [{ pk_orderNo: '7625321' }] }, ACCEPTED],
    ['an object for the list', { data: { pkOrderNo: '7625321' } }, ACCEPTED],
    ['rows without sense', { data: [7] }, ACCEPTED],
    [
      "another order's key",
      { data: [{ pkOrderNo: '7625322' }] },
      { status: 'unknown', reason: 'rc 1 for order key 7625322' },
    ],
    ['a refusal', { rc: '-6014', rs: 'no' }, { status: 'rejected', code: '-6014', text: 'no' }],
  ])('an answer with %s', (_what, fields, outcome) => {
    expect(classify(200, { ...goldenAnswer('condition-change'), ...fields })).toStrictEqual(outcome);
  });

  it('no envelope is no verdict', () => {
    expect(classify(200, {})).toMatchObject({ status: 'unknown' });
    expect(classify(503, goldenAnswer('condition-cancel'))).toEqual({
      status: 'unknown',
      reason: 'HTTP 503',
    });
  });
});
