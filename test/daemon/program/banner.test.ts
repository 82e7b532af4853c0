import { expect, test } from 'vitest';
import { banner, type BannerContent } from '../../../src/daemon/program/daemon-screen.ts';

const ACCOUNT = '105C987321';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl';

const FACTS: BannerContent = {
  name: 'tickwright',
  version: '0.1.0',
  mode: 'paper',
  broker: 'embedded simulator http://127.0.0.1:4010',
  account: ACCOUNT,
  stateDir: 'var/paper',
  sessionHours: 'always open',
  clock: '2026-03-04 09:00:00, speed 1',
  strategies: [
    { id: 'ema', strategy: 'ema-cross', symbols: ['VN30F1M'] },
    {
      id: 'pairs',
      strategy: 'pairs',
      symbols: ['VN30F1M', 'VN30F2M'],
    },
  ],
  risk: [
    { what: 'order', limit: '5' },
    { what: 'position', limit: '10' },
    { what: 'daily loss', limit: '20,000,000' },
    { what: 'open orders', limit: '8' },
  ],
  remarks: ['book is not started: the tape holds one contract'],
  controlUrl: 'http://127.0.0.1:7400',
  pace: '5 requests a second',
};

test('everything a person should know is in one block', () => {
  expect(banner(FACTS)).toMatchInlineSnapshot(`
    "tickwright 0.1.0  paper
      broker      embedded simulator http://127.0.0.1:4010
      account     ***321
      state       var/paper
      session     always open
      clock       2026-03-04 09:00:00, speed 1
      pace        5 requests a second
      control     http://127.0.0.1:7400
      strategies  ema    (ema-cross)  VN30F1M
                  pairs               VN30F1M + VN30F2M
      limits      order 5 | position 10 | daily loss 20,000,000 | open orders 8
      note        book is not started: the tape holds one contract"
  `);
});

test('neither account nor keys nor tokens are shown, wherever they are', () => {
  const text = banner({
    ...FACTS,
    stateDir: `var/${ACCOUNT}`,
    controlUrl: 'http://me:s3cret@127.0.0.1:7400/?token=abc123def',
    broker: `https://broker.example Bearer ${JWT}`,
    remarks: ['otp: 443211', `api key = k3y-of-the-broker`, `account ${ACCOUNT} is armed`],
  });
  for (const secret of [ACCOUNT, '987321', 's3cret', 'abc123def', 'eyJ', '443211', 'k3y-of']) {
    expect(text).not.toContain(secret);
  }
  expect(text).toContain('***321');
  expect(text).toContain('http://127.0.0.1:7400/');
});

test('real money is said aloud; nothing is made up for what is not there', () => {
  const text = banner({ ...FACTS, mode: 'live', strategies: [] });
  expect(text).toContain('live REAL MONEY');
  expect(text).toMatch(/strategies\s+none/);
});
