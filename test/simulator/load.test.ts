/** `npm run load` in small, on virtual time: real sockets, a real crowd, and nothing that depends on the machine's pace. */
import { expect, it } from 'vitest';
import { seconds } from '../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { BareStream } from '../contract/broker/support/bare-stream.ts';
import { rowsOf } from '../contract/broker/support/bare-client.ts';
import { openMarket } from '../contract/broker/support/market.ts';

const CLIENTS = 50;
const CALLS_A_SECOND = 20;
const CROWDED_SECONDS = 4;
/** About 400 trades a second. */
const SPEED = 66;

const isPrice = (frame: string): boolean => frame.startsWith('s|');

it('sends 50 clients the same of four busy contracts, misses no heartbeat and answers meanwhile', async () => {
  const { simulator, time, alice } = await openMarket({
    market: { kind: 'synthetic', seed: 5, startPoints: 1_300 },
    time: { ...DEFAULT_OPTIONS.time, speed: SPEED },
    // Shorter than the crowd lasts: one heartbeat that goes unheard closes a connection.
    stream: { ...DEFAULT_OPTIONS.stream, heartbeatTimeoutSeconds: 3, secondConnection: 'allow' },
  });
  const taps: BareStream[] = [];
  for (let at = 0; at < CLIENTS; at += 1) {
    const tap = await BareStream.authenticated(simulator.stream, alice.token);
    tap.send(`d|s|tk|bp+bi+tm+mp+op+fe|${simulator.contracts.join(',')}`);
    taps.push(tap);
  }
  await Promise.all(taps.map((tap) => tap.settle()));
  const before = taps.map(({ frames }) => frames.length);
  for (let second = 0; second < CROWDED_SECONDS; second += 1) {
    for (let call = 0; call < CALLS_A_SECOND; call += 1) {
      time.advance(seconds(1 / CALLS_A_SECOND));
      expect((await (call % 2 === 0 ? alice.call('in-day') : alice.call('derivatives'))).status).toBe(200);
    }
    // All heartbeats of this second at once; each waits for its pong.
    if (second % 2 === 1) await Promise.all(taps.map((tap) => tap.settle()));
  }

  const heard = taps.map(({ frames }, at) => frames.slice(before[at]).filter(isPrice));
  const [first = []] = heard;
  const trades = first.filter((frame) => frame.startsWith('s|21|'));
  expect(trades.length).toBeGreaterThan(CROWDED_SECONDS * 300);
  expect(heard.every((frames) => frames.length === first.length)).toBe(true);
  expect(heard.every((frames) => frames.every((frame, at) => frame === first[at]))).toBe(true);
  expect([simulator.connections, simulator.counters.get('heartbeat_timeout')]).toEqual([CLIENTS, undefined]);

  // Every trade is there: each contract's volume is a chain, and ends where the price list is.
  const volumes = new Map<string, number>();
  const gaps = trades.filter((frame) => {
    const { symbol, matchQtty, totalVolume } = JSON.parse(frame.slice('s|21|'.length)) as Trade;
    const known = volumes.get(symbol);
    volumes.set(symbol, totalVolume);
    return known !== undefined && known + matchQtty !== totalVolume;
  });
  expect(gaps).toEqual([]);
  const listed = rowsOf(await alice.call('derivatives')).map((row) => [row['symbol'], row['totalVol']]);
  expect(Object.fromEntries(volumes)).toEqual(Object.fromEntries(listed));
});

interface Trade {
  readonly symbol: string;
  readonly matchQtty: number;
  readonly totalVolume: number;
}
