import { beforeEach, describe, expect, it } from 'vitest';
import {
  minutes,
  tsUs,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../../../src/domain/units.ts';
import { type Alert, AlertFilter, quietHours } from '../../../src/operator/alerts/alert-filter.ts';
import { type AlertMessage, bundle } from '../../../src/operator/alerts/alert-message.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const alertOf = (changes: Partial<Alert> = {}): Alert => ({
  severity: 'warning',
  code: 'stream_down',
  text: 'prices have stopped 3 times',
  subject: '',
  about: '',
  remedy: '',
  ...changes,
});

const timeOfDay = (at: number): number => at % US_PER_DAY;

/** An hour of the day of these tests. */
const at = (hour: number) => tsUs(20_000 * US_PER_DAY + hour * US_PER_HOUR);

let time: VirtualTimers;
let sent: AlertMessage[];

const deskWith = (quiet: readonly [number, number] | null = null): AlertFilter =>
  new AlertFilter({
    clock: time,
    timers: time,
    repeatAfter: minutes(15),
    escalateAfter: minutes(10),
    quietUntil: quiet === null ? () => null : quietHours(quiet[0], quiet[1], timeOfDay, US_PER_DAY),
    label: 'paper',
    send: (message) => sent.push(message),
    onEnd: () => undefined,
    onChange: () => undefined,
  });

const reminders = (text: string): number =>
  sent.filter(({ kind, text: own }) => kind === 'reminder' && own.includes(text)).length;

beforeEach(() => {
  // 20:00 of a day.
  time = new VirtualTimers(20_000 * US_PER_DAY + 20 * US_PER_HOUR);
  sent = [];
});

