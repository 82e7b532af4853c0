/** Normal orders (contract, 4.3; notes, 3). */
import { answerFields, ENVELOPE, envelopeOf, type Operation, requestFields } from './operation.ts';

const place: Operation = {
  name: 'place',
  section: '4.3',
  method: 'POST',
  path: '/khronos/v1/order/place',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     body  string  needed
    subAccountId  body  string  needed
    side          body  string  needed
    symbol        body  string  needed
    price         body  number  needed
    volume        body  int64   needed
    orderType     body  string  usual
    refId         body  string  usual
  `),
  answers: [
    ...envelopeOf('Web.newOrder'),
    ...answerFields(
      'contract',
      `
      data[].orderNo     string  digits
      data[].pk_orderNo  string  key
      data[].showPrice   string  points
      `,
    ),
    ...answerFields(
      'notes',
      `
      data[].symbol       string
      data[].status       string  =P
      data[].msg_type     string  =1I
      data[].orderTime    string  time
      data[].type         string  =I
      data[].accountCode  string
      data[].matchVolume  string  =0
      data[].side         string  =B|S
      data[].volume       string  digits
      data[].channel      string  =I
      data[].refID        string
      data[].group        string  =FU
      data[].quote        string  =G|Y
      `,
    ),
  ],
};

const change: Operation = {
  name: 'change',
  section: '4.3',
  method: 'POST',
  path: '/khronos/v1/order/change',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     body  string  needed
    subAccountId  body  string  usual
    orderNo       body  string  needed
    refId         body  string  usual
    nvol          body  number  needed
    nprice        body  number  needed
  `),
  answers: [
    ...envelopeOf('Web.changeOrder'),
    ...answerFields(
      'contract',
      `
      data[].orderNo     string  digits
      data[].status      string  =PC
      data[].showPrice   string  points
      data[].volume      string  digits
      data[].pk_orderNo  string  key
      `,
    ),
    ...answerFields('notes', 'data[].msg_type string =1P'),
  ],
};

const cancel: Operation = {
  name: 'cancel',
  section: '4.3',
  method: 'POST',
  path: '/khronos/v1/order/cancel',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId  body  string  needed
    orderNo    body  string  needed
    cmd        body  string  optional  =Web.cancelOrder
    pin        body  string  optional  =F
    refId      body  string  optional
  `),
  answers: [
    ...envelopeOf('Web.changeOrder'),
    ...answerFields(
      'contract',
      `
      data[].orderNo     string  digits
      data[].status      string  =PW
      data[].pk_orderNo  string  key
      data[].cancelTime  string  time
      `,
    ),
    ...answerFields('notes', 'data[].msg_type string =1C'),
  ],
};

const inDay: Operation = {
  name: 'in-day',
  section: '4.3',
  method: 'GET',
  path: '/khronos/v1/order/in-day',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId  query  string  needed
    pageNo     query  number  needed
    pageSize   query  number  needed
    symbol     query  string  usual
    orderType  query  string  usual
    status     query  string  usual
    refId      query  string  optional
  `),
  answers: [
    ...envelopeOf('Web.Order.IndayOrder'),
    ...answerFields(
      'contract',
      `
      data[].orderNo      string  digits
      data[].pk_orderNo   string  key
      data[].side         string  =B|S
      data[].symbol       string
      data[].volume       number
      data[].showPrice    string  points
      data[].matchVolume  number
      data[].status       string  =P|PC|PW|PWX|PM|PMW|PMWX
      data[].isCancel     string  =0|1
      data[].isAmend      string  =0|1
      `,
    ),
    ...answerFields(
      'notes',
      `
      data[].refId         string
      data[].orderTime     string  time
      data[].accountCode   string
      data[].matchPriceBQ  string  decimal
      data[].orderStatus   string  =P|PC|PW|PWX|PM|PMW|PMWX
      data[].channel       string  =I
      data[].group         string  =FU
      data[].cancelTime    string  timeOrNothing
      data[].info          string
      data[].maxPrice      string  points
      data[].matchValue    string  decimal
      data[].quote         string  =G|Y|
      data[].autoType      string
      data[].product       string  =|SL/TP
      data[].orderType     string  =N|F
      data[].source        string  =USER|SYS|FORCE
      `,
    ),
  ],
};

export const ORDER_OPERATIONS: readonly Operation[] = [place, change, cancel, inDay];
