import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReconnectFile } from '../../../src/broker/stream/reconnect-file.ts';
import { FRESH_STATE, type ReconnectState } from '../../../src/broker/stream/reconnect-policy.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickwright-stream-'));
  path = join(folder, 'stream');
});

afterEach(() => rmSync(folder, { recursive: true }));

it.each<ReconnectState>([
  FRESH_STATE,
  { attempts: 7, protocolErrors: 1, paused: null },
  { attempts: 10, protocolErrors: 0, paused: 'attempts_used_up' },
  { attempts: 1, protocolErrors: 2, paused: 'protocol_error' },
])('gives back what it kept: %j', (state) => {
  createReconnectFile(path).save(state);
  expect(createReconnectFile(path).load()).toEqual(state);
});

it.each(['', '7', '7 1 perhaps', 'x 0 none', '-1 0 none', '7 1 constructor'])(
  'begins anew after %j',
  (text) => {
    writeFileSync(path, text, { mode: 0o600 });
    expect(createReconnectFile(path).load()).toEqual(FRESH_STATE);
  },
);

it('begins anew without a file', () => {
  expect(createReconnectFile(path).load()).toEqual(FRESH_STATE);
});
