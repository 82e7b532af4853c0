/** Schema of the main file. Every default is safe, so a first file needs ten lines. */
import { z } from 'zod';
import {
  address,
  contracts,
  count,
  durationFrom,
  durationOrOff,
  firstOf,
  flag,
  moneyAboveZero,
  paperCash,
  pathText,
  percent,
  section,
  timeOfDay,
  timeText,
} from './values.ts';
import { Document, isScalar, visit } from 'yaml';
import { assert } from '../domain/assert.ts';

// Schema of `alerts`: how the daemon reaches its operator. Secrets come from the environment or a file, never from here.

const variable = (name: string) =>
  z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, `the name of an environment variable, like ${name}`)
    .default(name);

const secretFrom = (environment: string) =>
  z
    .strictObject({ environment: variable(environment), file: pathText.optional() })
    .meta({ unit: 'environment, file' })
    .prefault({});

const span = (usual: string, least: string, most: string) => durationFrom(least, most).prefault(usual);
const port = z.int().min(0).max(65_535);
const id = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name of at most 32 small letters, digits and dashes');

const head = {
  id: id.describe('Name of the channel, once in the file'),
  least: z
    .enum(['info', 'warning', 'critical'])
    .default('warning')
    .describe('Alerts below this severity are left out'),
  perMinute: count.max(60).default(20).describe('Messages a minute; more leave as one'),
};

const line = z.string().min(1).max(200);

const channel = z.discriminatedUnion('kind', [
  z.strictObject({
    ...head,
    kind: z.literal('telegram'),
    token: secretFrom('TICKWRIGHT_TELEGRAM_TOKEN').describe('Token of the bot'),
    chat: z.int().describe('Chat that gets the messages'),
    users: z.array(count).default([]).describe('Users whose commands are taken'),
    apiUrl: address('https://host/').default('https://api.telegram.org').describe('Address of the service'),
  }),
  z.strictObject({
    ...head,
    kind: z.literal('email'),
    host: line.describe('Mail server'),
    port: count.max(65_535).default(587).describe('Its port'),
    secure: flag.describe('TLS at once; `false`: STARTTLS'),
    from: line.describe('Sender'),
    to: z.array(line).min(1).describe('Receivers'),
    user: line.optional().describe('User of the mail server'),
    password: secretFrom('TICKWRIGHT_SMTP_PASSWORD').describe('Password of that user'),
  }),
  z.strictObject({
    ...head,
    kind: z.literal('webhook'),
    url: secretFrom('TICKWRIGHT_WEBHOOK_URL').describe('Address that takes the message'),
    preset: z.enum(['slack', 'discord', 'ntfy', 'gotify']).optional().describe('Format of a known service'),
    template: z.string().min(1).max(10_000).optional().describe('Your own format, not a preset'),
  }),
]);

const alertsSchema = section({
  channels: z.array(channel).default([]).describe('Ways to a person, the first that works'),
  repeatAfter: span('15m', '1m', '24h').describe('The same alert is sent once in this time'),
  escalateAfter: span('10m', '1m', '24h').describe('A critical alert nobody acknowledged is sent again'),
  quiet: z
    .strictObject({
      from: timeOfDay.describe('Start of the quiet hours'),
      until: timeOfDay.describe('End of the quiet hours, in the time of the exchange'),
    })
    .optional(),
  remindOtpEvery: span('5m', '1m', '4h').describe('Reminders while a one-time password is awaited'),
  dailyReport: z.boolean().default(true).describe('A message after the close'),
  deadMansSwitch: z
    .strictObject({
      url: secretFrom('TICKWRIGHT_DEAD_MAN_URL').describe('Address that is called while all is well'),
      every: span('1m', '10s', '1h').describe('Time between two calls'),
      start: flag.describe('The service knows `/start`'),
      fail: flag.describe('The service knows `/fail`'),
    })
    .optional(),
});

const SECONDS_A_DAY = 86_400;

