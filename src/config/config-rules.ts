/** Rules between sections of a configuration: assumptions, files, limits, modes. */
import { statSync } from 'node:fs';
import { aliasesOf, underlyingOf } from '../domain/contract-code.ts';
import { type Assumption, ASSUMPTIONS } from '../domain/settings.ts';
import { US_PER_SECOND } from '../domain/units.ts';
import type { ConfigFile } from './config-schema.ts';
import { meantHint, type Problem } from './problem.ts';
import type { MarketDefinition } from './market-file.ts';
import type { YamlSource } from './yaml-source.ts';

/** Paper assumes every open reading of the contract; a real broker only those the trader accepts (rulings, 13). */
export const assumedBy = ({ mode, live }: Pick<ConfigFile, 'mode' | 'live'>): readonly Assumption[] =>
  mode === 'paper' ? ASSUMPTIONS : ASSUMPTIONS.filter((each) => live.assume.includes(each));

const RULES = [
  modeProblems,
  fileProblems,
  closingProblems,
  alertProblems,
  metricsProblems,
  cockpitProblems,
  portProblems,
  clusterProblems,
];

/** Mistakes that no schema shows, those against the market apart. */
export const configProblems = (source: YamlSource, file: ConfigFile): readonly Problem[] =>
  RULES.flatMap((rule) => rule(source, file));

// Files that a configuration names must exist before anything starts.

const FROM_START = 'the path counts from where the program is started';

function fileProblems(source: YamlSource, { mode, auth, simulator }: ConfigFile): readonly Problem[] {
  const named =
    mode === 'paper'
      ? [{ path: ['simulator', 'tape'], file: simulator.tape, what: 'a tape that is there' }]
      : [{ path: ['auth', 'apiKeyFile'], file: auth.apiKeyFile, what: 'a file with the API key' }];
  const problems = named
    .filter(({ file }) => file !== undefined && !isFile(file))
    .map(({ path, what }) => source.problem(path, what, FROM_START));
  const { apiKeyFile } = auth;
  if (mode === 'paper' || problems.length > 0 || apiKeyFile === undefined) return problems;
  return exposedProblems(source, ['auth', 'apiKeyFile'], apiKeyFile);
}

/** Bits of group and world. */
const OTHERS = 0o077;

/** Whether others than its owner can read or write the file of a secret, which is there. */
export const isExposed = (file: string): boolean => (statSync(file).mode & OTHERS) !== 0;

const exposedProblems = (source: YamlSource, at: readonly (string | number)[], file: string): Problem[] =>
  isExposed(file) ? [source.problem(at, 'a file that only its owner may read', `chmod 600 ${file}`)] : [];

/** Files with secrets, names of channels, formats of webhooks. */
function alertProblems(source: YamlSource, { alerts }: ConfigFile): readonly Problem[] {
  const { channels, deadMansSwitch: dead } = alerts;
  const problems =
    dead === undefined ? [] : secretProblems(source, ['alerts', 'deadMansSwitch', 'url'], dead.url);
  for (const [i, channel] of channels.entries()) {
    const path = ['alerts', 'channels', i];
    if (channels.findIndex(({ id }) => id === channel.id) !== i)
      problems.push(source.problem([...path, 'id'], 'a name of its own for each channel'));
    switch (channel.kind) {
      case 'telegram':
        problems.push(...secretProblems(source, [...path, 'token'], channel.token));
        if (!isAddress(channel.apiUrl, 'http')) {
          const hint = 'plain http is for this machine alone';
          problems.push(source.problem([...path, 'apiUrl'], 'an address with https://', hint));
        }
        break;
      case 'email':
        problems.push(...secretProblems(source, [...path, 'password'], channel.password));
        break;
      case 'webhook':
        problems.push(...secretProblems(source, [...path, 'url'], channel.url));
        if ((channel.preset === undefined) === (channel.template === undefined)) {
          const hint = 'preset is one of slack, discord, ntfy, gotify';
          problems.push(source.problem(path, 'either preset or template', hint, 'both or none'));
        }
    }
  }
  return problems;
}

function metricsProblems(source: YamlSource, { operator: { metrics } }: ConfigFile): readonly Problem[] {
  return metrics === undefined ? [] : secretProblems(source, ['operator', 'metrics', 'token'], metrics.token);
}

