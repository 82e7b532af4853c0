/** A token exchanged by hand, next to a daemon that may start at any moment. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ManualTrader, openBroker } from '../../../src/daemon/edge/manual-trader.ts';
import { prepareStateDir, statePaths } from '../../../src/host/state/state-paths.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { seconds } from '../../../src/domain/units.ts';
import { isLockHeld, takeInstanceLock } from '../../../src/journal/instance-lock.ts';
import { readJournal } from '../../../src/journal/journal-reader.ts';
import { Database } from '../../../src/sqlite/database.ts';
import { Secrets } from '../../../src/operator/redact.ts';
import { startSimulator } from '../../../src/simulator/start-simulator.ts';
import { demoAccount } from '../../../src/simulator/simulator-options.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { SHIPPED } from '../../config/config-files.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** The password comes from a file that a person writes. */
async function byHand(note: (text: string) => void = () => undefined) {
  const loaded = loadConfig(join(SHIPPED, 'paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('expected a configuration');
  const { config } = loaded;
  const simulator = await startSimulator({
    accounts: [demoAccount({ derivative: 1_000_000 })],
    market: { kind: 'empty', startPoints: 1_300 },
    calendar: config.calendar,
    costs: config.costs,
  });
  onTestFinished(() => simulator.close());
  const dir = tempDir();
  const paths = statePaths(join(dir, 'state'));
  prepareStateDir(paths);
  const path = join(dir, 'password');
  const trader = new ManualTrader({
    problem: null,
    config: { ...config, auth: { ...config.auth, otp: { from: 'file', path, timeout: seconds(30) } } },
    address: {
      restUrl: simulator.rest,
      streamUrl: simulator.stream,
      tokenOwner: 'simulator',
      custodyCode: simulator.custodyCode,
      subAccountId: simulator.subAccountId,
      secrets: new Secrets([]),
      apiKey: () => simulator.apiKey,
      fixedOtp: simulator.otp,
      faults: null,
    },
    paths,
    note,
  });
  onTestFinished(() => trader.close());
  const type = (): void => writeFileSync(path, `${simulator.otp}\n`, { mode: 0o600 });
  return { trader, paths, type };
}

const exchanges = (
  journal: string,
  day: (read: ReturnType<typeof readJournal>['read']) => number,
): number => {
  const opened = readJournal(journal);
  try {
    return day(opened.read);
  } finally {
    opened.close();
  }
};

it('holds no lock while a person looks for the password, and counts the exchange', async () => {
  const { trader, paths, type } = await byHand();
  const asked = trader.token('operator');
  expect(isLockHeld(paths.lock), 'a daemon may start meanwhile').toBe(false);
  type();
  expect(await asked).toMatchObject({ ok: true });
  const used = exchanges(paths.journal, (read) => {
    const [day = ''] = read.counterDays('token_exchange');
    return read.counter('token_exchange', day);
  });
  expect(used).toBe(1);
});

it('leaves the exchange to a daemon that started meanwhile', async () => {
  const { trader, paths, type } = await byHand();
  const asked = trader.token('operator');
  const lock = takeInstanceLock(paths.lock, process.pid);
  onTestFinished(() => lock.release());
  type();
  expect(await asked).toMatchObject({
    ok: false,
    reason: expect.stringContaining('the daemon of this account'),
  });
});

/** As the start of a newer Tickwright would find it. */
function leaveOtherJournal(path: string): void {
  const database = new Database(path);
  database.exec('CREATE TABLE rows (id INTEGER)');
  database.pragma('user_version = 1');
  database.close();
}

it('exchanges a token next to a journal of another Tickwright, and says that it is not counted', async () => {
  const notes: string[] = [];
  const { trader, paths, type } = await byHand((text) => void notes.push(text));
  leaveOtherJournal(paths.journal);
  const asked = trader.token('operator');
  type();
  expect(await asked).toMatchObject({ ok: true });
  expect(notes.filter((text) => text.includes('expected format'))).toEqual([
    expect.stringMatching(/^exchanges of today are not known: journal /),
    expect.stringMatching(/^the exchange is not counted: journal /),
  ]);
});

it('opens the broker next to a journal of another Tickwright, with the limits of a first day', () => {
  const loaded = loadConfig(join(SHIPPED, 'live.example.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('expected a configuration');
  const dir = join(tempDir(), 'state');
  prepareStateDir(statePaths(dir));
  leaveOtherJournal(statePaths(dir).journal);
  const notes: string[] = [];
  const trader = openBroker({ ...loaded.config, mode: 'live' }, dir, (text) => void notes.push(text));
  onTestFinished(() => trader?.close());
  expect(trader?.config.engine.risk.orderQtyMax).toBe(loaded.config.live.firstDayQtyMax);
  expect(notes).toEqual([
    expect.stringMatching(/^journal .*expected format/),
    expect.stringContaining('first day with real money'),
  ]);
});
