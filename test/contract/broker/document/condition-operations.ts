/** Conditional orders (contract, 4.3; notes, 4). */
import { answerFields, ENVELOPE, envelopeOf, type Operation, requestFields } from './operation.ts';

const place: Operation = {
  name: 'condition-place',
  section: '4.3',
  method: 'POST',
  path: '/khronos/v1/order/condition/place',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId        body  string  needed
    subAccountId     body  string  needed
    side             body  string  needed
    symbol           body  string  needed
    price            body  number  needed
    volume           body  number  needed
    orderType        body  string  needed
    soPrice          body  number  needed
    callbackPoint    body  number  usual
    activationPrice  body  number  usual
    refId            body  string  optional
  `),
  answers: [
    // The document names `cmd` and no word for it.
    ...envelopeOf(''),
    ...answerFields(
      'contract',
      `
      data[].symbol       string
      data[].status       string  =P
      data[].orderNo      int64
      data[].pk_orderNo   string  key
      data[].msg_type     string
      data[].showPrice    string  points
      data[].orderTime    string  time
      data[].accountCode  string
      data[].matchVolume  number
      data[].side         string  =B|S
      data[].volume       string  digits
      data[].channel      string
      data[].group        string
      data[].quote        string
      `,
    ),
  ],
};

const change: Operation = {
  name: 'condition-change',
  section: '4.3',
  method: 'POST',
  path: '/khronos/v2/order/condition/change',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId  body  string  needed
    pkOrderNo  body  string  needed
    refId      body  string  usual
    soPrice    body  number  needed
    type       body  string  optional  =
    cmd        body  string  optional  =Web.Order.ChangeCondition
  `),
  answers: [
    ...envelopeOf('Web.Order.ChangeConditionOrder'),
    ...answerFields(
      'contract',
      `
      data[].showPrice  string  points
      data[].price      string  points
      data[].volume     string  digits
      data[].pkOrderNo  string  key
      data[].notes      string
      `,
    ),
  ],
};

const cancel: Operation = {
  name: 'condition-cancel',
  section: '4.3',
  method: 'POST',
  path: '/khronos/v1/order/condition/cancel',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     body  string  needed
    orderNo       body  string  needed
    subAccountId  body  string  optional
  `),
  answers: envelopeOf('Web.cancelActivatedOrder'),
};

const book: Operation = {
  name: 'conditions',
  section: '4.3',
  method: 'GET',
  path: '/khronos/v1/order/condition/detail',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     query  string  needed
    subAccountID  query  string  usual
    pageNo        query  string  needed
    PageSize      query  string  needed
    orderStatus   query  string  usual
    orderType     query  string  usual
    Symbol        query  string  usual
  `),
  answers: [
    ...envelopeOf('Web.Order.ConditionOrder'),
    ...answerFields(
      'contract',
      `
      data[].orderNo     string  digits
      data[].pk_orderNo  string  key
      data[].side        string  =B|S
      data[].symbol      string
      data[].showPrice   number
      data[].volume      number
      data[].soPrice     number
      data[].orderType   string  =SL|SU|TSO|ABI
      data[].status      string  =0|1|2|3
      data[].notes       string
      `,
    ),
    ...answerFields(
      'notes',
      `
      data[].groupOrder   string
      data[].accountCode  string
      data[].active_time  string  timeOrNothing
      data[].send_time    string  time
      data[].cancel_time  string  timeOrNothing
      data[].channel      string
      data[].from_time    string  date
      data[].exp_time     string  date
      data[].details      string
      `,
    ),
  ],
};

export const CONDITION_OPERATIONS: readonly Operation[] = [place, change, cancel, book];
