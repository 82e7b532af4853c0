/** The bot against a stand-in of its service, with the errors that the real one answers with. */
import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tsUs, US_PER_DAY } from '../../../src/domain/units.ts';
import type { Delivery } from '../../../src/operator/alerts/alert-message.ts';
import {
  createTelegramBot,
  createTelegramChannel,
  type RemoteMessage,
  TelegramListener,
} from '../../../src/operator/channels/telegram.ts';
import { BOT_TOKEN, BotApi } from '../support/bot-api.ts';

const OWNER = 4_711;

const DELIVERY: Delivery = {
  severity: 'critical',
  title: 'CRITICAL',
  text: 'they differ',
  isUrgent: true,
  pages: [],
};

let api: BotApi;

beforeEach(async () => {
  api = await BotApi.start();
});

afterEach(() => api.close());

const send = (token = BOT_TOKEN, url = api.url) =>
  createTelegramChannel('phone', createTelegramBot({ apiUrl: url, token }), OWNER).send(DELIVERY);

describe('channel', () => {
  it('sends the text, with a button where it waits to be acknowledged', async () => {
    expect(await send()).toEqual({ status: 'sent' });
    expect(api.sent).toMatchObject([{ chat_id: OWNER, text: 'they differ' }]);
    expect(JSON.stringify(api.sent[0]!.reply_markup)).toContain('seen');
  });

  it('sends a character that was cut in two as a whole one: the service would refuse it for ever', async () => {
    const bot = createTelegramBot({ apiUrl: api.url, token: BOT_TOKEN });
    await createTelegramChannel('phone', bot, OWNER).send({
      ...DELIVERY,
      text: 'news \u{1f4a5}'.slice(0, -1),
    });
    expect(api.sent[0]!.text).toBe('news \ufffd');
  });

  it('waits as long as a 429 asks', async () => {
    api.failures['sendMessage']!.push({ status: 429, retryAfter: 37 });
    expect(await send()).toMatchObject({ status: 'later', pauseMs: 37_000 });
  });

  it.each([
    [-5, 0],
    [1e300, 1_800_000],
  ])('makes a pause of the %d seconds that a 429 asks', async (retryAfter, pauseMs) => {
    api.failures['sendMessage']!.push({ status: 429, retryAfter });
    expect(await send()).toMatchObject({ status: 'later', pauseMs });
  });

  it.each([500, 502, 503])('tries again after a %d', async (status) => {
    api.failures['sendMessage']!.push({ status });
    expect(await send()).toMatchObject({ status: 'later', pauseMs: null });
  });

  it('needs a person for a wrong token or a chat that blocks it', async () => {
    expect(await send('1:wrong')).toMatchObject({ status: 'refused', reason: 'HTTP 401: Unauthorized' });
    api.failures['sendMessage']!.push({ status: 403, description: 'bot was blocked by the user' });
    expect(await send()).toMatchObject({ status: 'refused' });
  });

  it('reports a service that is gone without its address, which holds the token', async () => {
    const { url } = api;
    await api.close();
    const result = await send(BOT_TOKEN, url);
    expect(result).toMatchObject({ status: 'later' });
    expect(JSON.stringify(result)).not.toContain(BOT_TOKEN);
    api = await BotApi.start();
  });
});

