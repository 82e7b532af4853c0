import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Delivery } from '../../../src/operator/alerts/alert-message.ts';
import { createMail } from '../../../src/operator/channels/mail.ts';
import { Mailbox } from '../support/mailbox.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DELIVERY: Delivery = {
  severity: 'critical',
  title: 'CRITICAL: they differ\r\nBcc: thief@example.com',
  text: 'ours +1, broker 0',
  isUrgent: true,
  pages: [],
};

let box: Mailbox;

beforeEach(async () => {
  box = await Mailbox.start();
});

afterEach(() => box.close());

const mailWith = (password: string | null) => {
  const mail = createMail({
    id: 'mail',
    host: '127.0.0.1',
    port: box.port,
    isSecure: false,
    from: 'bot@example.com',
    to: ['owner@example.com'],
    login: password === null ? null : { user: 'bot', password },
  });
  onTestFinished(() => mail.close());
  return mail;
};

it('sends one mail, to nobody that a text names', async () => {
  expect(await mailWith(null).send(DELIVERY)).toEqual({ status: 'sent' });
  expect(box.mails).toHaveLength(1);
  expect(box.mails[0]).toContain('ours +1, broker 0');
  expect(box.mails[0]).not.toMatch(/^Bcc:/m);
});

it('carries the page of a report', async () => {
  const dir = tempDir();
  const page = join(dir, 'report-2026-03-05.html');
  writeFileSync(page, '<h1>Trading day</h1>');
  expect(await mailWith('right').send({ ...DELIVERY, pages: [page] })).toEqual({ status: 'sent' });
  expect(box.mails[0]).toContain('report-2026-03-05.html');
  expect(box.logins).toEqual(['bot']);
});

it('sends a text without the page that its server refuses: alerts behind it would wait for ever', async () => {
  const page = join(tempDir(), 'report-2026-03-05.html');
  writeFileSync(page, '<h1>Trading day</h1>');
  box.refusesFiles = true;
  expect(await mailWith(null).send({ ...DELIVERY, pages: [page] })).toEqual({ status: 'sent' });
  expect(box.mails).toHaveLength(1);
  expect(box.mails[0]).toContain('ours +1, broker 0');
  expect(box.mails[0]?.replaceAll('=\r\n', '')).toContain(`did not take ${page}`);
});

it('needs a person for a wrong password, and tries again later otherwise', async () => {
  const refused = await mailWith('wrong').send(DELIVERY);
  expect(refused).toMatchObject({ status: 'refused' });
  expect(JSON.stringify(refused)).not.toContain('"wrong"');
  box.refuses = 451;
  expect(await mailWith(null).send(DELIVERY)).toMatchObject({ status: 'later' });
});

it('tries again later when nobody listens', async () => {
  const mail = mailWith(null);
  await box.close();
  expect(await mail.send(DELIVERY)).toMatchObject({ status: 'later' });
  box = await Mailbox.start();
});
