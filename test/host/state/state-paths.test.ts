/** A state directory is ours only where it says so, and one account has one daemon. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  forgetState,
  ForeignDirectory,
  prepareStateDir,
  startStamp,
  type StatePaths,
  statePaths,
} from '../../../src/host/state/state-paths.ts';
import { takeAccountLock } from '../../../src/host/state/running-daemons.ts';
import { AlreadyRunning } from '../../../src/journal/instance-lock.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** No file is its own. */
const NOBODY = 65_534;

function place(files: readonly string[] = []): StatePaths {
  const dir = tempDir();
  for (const name of files) writeFileSync(join(dir, name), 'kept');
  return statePaths(dir);
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a state directory', () => {
  it('is made private and marked', () => {
    const paths = statePaths(join(place().dir, 'new'));
    prepareStateDir(paths);
    expect(modeOf(paths.dir)).toBe(0o700);
    expect(readFileSync(paths.marker, 'utf8')).toMatch(/^[\da-f]{6}\n$/);
  });

  it('of an older release is marked where it holds nothing else', () => {
    const paths = place(['journal.db', 'journal.db-wal', 'daemon.lock', 'daemon.lock.pid', 'control.json']);
    prepareStateDir(paths);
    expect(modeOf(paths.dir)).toBe(0o700);
    prepareStateDir(paths);
  });

  it('of an older release is closed to others, files and folders of others are not touched', () => {
    const paths = place(['journal.db', 'journal.db-wal']);
    mkdirSync(join(paths.frames, 'kept'), { recursive: true, mode: 0o755 });
    writeFileSync(join(paths.frames, 'kept', 'day.frames'), '', { mode: 0o644 });
    writeFileSync(paths.marker, '');
    writeFileSync(join(paths.dir, 'thesis.doc'), '', { mode: 0o644 });
    prepareStateDir(paths);
    const modes = [
      'journal.db',
      'journal.db-wal',
      'frames',
      'frames/kept',
      'frames/kept/day.frames',
      'thesis.doc',
    ];
    expect(modes.map((name) => modeOf(join(paths.dir, name)))).toEqual([
      0o600, 0o600, 0o700, 0o700, 0o600, 0o644,
    ]);
  });

  it('that has a directory of another user is taken with it as it is', (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can give files away');
    const paths = place(['journal.db']);
    mkdirSync(paths.backups);
    chmodSync(paths.backups, 0o755);
    for (const path of [paths.dir, paths.journal]) chownSync(path, NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
    onTestFinished(() => process.seteuid?.(0));
    prepareStateDir(paths);
    expect([paths.journal, paths.backups].map(modeOf)).toEqual([0o600, 0o755]);
  });

  it('may be a volume of its own', () => {
    const paths = place(['journal.db', 'lost+found', '.DS_Store']);
    prepareStateDir(paths);
    expect(modeOf(paths.dir)).toBe(0o700);
  });

  it.each([['thesis.doc'], ['journal.db', 'thesis.doc'], ['data.bak'], ['tokens']])(
    'with %s in it is left as it is',
    (...files) => {
      const paths = place(files);
      mkdirSync(paths.data);
      const mode = modeOf(paths.dir);
      expect(() => prepareStateDir(paths)).toThrow(ForeignDirectory);
      expect(modeOf(paths.dir)).toBe(mode);
      expect(() => statSync(paths.marker)).toThrow('ENOENT');
    },
  );

  it.each([['data'], ['frames'], ['simulator'], ['backups']])(
    'that holds nothing but %s is not known to be ours',
    (name) => {
      const paths = place();
      mkdirSync(join(paths.dir, name));
      expect(() => prepareStateDir(paths)).toThrow(ForeignDirectory);
    },
  );

  it('of a paper account that is forgotten keeps no copy of its journal: the next one is no fault of that', () => {
    const paths = place(['journal.db', 'calls.jsonl']);
    for (const dir of [paths.backups, paths.archive]) mkdirSync(dir);
    forgetState(paths);
    expect(readdirSync(paths.dir)).toEqual([]);
  });

  it('is taken where a person has marked it', () => {
    const paths = place(['thesis.doc']);
    writeFileSync(paths.marker, '');
    prepareStateDir(paths);
    expect(startStamp(paths).slice(0, 6)).toBe(readFileSync(paths.marker, 'utf8').trim());
  });
});

describe('the stamp of a start', () => {
  it('keeps the installation and is new each time', () => {
    const paths = place();
    prepareStateDir(paths);
    const stamps = Array.from({ length: 8 }, () => startStamp(paths));
    expect(new Set(stamps.map((stamp) => stamp.slice(0, 6))).size).toBe(1);
    expect(new Set(stamps).size).toBeGreaterThan(1);
    for (const stamp of stamps) expect(stamp).toMatch(/^[\da-f]{10}$/);
  });

  it('differs between installations', () => {
    const stamps = [place(), place()].map((paths) => {
      prepareStateDir(paths);
      return startStamp(paths).slice(0, 6);
    });
    expect(stamps[0]).not.toBe(stamps[1]);
  });
});

const useHome = (): void => void vi.stubEnv('XDG_STATE_HOME', place().dir);

describe('the lock of an account', () => {
  const ACCOUNT = {
    restUrl: 'https://broker.example/',
    custodyCode: '105C000001',
    subAccountId: '105C000001A',
  };

  it('keeps a second daemon out, whatever its state directory and however it names the broker', () => {
    useHome();
    const lock = takeAccountLock(ACCOUNT);
    expect(() => takeAccountLock({ ...ACCOUNT, restUrl: 'https://10.0.0.1/' })).toThrow(AlreadyRunning);
    lock.release();
    takeAccountLock(ACCOUNT).release();
  });

  it('is in one place, wherever a daemon starts', () => {
    const { dir } = place();
    vi.stubEnv('XDG_STATE_HOME', 'below/the/folder/of/now');
    vi.stubEnv('HOME', dir);
    takeAccountLock(ACCOUNT).release();
    expect(existsSync(join(dir, '.local/state/tickwright/accounts'))).toBe(true);
  });

  it('says what to do where it cannot be kept', () => {
    vi.stubEnv('XDG_STATE_HOME', join(place(['file']).dir, 'file'));
    expect(() => takeAccountLock(ACCOUNT)).toThrow(/cannot be kept in .*; set XDG_STATE_HOME/);
  });

  it('is of one account, and of one simulator', () => {
    useHome();
    const others = [
      ACCOUNT,
      { ...ACCOUNT, subAccountId: '105C000001B' },
      { ...ACCOUNT, restUrl: 'http://127.0.0.1:8700/' },
      { ...ACCOUNT, restUrl: 'http://127.0.0.1:8701/' },
    ].map(takeAccountLock);
    expect(others).toHaveLength(4);
    for (const lock of others) lock.release();
  });
});
