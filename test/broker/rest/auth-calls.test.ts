import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenExchange } from '../../../src/broker/auth/token-keeper.ts';
import { createAuthCalls } from '../../../src/broker/rest/rest-client.ts';
import { Transport } from '../../../src/broker/rest/transport.ts';
import { RecordingSink } from '../support/recording-sink.ts';
import { type Exchange, type ScriptedHttp, startScriptedHttp } from '../support/scripted-http.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';
import { USUAL_TIMEOUTS } from '../support/usual-timeouts.ts';

let server: ScriptedHttp;
let transport: Transport;
let calls: TokenExchange;
let counted: number;

const REQUEST = { apiKey: 'key', otp: '123456', otpId: undefined };
const count = (): void => void (counted += 1);

beforeEach(async () => {
  server = await startScriptedHttp();
  const timers = new VirtualTimers();
  transport = new Transport({
    baseUrl: server.baseUrl,
    timeouts: USUAL_TIMEOUTS,
    pace: { callsPerSecond: 1000, burst: 100 },
    clock: timers,
    timers,
    sink: new RecordingSink(),
    onSignal: () => {},
  });
  calls = createAuthCalls(transport);
  counted = 0;
});

afterEach(async () => {
  await transport.close();
  await server.close();
});

describe('a failure', () => {
  it.each<{ name: string; answer: (exchange: Exchange) => void; reply: object }>([
    {
      name: 'a wrong password',
      answer: (exchange) => exchange.reply(400, { code: 203033, message: 'x' }),
      reply: { status: 'refused', code: '203033', isFinal: true, isOtp: true },
    },
    {
      name: 'a proxy',
      answer: (exchange) => exchange.reply(403, '<html>'),
      reply: { status: 'refused', code: 'HTTP 403', isFinal: false },
    },
    {
      name: 'maintenance, with a code of its own',
      answer: (exchange) => exchange.reply(403, { code: '203999', message: 'maintenance' }),
      reply: { status: 'refused', code: '203999', isFinal: false, isOtp: false },
    },
    { name: 'too many', answer: (exchange) => exchange.reply(429, { code: '1' }), reply: { isFinal: false } },
    {
      name: 'an answer without a token',
      answer: (exchange) => exchange.reply(200, {}),
      reply: { status: 'unknown' },
    },
    { name: 'a dropped connection', answer: ({ socket }) => socket.destroy(), reply: { status: 'unknown' } },
  ])('after $name has an outcome of its own, and is asked once', async ({ answer, reply }) => {
    server.handle(answer);
    expect(await calls.exchangeToken(REQUEST, count)).toMatchObject(reply);
    expect([server.exchanges.length, counted]).toEqual([1, 1]);
  });

  it('to keep the count is a call that never left', async () => {
    const reply = await calls.exchangeToken(REQUEST, () => {
      throw new Error('disk full');
    });
    expect(reply).toMatchObject({ status: 'not_sent' });
    expect(server.exchanges).toEqual([]);
  });
});
