import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import { brokerOrderNo, clientOrderId, orderCode } from '../../../src/domain/ids.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import { instrumentIndex, priceTicks, qty, seq, strategyIndex } from '../../../src/domain/units.ts';
import { row } from '../../support/engine-facts.ts';

export const createBrokerOrder = (orderNo: string, changes: Partial<BrokerOrder> = {}): BrokerOrder => ({
  ...row({ no: orderNo, code: 'VN30F2601', qty: 2, text: 'P/Y' }),
  canCancel: !(changes.status ?? '').endsWith('canceled'),
  ...changes,
});

export const createOrder = (changes: Partial<ApprovedOrder> = {}): ApprovedOrder =>
  ({
    clientOrderId: clientOrderId('H.00000100001000001'),
    strategy: strategyIndex(0),
    purpose: 'entry',
    shrinks: changes.purpose === 'reduce',
    instrument: instrumentIndex(0),
    orderCode: orderCode('VN30F2601'),
    side: 'buy',
    qty: qty(2),
    limitPrice: priceTicks(13_005),
    trigger: null,
    cause: seq(7),
    ...changes,
  }) as ApprovedOrder;

export const createModify = (changes: Partial<ApprovedModify> = {}): ApprovedModify =>
  ({
    callId: clientOrderId('H.00000100001000002'),
    clientOrderId: clientOrderId('H.00000100001000001'),
    strategy: strategyIndex(0),
    purpose: 'entry',
    orderNo: brokerOrderNo('17'),
    orderKey: null,
    orderCode: orderCode('VN30F2601'),
    qty: qty(2),
    limitPrice: priceTicks(13_010),
    triggerPrice: null,
    cause: seq(8),
    ...changes,
  }) as ApprovedModify;

export const createCancel = (changes: Partial<ApprovedCancel> = {}): ApprovedCancel =>
  ({
    callId: clientOrderId('H.00000100001000003'),
    clientOrderId: clientOrderId('H.00000100001000001'),
    strategy: strategyIndex(0),
    orderNo: brokerOrderNo('17'),
    orderKey: null,
    orderCode: orderCode('VN30F2601'),
    cause: seq(9),
    ...changes,
  }) as ApprovedCancel;
