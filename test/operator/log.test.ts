import { expect, it, test } from 'vitest';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { entryLine } from '../../src/operator/entry-line.ts';
import { createLog, type Log, quietNotes } from '../../src/operator/log.ts';
import { redactValue, Secrets } from '../../src/operator/redact.ts';
import { PLAIN } from '../../src/operator/terminal.ts';
import { tsUs } from '../../src/domain/units.ts';
import { ENTRIES, naming, status } from './entries.ts';

const ACCOUNT = '105C987321';

function written(write: (log: Log) => void): Record<string, unknown> {
  const lines: string[] = [];
  const secrets = new Secrets(['plain-key-77']);
  write(createLog({ destination: { write: (text) => void lines.push(text) }, secrets, naming }));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]!) as Record<string, unknown>;
}

test.each(Object.values(ENTRIES))('$kind is one JSON object with ISO times', (entry) => {
  const line = written((log) => log.entry(entry));
  expect(line['event']).toBe(entry.kind);
  expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(line['marketTime']).toBe('2026-03-04T02:30:01.250Z');
  expect(line['entry']).toEqual(JSON.parse(JSON.stringify(entry)));
});

test.each<[JournalEntry, string]>([
  [{ ...ENTRIES.alert, severity: 'info' }, 'info'],
  [{ ...ENTRIES.alert, severity: 'warning' }, 'warn'],
  [{ ...ENTRIES.alert, severity: 'critical' }, 'error'],
  [ENTRIES.halt, 'error'],
  [{ ...ENTRIES.halt, halted: false }, 'info'],
  [ENTRIES.proposal, 'debug'],
  [ENTRIES.denied, 'warn'],
  [ENTRIES.fill, 'info'],
  [status('submitted', 'rejected', 'place_rejected'), 'error'],
  [status('submitted', 'not_sent', 'place_not_sent'), 'warn'],
  [status('submitted', 'pending_cancel', 'cancel_sent'), 'debug'],
  [status('submitted', 'accepted', 'place_accepted'), 'info'],
])('%#: how loud an entry is follows from what it says', (entry, level) => {
  expect(written((log) => log.entry(entry))['level']).toBe(level);
});

test.each([
  ['note', (log: Log) => log.note(`Authorization: Bearer abc.def, otp=123456, ${ACCOUNT}, plain-key-77`)],
  ['block', (log: Log) => log.block(`Authorization: Bearer abc.def, otp=123456, ${ACCOUNT}, plain-key-77`)],
  [
    'status',
    (log: Log) =>
      log.status('', {
        a: [{ otp: '123456', accessToken: 'abc.def', custodyCode: ACCOUNT, apiKey: 'plain-key-77' }],
      }),
  ],
  [
    'entry',
    (log: Log) =>
      log.entry({ ...ENTRIES.alert, text: `otp: 123456 Bearer abc.def of ${ACCOUNT} plain-key-77` }),
  ],
])('%s: no key, password, token or account number is written', (_name, write) => {
  const text = JSON.stringify(written(write));
  for (const secret of ['123456', 'abc.def', '987321', 'plain-key-77']) expect(text).not.toContain(secret);
});

test('what only looks like a secret stays', () => {
  const facts = { tokenLeftMs: 7, openOrders: 2, orderNo: '41', account: { cash: 5 } };
  expect(redactValue(facts)).toEqual(facts);
  expect(redactValue('token: asking for a one-time password')).toBe('token: asking for a one-time password');
});

test('the message is the line a person would read, where there is one', () => {
  const said = [ENTRIES.fill, ENTRIES.proposal].map((entry) => written((log) => log.entry(entry))['msg']);
  expect(said).toEqual([entryLine(ENTRIES.fill, naming, PLAIN), 'proposal']);
});

const MINUTE_US = 60_000_000;

function notes() {
  let nowUs = 0;
  const lines: string[] = [];
  const note = quietNotes({ nowUs: () => tsUs(nowUs) }, (text) => lines.push(text));
  return { lines, note, pass: (us: number) => (nowUs += us) };
}

it('writes a few notes of a night full of them, and counts the others', () => {
  const { lines, note, pass } = notes();
  const hours = 8;
  for (let at = 0; at < hours * 30 * 60; at += 1) {
    note(`the contract list could not be read: HTTP 503; again in ${at} s`);
    pass(2_000_000);
  }
  expect(lines.length).toBeLessThan(25);
  const counted = lines.reduce(
    (sum, line) => sum + Number(/and (\d+) times/.exec(line)?.[1] ?? 0),
    lines.length,
  );
  expect(counted).toBeGreaterThan((hours - 1) * 30 * 60);
});

it('writes notes of other kinds at once', () => {
  const { lines, note } = notes();
  for (let i = 0; i < 100; i += 1) note('stream: connecting');
  note('stream: live');
  expect(lines).toEqual([...Array.from({ length: 5 }, () => 'stream: connecting'), 'stream: live']);
});

it('begins again when the fault stayed away', () => {
  const { lines, note, pass } = notes();
  for (let i = 0; i < 100; i += 1) note('no token');
  pass(121 * MINUTE_US);
  note('no token');
  expect(lines.at(-1)).toBe('no token');
});
