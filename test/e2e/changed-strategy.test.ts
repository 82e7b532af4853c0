/** Between two starts in one session the configuration changes: nobody loses a position, and nothing is called a difference. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { journalEntries, MAIN, resolveAbsent, startDaemon, until, workplace } from './daemon-process.ts';

const WITH_TWO = BUSY_CONFIG.replace(
  'strategies:\n',
  `strategies:
  - id: leaving
    strategy: ema-cross
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000, openOrdersMax: 4 }
    params: { barSeconds: 1, fast: 1, slow: 3, restSeconds: 1, repriceSeconds: 0.5 }
`,
);

test('39: new parameters in mid-session keep position and orders; who left keeps its own', async () => {
  const place = workplace(WITH_TWO);
  const first = startDaemon(place);
  const fillsOf = (name: string): number =>
    journalEntries(place).filter(({ strategyName, entry }) => strategyName === name && entry.kind === 'fill')
      .length;
  await first.line(/live/);
  await until(() => (fillsOf('busy') > 0 && fillsOf('leaving') > 0 ? true : undefined));
  expect(await first.end('SIGKILL')).toBe('SIGKILL');
  const fills = fillsOf('busy');

  const text = readFileSync(place.config, 'utf8');
  const from = text.indexOf('  - id: leaving');
  const to = text.indexOf('  - id: busy');
  writeFileSync(place.config, (text.slice(0, from) + text.slice(to)).replace('slow: 2', 'slow: 4'));
  const second = startDaemon(place);
  await second.line(/parameters \w+ to \w+; its memory is rebuilt/);
  await until(async () => {
    await resolveAbsent(place);
    return fillsOf('busy') > fills ? true : undefined;
  });
  expect(await second.end('SIGINT'), second.output()).toBe(0);

  const entries = journalEntries(place);
  const of = (kind: string) =>
    entries.filter(({ entry }) => entry.kind === kind).map(({ strategyName }) => strategyName);
  expect(of('strategy_fault')).toEqual([]);
  expect(of('strategy_changed')).toEqual(['busy']);
  expect(of('strategy_stopped')).toEqual(['leaving']);
  expect(of('position_mismatch')).toEqual([]);
});

test('new parameters of a stopped strategy are no difference in a replay of the day', async () => {
  const place = workplace(BUSY_CONFIG);
  const tickwright = (...command: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, ...command, '--state', place.state], { encoding: 'utf8' });
  const first = startDaemon(place);
  await first.line(/ busy +filled/);
  expect(tickwright('stop-strategy', 'busy', '--reason', 'test').status).toBe(0);
  await first.line(/ strategy_stopped: /);
  expect(await first.end('SIGINT'), first.output()).toBe(0);
  writeFileSync(place.config, readFileSync(place.config, 'utf8').replace('slow: 2', 'slow: 4'));
  const second = startDaemon(place);
  await second.line(/reconciled with the broker/);
  expect(await second.end('SIGINT'), second.output()).toBe(0);
  expect(tickwright('replay', '--config', place.config).stdout).toMatch(/journal and replay agree/);
});
