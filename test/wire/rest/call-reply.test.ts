import { describe, expect, it } from 'vitest';
import type { CallOutcome } from '../../../src/domain/broker-order.ts';
import { classifyCallReply, classifyConditionReply } from '../../../src/wire/rest/call-reply.ts';
import { CONDITION } from '../support/condition-facts.ts';
import { CountedDrift } from '../support/counted-drift.ts';
import { goldenAnswer } from '../support/golden.ts';
const HTML = '<html><head><title>502 Bad Gateway</title></head><body>502</body></html>';
const success = (fields: object): string =>
  JSON.stringify({
    cmd: 'Web.newOrder',
    rc: '1',
    rs: '',
    oID: '',
    data: [{ orderNo: '17', pk_orderNo: '7625320' }],
    ...fields,
  });
const classify = (httpStatus: number, text: string, drift = new CountedDrift()): CallOutcome =>
  classifyCallReply({ httpStatus, text }, 'place', drift);
const ACCEPTED = { status: 'accepted', orderNo: '17', orderKey: '7625320' };

describe('accepted', () => {
  it.each(['place', 'change', 'cancel'])('is the documents’ answer to a %s', (name) => {
    const drift = new CountedDrift();
    expect(classify(200, JSON.stringify(goldenAnswer(name), null, 2), drift)).toStrictEqual(ACCEPTED);
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ['numbers for ids', { data: [{ orderNo: 17, pk_orderNo: 7_625_320 }] }, [], ACCEPTED],
    ['no key', { data: [{ orderNo: '17' }] }, [], { ...ACCEPTED, orderKey: null }],
    ['a key of no sense', { data: [{ orderNo: '17', pk_orderNo: {} }] }, [], { ...ACCEPTED, orderKey: null }],
    ['rc as a number', { rc: 1 }, ['place.rc: not a text'], ACCEPTED],
    ['rs null', { rs: null }, ['place.rs: not a text'], ACCEPTED],
    [
      'no cmd, no oID',
      { cmd: undefined, oID: undefined },
      ['place.cmd: missing', 'place.oID: missing'],
      ACCEPTED,
    ],
    [
      'an object for the list',
      { data: { orderNo: '17', pk_orderNo: '7625320' } },
      ['place.data: not a list'],
      ACCEPTED,
    ],
  ])('is rc 1 with an order number, also with %s', (_what, fields, drifts, outcome) => {
    const drift = new CountedDrift();
    expect(classify(200, success(fields), drift)).toStrictEqual(outcome);
    expect(drift.seen).toEqual(drifts);
  });
});

describe('rejected', () => {
  it.each([
    [200, { rc: '-6035', rs: 'Price outside' }, { code: '-6035', text: 'Price outside' }],
    [200, { rc: '0', rs: '' }, { code: '0', text: '' }],
    [200, { rc: -6012, rs: 'money' }, { code: '-6012', text: 'money' }],
    [200, { rc: '-1', rs: null, data: null }, { code: '-1', text: '' }],
    [400, { rc: '-6019', rs: 'volume' }, { code: '-6019', text: 'volume' }],
  ])('is HTTP %i with the envelope %j', (status, fields, verdict) => {
    expect(classify(status, success(fields))).toStrictEqual({ status: 'rejected', ...verdict });
  });
});

describe('unknown', () => {
  it.each([
    [200, ''],
    [200, HTML],
    [200, 'null'],
    [200, '[]'],
    [200, '{}'],
    [200, success({}).slice(0, -2)],
    [200, success({ rc: undefined })],
    [200, success({ rc: '' })],
    [200, success({ rc: 'OK' })],
    [200, success({ data: null })],
    [200, success({ data: [] })],
    [200, success({ data: [null] })],
    [200, success({ data: [{ orderNo: '' }] })],
    [200, success({ data: [{ orderNo: true }] })],
    [200, success({ data: 'done' })],
    [200, '{"code":"203074","message":"The API Key is invalid"}'],
    [201, success({})],
    [302, ''],
    [400, success({})],
    [400, '{"code":"1","message":"bad"}'],
    [401, success({ rc: '-1' })],
    [403, ''],
    [404, HTML],
    [429, success({ rc: '-1' })],
    [500, success({})],
    [500, success({ rc: '-1' })],
    [502, HTML],
    [503, ''],
  ])('is HTTP %i with %s', (status, text) => {
    const outcome = classify(status, text);
    expect(outcome.status).toBe('unknown');
    expect(outcome).toHaveProperty('reason', expect.stringMatching(/\w/));
  });
});

const CONDITION_ACCEPTED = { status: 'accepted', orderNo: '3', orderKey: '7625321' };
const classifyOfCondition = (httpStatus: number, json: unknown, drift = new CountedDrift()): CallOutcome =>
  classifyConditionReply({ httpStatus, text: JSON.stringify(json) }, 'condition', CONDITION, drift);

describe('of a conditional order', () => {
  it('a place is accepted with number and key', () => {
    const text = JSON.stringify(goldenAnswer('condition-place'));
    expect(classifyCallReply({ httpStatus: 200, text }, 'condition-place', new CountedDrift())).toEqual(
      CONDITION_ACCEPTED,
    );
  });

  it.each(['condition-change', 'condition-cancel'])('the documents’ answer to a %s accepts it', (name) => {
    const drift = new CountedDrift();
    expect(classifyOfCondition(200, goldenAnswer(name), drift)).toStrictEqual(CONDITION_ACCEPTED);
    expect(drift.seen).toEqual([]);
  });

  it.each([
    ['no list', { data: null }, CONDITION_ACCEPTED],
    ['the key as a number', { data: [{ pkOrderNo: 7_625_321 }] }, CONDITION_ACCEPTED],
    ['the key under its other name', { data: [{ pk_orderNo: '7625321' }] }, CONDITION_ACCEPTED],
    ['an object for the list', { data: { pkOrderNo: '7625321' } }, CONDITION_ACCEPTED],
    ['rows without sense', { data: [7] }, CONDITION_ACCEPTED],
    [
      "another order's key",
      { data: [{ pkOrderNo: '7625322' }] },
      { status: 'unknown', reason: 'rc 1 for order key 7625322' },
    ],
    ['a refusal', { rc: '-6014', rs: 'no' }, { status: 'rejected', code: '-6014', text: 'no' }],
  ])('an answer with %s', (_what, fields, outcome) => {
    expect(classifyOfCondition(200, { ...goldenAnswer('condition-change'), ...fields })).toStrictEqual(
      outcome,
    );
  });

  it('no envelope is no verdict', () => {
    expect(classifyOfCondition(200, {})).toMatchObject({ status: 'unknown' });
    expect(classifyOfCondition(503, goldenAnswer('condition-cancel'))).toEqual({
      status: 'unknown',
      reason: 'HTTP 503',
    });
  });
});
