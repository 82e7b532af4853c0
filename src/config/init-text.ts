/** The configuration that `tickwright init` writes: commented YAML without secrets, and never one that trades real money. */
import type { SecretPlace } from './config.ts';

export interface InitStrategy {
  readonly id: string;
  readonly strategy: string;
  readonly summary: string;
  readonly symbols: readonly string[];
  /** `value` as YAML; null leaves the parameter out. */
  readonly params: readonly {
    readonly name: string;
    readonly type: string;
    readonly value: string | null;
    readonly meaning: string;
  }[];
}

export type InitChannel =
  | { readonly kind: 'telegram'; readonly user: number; readonly token: SecretPlace }
  | {
      readonly kind: 'email';
      readonly host: string;
      /** Null where the server asks for no password. */
      readonly login: { readonly user: string; readonly password: SecretPlace } | null;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'webhook'; readonly preset: string; readonly url: SecretPlace };

export interface InitAnswers {
  readonly file: string;
  readonly state: string;
  /** Relative to the file. */
  readonly market: string;
  /** Null for paper. */
  readonly broker: {
    readonly custodyCode: string;
    readonly subAccountId: string;
    readonly restUrl: string;
    readonly streamUrl: string;
    readonly apiKey: SecretPlace;
  } | null;
  readonly strategies: readonly InitStrategy[];
  readonly orderQtyMax: number;
  readonly positionMax: number;
  readonly dailyLossMax: number;
  /** Distance of the stop that each position has at the broker; 0 for none. */
  readonly stopTicks: number;
  readonly channels: readonly InitChannel[];
}

export function initText(answers: InitAnswers): string {
  const { broker } = answers;
  return [
    '# No secrets belong into this file. config/README.md explains each setting, and',
    `# tickwright check ${answers.file}`,
    '# prints all of them with their defaults.',
    '',
    ...(broker === null ? PAPER : DRY_RUN),
    `state: ${text(answers.state)} # journal, recordings, reports`,
    `market: ${text(answers.market)} # hours, contracts and costs of the exchange`,
    '',
    ...(broker === null ? SIMULATOR : brokerLines(broker)),
    ...riskLines(answers),
    ...alertLines(answers),
    'strategies:',
    ...answers.strategies.flatMap((strategy) => strategyLines(strategy, answers)),
    '',
  ].join('\n');
}

const PAPER = ['# Orders go to the simulated broker inside the program, never to a real one.', 'mode: paper'];

const DRY_RUN = [
  '# A dry run does everything except sending orders. `mode: live` TRADES WITH REAL',
  '# MONEY; it also needs live.arm: true, and TICKWRIGHT_ARM=yes in the environment.',
  'mode: dry-run',
];

const SIMULATOR = [
  'broker:',
  '  requestsPerSecond: 20 # the simulated broker is next door',
  '',
  'simulator:',
  '  hours: always_open # or exchange: trades in the hours of the exchange alone',
  '',
];

const brokerLines = ({
  custodyCode,
  subAccountId,
  restUrl,
  streamUrl,
  apiKey,
}: NonNullable<InitAnswers['broker']>): readonly string[] => [
  'account:',
  `  custodyCode: ${text(custodyCode)}`,
  `  subAccountId: ${text(subAccountId)}`,
  '',
  'broker: # besides channels for alerts, the only hosts that are ever contacted',
  `  restUrl: ${text(restUrl)}`,
  `  streamUrl: ${text(streamUrl)}`,
  '  requestsPerSecond: 1',
  '',
  'auth:',
  apiKey.file === undefined
    ? `  apiKeyEnvironment: ${apiKey.environment} # holds the API key`
    : `  apiKeyFile: ${text(apiKey.file)} # holds the API key; mode 600`,
  '  # The one-time password is asked for in the terminal, by tickwright otp and in the',
  '  # chat; { from: command, command: [...] } or { from: file, path: ... } bring it too.',
  '  otp: { from: prompt }',
  '',
  'live:',
  '  arm: false # true lets mode live send orders',
  `  allowedSubAccounts: [${text(subAccountId)}] # orders go to no other`,
  '  firstDayQtyMax: 1 # contracts, on the first day with real money',
  '',
];

