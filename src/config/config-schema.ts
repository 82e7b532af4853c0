/** Schema of the main file. Every default is safe, so a first file needs ten lines. */
import { z } from 'zod';
import {
  address,
  contracts,
  count,
  durationFrom,
  durationOrOff,
  moneyAboveZero,
  pathText,
  percent,
  timeOfDay,
  timeText,
  wholeMoney,
} from './values.ts';

// Schema of `alerts`: how the daemon reaches its operator. Secrets come from the environment or a file, never from here.

const variable = (name: string) =>
  z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, `the name of an environment variable, like ${name}`)
    .default(name);

/** The environment comes first, then the file. */
const secretFrom = (environment: string) =>
  z.strictObject({ environment: variable(environment), file: pathText.optional() }).prefault({});

const id = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name of small letters, digits and dashes');

const head = {
  id,
  least: z.enum(['info', 'warning', 'critical']).default('warning'),
  perMinute: count.max(60).default(20),
};

const line = z.string().min(1).max(200);

const channel = z.discriminatedUnion('kind', [
  z.strictObject({
    ...head,
    kind: z.literal('telegram'),
    token: secretFrom('TICKWRIGHT_TELEGRAM_TOKEN'),
    chat: z.int(),
    users: z.array(count).default([]),
    apiUrl: address('https://host/').default('https://api.telegram.org'),
  }),
  z.strictObject({
    ...head,
    kind: z.literal('email'),
    host: line,
    port: count.max(65_535).default(587),
    secure: z.boolean().default(false),
    from: line,
    to: z.array(line).min(1),
    user: line.optional(),
    password: secretFrom('TICKWRIGHT_SMTP_PASSWORD'),
  }),
  z.strictObject({
    ...head,
    kind: z.literal('webhook'),
    url: secretFrom('TICKWRIGHT_WEBHOOK_URL'),
    preset: z.enum(['slack', 'discord', 'ntfy', 'gotify']).optional(),
    template: z.string().min(1).max(10_000).optional(),
  }),
]);

const alertsSchema = z
  .strictObject({
    channels: z.array(channel).default([]),
    repeatAfter: durationFrom('1m', '24h').prefault('15m'),
    escalateAfter: durationFrom('1m', '24h').prefault('10m'),
    quiet: z.strictObject({ from: timeOfDay, until: timeOfDay }).optional(),
    remindOtpEvery: durationFrom('1m', '4h').prefault('5m'),
    dailyReport: z.boolean().default(true),
    deadMansSwitch: z
      .strictObject({
        url: secretFrom('TICKWRIGHT_DEAD_MAN_URL'),
        every: durationFrom('10s', '1h').prefault('1m'),
        start: z.boolean().default(false),
        fail: z.boolean().default(false),
      })
      .optional(),
  })
  .prefault({});

const risk = z.strictObject({
  orderQtyMax: contracts.prefault(5),
  collarPercent: percent.prefault(2),
  positionMax: contracts.prefault(10),
  openOrdersMax: count.default(10),
  ordersPerSecondMax: count.default(5),
  ordersPerMinuteMax: count.default(60),
  dataAgeMax: durationFrom('1s', '1h').prefault('15s'),
  dailyLossMax: moneyAboveZero.prefault(50_000_000),
  accountAgeMax: durationFrom('1s', '1h').prefault('60s'),
  marginUsePercent: percent.prefault(80),
  sameRejectionsMax: count.default(3),
  clockSkewMax: durationFrom('100ms', '1m').prefault('10s'),
  auctionEntries: z.boolean().default(false),
  selfTradePrevention: z.literal(true).default(true),
  messagesPerMinuteMax: count.default(300),
  rejectionsPerMinuteMax: count.default(20),
  drawdownMax: moneyAboveZero.optional(),
  protectiveStop: z.strictObject({ distanceTicks: count, slipTicks: count.default(20) }).optional(),
  nakedSecondsMax: count.default(30),
  onOrphan: z.enum(['hold', 'protect', 'flatten']).default('hold'),
});

/** Longest `session.flatBeforeClose`. */
export const FLAT_BEFORE_MAX = '4h';

const policy = z.enum(['hold', 'cancel_orders', 'flatten']).default('hold');

const strategyRisk = z.strictObject({
  positionMax: contracts.prefault(1),
  dailyLossMax: moneyAboveZero.prefault(20_000_000),
  openOrdersMax: count.default(2),
});

const strategy = z.strictObject({
  id,
  strategy: z.string('the name of a strategy'),
  symbols: z.array(z.string().min(1)).min(1),
  overnight: z.boolean().default(false),
  onExpiry: z.enum(['flatten', 'hold']).default('flatten'),
  risk: strategyRisk.prefault({}),
  params: z.record(z.string(), z.unknown()).default({}),
});

const otp = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('simulator') }),
  z.strictObject({ from: z.literal('prompt') }),
  z.strictObject({
    from: z.literal('command'),
    command: z.array(z.string()).min(1),
    timeout: durationFrom('1s', '10m').prefault('60s'),
  }),
  z.strictObject({
    from: z.literal('file'),
    path: pathText,
    timeout: durationFrom('1s', '1h').prefault('5m'),
  }),
]);