/** Prices of a feed are for paper: an account with real money has a stream of its own, and its broker's clock. */
function clusterProblems(source: YamlSource, { mode, cluster }: ConfigFile): readonly Problem[] {
  if (cluster === undefined) return [];
  const { user, password, feed } = cluster;
  const problems = user === undefined ? [] : secretProblems(source, ['cluster', 'password'], password);
  for (const [key, file] of Object.entries({ credentials: cluster.credentials, ...cluster.tls }))
    if (file !== undefined && !isFile(file)) {
      const path = key === 'credentials' ? ['cluster', key] : ['cluster', 'tls', key];
      problems.push(source.problem(path, 'a file that is there', FROM_START));
    }
  if (feed?.role === 'read' && mode !== 'paper')
    problems.push(
      source.problem(['cluster', 'feed', 'role'], `publish in mode ${mode}`, 'a feed is read on paper alone'),
    );
  return problems;
}

/** Beyond this machine nothing goes in the clear. */
function cockpitProblems(source: YamlSource, { operator: { cockpit } }: ConfigFile): readonly Problem[] {
  const { address, hosts, behindProxy } = cockpit;
  const at = ['operator', 'cockpit'];
  const problems: Problem[] = [];
  if (!OWN_ADDRESS.test(address) && !behindProxy) {
    const expected = 'an address of this machine alone, like 127.0.0.1, or behindProxy: true';
    const hint = 'src/operator/README.md shows a tunnel and a reverse proxy';
    problems.push(source.problem([...at, 'address'], expected, hint));
  }
  if (behindProxy && hosts.length === 0) {
    const hint = 'the name that the browser asks the proxy by';
    problems.push(source.keyProblem(at, 'behindProxy', 'hosts with it', hint));
  }
  return problems;
}

/** Each is served by a socket of its own; 0 is any. */
function portProblems(source: YamlSource, { operator }: ConfigFile): readonly Problem[] {
  const { controlPort, metrics, cockpit } = operator;
  const ports: readonly (readonly [path: readonly string[], port: number])[] = [
    [['controlPort'], controlPort],
    [['metrics', 'port'], metrics?.port ?? 0],
    [['cockpit', 'port'], cockpit.enabled ? cockpit.port : 0],
  ];
  return ports
    .filter(([, port], at) => port !== 0 && ports.findIndex((each) => each[1] === port) !== at)
    .map(([path]) => source.problem(['operator', ...path], 'a port of its own', 'another section has it'));
}

function secretProblems(
  source: YamlSource,
  path: readonly (string | number)[],
  { file }: { readonly file?: string | undefined },
): Problem[] {
  if (file === undefined) return [];
  const at = [...path, 'file'];
  if (!isFile(file)) return [source.problem(at, 'a file with the secret', FROM_START)];
  return exposedProblems(source, at, file);
}

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

type ClosingTerms = Pick<ConfigFile, 'session' | 'strategies'>;

/** Where nothing is closed before the close, positions stay overnight and into settlement. */
export function withKeptPositions<T extends ClosingTerms>(file: T): T {
  if (file.session.flatBeforeClose !== null) return file;
  const kept = { overnight: true, onExpiry: 'hold' } as const;
  return { ...file, strategies: file.strategies.map((each) => ({ ...each, ...kept })) };
}

/** A strategy that is to be flat all the same. */
export function closingProblems(
  source: YamlSource,
  { session, strategies }: ClosingTerms,
): readonly Problem[] {
  if (session.flatBeforeClose !== null) return [];
  const hint = 'session.flatBeforeClose is off: write a duration there, or leave this out';
  const wrong = (i: number, key: string, value: unknown, expected: string): readonly Problem[] => {
    const path = ['strategies', i, key];
    return source.at(path) === value ? [source.problem(path, expected, hint)] : [];
  };
  return strategies.flatMap((_, i) => [
    ...wrong(i, 'overnight', false, 'true where nothing is closed before the close'),
    ...wrong(i, 'onExpiry', 'flatten', 'hold where nothing is closed before the close'),
  ]);
}

// Limits and contracts of the main file must fit its market.

export function limitProblems(
  source: YamlSource,
  file: Pick<ConfigFile, 'risk' | 'strategies'>,
  { contracts }: Pick<MarketDefinition, 'contracts'>,
): readonly Problem[] {
  return [
    ...qtyProblems(source, file, contracts),
    ...orphanProblems(source, file),
    ...symbolProblems(source, file, Object.keys(contracts)),
  ];
}

function orphanProblems(source: YamlSource, { risk }: Pick<ConfigFile, 'risk'>): readonly Problem[] {
  if (risk.onOrphan !== 'protect' || risk.protectiveStop !== undefined) return [];
  const hint = 'add risk.protectiveStop: { distanceTicks: ... }, which keeps the stop';
  return [source.problem(['risk', 'onOrphan'], 'hold or flatten without risk.protectiveStop', hint)];
}

