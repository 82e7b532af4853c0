/** What each mode demands. Real money needs every guard to be written down (fail closed). */
import { US_PER_SECOND } from '../domain/units.ts';
import type { ConfigFile } from './config-schema.ts';
import type { Problem } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

/** An order is proven absent by walks over the book that are spread over this long (rulings, 8). */
const ABSENCE_SPREAD_MIN = 30 * US_PER_SECOND;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function modeProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  return file.mode === 'paper' ? paperProblems(source, file) : brokerProblems(source, file);
}

function paperProblems(source: YamlSource, { broker }: ConfigFile): readonly Problem[] {
  return (['restUrl', 'streamUrl'] as const)
    .filter((key) => broker[key] !== undefined)
    .map((key) =>
      source.keyProblem(
        ['broker'],
        key,
        'no broker address in mode paper',
        'paper trades with the embedded simulator; remove it',
      ),
    );
}

function brokerProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  const { mode, account, auth, lookUp } = file;
  const problems = [...addressProblems(source, file)];
  const need = (missing: boolean, path: readonly string[], expected: string, hint: string): void => {
    if (missing) problems.push(source.problem(path, expected, hint));
  };
  need(
    account === undefined,
    ['account'],
    `an account in mode ${mode}`,
    'add account: { custodyCode, subAccountId }',
  );
  need(
    auth.otp?.from === 'simulator',
    ['auth', 'otp', 'from'],
    'prompt, command or file',
    'the simulator is for paper only',
  );
  need(
    lookUp.spread < ABSENCE_SPREAD_MIN,
    ['lookUp', 'spread'],
    'a duration of at least 30s',
    'an order that is not seen for less is not proven absent',
  );
  return mode === 'live' ? [...problems, ...armProblems(source, file)] : problems;
}

function armProblems(source: YamlSource, { account, live }: ConfigFile): readonly Problem[] {
  const problems: Problem[] = [];
  if (!live.arm) {
    const hint = 'real orders are sent only with live.arm: true and TICKWRIGHT_ARM=yes in the environment';
    problems.push(source.problem(['live', 'arm'], 'true', hint));
  }
  if (account !== undefined && !live.allowedSubAccounts.includes(account.subAccountId)) {
    const hint = 'orders go to no account that is not listed';
    problems.push(
      source.problem(['live', 'allowedSubAccounts'], 'a list that names account.subAccountId', hint),
    );
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

function isAddress(text: string, scheme: 'http' | 'ws'): boolean {
  const url = new URL(text);
  return url.protocol === `${scheme}s:` || (url.protocol === `${scheme}:` && LOOPBACK.test(url.hostname));
}
