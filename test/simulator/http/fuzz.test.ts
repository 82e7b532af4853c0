import fc from 'fast-check';
import { expect, it } from 'vitest';
import { started } from '../support/started.ts';
import { FrameTap } from '../support/stranger.ts';

const ODD = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e999',
    '1e308',
    'NaN',
    'B',
    'ALL,ALL',
    '__proto__',
    'constructor',
    '\u0000',
    'é',
  ),
  fc.double(),
  fc.integer(),
);

it('no order body makes the simulator fall over, and none makes an order it would have to refuse', async () => {
  const { alice, simulator, front } = await started();
  const { custodyCode, subAccountId } = alice.account;
  const right = {
    accountId: custodyCode,
    subAccountId,
    side: 'B',
    symbol: front,
    price: 1299,
    volume: 1,
    orderType: '0',
    refId: 'H.1',
    orderNo: '1',
    nvol: 1,
    nprice: 1299.1,
  };
  const path = fc.constantFrom('place', 'change', 'cancel');
  const wrong = fc.record({ field: fc.constantFrom(...Object.keys(right)), value: ODD });
  await fc.assert(
    fc.asyncProperty(path, fc.array(wrong, { maxLength: 3 }), async (operation, changes) => {
      const body = { ...right, ...Object.fromEntries(changes.map(({ field, value }) => [field, value])) };
      const reply = await alice.call('POST', `/khronos/v1/order/${operation}`, body);
      expect([reply.status, typeof reply.json['rc']], reply.text).toEqual([200, 'string']);
    }),
    { numRuns: 300 },
  );
  for (const { qty, limitPrice } of simulator.orders()) {
    expect([Number.isSafeInteger(qty) && qty > 0, Number.isSafeInteger(limitPrice)]).toEqual([true, true]);
  }
});

it('no query, token body or path makes it fall over', async () => {
  const { alice } = await started();
  const calls = fc.constantFrom(
    '/khronos/v1/order/in-day',
    '/khronos/v1/account/status',
    '/khronos/v1/account/portfolio/status',
    '/eros/v2/get-profile/by-username/x',
    '/tartarus/v1/derivatives',
  );
  const names = fc.constantFrom(
    'accountId',
    'subAccountId',
    'pageNo',
    'pageSize',
    'symbol',
    'status',
    'refId',
    'fields',
  );
  const query = fc.dictionary(names, fc.oneof(fc.string(), fc.constant(alice.account.custodyCode)), {
    maxKeys: 8,
  });
  await fc.assert(
    fc.asyncProperty(calls, query, ODD, async (path, asked, body) => {
      expect((await alice.get(path, asked)).status).toBeLessThan(500);
      const token = await alice.call('POST', '/gaia/v1/oauth2/openapi/token', body);
      expect([400, 200]).toContain(token.status);
    }),
    { numRuns: 200 },
  );
});

it('no frame makes the stream fall over', async () => {
  const { simulator, alice, front } = await started();
  const tap = await FrameTap.authenticated(simulator.stream, alice.token);
  const piece = fc.constantFrom(
    'd',
    's',
    'u',
    'a',
    'p',
    'tk',
    'tm',
    'bi+op',
    front,
    '',
    '|',
    ',',
    '+',
    ' ',
    '\u0000',
    'x',
  );
  const frame = fc.oneof(
    fc.string(),
    fc.array(piece).map((parts) => parts.join('|')),
    fc.array(piece).map((parts) => parts.join('')),
  );
  const frames = fc.sample(frame, { numRuns: 2_000, seed: 4 }).filter((text) => !text.startsWith('d|a|'));
  for (const text of frames) tap.send(text);
  await tap.settle();
  expect(tap.socket.readyState).toBe(tap.socket.OPEN);
  expect(simulator.counters.get('malformed_frame')).toBeGreaterThan(1_000);
});
