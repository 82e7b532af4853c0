/** Over the real wire (failure cases, 4 and 31): a halt works from the broker's books, and holds whatever fails. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DaemonStatus, statusText } from '../../src/daemon/program/status.ts';
import { readControl } from '../../src/host/state/running-daemons.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  type BrokerTruth,
  brokerTruth,
  journalEntries,
  MAIN,
  setFault,
  startDaemon,
  until,
  type Workplace,
  workplace,
} from './daemon-process.ts';
import { HANGING_STRATEGY, hangingAt, programWith } from './program-with.ts';

interface Said {
  readonly code: number;
  readonly text: string;
}

const tickwright = ({ state }: Workplace, ...command: readonly string[]): Promise<Said> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...command, '--state', state], (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });

async function statusOf({ state }: Workplace): Promise<DaemonStatus> {
  const control = readControl(state);
  const answer = await fetch(`http://127.0.0.1:${control?.port}/status`, {
    headers: { authorization: `Bearer ${control?.token}` },
  });
  return (await answer.json()) as DaemonStatus;
}

/** Orders that open or enlarge a position: an exit may follow a halt. */
function entriesOf(place: Workplace, { orders }: BrokerTruth): BrokerTruth['orders'] {
  const exits = journalEntries(place).flatMap(({ entry }): readonly (string | null)[] =>
    entry.kind === 'place' && entry.order.purpose === 'reduce' ? [entry.order.clientOrderId] : [],
  );
  return orders.filter(({ refId }) => !exits.includes(refId));
}

const working = async (place: Workplace): Promise<BrokerTruth['orders']> =>
  entriesOf(place, await brokerTruth(place)).filter(
    ({ status, qty, filledQty }) => filledQty < qty && !/cancel|reject|expire/.test(status),
  );

test('case 4: an order without any answer is canceled from the book, and the halt waits for it', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await daemon.line(/ busy +accepted/);
  await setFault(place, { name: 'accept_then_drop', operation: 'place' });
  await until(() =>
    journalEntries(place).find(
      ({ entry }) => entry.kind === 'outcome' && entry.call === 'place' && entry.outcome.status === 'unknown',
    ),
  );
  const { code, text } = await tickwright(place, 'halt', '--reason', 'test');
  expect(text).toMatch(/entries are off/);
  expect([code, text]).toEqual([0, expect.stringContaining('no order works that can enlarge a position')]);
  expect(await working(place), text).toEqual([]);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

test('case 31: no order follows a halt, though reads and cancels fail and the daemon is killed', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await daemon.line(/ busy +accepted/);
  await setFault(place, { name: 'http_500', operation: 'in-day', times: 6 });
  await setFault(place, { name: 'http_500', operation: 'cancel', times: 2 });
  const halted = tickwright(place, 'halt', '--reason', 'test');
  await daemon.line(/HALTED/);
  const placed = entriesOf(place, await brokerTruth(place)).length;
  const { text } = await halted;
  await until(async () => ((await working(place)).length === 0 ? true : undefined));
  await daemon.end('SIGKILL');
  const again = startDaemon(place);
  await again.line(/entries are off since an earlier run: test/);
  await again.line(/halt_proven|no order works/);
  expect(await working(place), text).toEqual([]);
  const entries = entriesOf(place, await brokerTruth(place));
  expect(entries.length - placed, 'at most the call that was under way').toBeLessThanOrEqual(1);
  const from = again.output().length;
  await tickwright(place, 'resume', '--reason', 'test');
  await again.line(/ busy +accepted/, from);
  expect(await again.end('SIGINT'), again.output()).toBe(0);
});

test('cancel-all and flatten wait for what they began, and say what came of it', async () => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await daemon.line(/ busy +accepted/);
  const canceled = await tickwright(place, 'cancel-all', '--reason', 'test');
  expect(canceled.text, `code ${canceled.code}`).toMatch(
    /ended: tickwright orders shows how|no order was open/,
  );
  expect(canceled.code, daemon.output()).toBe(0);
  const flattened = await tickwright(place, 'flatten', '--reason', 'test');
  expect(flattened.text).toMatch(/entries are off until tickwright resume[^]*flat: nothing is held/);
  expect(flattened.code, flattened.text).toBe(0);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});

test('while a strategy hangs, status says how old its figures are', async () => {
  const place = workplace(BUSY_CONFIG + HANGING_STRATEGY);
  const hangs = join(place.state, 'hangs');
  const daemon = startDaemon(place, [], programWith(hangingAt(hangs)));
  await daemon.line(/ stuck +started/);
  await until(async () => (await statusOf(place)).engine ?? undefined);
  writeFileSync(hangs, '');
  // The hang is seen for seconds alone: a command, a process of its own, may come too late.
  const status = await until(async () => {
    const now = await statusOf(place);
    return now.engineSilentMs === null ? undefined : now;
  });
  expect(statusText(status)).toMatch(/^engine +does NOT answer for \d+ s/m);
  await daemon.line(/engine_lost/);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});
