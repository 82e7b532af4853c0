import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEmergencyFile } from '../../src/journal/emergency-file.ts';
import { tempDir } from '../support/temp-dir.ts';

const BYTES = 1024 * 1024;

it('is there at its full size before it is needed, for its owner alone', () => {
  const path = join(tempDir(), 'emergency');
  openEmergencyFile(path).close();
  expect(statSync(path).size).toBe(BYTES);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('keeps its lines over a restart, one a call, until they are taken', () => {
  const path = join(tempDir(), 'emergency');
  const first = openEmergencyFile(path);
  first.write('{"cancel":1}');
  first.write('two\nlines');
  first.close();
  const second = openEmergencyFile(path);
  second.write('đóng');
  expect(second.lines()).toEqual(['{"cancel":1}', 'two lines', 'đóng']);
  second.clear();
  expect(second.lines()).toEqual([]);
  second.write('after');
  expect(second.lines()).toEqual(['after']);
  second.close();
  expect(statSync(path).size).toBe(BYTES);
});

it('says that it is full, and takes nothing by halves', () => {
  const file = openEmergencyFile(join(tempDir(), 'emergency'));
  const line = 'x'.repeat(BYTES / 4 - 1);
  for (let i = 0; i < 4; i += 1) file.write(line);
  expect(() => file.write('one more')).toThrow('is full');
  expect(file.lines()).toHaveLength(4);
  file.close();
});

it.each([0, 5, 4096])(
  'is made whole again where only %i bytes of it are left, and keeps its lines',
  (left) => {
    const path = join(tempDir(), 'emergency');
    const file = openEmergencyFile(path);
    file.write('line');
    file.close();
    truncateSync(path, left);
    const again = openEmergencyFile(path);
    expect(statSync(path).size).toBe(BYTES);
    expect(again.lines()).toEqual(left === 0 ? [] : ['line']);
    again.write('more');
    expect(again.lines().at(-1)).toBe('more');
    again.close();
  },
);

it('keeps a call apart from half a line that a power cut left', () => {
  const path = join(tempDir(), 'emergency');
  writeFileSync(path, Buffer.from('{"call":"đ').subarray(0, -1));
  const file = openEmergencyFile(path);
  file.write('{"cancel":1}');
  expect(file.lines()).toEqual([expect.stringContaining('{"call":"'), '{"cancel":1}']);
  file.close();
});

it('is given its blocks where it is one hole', () => {
  const path = join(tempDir(), 'emergency');
  writeFileSync(path, '');
  truncateSync(path, BYTES);
  openEmergencyFile(path).close();
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(BYTES);
});

it('records nothing in a file that was deleted', () => {
  const path = join(tempDir(), 'emergency');
  const file = openEmergencyFile(path);
  rmSync(path);
  expect(() => file.write('lost')).toThrow('was deleted while the daemon runs');
  file.close();
});