describe('AlertFilter', () => {
  it('sends a repeat once, and its count at the end of the window', () => {
    const desk = deskWith();
    for (let i = 0; i < 5; i += 1) desk.alert(alertOf({ text: `prices have stopped ${i} times` }));
    expect(sent).toHaveLength(1);
    time.advance(15 * US_PER_MINUTE);
    expect(sent).toHaveLength(2);
    expect(sent[1]!.text).toContain('4 more times');
    expect(desk.counts.repeated).toBe(4);
  });

  it('has the event in its first line, the next step in the second one, and says nothing twice', () => {
    const desk = deskWith();
    const reason = 'entries are off until you resume: the loss of the day reached 5,000,000 VND';
    const text = `${reason}; before it: news`;
    const severity = 'critical';
    desk.alert(alertOf({ severity, code: 'entries_halted', subject: 'ema', text, remedy: 'find the cause' }));
    desk.alert(alertOf());
    expect(bundle(sent, 4_000, () => '09:30:00').delivery.text.split('\n')).toEqual([
      `09:30:00 CRITICAL: entries halted (paper, ema): ${reason}`,
      '→ find the cause',
      text,
      '',
      '09:30:00 WARNING: stream down (paper): prices have stopped 3 times',
    ]);
    desk.alert(alertOf({ text: 'x'.repeat(500) }));
    expect(sent.at(-1)!.title.length).toBeLessThan(200);
    desk.alert(alertOf({ text: 'not ours: order no. 34, 0 filled' }));
    expect(sent.at(-1)!.title).toBe('WARNING: stream down (paper): not ours: order no. 34, 0 filled');
  });

  it('ends a condition for the same channels, and takes its return for news, not its next end', () => {
    const desk = deskWith();
    const down = alertOf();
    const up = alertOf({
      code: 'stream_up',
      text: 'prices come again',
      ends: { codes: ['stream_down'], about: '' },
    });
    for (const alert of [down, up, down, up, down]) desk.alert(alert);
    expect(sent.map(({ title }) => title.split(' (')[0])).toEqual([
      'WARNING: stream down',
      'all clear: stream up',
      'WARNING: stream down',
    ]);
    time.advance(15 * US_PER_MINUTE);
    expect(sent.slice(3).map(({ title }) => title.split(' (')[0])).toEqual(['WARNING: stream down']);
    desk.alert({ ...up, severity: 'critical' });
    expect(sent.at(-1)).toMatchObject({ kind: 'reminder', severity: 'info' });
    expect(desk.memory.unseen).toEqual([]);
  });

  it('does not send again after a kill what it has sent, except what a start resolves', () => {
    const before = deskWith();
    const gone = alertOf({ severity: 'critical', code: 'engine_gone', text: 'no engine' });
    for (const alert of [alertOf(), gone]) before.alert(alert);
    const kept = JSON.parse(JSON.stringify(before.memory)) as AlertFilter['memory'];
    time.advance(5 * US_PER_MINUTE);
    before.close();
    sent = [];
    const desk = deskWith();
    desk.resume({ ...kept, unseen: [] });
    for (const alert of [alertOf(), gone]) desk.alert(alert);
    expect(sent.map(({ title }) => title)).toEqual(['CRITICAL: engine gone (paper): no engine']);
    time.advance(10 * US_PER_MINUTE);
    expect(sent.map(({ text }) => text).join()).toContain('1 more time within 15');
  });

  it('says of what quiet hours held back that it is over by now, and nothing of another, whatever their texts name', () => {
    const desk = deskWith([19, 6]);
    for (const about of ['mail', 'mail-2', 'chat'])
      desk.alert(
        alertOf({ code: 'channel_failed', about, text: `${about} does not deliver, as mail does not` }),
      );
    const ends = { codes: ['channel_failed'], about: 'mail' };
    desk.alert(alertOf({ code: 'channel_works', about: 'mail', text: 'mail delivers again', ends }));
    time.advance(11 * US_PER_HOUR);
    expect(sent.map(({ title }) => title.replace(/:[^:]*$/, ''))).toEqual([
      'OVER by now: WARNING: channel failed (paper)',
      'WARNING: channel failed (paper)',
      'WARNING: channel failed (paper)',
      'all clear: channel works (paper)',
    ]);
  });

  it('sends nothing after a window without a repeat', () => {
    const desk = deskWith();
    desk.alert(alertOf());
    time.advance(US_PER_HOUR);
    expect(sent).toHaveLength(1);
    desk.alert(alertOf());
    expect(sent).toHaveLength(2);
  });

  it('keeps apart what concerns another order, contract, strategy or reason', () => {
    const desk = deskWith();
    desk.alert(alertOf({ text: 'H.01.000042 stays unknown' }));
    desk.alert(alertOf({ text: 'H.01.000043 stays unknown' }));
    desk.alert(alertOf({ text: 'no trades in 41I1GC000' }));
    desk.alert(alertOf({ text: 'no trades in 41I1GC001' }));
    desk.alert(alertOf({ subject: 'ema-front' }));
    desk.alert(alertOf({ subject: 'spread' }));
    expect(sent).toHaveLength(6);
  });

  it('holds what can wait until the end of quiet hours, over midnight, and nothing critical', () => {
    const desk = deskWith([19 * US_PER_HOUR, 7 * US_PER_HOUR]);
    desk.alert(alertOf());
    desk.alert(alertOf({ severity: 'critical', code: 'position_mismatch', text: 'they differ' }));
    expect(sent.map(({ severity }) => severity)).toEqual(['critical']);
    desk.acknowledge();
    time.advance(11 * US_PER_HOUR - US_PER_SECOND);
    expect(sent).toHaveLength(1);
    time.advance(US_PER_MINUTE);
    expect(sent.map(({ severity }) => severity)).toEqual(['critical', 'warning']);
  });

  it('holds a warning in quiet hours, however many less severe messages come after it', () => {
    const desk = deskWith([20 * US_PER_HOUR, 22 * US_PER_HOUR]);
    desk.alert(alertOf());
    for (let i = 0; i < 300; i += 1) desk.alert(alertOf({ severity: 'info', code: `news_${i}` }));
    time.advance(2 * US_PER_HOUR);
    expect(sent).toHaveLength(200);
    expect(sent[0]).toMatchObject({ severity: 'warning', code: 'stream_down' });
    expect(sent.at(-1)).toMatchObject({ code: 'news_299' });
  });

  it('asks for a password in quiet hours too', () => {
    const desk = deskWith([19 * US_PER_HOUR, 7 * US_PER_HOUR]);
    desk.send({ severity: 'warning', kind: 'question', title: 'password', text: 'bring it', page: null });
    expect(sent).toHaveLength(1);
  });

  it('sends a critical alert again at growing intervals until somebody acknowledges', () => {
    const desk = deskWith();
    desk.alert(alertOf({ severity: 'critical', code: 'position_mismatch', text: 'they differ' }));
    time.advance(10 * US_PER_MINUTE + US_PER_SECOND);
    expect(sent).toHaveLength(2);
    expect(sent[1]!.kind).toBe('reminder');
    expect(sent[1]!.text).toContain('they differ');
    time.advance(19 * US_PER_MINUTE);
    expect(sent).toHaveLength(2);
    time.advance(2 * US_PER_MINUTE);
    expect(sent).toHaveLength(3);
    expect(desk.acknowledge()).toBe(1);
    time.advance(5 * US_PER_HOUR);
    expect(sent).toHaveLength(3);
  });

  it('escalates again for an alert after an acknowledged one, and ends by itself', () => {
    const desk = deskWith();
    desk.alert(alertOf({ severity: 'critical', text: 'one' }));
    desk.acknowledge();
    desk.alert(alertOf({ severity: 'critical', text: 'two' }));
    time.advance(48 * US_PER_HOUR);
    expect(sent.filter(({ kind }) => kind === 'reminder')).toHaveLength(4);
    desk.acknowledge();
    desk.alert(alertOf({ severity: 'critical', text: 'three' }));
    time.advance(11 * US_PER_MINUTE);
    expect(sent.filter(({ kind }) => kind === 'reminder')).toHaveLength(5);
  });

  it('escalates an alert that comes while older ones wait, or after nobody has seen those for a day', () => {
    const desk = deskWith();
    desk.alert(alertOf({ severity: 'critical', text: 'the first' }));
    time.advance(US_PER_DAY);
    desk.alert(alertOf({ severity: 'critical', text: 'the second' }));
    time.advance(11 * US_PER_MINUTE);
    expect(reminders('the second')).toBe(1);
    time.advance(60 * US_PER_MINUTE);
    desk.alert(alertOf({ severity: 'critical', text: 'the third' }));
    time.advance(11 * US_PER_MINUTE);
    expect(reminders('the third')).toBe(1);
    time.advance(US_PER_DAY);
    expect(reminders('the third')).toBe(4);
  });

  it('goes on with an alert that is newer than what somebody acknowledges', () => {
    const desk = deskWith();
    desk.alert(alertOf({ severity: 'critical', text: 'the first' }));
    const seenUs = time.nowUs();
    time.advance(5 * US_PER_MINUTE);
    desk.alert(alertOf({ severity: 'critical', text: 'the second' }));
    expect(desk.acknowledge(seenUs)).toBe(1);
    time.advance(11 * US_PER_MINUTE);
    expect(sent.at(-1)!.title).toContain('1 critical alert');
    expect(desk.acknowledge()).toBe(1);
  });

  it('goes on with what an earlier run held and nobody had seen', () => {
    const before = deskWith([19 * US_PER_HOUR, 7 * US_PER_HOUR]);
    before.alert(alertOf());
    before.alert(alertOf({ severity: 'critical', text: 'they differ' }));
    const { memory } = before;
    before.close();
    sent = [];
    const desk = deskWith([19 * US_PER_HOUR, 7 * US_PER_HOUR]);
    desk.resume(memory);
    expect(sent).toEqual([]);
    time.advance(11 * US_PER_MINUTE);
    expect(sent.map(({ kind }) => kind)).toEqual(['reminder']);
    desk.acknowledge();
    time.advance(12 * US_PER_HOUR);
    expect(sent.map(({ kind }) => kind)).toEqual(['reminder', 'alert']);
  });

  it('names quiet hours of one day and over midnight', () => {
    const day = quietHours(12 * US_PER_HOUR, 13 * US_PER_HOUR, timeOfDay, US_PER_DAY);
    expect([day(at(11)), day(at(12)), day(at(13))]).toEqual([null, at(13), null]);
    const night = quietHours(22 * US_PER_HOUR, 6 * US_PER_HOUR, timeOfDay, US_PER_DAY);
    expect([night(at(21)), night(at(22)), night(at(5)), night(at(6))]).toEqual([null, at(30), at(6), null]);
  });
});
