import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { listDaemon, runningDaemons } from '../../../src/host/state/running-daemons.ts';
import { tempDir } from '../../support/temp-dir.ts';

function home(): string {
  const dir = tempDir();
  vi.stubEnv('XDG_STATE_HOME', dir);
  return dir;
}

it('lists a daemon while it runs', () => {
  home();
  expect(runningDaemons()).toEqual([]);
  const unlist = listDaemon('/srv/live', 'live');
  expect(runningDaemons()).toEqual([{ stateDir: '/srv/live', mode: 'live', pid: process.pid }]);
  unlist();
  expect(runningDaemons()).toEqual([]);
});

it('leaves out what a dead process or another program left there', () => {
  const dir = home();
  listDaemon('/srv/live', 'live');
  const place = join(dir, 'tickwright', 'daemons');
  const pid = 2 ** 30;
  writeFileSync(join(place, 'dead.json'), JSON.stringify({ stateDir: '/srv/dead', mode: 'live', pid }));
  writeFileSync(join(place, 'half.json'), '{"stateDir": "/srv/ha');
  writeFileSync(join(place, 'other.json'), '{"pid": 1}');
  expect(readdirSync(place)).toHaveLength(4);
  expect(runningDaemons().map(({ stateDir }) => stateDir)).toEqual(['/srv/live']);
});

it('starts unlisted where the list cannot be written', () => {
  vi.stubEnv('XDG_STATE_HOME', '/dev/null');
  listDaemon('/srv/live', 'live')();
  expect(runningDaemons()).toEqual([]);
});