function qtyProblems(
  source: YamlSource,
  { risk }: Pick<ConfigFile, 'risk'>,
  contracts: MarketDefinition['contracts'],
): readonly Problem[] {
  const most = Math.max(...Object.values(contracts).map(({ orderQtyMax }) => orderQtyMax));
  if (risk.orderQtyMax <= most) return [];
  return [source.problem(['risk', 'orderQtyMax'], `at most ${most}`, 'the exchange takes no larger order')];
}

function symbolProblems(
  source: YamlSource,
  { strategies }: Pick<ConfigFile, 'strategies'>,
  underlyings: readonly string[],
): readonly Problem[] {
  const aliases = aliasesOf(underlyings);
  return strategies.flatMap(({ symbols }, i) =>
    symbols.flatMap((symbol, j) => {
      const path = ['strategies', i, 'symbols', j];
      if (!underlyings.includes(underlyingOf(symbol) ?? '')) {
        const otherwise = 'F1M is the front month, F2M the next; a contract code goes too';
        const expected = `a contract of this market, like ${aliases[0] ?? ''}`;
        return [source.problem(path, expected, meantHint(symbol, aliases, otherwise))];
      }
      if (symbols.indexOf(symbol) === j) return [];
      return [source.problem(path, 'another contract for each leg')];
    }),
  );
}

// Requirements of each mode. Real money needs every guard in the file (fail closed).

/** An order is proven absent by scans of the book that are spread over this long (rulings, 8). */
const ABSENCE_SPREAD_MIN = 30 * US_PER_SECOND;
const OWN_ADDRESS = /^(127(\.\d+){3}|::1)$/;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function modeProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  return file.mode === 'paper' ? paperProblems(source, file) : brokerProblems(source, file);
}

function paperProblems(source: YamlSource, { broker }: ConfigFile): readonly Problem[] {
  const hint = 'paper trades with the embedded simulator; remove it';
  return (['restUrl', 'streamUrl'] as const)
    .filter((key) => broker[key] !== undefined)
    .map((key) => source.keyProblem(['broker'], key, 'no broker address in mode paper', hint));
}

function brokerProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  const { mode, account, auth, lookUp } = file;
  const problems = [...addressProblems(source, file)];
  if (account === undefined) {
    const hint = 'add account: { custodyCode, subAccountId }';
    problems.push(source.problem(['account'], `an account in mode ${mode}`, hint));
  }
  if (auth.otp?.from === 'simulator') {
    const hint = 'the simulator is for paper only';
    problems.push(source.problem(['auth', 'otp', 'from'], 'prompt, command or file', hint));
  }
  if (lookUp.spread < ABSENCE_SPREAD_MIN) {
    const hint = 'an order that is not seen for less is not proven absent';
    problems.push(source.problem(['lookUp', 'spread'], 'a duration of at least 30s', hint));
  }
  return mode === 'live' ? [...problems, ...armProblems(source, file)] : problems;
}

function armProblems(source: YamlSource, { account, live }: ConfigFile): readonly Problem[] {
  const problems: Problem[] = [];
  if (!live.arm) {
    const hint = 'real orders are sent only with live.arm: true and TICKWRIGHT_ARM=yes in the environment';
    problems.push(source.problem(['live', 'arm'], 'true', hint));
  }
  if (account !== undefined && !live.allowedSubAccounts.includes(account.subAccountId)) {
    const expected = 'a list that names account.subAccountId';
    const hint = 'orders go to no account that is not listed';
    problems.push(source.problem(['live', 'allowedSubAccounts'], expected, hint));
  }
  return problems;
}

const SECURE = { restUrl: 'http', streamUrl: 'ws' } as const;

function addressProblems(source: YamlSource, { broker }: ConfigFile): readonly Problem[] {
  return (['restUrl', 'streamUrl'] as const).flatMap((key) => {
    const scheme = SECURE[key];
    const text = broker[key];
    if (text !== undefined && isAddress(text, scheme)) return [];
    const hint =
      text === undefined
        ? 'add it: no other host is ever contacted'
        : text.startsWith(`${scheme}:`)
          ? `plain ${scheme} is for this machine alone`
          : `write ${scheme}s:// in front of the host`;
    return [source.problem(['broker', key], `an address with ${scheme}s://`, hint)];
  });
}

/** Plain text to this machine alone. */
export function isAddress(text: string, scheme: 'http' | 'ws'): boolean {
  const url = new URL(text);
  return url.protocol === `${scheme}s:` || (url.protocol === `${scheme}:` && LOOPBACK.test(url.hostname));
}