const riskLines = ({ broker, ...answers }: InitAnswers): readonly string[] => [
  'risk: # limits of the account',
  `  orderQtyMax: ${answers.orderQtyMax} # contracts of one order`,
  `  positionMax: ${answers.positionMax} # contracts held, long or short`,
  `  dailyLossMax: ${answers.dailyLossMax} # VND; entries stop there until tickwright resume`,
  ...(answers.stopTicks === 0
    ? ['  # protectiveStop: { distanceTicks: 100 } # a stop at the broker for each position']
    : [
        `  protectiveStop: { distanceTicks: ${answers.stopTicks} } # a stop at the broker for each position`,
        '  nakedSecondsMax: 30 # longest time without one, then policies.nakedPosition',
      ]),
  '',
  ...(answers.stopTicks === 0 || broker === null
    ? []
    : ['policies:', '  nakedPosition: flatten # or hold: alert, and leave the position', '']),
];

function alertLines({ channels }: InitAnswers): readonly string[] {
  if (channels.length === 0)
    return ['# alerts: # src/operator/README.md says how trouble reaches a phone', ''];
  return [
    'alerts: # src/operator/README.md; tickwright test-message tries the channels',
    '  channels:',
    ...channels.flatMap((channel) => channelLines(channel).map((line) => `    ${line}`)),
    "  # quiet: { from: '22:00', until: '07:00' } # what can wait, waits",
    '  # deadMansSwitch: { fail: true } # its address: TICKWRIGHT_DEAD_MAN_URL',
    '',
  ];
}

function channelLines(channel: InitChannel): readonly string[] {
  switch (channel.kind) {
    case 'telegram':
      return [
        '- id: phone',
        '  kind: telegram',
        `  chat: ${channel.user}`,
        `  users: [${channel.user}] # who may send commands`,
        ...secretLines('token', channel.token),
      ];
    case 'email':
      return [
        '- id: mail',
        '  kind: email',
        `  host: ${text(channel.host)} # port 587 with STARTTLS`,
        `  from: ${text(channel.from)}`,
        `  to: [${text(channel.to)}]`,
        ...(channel.login === null
          ? []
          : [`  user: ${text(channel.login.user)}`, ...secretLines('password', channel.login.password)]),
      ];
    case 'webhook':
      return [
        '- id: team',
        '  kind: webhook',
        `  preset: ${channel.preset}`,
        ...secretLines('url', channel.url),
      ];
  }
}

const secretLines = (key: string, { environment, file }: SecretPlace): readonly string[] =>
  file === undefined
    ? [`  ${key}: { environment: ${environment} }`]
    : [`  ${key}: { file: ${text(file)} } # mode 600`];

function strategyLines(
  { id, strategy, summary, symbols, params }: InitStrategy,
  { positionMax, dailyLossMax }: InitAnswers,
): readonly string[] {
  const given = params.filter((row) => row.value !== null);
  return [
    `  # ${summary}`,
    `  - id: ${text(id)}`,
    `    strategy: ${text(strategy)}`,
    `    symbols: [${symbols.map(text).join(', ')}] # F1M is the front month, F2M the next`,
    '    overnight: false # true keeps the position over the close',
    '    risk:',
    `      positionMax: ${positionMax}`,
    `      dailyLossMax: ${dailyLossMax}`,
    given.length === 0 ? '    params: {}' : '    params:',
    ...given.map((row) => `      ${row.name}: ${row.value} # ${row.type}: ${row.meaning}`),
  ];
}

const PLAIN = /^[A-Za-z][\w./-]*$/;
const WORDS_OF_YAML = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text that YAML takes for nothing else; JSON is YAML. */
const text = (value: string): string =>
  PLAIN.test(value) && !WORDS_OF_YAML.test(value) ? value : JSON.stringify(value);