const risk = z.strictObject({
  orderQtyMax: contracts.prefault(5).describe('Largest quantity of one order'),
  collarPercent: percent.prefault(2).describe('Furthest limit price from the last trade'),
  positionMax: contracts.prefault(10).describe('Largest position on a side; strategies are not netted'),
  openOrdersMax: count.default(10).describe('Orders that work at once'),
  ordersPerSecondMax: count.default(5).describe('Orders within a second'),
  ordersPerMinuteMax: count.default(60).describe('Orders within a minute'),
  dataAgeMax: span('15s', '1s', '1h').describe('Oldest price that an entry may use'),
  dailyLossMax: moneyAboveZero
    .prefault(50_000_000)
    .describe('Loss of a day at which entries stop until a resume'),
  accountAgeMax: span('60s', '1s', '1h').describe('Oldest account figures that an entry may use'),
  marginUsePercent: percent.prefault(80).describe('Part of the buying power that entries may use'),
  sameRejectionsMax: count.default(3).describe('After so many refusals an order is tried once a minute'),
  clockSkewMax: span('10s', '100ms', '1m').describe('A larger difference of clocks stops entries'),
  auctionEntries: flag.describe('Entries may go into auctions, where nothing can be withdrawn'),
  selfTradePrevention: z.literal(true).default(true).describe('Orders of ours never meet each other'),
  messagesPerMinuteMax: count.default(300).describe('Calls a minute at which entries stop until a resume'),
  rejectionsPerMinuteMax: count
    .default(20)
    .describe('Refusals a minute at which entries stop until a resume'),
  drawdownMax: moneyAboveZero.optional().describe('Fall from the peak of net assets, as `dailyLossMax`'),
  protectiveStop: z
    .strictObject({
      distanceTicks: count.describe('Ticks from the average entry to a stop at the broker'),
      slipTicks: count.default(20).describe('Ticks from its trigger to its limit'),
    })
    .optional()
    .describe('A stop at the broker for each position of a strategy'),
  nakedSecondsMax: count
    .max(SECONDS_A_DAY)
    .default(30)
    .describe('Seconds without a stop until `policies.nakedPosition` acts'),
  onOrphan: firstOf('hold', 'protect', 'flatten').describe(
    'Position whose strategy is stopped. `hold` leaves it with its stops, `protect` relies on `risk.protectiveStop`, `flatten` closes it.',
  ),
});

export const FLAT_BEFORE_MAX = '4h';

const policy = firstOf('hold', 'cancel_orders', 'flatten');

const strategyRisk = z.strictObject({
  positionMax: contracts.prefault(1).describe('Largest position of the strategy'),
  dailyLossMax: moneyAboveZero.prefault(20_000_000).describe('Its loss of a day at which its entries stop'),
  openOrdersMax: count.default(2).describe('Its orders that work at once'),
});

const strategy = z.strictObject({
  id: id.describe('Name in orders, tables and alerts, once in the file'),
  strategy: z.string('the name of a strategy').describe('Built-in name, path like `./mine.ts`, or package'),
  symbols: z.array(z.string().min(1)).min(1).describe('A contract a leg: `VN30F1M`, `VN30F2M` or a code'),
  overnight: flag.describe('The position stays over the close'),
  onExpiry: firstOf('flatten', 'hold').describe('What happens to a position before expiry'),
  risk: strategyRisk.prefault({}),
  params: z.record(z.string(), z.unknown()).default({}).describe('Its parameters: `tickwright strategies`'),
});

const otp = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('simulator') }),
  z.strictObject({ from: z.literal('prompt') }),
  z.strictObject({
    from: z.literal('command'),
    command: z.array(z.string()).min(1).describe('Program and arguments; it prints the password'),
    timeout: span('60s', '1s', '10m').describe('Longest time that it may take'),
  }),
  z.strictObject({
    from: z.literal('file'),
    path: pathText.describe('File that brings the password'),
    timeout: span('5m', '1s', '1h').describe('Longest time to wait for it'),
  }),
]);

const ownAddress = z
  .string()
  .refine(
    (text) => z.ipv4().safeParse(text).success || z.ipv6().safeParse(text).success,
    'an IP address of this machine, like 127.0.0.1',
  )
  .meta({ unit: 'IP address' });

