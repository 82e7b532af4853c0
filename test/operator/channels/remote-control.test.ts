import { beforeEach, describe, expect, it } from 'vitest';
import { tsUs, US_PER_SECOND } from '../../../src/domain/units.ts';
import { chatCommands, REMOTE_VIEWS, RemoteControl } from '../../../src/operator/channels/remote-control.ts';
import { REMEDIES, remedyOf } from '../../../src/operator/remedies.ts';
import type { RemoteReply } from '../../../src/operator/channels/telegram.ts';
import type { CommandBody } from '../../../src/operator/control-command.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const BY = 'telegram 4711';

let time: VirtualTimers;
let wall: VirtualTimers;
let done: { readonly name: string; readonly body: CommandBody }[];
let journal: string[];
let isAwaited: boolean;
let isAuction: boolean;
let news: number;
let link: string | null;
let remote: RemoteControl;

beforeEach(() => {
  time = new VirtualTimers();
  wall = time;
  done = [];
  journal = [];
  isAwaited = false;
  isAuction = false;
  news = 1;
  link = 'http://127.0.0.1:8600/#key=the-secret';
  remote = new RemoteControl({
    clock: time,
    wallClock: { nowUs: () => wall.nowUs() },
    show: (view) => `the ${view}`,
    state: (strategy) => `Now: ${strategy ?? 'all'} holds 2.`,
    accepted: () => '; the loss is accepted',
    link: () => link,
    command: (name, body) => {
      done.push({ name, body });
      if (['halt', 'flatten', 'stop-strategy'].includes(name)) news += 1;
      return name === 'otp' ? { ok: false, message: 'wrong' } : { ok: true, message: 'accepted' };
    },
    isStrategy: (name) => name === 'ema-front',
    isAuction: () => isAuction,
    isOtpAwaited: () => isAwaited,
    news: () => news,
    journal: (by, text, outcome) => journal.push(`${by}: ${text}: ${outcome}`),
  });
});

const reply = (text: string, { age = 0, by = BY } = {}): Promise<RemoteReply> =>
  remote.take({ by, text, sentUs: tsUs(time.nowUs() - age * US_PER_SECOND) });

const write = async (...asked: Parameters<typeof reply>): Promise<string> => (await reply(...asked)).text;

const codeIn = (reply: string): string => /Send (\d{4})/.exec(reply)![1]!;

