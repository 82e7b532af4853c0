/** Tokens and the account (contract, 4.1 and 4.2; notes, 2 and 5). */
import { answerFields, ENVELOPE, envelopeOf, type Operation, requestFields } from './operation.ts';

const requestOtp: Operation = {
  name: 'request-otp',
  section: '4.1',
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/request-otp',
  isOpen: true,
  verdict: null,
  asks: requestFields(`
    apiKey  body  string  needed
  `),
  answers: answerFields('contract', 'otpId string'),
};

const token: Operation = {
  name: 'token',
  section: '4.1',
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/token',
  isOpen: true,
  verdict: null,
  asks: requestFields(`
    apiKey  body  string  needed
    otp     body  string  needed
    otpId   body  string  optional
  `),
  answers: answerFields('contract', 'token string jwt'),
};

const profile: Operation = {
  name: 'profile',
  section: '4.2',
  method: 'GET',
  path: '/eros/v2/get-profile/by-username/{custodyCode}',
  isOpen: false,
  verdict: null,
  asks: requestFields(`
    custodyCode  path   string  needed
    fields       query  string  needed
  `),
  answers: [
    ...answerFields(
      'contract',
      `
      basicInfo                          object
      bankSubAccounts                    array
      bankSubAccounts[].accountNo        string
      bankSubAccounts[].accountName      string
      bankSubAccounts[].bankCode         string|null
      bankSubAccounts[].accountType      string  =NORMAL|MARGIN|DERIVATIVE
      bankSubAccounts[].accountTypeName  string
      bankSubAccounts[].status           string  =0|1
      bankSubAccounts[].isDefault        string  =Y|N
      `,
    ),
    ...answerFields(
      'notes',
      `
      basicInfo.tcbsId      string
      basicInfo.code105C    string
      basicInfo.status      string   =ACTIVE
      basicInfo.type        string   =INDIVIDUAL|CORPORATE
      basicInfo.depository  boolean
      `,
    ),
  ],
};

const accountStatus: Operation = {
  name: 'account-status',
  section: '4.2',
  method: 'GET',
  path: '/khronos/v1/account/status',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     query  string  needed
    subAccountId  query  string  usual
    getType       query  string  usual
  `),
  answers: [
    ...envelopeOf('Web.Portfolio.AccountStatus', 'object'),
    ...answerFields(
      'notes',
      `
      data.cash              number
      data.stock             number
      data.collateral        number
      data.type              string  =CA_NHAN
      data.net               string  =YES
      data.tyle              string
      data.im                number
      data.vm                number
      data.dm                number
      data.mr                number
      data.avaiCash          number
      data.avaiColla         number
      data.vmunpay           number
      data.info              string
      data.color             string
      data.vm_eod            string
      data.others            number
      data.tax               number
      data.feeCTCK           number
      data.feeHNX            number
      data.cashWithdraw      number
      data.tienbosung        number
      data.cashavaiwithdraw  number
      data.assets            number
      data.nav               number
      data.cashOut           number
      data.unrelizeVM        number
      data.feePos            number
      data.feeMan            number
      data.product           string
      data.status            string
      data.debt              string
      data.w1                number
      data.w2                number
      data.limit             number
      data.package           string
      `,
    ),
  ],
};

const positions: Operation = {
  name: 'positions',
  section: '4.2',
  method: 'GET',
  path: '/khronos/v1/account/portfolio/status',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     query  string  needed
    subAccountId  query  string  usual
  `),
  answers: [
    ...envelopeOf('Web.Portfolio.PortfolioStatus2'),
    ...answerFields(
      'contract',
      `
      data[].symbol     string
      data[].im         string  decimal
      data[].deliver    int64
      data[].receive    int64
      data[].net        int64
      data[].side       string  =L|S
      data[].lastPrice  number
      data[].imValue    number
      data[].vmValue    number
      data[].mrValue    number
      data[].duedate    string  date
      data[].pc_remain  string  decimal
      `,
    ),
    ...answerFields(
      'notes',
      `
      data[].account     string
      data[].wasp        number
      data[].wapb        number
      data[].netoffvol   number
      data[].avg_remain  number
      data[].vm_remain   number
      data[].stoploss    string
      data[].takeprofit  string
      `,
    ),
  ],
};

const closedPositions: Operation = {
  name: 'closed-positions',
  section: '4.2',
  method: 'GET',
  path: '/khronos/v1/account/portfolio/position/close',
  isOpen: false,
  verdict: ENVELOPE,
  asks: requestFields(`
    accountId     query  string  needed
    subAccountId  query  string  needed
    symbol        query  string  optional
    pageNo        query  number  needed
    pageSize      query  number  needed
  `),
  answers: [
    ...envelopeOf('Web.Portfolio.PositionClose'),
    ...answerFields(
      'contract',
      `
      data[].symbol         string
      data[].side           string  =B|S|
      data[].openPrice      number
      data[].closePrice     number
      data[].closePosition  string|0  closed
      data[].fee            number
      data[].tax            number
      data[].closeVM        number
      data[].unrealize      number
      data[].closePC        number
      data[].time           string  timeOrNothing
      `,
    ),
  ],
};

export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  requestOtp,
  token,
  profile,
  accountStatus,
  positions,
  closedPositions,
];
