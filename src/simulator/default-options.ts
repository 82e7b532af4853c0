/** The demo: continuous trading at any hour, an account with margin for several contracts, nothing that misbehaves. */
import { tradingDay } from '../domain/civil-date.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule } from '../domain/costs.ts';
import { minutes, seconds } from '../domain/units.ts';
import type { AccountSettings, SimulatorOptions } from './simulator-options.ts';
import { ALWAYS_OPEN } from './time/always-open-calendar.ts';
import { systemClock, systemTimers } from './time/system-time.ts';

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

export const DEMO_ACCOUNT: AccountSettings = {
  apiKey: 'demo-api-key',
  otp: '123456',
  custodyCode: '105C000001',
  name: 'Demo Account',
  cash: { normal: 500_000_000, margin: 500_000_000, derivative: 1_000_000_000 },
};

export const DEFAULT_OPTIONS: SimulatorOptions = {
  port: 0,
  controlPort: null,
  stateDir: null,
  fresh: false,
  accounts: [DEMO_ACCOUNT],
  market: { kind: 'synthetic', seed: 1, startPoints: 1_900 },
  time: { speed: 1, originRealUs: null, originMarketUs: null, start: 'origin' },
  calendar: ALWAYS_OPEN,
  costs: DEMO_COSTS,
  codes: 'coded',
  streamCodes: 'same',
  rules: {},
  auth: {
    tokenLife: minutes(8 * 60),
    // The service allows 10 a day; the demo does not lock a newcomer out.
    exchangesPerDayMax: null,
    appOtp: 'reusable',
    otpIdLife: minutes(5),
    newTokenEndsOlder: false,
  },
  stream: {
    controlOrder: 'contract',
    heartbeatTimeoutSeconds: 15,
    protocolPingGrace: seconds(15),
    secondConnection: 'refuse',
    bufferBytesMax: 8 * 1024 * 1024,
  },
  clock: systemClock,
  timers: systemTimers,
};
