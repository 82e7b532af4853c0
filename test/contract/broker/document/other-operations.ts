/** Market data, cash, stock and margin (contract, 4.4 and 4.6; notes, 5 and 6). */
import { answerFields, ENVELOPE, envelopeOf, type Operation, requestFields } from './operation.ts';

const derivatives: Operation = {
  name: 'derivatives',
  section: '4.4',
  method: 'GET',
  path: '/tartarus/v1/derivatives',
  isOpen: false,
  verdict: null,
  asks: [],
  answers: [
    ...answerFields(
      'contract',
      `
      data                  array
      data[].symbol         string
      data[].ceilPrice      number
      data[].floorPrice     number
      data[].refPrice       number
      data[].bidPrice01     number
      data[].bidQtty01      number
      data[].offerPrice01   number
      data[].offerQtty01    number
      data[].matchPrice     number
      data[].matchQtty      number
      data[].change         number
      data[].changePercent  number
      data[].totalVol       number
      data[].openVol        number
      data[].expiryDate     string  date
      `,
    ),
    ...answerFields(
      'notes',
      `
      data[].bidPrice02       number
      data[].bidQtty02        number
      data[].bidPrice03       number
      data[].bidQtty03        number
      data[].offerPrice02     number
      data[].offerQtty02      number
      data[].offerPrice03     number
      data[].offerQtty03      number
      data[].open             number
      data[].high             number
      data[].low              number
      data[].avg              number
      data[].buyForeignQtty   number
      data[].sellForeignQtty  number
      `,
    ),
  ],
};

const contracts: Operation = {
  name: 'contracts',
  section: '4.4',
  method: 'GET',
  path: '/api/v1/derivatives/contracts',
  isOpen: false,
  verdict: null,
  asks: [],
  answers: answerFields(
    'notes',
    `
    data               array
    data[].symbol      string
    data[].expiryDate  string  date
    data[].frontMonth  boolean
    `,
  ),
};

const CASH_BODY = requestFields(`
  accountId       body  string  needed
  subAccountId    body  string  needed
  amount          body  number  needed
  paymentContent  body  string  optional
`);

const deposit: Operation = {
  name: 'deposit',
  section: '4.5',
  method: 'POST',
  path: '/khronos/v1/cash/deposit/update',
  isOpen: false,
  verdict: ENVELOPE,
  asks: CASH_BODY,
  answers: [...envelopeOf(''), ...answerFields('contract', 'data[].transactionId string hex32')],
};

const withdraw: Operation = {
  name: 'withdraw',
  section: '4.5',
  method: 'POST',
  path: '/khronos/v1/cash/withdraw/update',
  isOpen: false,
  verdict: ENVELOPE,
  asks: CASH_BODY,
  answers: envelopeOf(''),
};

const transfer: Operation = {
  name: 'transfer',
  section: '4.5',
  method: 'POST',
  path: '/physis/v1/stock/transfer',
  isOpen: false,
  verdict: { key: 'code', success: '200' },
  asks: requestFields(`
    sourceAccountNumber       body  string  needed
    destinationAccountNumber  body  string  needed
    amount                    body  number  needed
    description               body  string  usual
  `),
  answers: answerFields('contract', 'code string =200\nmessage string'),
};

const stockAssets: Operation = {
  name: 'stock-assets',
  section: '4.6',
  method: 'GET',
  path: '/aion/v1/accounts/{accountNo}/se',
  isOpen: false,
  verdict: null,
  asks: requestFields('accountNo path string needed'),
  answers: [
    ...answerFields(
      'contract',
      `
      assets                array
      assets[].symbol       string
      assets[].quantity     int64
      assets[].avgPrice     number
      assets[].marketValue  number
      `,
    ),
    ...answerFields(
      'notes',
      `
      stock                     array
      stock[].symbol            string
      stock[].availableTrading  number
      stock[].totalQtty         number
      stock[].costPrice         number
      stock[].currentPrice      number
      `,
    ),
  ],
};

const cancelStockOrders: Operation = {
  name: 'cancel-stock-orders',
  section: '4.6',
  method: 'PUT',
  path: '/akhlys/v1/accounts/{accountNo}/cancel-orders',
  isOpen: false,
  verdict: { key: 'error', success: '0' },
  asks: requestFields(`
    accountNo   path  string  needed
    ordersList  body  array   needed
  `),
  answers: [
    ...answerFields('contract', 'error string =0\nmessage string'),
    ...answerFields(
      'notes',
      `
      object                     string
      totalCount                 number
      pageSize                   number
      pageIndex                  number
      data                       array
      data[].object              string
      data[].details            array
      data[].details[].orderID  string
      data[].details[].deleted  string
      data[].details[].errorCode string
      data[].details[].errorMesage string
      data[].details[].error    string
      data[].details[].message  string
      `,
    ),
  ],
};

const cashBalance: Operation = {
  name: 'cash-balance',
  section: '4.6',
  method: 'GET',
  path: '/aion/v1/accounts/{accountNo}/cashInvestments',
  isOpen: false,
  verdict: null,
  asks: requestFields('accountNo path string needed'),
  answers: answerFields(
    'notes',
    `
    object                      string
    totalCount                  number
    pageSize                    number
    pageIndex                   number
    data                        array
    data[].accountNo            string
    data[].custodyID            string
    data[].cashBalance          number
    data[].balance              number
    data[].avlWithdraw          number
    data[].buyingAmount         number
    data[].blockAmount          number
    data[].pp0                  number
    data[].object               string
    data[].fullName             string
    data[].bodBalance           number
    data[].pp0forBF             number
    data[].bankAvlBalance       number
    data[].bankAvlBalanceBF     number
    data[].bankBlockAmount      number
    data[].avlAdvanceAmount     number
    data[].cashDevident         number
    data[].secureAmtPO          number
    data[].bondBlockAmount      number
    data[].mBlockAmount         number
    data[].fundBlockAmount      number
    data[].avalBondBlockAmount  number
    data[].depoFee              number
    data[].bCashDividend        number
    data[].sCashDividend        number
    data[].dsecured             number
    data[].adused               number
    data[].mrused               number
    data[].iaInfos              array
    data[].iaInfos[].partner    string
    data[].iaInfos[].available  number
    data[].iaInfos[].hold       number
    `,
  ),
};

const loanPackages: Operation = {
  name: 'loan-packages',
  section: '4.6',
  method: 'GET',
  path: '/campaign-management/v1/margin/subscription/{accountNo}/addons/detail',
  isOpen: false,
  verdict: null,
  asks: requestFields('accountNo path string needed'),
  answers: answerFields(
    'contract',
    `
    marginSureViews                    array
    marginSureViews[].id               number
    marginSureViews[].name             string
    marginSureViews[].code             string
    marginSureViews[].subscriptionFee  number
    marginSureViews[].status           string
    tplus                              object
    tplus.data                         array
    tplus.data[].id                    number
    tplus.data[].name                  string
    tplus.data[].firstRate             number
    tplus.data[].status                string
    `,
  ),
};

export const MARKET_OPERATIONS: readonly Operation[] = [derivatives, contracts];
export const CASH_OPERATIONS: readonly Operation[] = [deposit, withdraw, transfer];
export const STOCK_OPERATIONS: readonly Operation[] = [
  stockAssets,
  cancelStockOrders,
  cashBalance,
  loanPackages,
];
