/** Schema of the simulator's own YAML file. Every key has a default: an empty file is the demo. */
import { z } from 'zod';
import { durationFrom } from '../../config/values.ts';

const amount = z.int().min(0);
const name = z.string().min(1);

const stock = z.strictObject({
  symbol: name,
  quantity: z.int().min(1),
  averagePrice: amount,
  marketPrice: amount,
});

/** Placed elsewhere, and waiting: a client can only cancel it. */
const stockOrder = z.strictObject({
  orderId: name,
  symbol: name,
  side: z.enum(['buy', 'sell']),
  quantity: z.int().min(1),
  price: z.int().min(1),
});

const loanPackage = z.strictObject({
  id: z.int().min(0),
  name,
  code: name,
  subscriptionFee: amount.default(0),
  status: z.string().default('ACTIVE'),
});
const tPlusPackage = z.strictObject({
  id: z.int().min(0),
  name,
  firstRate: z.number().min(0).default(0),
  status: z.string().default('ACTIVE'),
});

const subAccount = z.strictObject({
  type: z.enum(['NORMAL', 'MARGIN', 'DERIVATIVE']),
  accountNo: name.optional(),
  cash: amount.default(0),
  active: z.boolean().default(true),
  default: z.boolean().optional(),
  stocks: z.array(stock).default([]),
  stockOrders: z.array(stockOrder).default([]),
  loanPackages: z.array(loanPackage).default([]),
  tPlusPackages: z.array(tPlusPackage).default([]),
});

const account = z.strictObject({
  custodyCode: z.string().regex(/^\w{10}$/, '10 letters and digits, such as 105C000001'),
  apiKey: name,
  otp: z.string("a text in quotes, such as '123456'").min(4).default('123456'),
  name: name.default('Demo Account'),
  /** Money of one sub-account of each type, for those who need no more. */
  cash: z
    .strictObject({ normal: amount.default(0), margin: amount.default(0), derivative: amount.default(0) })
    .optional(),
  subAccounts: z.array(subAccount).min(1).optional(),
});

const port = z.int().min(0).max(65_535);
const percent = z.number().positive().max(1_000);

export const simulatorFileSchema = z.strictObject({
  port: port.optional(),
  controlPort: port.optional(),
  state: name.optional(),
  seed: z.int().min(0).optional(),
  startPoints: z.number().positive().optional(),
  speed: z.number().positive().optional(),
  tape: name.optional(),
  /** A market file beside this one: real hours and costs in place of the demo's. */
  market: name.optional(),
  codes: z.enum(['legacy', 'coded']).optional(),
  streamCodes: z.enum(['same', 'internal']).optional(),
  accounts: z.array(account).min(1).optional(),
  auth: z
    .strictObject({
      tokenLife: durationFrom('1s', '24h').optional(),
      exchangesPerDayMax: z.int().min(1).nullable().optional(),
      appOtp: z.enum(['reusable', 'once', 'rotating']).optional(),
      appOtpLife: durationFrom('1s', '1h').optional(),
      otpIdLife: durationFrom('1s', '24h').optional(),
      newTokenEndsOlder: z.boolean().optional(),
      refusalStatus: z.literal([401, 403]).optional(),
    })
    .prefault({}),
  stream: z
    .strictObject({
      controlOrder: z.enum(['contract', 'live']).optional(),
      heartbeatTimeoutSeconds: z.int().min(1).optional(),
      protocolPingGrace: durationFrom('1s', '5m').optional(),
      secondConnection: z.enum(['refuse', 'allow', 'replace']).optional(),
      bookFrames: z.enum(['full', 'changes']).optional(),
      payloads: z.enum(['compact', 'live']).optional(),
    })
    .prefault({}),
  rules: z
    .strictObject({
      changeOfBoth: z.enum(['refuse', 'replace']).optional(),
      repeatedRefId: z.enum(['accept', 'refuse']).optional(),
      gatewayDelay: durationFrom('0ms', '1m').optional(),
      entryPercent: percent.optional(),
      warnPercent: percent.optional(),
      forcePercent: percent.optional(),
      positionMax: z.int().min(1).optional(),
      conditionLife: z.enum(['day', 'contract']).optional(),
      conditionsMax: z.int().min(1).optional(),
      stopLossSlipTicks: z.int().min(0).optional(),
    })
    .prefault({}),
  readings: z
    .strictObject({
      changedVolume: z.enum(['total', 'leaves']).optional(),
      bracketOrder: z.enum(['stop_loss_first', 'take_profit_first']).optional(),
      bracketPrices: z.enum(['absolute', 'distance']).optional(),
      arbitrage: z.enum(['on_fill', 'refuse']).optional(),
      inDayTypes: z.enum(['contract', 'texts']).optional(),
      contractList: z.enum(['objects', 'codes', 'bare']).optional(),
    })
    .prefault({}),
  /** Read by the simulator itself. */
  scenario: z.unknown().optional(),
});

export type SimulatorFile = z.output<typeof simulatorFileSchema>;
export type AccountEntry = z.output<typeof account>;
export type SubAccountEntry = z.output<typeof subAccount>;
