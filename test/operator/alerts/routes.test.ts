import { beforeEach, describe, expect, it } from 'vitest';
import { US_PER_SECOND } from '../../../src/domain/units.ts';
import type {
  AlertChannel,
  Delivery,
  DeliveryResult,
  AlertMessage,
} from '../../../src/operator/alerts/alert-message.ts';
import { Routes } from '../../../src/operator/alerts/routes.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const SENT: DeliveryResult = { status: 'sent' };
const DOWN: DeliveryResult = { status: 'later', pauseMs: null, reason: 'no answer in time' };

class FakeChannel implements AlertChannel {
  readonly id: string;
  readonly textMax = 4_000;
  readonly got: Delivery[] = [];
  tries = 0;
  answer: DeliveryResult = SENT;

  constructor(id: string) {
    this.id = id;
  }

  send(delivery: Delivery): Promise<DeliveryResult> {
    this.tries += 1;
    if (this.answer.status === 'sent') this.got.push(delivery);
    return Promise.resolve(this.answer);
  }

  close = (): Promise<void> => Promise.resolve();

  get text(): string {
    return this.got.map(({ text }) => text).join('\n');
  }
}

let time: VirtualTimers;
let phone: FakeChannel;
let mail: FakeChannel;
let alerts: string[];
let routes: Routes;
let id = 0;

const message = (severity: AlertMessage['severity'], text: string): AlertMessage => {
  id += 1;
  return { id, atUs: time.nowUs(), severity, kind: 'alert', title: severity, text, page: null };
};

/** Virtual seconds, with the turns that promises need. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i += 1) {
    time.advance(US_PER_SECOND);
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  }
}

const start = (): Routes =>
  new Routes({
    routes: [
      { channel: phone, least: 'warning', perMinute: 20 },
      { channel: mail, least: 'critical', perMinute: 20 },
    ],
    clock: time,
    timers: time,
    time: () => '10:00:00',
    alert: (_severity, code) => alerts.push(code),
    onChange: () => undefined,
  });

/** A start with what the run before left, as its file has it. */
async function restart(): Promise<void> {
  const left = JSON.parse(JSON.stringify(routes.waiting)) as Routes['waiting'];
  await routes.close();
  routes = start();
  for (const { channel, messages } of left) for (const each of messages) routes.resume(channel, each);
}

beforeEach(() => {
  time = new VirtualTimers();
  phone = new FakeChannel('phone');
  mail = new FakeChannel('mail');
  alerts = [];
  routes = start();
});