const ownAddress = z
  .string()
  .refine(
    (text) => z.ipv4().safeParse(text).success || z.ipv6().safeParse(text).success,
    'an IP address of this machine, like 127.0.0.1',
  );

export const configSchema = z.strictObject({
  mode: z.enum(['paper', 'live', 'dry-run']),
  state: pathText.default('var'),
  market: pathText,
  account: z.strictObject({ custodyCode: z.string().min(1), subAccountId: z.string().min(1) }).optional(),
  auth: z
    .strictObject({
      otp: otp.optional(),
      otpRoute: z.enum(['app', 'request']).default('app'),
      apiKeyEnvironment: variable('TICKWRIGHT_API_KEY'),
      apiKeyFile: pathText.optional(),
    })
    .prefault({}),
  broker: z
    .strictObject({
      restUrl: address('https://host/').optional(),
      streamUrl: address('wss://host/').optional(),
      requestsPerSecond: z.number().positive().max(100).default(1),
      requestTimeout: durationFrom('100ms', '2m').prefault('10s'),
    })
    .prefault({}),
  live: z
    .strictObject({
      arm: z.boolean().default(false),
      allowedSubAccounts: z.array(z.string()).default([]),
      firstDayQtyMax: count.default(1),
      assume: z.array(z.string()).default([]),
    })
    .prefault({}),
  money: z
    .strictObject({ accounts: z.array(z.string().min(1)).min(1), amountMax: moneyAboveZero })
    .optional(),
  simulator: z
    .strictObject({
      seed: z.int().min(0).default(1),
      speed: z.number().positive().max(10_000).default(1),
      hours: z.enum(['always_open', 'exchange']).default('always_open'),
      cash: wholeMoney.prefault(2_000_000_000),
      tape: pathText.optional(),
    })
    .prefault({}),
  risk: risk.prefault({}),
  reconcile: z.strictObject({ money: z.enum(['halt', 'alert']).default('halt') }).prefault({}),
  policies: z
    .strictObject({
      after: durationFrom('1s', '1h').prefault('30s'),
      nakedPosition: policy,
      tokenDead: policy,
      streamDead: policy,
      staleData: policy,
      unprovenPosition: policy,
      journalFailure: policy,
      diskFull: policy,
      clockJump: policy,
    })
    .prefault({}),
  poll: z
    .strictObject({
      bookFast: durationFrom('50ms', '1m').prefault('1s'),
      bookSlow: durationFrom('100ms', '10m').prefault('10s'),
      positions: durationFrom('100ms', '10m').prefault('10s'),
      account: durationFrom('100ms', '10m').prefault('20s'),
    })
    .prefault({}),
  lookUp: z
    .strictObject({ scans: count.min(3).default(3), spread: durationFrom('100ms', '1h').prefault('30s') })
    .prefault({}),
  unknown: z
    .strictObject({ resolve: z.enum(['operator', 'proven_absent']).default('operator') })
    .prefault({}),
  flatten: z
    .strictObject({
      slipTicks: count.default(5),
      attempts: count.default(5),
      retryAfter: durationFrom('100ms', '10m').prefault('3s'),
    })
    .prefault({}),
  stop: z
    .strictObject({
      orders: z.enum(['cancel', 'keep']).default('cancel'),
      positions: z.enum(['hold', 'flatten']).default('hold'),
      inAuction: z.enum(['wait', 'leave']).default('leave'),
    })
    .prefault({}),
  session: z
    .strictObject({
      cancelBeforeAuction: durationFrom('1s', '1h').prefault('30s'),
      flatBeforeClose: durationOrOff('1s', FLAT_BEFORE_MAX).prefault('5m'),
      tokenRefresh: z.array(timeText).min(1).default(['08:15', '12:40']),
      tokenRefreshBefore: durationFrom('1m', '7h').prefault('30m'),
      rollover: timeText.default('08:20'),
    })
    .prefault({}),
  retention: z
    .strictObject({
      backups: count.default(14),
      journalDays: count.default(30),
      framesDays: count.default(365),
      framesGigabytes: z.number().positive().default(20),
    })
    .prefault({}),
  operator: z
    .strictObject({
      controlPort: z.int().min(0).max(65_535).default(0),
      log: z.enum(['pretty', 'json']).default('pretty'),
      statusEvery: durationFrom('100ms', '1h').prefault('10s'),
      metrics: z
        .strictObject({
          port: z.int().min(0).max(65_535),
          address: ownAddress.default('127.0.0.1'),
          hosts: z.array(z.string().min(1).max(253)).default([]),
          token: secretFrom('TICKWRIGHT_METRICS_TOKEN'),
        })
        .optional(),
      cockpit: z
        .strictObject({
          enabled: z.boolean().default(true),
          address: ownAddress.default('127.0.0.1'),
          port: z.int().min(0).max(65_535).default(0),
          hosts: z
            .array(z.string().regex(/^[\w.-]{1,253}$/, 'a name without scheme and port, like desk.example'))
            .default([]),
          behindProxy: z.boolean().default(false),
        })
        .prefault({}),
    })
    .prefault({}),
  alerts: alertsSchema,
  strategies: z.array(strategy).min(1),
});

export type ConfigFile = z.output<typeof configSchema>;
