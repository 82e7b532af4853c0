/** Somebody is away and holds a position: each start, stop and crash of the real daemon is one message that says what is held. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { MAIN, type RunningDaemon, startDaemon, until, type Workplace, workplace } from './daemon-process.ts';
import { type PhoneHook, phoneHook } from './phone-hook.ts';

/** Buys one contract, then leaves a stop for it at the broker. */
const HOLDER = `import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'holder', summary: 'holds one', params: z.object({}), legs: ['contract'],
  connect(ticks, trader) {
    let entry = null, stop = null;
    ticks.trades$.subscribe(({ price: last }) => {
      if (trader.phase() !== 'continuous' || trader.band() === undefined) return;
      if (trader.position().qty === 0) entry ??= trader.buy({ qty: 1, price: last + 30, reason: 'holds' });
      else stop ??= trader.submit({ kind: 'stop', side: 'sell', qty: 1, trigger: last - 300, price: last - 305, reason: 'protects' });
    });
    ticks.orders$.subscribe(({ clientOrderId, denial, status }) => {
      if (clientOrderId === entry && (denial !== null || status === 'canceled')) entry = null;
      if (clientOrderId === stop && denial !== null) stop = null;
    });
  },
});
`;

function holding(alerts: string): Workplace {
  const config = BUSY_CONFIG.slice(0, BUSY_CONFIG.indexOf('strategies:'));
  const place = workplace(
    `${config}${alerts}stop: { orders: keep }
strategies: [{ id: holder, strategy: ./holder.js, symbols: [VN30F1M], overnight: true, risk: { positionMax: 2, dailyLossMax: 2000000000, openOrdersMax: 4 } }]\n`,
  );
  writeFileSync(join(place.dir, 'config', 'holder.js'), HOLDER);
  return place;
}

function started(place: Workplace): RunningDaemon {
  const daemon = startDaemon(place);
  return daemon;
}

const HELD =
  /held: holder \+1 VN30F1M \(41\w+\) at [\d.]+, .*, stop for 1 at [\d.]+.*books: our positions are the broker’s/s;

const message = (phone: PhoneHook, title: RegExp): Promise<string> =>
  until(() => phone.heard.find((text) => title.test(text)));

test('a start, a crash and a stop with a position are one message each, with what is held and which stops wait', async () => {
  const phone = await phoneHook();
  const place = holding(phone.alerts);
  const first = started(place);
  await first.line(/ holder +waits .*at the broker for its trigger/);
  await first.end('SIGKILL');
  // The message has what it holds when its books agree; a start that holds nothing sends none.
  for (const text of phone.heard.filter((each) => /started/.test(each)))
    expect(text).toMatch(/started with a position .*holder \+1/s);
  const before = phone.heard.length;
  /** A message that waited when the first run was killed is sent by the next. */
  const since = (): readonly string[] =>
    phone.heard.slice(before).filter((text) => !/the first run of this state directory/.test(text));

  const second = started(place);
  const crash = await message(phone, /started after a crash \(paper\)/);
  expect(crash).toMatch(/the run before, begun at .*, was killed or crashed/);
  expect(crash).toMatch(HELD);
  // Not synchronously: the hook of the phone answers in this process.
  const cli = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [MAIN, ...args, '--state', place.state])).stdout;
  expect(await cli('positions')).toMatch(
    /holder \+1 VN30F1M [^]*open\s+[-+\d,]+\s+VND,\s+stop\s+for\s+1\s+at/,
  );
  expect(await cli('stop', '--reason', 'going home')).toMatch(
    /\nended: going home; held: holder \+1 VN30F1M/,
  );
  expect(await cli('positions')).toContain('no engine answers');
  const stop = await message(phone, /stopped with a position \(paper\)/);
  expect(stop).toMatch(/going home/);
  expect(stop).toMatch(HELD);
  await until(() => (second.process.exitCode === null ? undefined : true));

  const third = started(place);
  const start = await until(() => since().find((text) => /started with a position \(paper\)/.test(text)));
  expect(start).toMatch(/the run before ended at .*: going home/);
  expect(start).toMatch(HELD);
  expect(await third.end('SIGTERM'), third.output()).toBe(0);
  await until(() =>
    phone.heard.find((text) => /stopped with a position \(paper\).*by the signal SIGTERM/s.test(text)),
  );
  expect(since().filter((text) => /(started|stopped) /.test(text))).toHaveLength(4);
});
