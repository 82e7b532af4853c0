/** The demo: continuous trading at any hour, an account with margin for several contracts, nothing that misbehaves. */
import type { TradingCalendar } from '../domain/calendar.ts';
import { tradingDay } from '../domain/civil-date.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import { minutes, seconds, US_PER_DAY } from '../domain/units.ts';
import { type AccountSettings, type StartCash, threeSubAccounts } from './accounts/account-settings.ts';
import type { SimulatorOptions } from './simulator-options.ts';
import { systemClock, systemTimers } from './time/clocks.ts';

const VIETNAM_OFFSET_MINUTES = 420;

/** Continuous trading at any hour of any day, so that a demo runs whenever someone looks at it. */
const ALWAYS_OPEN: TradingCalendar = {
  name: 'always-open',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: VIETNAM_OFFSET_MINUTES,
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  phases: [{ phase: 'continuous', fromUs: 0, toUs: US_PER_DAY }],
  closures: new Set(),
  validFrom: tradingDay('2000-01-01'),
  validTo: tradingDay('2099-12-31'),
};

export const VN30_FUTURE: ContractSpec = {
  underlying: 'VN30',
  hundredthsPerTick: 10,
  moneyPerHundredth: 1_000,
  orderQtyMax: 500,
  bandBps: 700,
};

/** Rates since 2022-12-15 (market rules, sections 6 and 7), for days of a demo; real ones come from a data file. */
const DEMO_COSTS: CostSchedule = {
  exchangeFee: [{ from: tradingDay('2017-08-10'), value: 2_700 }],
  clearingFee: [{ from: tradingDay('2017-08-10'), value: 2_550 }],
  brokerFee: [{ from: tradingDay('2017-08-10'), value: 0 }],
  taxPpm: [{ from: tradingDay('2017-08-10'), value: 1_000 }],
  marginBps: [{ from: tradingDay('2017-08-10'), value: 1_700 }],
};

const DEMO_CASH: StartCash = { normal: 500_000_000, margin: 500_000_000, derivative: 1_000_000_000 };
const DEMO_CODE = '105C000001';

/** The demo account, with another amount of margin if that is wanted. */
export const demoAccount = (cash: Partial<StartCash> = {}): AccountSettings => ({
  apiKey: 'demo-api-key',
  otp: '123456',
  custodyCode: DEMO_CODE,
  name: 'Demo Account',
  subAccounts: threeSubAccounts(DEMO_CODE, { ...DEMO_CASH, ...cash }),
});

export const DEFAULT_OPTIONS: SimulatorOptions = {
  port: 0,
  controlPort: null,
  stateDir: null,
  fresh: false,
  accounts: [demoAccount()],
  market: { kind: 'synthetic', seed: 1, startPoints: 1_900 },
  time: { speed: 1, originRealUs: null, originMarketUs: null, start: 'origin' },
  calendar: ALWAYS_OPEN,
  costs: DEMO_COSTS,
  codes: 'coded',
  streamCodes: 'same',
  rules: {},
  readings: {
    changedVolume: 'total',
    bracketOrder: 'stop_loss_first',
    bracketPrices: 'absolute',
    arbitrage: 'on_fill',
    inDayTypes: 'contract',
    contractList: 'objects',
  },
  auth: {
    tokenLife: minutes(8 * 60),
    // The service allows 10 a day; the demo does not lock a newcomer out.
    exchangesPerDayMax: null,
    appOtp: 'reusable',
    appOtpLife: seconds(30),
    otpIdLife: minutes(5),
    newTokenEndsOlder: false,
    refusalStatus: 401,
  },
  stream: {
    controlOrder: 'contract',
    heartbeatTimeoutSeconds: 15,
    protocolPingGrace: seconds(15),
    secondConnection: 'refuse',
    bookFrames: 'full',
    payloads: 'compact',
    bufferBytesMax: 8 * 1024 * 1024,
  },
  scenario: null,
  clock: systemClock,
  timers: systemTimers,
};