export const configSchema = z.strictObject({
  mode: z.enum(['paper', 'live', 'dry-run']).describe('Paper, real money, or everything except sending'),
  state: pathText.default('var').describe('Directory of journal, frames, token and paper account'),
  market: pathText.describe('Market file, next to this one'),
  account: z
    .strictObject({
      custodyCode: z.string().min(1).describe('Custody account; needed in `dry-run` and `live`'),
      subAccountId: z.string().min(1).describe('Its sub-account for derivatives'),
    })
    .optional(),
  auth: section({
    otp: otp
      .optional()
      .describe(
        'Source of the one-time password. Not set: the simulator on paper, else the prompt, `tickwright otp` and the chat.',
      ),
    otpRoute: firstOf('app', 'request').describe('`request` asks the broker for an `otpId` first'),
    apiKeyEnvironment: variable('TICKWRIGHT_API_KEY').describe('Variable that holds the API key'),
    apiKeyFile: pathText.optional().describe('File with it instead; mode 600'),
  }),
  broker: section({
    restUrl: address('https://host/').optional().describe('REST API; needed with real money'),
    streamUrl: address('wss://host/').optional().describe('Price stream; needed with real money'),
    requestsPerSecond: z
      .number()
      .min(0.01)
      .max(100)
      .default(1)
      .describe('Pace of all calls; on paper times the speed'),
    requestTimeout: span('10s', '100ms', '2m').describe('Longest wait for an answer; then it is unknown'),
  }),
  live: section({
    arm: flag.describe('`true` lets mode `live` send orders'),
    allowedSubAccounts: z.array(z.string()).default([]).describe('Sub-accounts that orders may go to'),
    firstDayQtyMax: count.default(1).describe('Largest order on the first day of real money'),
    assume: z.array(z.string()).default([]).describe('Open readings that you accept: `tickwright doctor`'),
  }),
  money: z
    .strictObject({
      accounts: z.array(z.string().min(1)).min(1).describe('Sub-accounts that money may move between'),
      amountMax: moneyAboveZero.describe('Most of one deposit or transfer'),
    })
    .optional(),
  simulator: section({
    seed: z.int().min(0).default(1).describe('Seed of the simulated market'),
    speed: z
      .number()
      .positive()
      .max(10_000)
      .default(1)
      .describe('Speed of its clock; a tape waits for the daemon'),
    hours: firstOf('always_open', 'exchange').describe('Trading hours on paper'),
    cash: paperCash.prefault(2_000_000_000).describe('Opening balance of the paper account'),
    tape: pathText.optional().describe('Recorded day to trade instead of a made one'),
  }),
  risk: risk.prefault({}),
  reconcile: section({
    money: firstOf('halt', 'alert').describe(
      "Fee, tax, profit or cash differs from the broker's. `halt` stops entries until a person resumes, `alert` only alerts.",
    ),
  }),
  policies: section({
    after: span('30s', '1s', '1h').describe('Length of a failure in trading hours before its policy acts'),
    nakedPosition: policy.describe(
      'A position has no stop for `risk.nakedSecondsMax`. `hold` alerts, `cancel_orders` withdraws entries too, `flatten` also closes the positions of strategies; no policy lets entries go on.',
    ),
    tokenDead: policy.describe('The token is dead'),
    streamDead: policy.describe('The price stream is gone'),
    staleData: policy.describe('No contract has fresh prices'),
    unprovenPosition: policy.describe('Positions are not proven'),
    journalFailure: policy.describe('The journal cannot be written'),
    diskFull: policy.describe('The disk is full'),
    clockJump: policy.describe('The clock of the machine jumped'),
  }),
  poll: section({
    bookFast: span('1s', '50ms', '1m').describe('Reads of the order book while orders work'),
    bookSlow: span('10s', '100ms', '10m').describe('Reads of the order book otherwise'),
    positions: span('10s', '100ms', '10m').describe('Reads of positions'),
    account: span('20s', '100ms', '10m').describe('Reads of buying power and cash'),
  }),
  lookUp: section({
    scans: count.min(3).default(3).describe('Scans of the book that prove an absent order'),
    spread: span('30s', '100ms', '1h').describe('Least time from the first scan to the last'),
  }),
  unknown: section({
    resolve: firstOf('operator', 'proven_absent').describe(
      'Who ends an order that never arrived. `operator` is a person, `proven_absent` the proof of its absence once positions agree. That proof always ends an order that would close a position which is being flattened.',
    ),
  }),
  flatten: section({
    slipTicks: count.default(5).describe('Ticks beyond the best price of each attempt'),
    attempts: count.default(5).describe('Attempts before a person is alerted'),
    retryAfter: span('3s', '100ms', '10m').describe('Time between two attempts; on bars a bar or more'),
  }),
  stop: section({
    orders: firstOf('cancel', 'keep').describe('Entries, when the daemon stops'),
    positions: firstOf('hold', 'flatten').describe('Positions, when the daemon stops'),
    inAuction: firstOf('leave', 'wait').describe('Orders in an auction, when the daemon stops'),
  }),
  session: section({
    cancelBeforeAuction: span('30s', '1s', '1h').describe(
      'Entries are withdrawn this long before an auction',
    ),
    flatBeforeClose: durationOrOff('1s', FLAT_BEFORE_MAX)
      .prefault('5m')
      .describe(
        'Positions are closed this long before the close. What is left goes into the closing auction, at the floor or ceiling. `off` closes nothing: every strategy is `overnight: true`, `onExpiry: hold`.',
      ),
    tokenRefresh: z
      .array(timeText)
      .min(1)
      .prefault(['08:15', '12:40'])
      .describe('Times at which a token is fetched'),
    tokenRefreshBefore: span('30m', '1m', '7h').describe('A token that ends sooner is renewed'),
    rollover: timeText
      .prefault('08:20')
      .describe('When contracts are read; `F1M` moves after its last close'),
  }),
  retention: section({
    backups: count.default(14).describe('Copies of journal and reports in `backups`, one a trading day'),
    journalDays: count.default(30).describe('Older sessions move from `journal.db` to files in `archive`'),
    framesDays: count.default(365).describe('Days of packed frames; a day without frames cannot be replayed'),
    framesGigabytes: z
      .number()
      .positive()
      .default(20)
      .describe('Gigabytes of packed frames; the oldest are deleted'),
  }),
  operator: section({
    controlPort: port.default(0).describe('Port of the control API; 0: any'),
    log: firstOf('pretty', 'json').describe('Lines for people or for programs'),
    statusEvery: span('10s', '100ms', '1h').describe('Time between two status lines'),
    metrics: z
      .strictObject({
        port: port.describe('Port for Prometheus; 0: any'),
        address: ownAddress
          .default('127.0.0.1')
          .describe('Beyond this machine a token of 16 characters is needed'),
        hosts: z.array(z.string().min(1).max(253)).default([]).describe('Names that requests may use'),
        token: secretFrom('TICKWRIGHT_METRICS_TOKEN').describe('Token that requests must carry'),
      })
      .optional(),
    cockpit: section({
      enabled: z.boolean().default(true).describe('The page in the browser'),
      address: ownAddress.default('127.0.0.1').describe('Beyond this machine `behindProxy` is needed'),
      port: port.default(0).describe('Its port; 0: any'),
      hosts: z
        .array(z.string().regex(/^[\w.-]{1,253}$/, 'a name without scheme and port, like desk.example'))
        .default([])
        .describe('Names that browsers ask a proxy for'),
      behindProxy: flag.describe('A proxy with TLS is in front'),
    }),
  }),
  alerts: alertsSchema,
  cluster: z
    .strictObject({
      url: address('nats://host:4222').describe('NATS server with JetStream, 2.11 or newer'),
      user: line.optional().describe('User of the server'),
      password: secretFrom('TICKWRIGHT_NATS_PASSWORD').describe('Password of that user'),
      credentials: pathText.optional().describe('File of credentials instead'),
      tls: z
        .strictObject({
          ca: pathText.optional().describe('File with the certificates to trust'),
          cert: pathText.optional().describe('File with the certificate of this machine'),
          key: pathText.optional().describe('File with its key'),
        })
        .optional(),
      feed: z
        .strictObject({
          role: z.enum(['publish', 'read']).describe('`publish` gives prices to others, `read` takes theirs'),
          name: id.default('prices').describe('Name of the feed'),
          keepDays: count.default(7).describe('Days that the server keeps'),
          keepGigabytes: z.number().positive().default(10).describe('Gigabytes that it keeps'),
          delay: span('250ms', '1ms', '900ms').describe('Lag of the clock of a reader, longer than the way'),
        })
        .optional(),
    })
    .optional(),
  strategies: z.array(strategy).min(1).describe('What trades: a list, one entry a strategy'),
});

export type ConfigFile = z.output<typeof configSchema>;

/** The configuration as the file writes it: durations, percentages and times in their units. It holds no secrets, only their places. */
export const writtenConfig = (file: ConfigFile): z.input<typeof configSchema> => z.encode(configSchema, file);

/** A line of a section, with the meaning of its key as the comment. */
export function commentedLine(section: 'auth' | 'live' | 'risk', key: string, value: unknown): string {
  const meaning = Object.entries(configSchema.shape[section].unwrap().shape).find(
    ([name]) => name === key,
  )?.[1].description;
  assert(meaning !== undefined, `${section}.${key} has a meaning`);
  return `  ${key}: ${String(value)} # ${meaning}`;
}

/** Lists of plain values stay on one line. */
export function configText(file: ConfigFile): string {
  const document = new Document(writtenConfig(file), { aliasDuplicateObjects: false });
  visit(document, {
    Seq(_, list) {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