describe('Routes', () => {
  it('gives each channel the severities that it takes', async () => {
    routes.send(message('info', 'one'));
    routes.send(message('warning', 'two'));
    await pass(1);
    routes.send(message('critical', 'three'));
    await pass(5);
    expect(phone.text).not.toContain('one');
    expect(phone.text).toContain('two');
    expect(phone.text).toContain('three');
    expect(mail.text).toContain('three');
    expect(mail.text).not.toContain('two');
  });

  it('puts what comes faster than the pace into one delivery', async () => {
    routes.send(message('warning', 'first'));
    await pass(1);
    for (let i = 0; i < 40; i += 1) routes.send(message('warning', `flood ${i}`));
    await pass(10);
    expect(phone.got.length).toBeLessThan(5);
    for (let i = 0; i < 40; i += 1) expect(phone.text).toContain(`flood ${i}`);
  });

  it('passes on in time what a dead channel has, and loses nothing in an hour', async () => {
    phone.answer = DOWN;
    for (let minute = 0; minute < 60; minute += 1) {
      routes.send(message('warning', `minute ${minute}.`));
      await pass(60);
      // Nothing is late by more than its limit: the other channel has it.
      expect(mail.text).toContain(`minute ${minute}.`);
    }
    expect(alerts).toEqual(['channel_failed']);
    expect(phone.tries).toBeLessThan(100);
    phone.answer = SENT;
    await pass(400);
    for (let minute = 0; minute < 60; minute += 1) expect(phone.text).toContain(`minute ${minute}.`);
    expect(alerts).toEqual(['channel_failed', 'channel_works']);
    expect(routes.states[0]).toMatchObject({ waiting: 0, trouble: null, dropped: 0 });
  });

  it('honours the pause that a service asks for', async () => {
    phone.answer = { status: 'later', pauseMs: 90_000, reason: 'HTTP 429' };
    routes.send(message('warning', 'one'));
    await pass(2);
    expect(phone.tries).toBe(1);
    phone.answer = SENT;
    await pass(85);
    expect(phone.tries).toBe(1);
    await pass(10);
    expect(phone.text).toContain('one');
    expect(mail.text).toContain('one');
  });

  it('passes on at once what a channel refuses, and does not hammer it', async () => {
    phone.answer = { status: 'refused', reason: 'HTTP 401' };
    routes.send(message('warning', 'one'));
    await pass(2);
    expect(mail.text).toContain('one');
    await pass(600);
    expect(phone.tries).toBeLessThan(5);
  });

  it('drops the least severe of a queue that is full, and says how many', async () => {
    phone.answer = DOWN;
    mail.answer = DOWN;
    routes.send(message('critical', 'the oldest'));
    for (let i = 0; i < 600; i += 1) routes.send(message('warning', `flood ${i}`));
    await pass(30);
    phone.answer = SENT;
    await pass(600);
    expect(phone.text).toContain('the oldest');
    expect(phone.text).toContain('messages were dropped');
    expect(phone.text).toContain('flood 599');
    expect(routes.states[0]!.dropped).toBe(101);
  });

  it('passes on what a channel never ends to send, and goes on with it once it does', async () => {
    const send = phone.send.bind(phone);
    phone.send = () => new Promise(() => undefined);
    routes.send(message('warning', 'one'));
    await pass(200);
    expect(mail.text).toContain('one');
    expect(alerts).toEqual(['channel_failed']);
    phone.send = send;
    await pass(200);
    expect(phone.text).toContain('one');
  });

  it('survives a channel that throws', async () => {
    phone.send = () => Promise.reject(new Error('a bug'));
    routes.send(message('warning', 'one'));
    await pass(60);
    expect(mail.text).toContain('one');
  });

  it('sends after each restart what waits to the channels alone that have not had it', async () => {
    mail.answer = DOWN;
    routes.send(message('critical', 'the broker is gone'));
    await pass(60);
    phone.answer = DOWN;
    routes.send(message('critical', 'the disk is full'));
    await pass(60);
    for (let starts = 0; starts < 3; starts += 1) {
      await restart();
      phone.answer = SENT;
      await pass(60);
      expect(routes.waiting.map(({ messages }) => messages.length)).toEqual([0, 2]);
    }
    expect(phone.text.match(/the broker is gone/g)).toHaveLength(1);
    expect(phone.text.match(/the disk is full/g)).toHaveLength(1);
    mail.answer = SENT;
    await pass(60);
    expect(mail.text.match(/the broker is gone|the disk is full/g)).toHaveLength(2);
  });

  it('says of a message whose condition ended while its channel was down that it is over', async () => {
    mail.answer = DOWN;
    routes.send({ ...message('critical', 'no prices'), code: 'prices_stale' });
    routes.send({ ...message('critical', 'no token'), code: 'token_expired' });
    await pass(60);
    await restart();
    routes.end({ codes: ['prices_stale'], about: '' });
    routes.end({ codes: ['prices_stale'], about: '' });
    mail.answer = SENT;
    await pass(60);
    expect(mail.text).toBe('10:00:00 OVER by now: critical\nno prices\n\n10:00:00 critical\nno token');
  });

  it('says that a channel works or fails as soon as it was tried, and nothing before', async () => {
    const states = () => routes.states.map(({ isTried, trouble }) => (isTried ? trouble : 'not tried'));
    expect(states()).toEqual(['not tried', 'not tried']);
    routes.onTrial('mail', 'ECONNREFUSED');
    routes.onTrial('phone', null);
    expect(states()).toEqual([null, 'ECONNREFUSED']);
    routes.send(message('critical', 'one'));
    routes.onTrial('mail', null);
    expect(states()).toEqual([null, null]);
    expect(alerts).toEqual(['channel_failed', 'channel_works']);
    await pass(5);
    expect(mail.text).toContain('one');
  });
});
