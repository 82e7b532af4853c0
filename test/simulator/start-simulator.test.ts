import { expect, it } from 'vitest';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { describeSimulator, startSimulator } from '../../src/simulator/start-simulator.ts';
import { BareStream } from '../contract/broker/support/bare-stream.ts';
import { BareClient, firstRow } from '../contract/broker/support/bare-client.ts';

it('without any option the demo runs, and its description is all that a stranger needs', async () => {
  const simulator = await startSimulator();
  try {
    const description = describeSimulator(simulator);
    expect(Object.keys(description)).toEqual([
      'rest',
      'stream',
      'control',
      'controlToken',
      'apiKey',
      'otp',
      'custodyCode',
      'accountId',
      'subAccountId',
      'frontMonth',
      'contracts',
    ]);
    const { rest, stream, custodyCode, subAccountId, frontMonth, contracts } = description;
    expect([rest, stream]).toEqual([
      `http://127.0.0.1:${simulator.port}`,
      `ws://127.0.0.1:${simulator.port}/ws/thesis/v1/stream/derivative`,
    ]);
    expect(custodyCode).toMatch(/^105C.{6}$/);
    expect(subAccountId).toBe(`${custodyCode}A`);
    expect([contracts.length, contracts[0]]).toEqual([4, frontMonth]);

    const stranger = new BareClient(rest, description);
    await stranger.logIn();
    const tap = await BareStream.authenticated(stream, stranger.token);
    tap.send(`d|s|tk|bi+tm+op|${frontMonth}`);
    await tap.next('s|21|');
    const board = firstRow(await stranger.call('derivatives'));
    const wish = {
      side: 'B',
      symbol: frontMonth,
      price: board['ceilPrice'],
      volume: 3,
      refId: 'H.1',
    } as const;
    expect((await stranger.call('place', wish)).json['rc'], 'margin for several contracts').toBe('1');
  } finally {
    await simulator.close();
  }
});

it('does not start on a day of which its calendar knows nothing, and says how to go on', async () => {
  const calendar = { ...DEFAULT_OPTIONS.calendar, name: 'vn30f', validTo: tradingDay('2026-12-31') };
  const from = (day: string) =>
    startSimulator({
      calendar,
      clock: { nowUs: () => momentOf(tradingDay(day), 0, calendar.utcOffsetMinutes) },
    });
  await expect(from('2027-01-01')).rejects.toThrow(
    'calendar vn30f lists the days without a session until 2026-12-31, and its market would begin on 2027-01-01: add',
  );
  await (await from('2026-12-31')).close();
});
