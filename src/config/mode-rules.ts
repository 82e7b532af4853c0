/** What each mode demands. Real money needs every guard to be written down (fail closed). */
import type { ConfigFile } from './config-schema.ts';
import type { Problem } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export function modeProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  return file.mode === 'paper' ? paperProblems(source, file) : brokerProblems(source, file);
}

function paperProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  const problems: Problem[] = [];
  if (file.broker.restUrl !== undefined || file.broker.streamUrl !== undefined) {
    problems.push(
      source.problem(
        ['broker'],
        'no broker address in mode paper',
        'paper trades with the embedded simulator; remove restUrl and streamUrl',
      ),
    );
  }
  return problems;
}

function brokerProblems(source: YamlSource, file: ConfigFile): readonly Problem[] {
  const problems: Problem[] = [];
  const need = (missing: boolean, path: readonly string[], expected: string, hint: string): void => {
    if (missing) problems.push(source.problem(path, expected, hint));
  };
  const { mode, account, broker, live } = file;
  need(
    account === undefined,
    ['account'],
    `an account in mode ${mode}`,
    'add account: { custodyCode, subAccountId }',
  );
  need(
    !isAddress(broker.restUrl, 'http'),
    ['broker', 'restUrl'],
    'an https address',
    'plain http is for loopback only',
  );
  need(
    !isAddress(broker.streamUrl, 'ws'),
    ['broker', 'streamUrl'],
    'a wss address',
    'plain ws is for loopback only',
  );
  need(
    file.auth.otp?.from === 'simulator',
    ['auth', 'otp'],
    'prompt, command or file',
    'the simulator is for paper only',
  );
  if (mode === 'live') {
    need(
      !live.arm,
      ['live', 'arm'],
      'true',
      'real orders are sent only with live.arm: true and TICKWRIGHT_ARM=yes in the environment',
    );
    need(
      account !== undefined && !live.allowedSubAccounts.includes(account.subAccountId),
      ['live', 'allowedSubAccounts'],
      'a list that names the sub-account',
      'orders go to no account that is not listed',
    );
  }
  return problems;
}

function isAddress(text: string | undefined, scheme: 'http' | 'ws'): boolean {
  if (text === undefined) return false;
  const url = new URL(text);
  return url.protocol === `${scheme}s:` || (url.protocol === `${scheme}:` && LOOPBACK.test(url.hostname));
}
