/** A test message through the channels of a configuration, over real HTTP and SMTP. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { GOOD, SHIPPED } from '../../config/config-files.ts';
import { BOT_TOKEN, BotApi } from '../../operator/support/bot-api.ts';
import { Mailbox } from '../../operator/support/mailbox.ts';
import { cliDir, cliRun } from '../support/cli-run.ts';

afterEach(() => vi.unstubAllEnvs());

async function channels() {
  const [bot, mailbox] = await Promise.all([BotApi.start(), Mailbox.start()]);
  onTestFinished(async () => {
    await Promise.all([bot.close(), mailbox.close()]);
  });
  const dir = cliDir();
  for (const name of ['vn30f.yaml', 'closures.json']) copyFileSync(join(SHIPPED, name), join(dir, name));
  const file = join(dir, 'main.yaml');
  writeFileSync(
    file,
    `${GOOD}alerts:
  channels:
    - { id: phone, kind: telegram, chat: 7, least: critical, apiUrl: '${bot.url}' }
    - { id: mail, kind: email, host: 127.0.0.1, port: ${mailbox.port}, from: a@example.com, to: [b@example.com] }
`,
  );
  return { bot, mailbox, file };
}

it('sends one message through each channel, whatever its severity', async () => {
  const { bot, mailbox, file } = await channels();
  vi.stubEnv('TICKWRIGHT_TELEGRAM_TOKEN', BOT_TOKEN);
  const run = await cliRun('test-message', '--config', file);
  expect(run).toEqual({ code: 0, out: 'phone: sent\nmail: sent\n', err: '' });
  expect(bot.sent).toMatchObject([{ chat_id: 7, text: expect.stringContaining('channel phone') }]);
  expect(mailbox.mails).toHaveLength(1);
});

it('shows the reason of each that does not deliver, without its secret', async () => {
  const { bot, mailbox, file } = await channels();
  vi.stubEnv('TICKWRIGHT_TELEGRAM_TOKEN', BOT_TOKEN);
  bot.down.set('sendMessage', { status: 401, description: `no bot ${BOT_TOKEN}` });
  mailbox.refuses = 451;
  const { code, out } = await cliRun('test-message', '--config', file);
  expect(code).toBe(1);
  expect(out).toMatch(/^phone: NOT sent: .+\nmail: NOT sent: .+451.*\n$/);
  expect(out).not.toContain(BOT_TOKEN);
});

it('tries one channel alone, and the others where the secret of one is missing', async () => {
  const { mailbox, file } = await channels();
  const alone = await cliRun('test-message', '--config', file, '--channel', 'mail');
  expect(alone).toEqual({ code: 0, out: 'mail: sent\n', err: '' });
  const all = await cliRun('test-message', '--config', file);
  expect(all.code).toBe(1);
  expect(all.out).toMatch(/^mail: sent\nphone: NOT sent: .*TICKWRIGHT_TELEGRAM_TOKEN, was missing\n$/);
  expect(mailbox.mails).toHaveLength(2);
  const none = await cliRun('test-message', '--config', file, '--channel', 'mial');
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('there is no channel mial') });
});