describe('listener', () => {
  const timers = {
    after: (_span: number, run: () => void) => {
      pauses += 1;
      const timer = setTimeout(run, pauseMs);
      return () => clearTimeout(timer);
    },
  };
  let pauses: number;
  let pauseMs: number;
  let answer: Promise<unknown>;
  let asked: RemoteMessage[];
  let alerts: string[];
  let listener: TelegramListener;
  let taken: Map<number, number>;
  let isUnreadable: boolean;
  /** Ahead of the clock. */
  let aheadUs: number;

  const listen = (token = BOT_TOKEN): void => {
    listener = new TelegramListener({
      bot: createTelegramBot({ apiUrl: api.url, token }),
      users: [OWNER],
      clock: { nowUs: () => tsUs(Date.now() * 1_000 + aheadUs) },
      timers,
      taken: {
        stampOf: (update) => {
          if (isUnreadable) throw new Error('disk I/O error');
          return taken.get(update) ?? 0;
        },
        keep: (update, stamp) => void taken.set(update, stamp),
      },
      take: async (each) => {
        asked.push(each);
        await answer;
        return each.text === '/flatten' ? { text: 'sure?', code: '4711' } : { text: `took ${each.text}` };
      },
      seen: () => 'acknowledged',
      alert: (_severity, code, text) => alerts.push(`${code}: ${text}`),
    });
    listener.start();
  };

  beforeEach(() => {
    asked = [];
    alerts = [];
    taken = new Map();
    isUnreadable = false;
    aheadUs = 0;
    pauses = 0;
    pauseMs = 5;
    answer = Promise.resolve();
  });

  afterEach(() => listener.close());

  it('takes what an allowed person writes in a private chat, and answers there', async () => {
    listen();
    api.write(OWNER, '/status');
    await vi.waitFor(() => expect(api.sent).toMatchObject([{ chat_id: OWNER, text: 'took /status' }]));
    expect(asked[0]!.by).toBe(`telegram ${OWNER} @user${OWNER}`);
  });

  it('has a button to confirm below a question, and takes its press for the answer', async () => {
    listen();
    api.write(OWNER, '/flatten');
    await vi.waitFor(() => expect(api.sent).toHaveLength(1));
    const markup = api.sent[0]!.reply_markup as { inline_keyboard: { callback_data: string }[][] };
    const data = markup.inline_keyboard[0]![0]!.callback_data;
    api.press(666, data);
    api.press(OWNER, data);
    await vi.waitFor(() => expect(api.sent).toHaveLength(2));
    expect(api.sent[1]).toEqual({ chat_id: OWNER, text: 'took /confirm 4711' });
    expect(asked[1]!.by, 'the same person').toBe(asked[0]!.by);
    expect(api.answered).toHaveLength(1);
  });

  it('says that an answer is longer than a message, and sends what fits', async () => {
    listen();
    api.write(OWNER, 'x'.repeat(5_000));
    await vi.waitFor(() => expect(api.sent).toHaveLength(1));
    expect(api.sent[0]!.text).toMatch(/^took x+\n… and more/);
    expect(api.sent[0]!.text.length).toBeLessThanOrEqual(4_096);
  });

  it('answers nobody else, and reports each stranger once', async () => {
    listen();
    api.write(666, '/halt');
    api.write(666, '/flatten');
    api.write(OWNER, '/status', { chat: -5, type: 'group' });
    api.press(666, 'seen');
    api.write(OWNER, '/status');
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    expect(alerts).toHaveLength(2);
    expect(api.sent.every((message) => message.chat_id === OWNER)).toBe(true);
    expect(api.answered).toEqual([]);
  });

  it('takes an update once, though the service repeats it, also after a restart', async () => {
    api.keepsUpdates = true;
    listen();
    api.write(OWNER, 'one');
    await vi.waitFor(() => expect(api.offsets.length).toBeGreaterThan(3));
    expect(asked).toHaveLength(1);
    await listener.close();
    listen();
    const { length } = api.offsets;
    await vi.waitFor(() => expect(api.offsets.length).toBeGreaterThan(length + 2));
    expect(asked).toHaveLength(1);
    expect(api.offsets.at(-1)).toBe(Math.max(...taken.keys()) + 1);
  });

  it('asks without a number after six quiet days, and takes what comes whatever its number is', async () => {
    listen();
    api.write(OWNER, 'before');
    await vi.waitFor(() => expect(api.offsets.at(-1)).toBe(902));
    aheadUs = 6 * US_PER_DAY;
    api.endPoll();
    await vi.waitFor(() => expect(api.offsets.at(-1)).toBeUndefined());
    api.numberFrom(17);
    api.write(OWNER, '/halt');
    await vi.waitFor(() => expect(asked.map(({ text }) => text)).toEqual(['before', '/halt']));
    await vi.waitFor(() => expect(api.offsets.at(-1)).toBe(18));
  });

  it('takes a lower number also while the service counts on, as one in doubt may be a halt', async () => {
    api.keepsUpdates = true;
    listen();
    api.write(OWNER, 'before');
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    api.numberFrom(17);
    api.write(OWNER, '/halt');
    await vi.waitFor(() => expect(asked).toHaveLength(2));
  });

  it('recognises a message with a number that was taken long ago by its date', async () => {
    listen();
    api.write(OWNER, 'before', { age: 8 * 86_400 });
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    // The next poll is open: it would confirm the number that comes again.
    await vi.waitFor(() => expect(api.offsets).toHaveLength(2));
    api.numberFrom(901);
    api.write(OWNER, '/halt');
    await listener.close();
    listen();
    await vi.waitFor(() => expect(asked).toHaveLength(2));
  });

  it('takes a halt though the journal cannot say whether it was taken before, and says so', async () => {
    isUnreadable = true;
    api.keepsUpdates = true;
    listen();
    api.write(OWNER, '/halt');
    await vi.waitFor(() => expect(api.offsets.length).toBeGreaterThan(3));
    expect(asked.map(({ text }) => text)).toEqual(['/halt']);
    expect(alerts).toEqual([expect.stringMatching(/^phone_failed: .*disk I\/O error; it counts as new/)]);
  });

  it('takes a press of the button once', async () => {
    api.keepsUpdates = true;
    listen();
    api.press(OWNER, 'seen');
    await vi.waitFor(() => expect(api.offsets.length).toBeGreaterThan(3));
    await listener.close();
    listen();
    const { length } = api.offsets;
    await vi.waitFor(() => expect(api.offsets.length).toBeGreaterThan(length + 2));
    expect(api.answered).toHaveLength(1);
  });

  it('goes on after errors of the service, and says so when it is sure', async () => {
    api.failures['getUpdates']!.push({ status: 502 }, { status: 429, retryAfter: 1 }, { status: 409 });
    listen();
    api.write(OWNER, 'one');
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    expect(alerts).toHaveLength(2);
    expect(alerts[0]).toMatch(/^phone_deaf: .*HTTP 409.*another program/);
    expect(alerts[1]).toMatch(/^phone_heard/);
  });

  it('says once that the token is wrong', async () => {
    listen('1:wrong');
    await vi.waitFor(() => expect(alerts).toHaveLength(1));
    expect(alerts[0]).toMatch(/HTTP 401: Unauthorized; look whether the token/);
  });

  it('reports two programs that read one bot', async () => {
    listen();
    await vi.waitFor(() => expect(api.offsets).toHaveLength(1));
    const other = createTelegramBot({ apiUrl: api.url, token: BOT_TOKEN });
    const closing = new AbortController();
    void other.call('getUpdates', { timeout: 50 }, 60_000, closing.signal);
    await vi.waitFor(() => expect(alerts[0]).toContain('HTTP 409'));
    closing.abort();
  });

  it('acknowledges by the button', async () => {
    listen();
    api.press(OWNER, 'seen');
    await vi.waitFor(() =>
      expect(api.answered).toEqual([{ callback_query_id: 'press-1', text: 'acknowledged' }]),
    );
  });

  it('ends all its pauses when it is closed', async () => {
    pauseMs = 3_600_000;
    const done = new EventEmitter();
    answer = once(done, 'go');
    api.write(OWNER, 'one');
    listen();
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await vi.waitFor(() => expect(api.offsets).toHaveLength(2));
    // An answer that comes too soon makes the listener pause.
    api.endPoll();
    await vi.waitFor(() => expect(pauses).toBe(1));
    api.down.set('sendMessage', { status: 500 });
    done.emit('go');
    await vi.waitFor(() => expect(pauses).toBeGreaterThan(1));
    await listener.close();
  });

  it('ends a poll that hangs when it is closed', async () => {
    api.failures['getUpdates']!.push('hang');
    listen();
    await listener.close();
    expect(asked).toEqual([]);
  });
});