describe('RemoteControl', () => {
  it.each(REMOTE_VIEWS)('shows %s', async (view) => {
    expect(await write(`/${view}`)).toBe(`the ${view}`);
    expect(await write(`/${view}@the_bot`)).toBe(`the ${view}`);
    expect(journal[0]).toContain(view);
  });

  it('takes a halt of any age at once, and nothing else that is old or from the future', async () => {
    expect(await write('/halt news at noon', { age: 3_600 })).toBe('accepted');
    expect(done).toMatchObject([{ name: 'halt', body: { reason: `news at noon (by ${BY})` } }]);
    for (const text of [
      '/status',
      '/resume',
      '/flatten',
      '/cancel_all',
      '/open',
      '/otp 123456',
      '123456',
      '/seen',
    ]) {
      expect(await write(text, { age: 31 })).toMatch(/^ignored/);
      expect(await write(text, { age: -31 })).toMatch(/^ignored/);
    }
    expect(done).toHaveLength(1);
    expect(journal.join()).not.toContain('123456');
  });

  it('asks before a resume about the loss that it accepts, and before nothing else', async () => {
    expect(await write('/resume')).toContain('allowed again; the loss is accepted.');
    expect(await write('/flatten')).not.toContain('accepted');
  });

  it('asks back before it resumes or flattens, and goes on with the code alone', async () => {
    const answer = await write('/flatten ema-front enough');
    expect(answer).toContain('Entries of ema-front go off until /resume ema-front');
    expect(answer).toContain('positions of ema-front');
    expect(done).toEqual([]);
    expect(await write(codeIn(answer))).toBe('accepted');
    expect(done).toMatchObject([
      { name: 'flatten', body: { strategy: 'ema-front', reason: `enough (by ${BY})` } },
    ]);
    const again = await write('/resume');
    expect(await write(codeIn(again))).toBe('accepted');
    expect(done[1]).toMatchObject({ name: 'resume', body: { strategy: null } });
    expect(await write(codeIn(again))).toMatch(/^not understood/);
    expect(done).toHaveLength(2);
  });

  it.each([
    [
      '/stop_strategy ema-front too thin',
      'stop-strategy',
      /^ema-front stops until \/start_strategy ema-front/,
    ],
    ['/start_strategy ema-front it trades', 'start-strategy', /^ema-front runs again/],
    ['/cancel_all wrong parameters', 'cancel-all', /^Every open order is canceled, stops .* too/],
  ])('asks back before %s, and takes the press of its button for the code', async (text, name, meaning) => {
    const asked = await reply(text);
    expect(asked.text).toMatch(meaning);
    expect(asked.text).toContain(`Now: ${name === 'cancel-all' ? 'all' : 'ema-front'} holds 2.`);
    expect(asked.code).toBe(codeIn(asked.text));
    expect(await write(`/confirm ${asked.code}`, { by: 'telegram 4712' })).toMatch(/^not done/);
    expect(done).toEqual([]);
    expect(await write(`/confirm ${asked.code}`)).toBe('accepted');
    const strategy = name === 'cancel-all' ? null : 'ema-front';
    expect(done).toMatchObject([{ name, body: { strategy } }]);
    expect(await write(`/confirm ${asked.code}`), 'pressed twice').toMatch(
      /^not done: that question is over/,
    );
    expect(done).toHaveLength(1);
    expect(journal.join()).toContain(text);
    expect(journal.join()).not.toContain(asked.code);
  });

  it('names one strategy for a stop and a start, and starts none after a critical alert', async () => {
    expect(await write('/stop_strategy')).toMatch(/^name a strategy; \/strategies lists them$/);
    expect(await write('/start_strategy ema-frnt')).toMatch(/^there is no strategy ema-frnt/);
    const code = codeIn(await write('/start_strategy ema-front'));
    news += 1;
    expect(await write(code)).toMatch(/a critical alert or a halt came since.* send \/start_strategy again/);
    expect(done).toEqual([]);
  });

  it('sends a link that the journal does not have, and says where there is no page', async () => {
    expect(await write('/open')).toMatch(/#key=the-secret\nIt opens once, .* through a tunnel/);
    link = 'https://desk.example/#key=the-secret';
    expect(await write('/open')).not.toContain('tunnel');
    link = null;
    expect(await write('/open')).toMatch(/^there is no page/);
    expect(journal).toHaveLength(3);
    expect(journal.join()).not.toContain('the-secret');
  });

  it('says of an auction that nothing can be taken back there, and sends into it what is confirmed', async () => {
    isAuction = true;
    const answer = await write('/flatten');
    expect(answer).toMatch(/This is an auction: .* cannot be taken back/);
    await write(codeIn(answer));
    expect(done).toMatchObject([{ name: 'flatten', body: { inAuction: true } }]);
    expect(await write('/resume')).not.toContain('auction');
    const late = await write('/flatten');
    isAuction = false;
    await write(codeIn(late));
    expect(done[1]).toMatchObject({ name: 'flatten', body: { inAuction: false } });
  });

  it('cancels nothing where one strategy is named: the stops of all others would go too', async () => {
    expect(await write('/cancel_all ema-front')).toMatch(/^nothing was canceled/);
    expect(codeIn(await write('/cancel_all parameters of ema-front'))).toMatch(/^\d{4}$/);
  });

  it.each(['flatten', 'resume'])('a /%s of a strategy that is misspelled asks nothing back', async (name) => {
    expect(await reply(`/${name} ema-frnt`)).toEqual({
      text: expect.stringMatching(/^there is no strategy ema-frnt/) as string,
    });
  });

  it('takes what is fresh by the clock of the machine, where the daemon does not follow it', async () => {
    wall = new VirtualTimers(time.nowUs() + 3_600 * US_PER_SECOND);
    expect(await write('/flatten', { age: -3_600 })).toMatch(/Send \d{4}/);
    expect(await write('/flatten')).toMatch(/Send \d{4}/);
    expect(await write('/flatten', { age: -1_800 })).toMatch(/^ignored/);
  });

  it('takes no code that is late, from another person, or guessed', async () => {
    const late = codeIn(await write('/resume'));
    time.advance(61 * US_PER_SECOND);
    expect(await write(late)).toMatch(/too old/);
    const foreign = codeIn(await write('/resume'));
    expect(await write(foreign, { by: 'telegram 4712' })).toMatch(/^not understood/);
    const wrong = foreign === '1000' ? '1001' : '1000';
    for (let i = 0; i < 3; i += 1) expect(await write(wrong)).toMatch(/^not done/);
    expect(await write(foreign)).toMatch(/^not understood/);
    expect(done).toEqual([]);
  });

  it('takes a bare password only while one is awaited, and never for a code', async () => {
    expect(await write('123456')).toMatch(/^not understood/);
    isAwaited = true;
    expect(await write('123456')).toBe('refused: wrong');
    const answer = await write('/resume');
    const wrong = codeIn(answer) === '1000' ? '1001' : '1000';
    await write(wrong);
    expect(done.map(({ name }) => name)).toEqual(['otp']);
    expect(journal.join()).not.toContain('123456');
  });

  it.each(['halt!', 'HALT, please', '/Halt.', 'halt', 'halt_now', '/halt-now'])(
    'takes %s for a halt',
    async (text) => {
      expect(await write(text)).toBe('accepted');
      expect(done).toMatchObject([{ name: 'halt' }]);
    },
  );

  it('resumes nothing that was asked for before a halt', async () => {
    const resume = codeIn(await write('/resume'));
    await write('/halt', { by: 'telegram 4712' });
    expect(await write(resume)).toMatch(/^not done: a critical alert or a halt came since/);
    const flatten = codeIn(await write('/flatten'));
    await write('/halt');
    await write(flatten);
    expect(done.map(({ name }) => name)).toEqual(['halt', 'halt', 'flatten']);
  });

  it('takes a bare password after a question that nobody answered in time', async () => {
    const code = codeIn(await write('/resume'));
    time.advance(61 * US_PER_SECOND);
    isAwaited = true;
    expect(await write('123456')).toBe('refused: wrong');
    expect(await write(code)).toMatch(/too old/);
    expect(done.map(({ name }) => name)).toEqual(['otp']);
  });

  it('takes no code that comes twice or late for a password', async () => {
    isAwaited = true;
    const code = codeIn(await write('/resume'));
    await write(code);
    expect(await write(code)).toMatch(/^not understood/);
    expect(done.map(({ name }) => name)).toEqual(['resume']);
  });

  it('keeps the questions of two people apart, and takes no code of theirs for a password', async () => {
    isAwaited = true;
    const other = 'telegram 4712';
    const mine = codeIn(await write('/flatten'));
    const theirs = codeIn(await write('/cancel_all', { by: other }));
    expect(await write(mine)).toBe('accepted');
    expect(await write(`/confirm ${theirs}`, { by: other })).toBe('accepted');
    for (const by of [BY, other, 'telegram 4713'])
      for (const code of [mine, theirs]) expect(await write(code, { by })).toMatch(/^not understood/);
    expect(done.map(({ name }) => name)).toEqual(['flatten', 'cancel-all']);
  });

  it('names the account that it is about', async () => {
    expect(await write('/resume')).toContain('the whole account');
    expect(await write('/resume ema-front')).not.toContain('the whole account');
  });

  it('answers when the daemon throws', async () => {
    const broken = new RemoteControl({
      clock: time,
      wallClock: time,
      link: () => null,
      state: () => '',
      accepted: () => '',
      show: () => {
        throw new Error('no view');
      },
      command: () => Promise.reject(new Error('no daemon')),
      isStrategy: () => false,
      isAuction: () => false,
      isOtpAwaited: () => false,
      news: () => 0,
      journal: () => undefined,
    });
    const ask = async (text: string) => (await broken.take({ by: BY, text, sentUs: time.nowUs() })).text;
    expect(await ask('/status')).toContain('no view');
    expect(await ask('/halt')).toContain('no daemon');
  });
});

const STATE_DIR = '/var my state';
const typed = (text: string): string => `tickwright ${text} --state ${STATE_DIR}`;

it('says what to do after an alert with its own commands', async () => {
  const inChat = chatCommands(STATE_DIR);
  const texts = Object.keys(REMEDIES).map((code) =>
    remedyOf({ severity: 'critical', code, text: '' }, typed).replaceAll(' … ', ' ema-front '),
  );
  const commands = texts.flatMap((text) => inChat(text).match(/\/(?!var)[a-z]\S*( ema-front)?/g) ?? []);
  expect(commands).toContain('/start_strategy ema-front');
  for (const command of commands)
    expect((await write(command)) + command).not.toMatch(/not understood|there is no|name a strategy/);
  const flatten = `${typed('flatten')} --strategy ema-front --reason "…"`;
  expect(inChat(`try: ${flatten}, or ${typed('reload')} --reason "…"`)).toBe(
    `try: /flatten ema-front, or ${typed('reload')} --reason "…"`,
  );
  expect(inChat(`${typed('orders')} shows it; ${typed('orders resolve')} ends it`)).toBe(
    `/orders shows it; ${typed('orders resolve')} ends it`,
  );
});
