/** A market of nobody but three customers, on virtual time: what happens is what a test does. */
import { milliseconds, tsUs } from '../../../../src/domain/units.ts';
import {
  type AuthSettings,
  DEFAULT_OPTIONS,
  type SimulatorOptions,
  type StreamSettings,
} from '../../../../src/simulator/simulator-options.ts';
import { type RunningSimulator, startSimulator } from '../../../../src/simulator/start-simulator.ts';
import { MORNING, VirtualTimers } from '../../../broker/support/virtual-timers.ts';
import { MARKET_CALENDAR } from '../../../support/market-calendar.ts';
import { afterFile } from '../../../support/after-file.ts';
import { type Answer, BareClient, firstRow } from './bare-client.ts';
import { ALICE, BOB, CAROL } from './customers.ts';

export interface Market {
  readonly simulator: RunningSimulator;
  readonly time: VirtualTimers;
  readonly alice: BareClient;
  readonly bob: BareClient;
  readonly carol: BareClient;
  readonly front: string;
  readonly next: string;
  /** For who wants to see it started again; else it closes with its file. */
  readonly close: () => Promise<void>;
}

/** Continuous trading at any hour, the gateway without a delay, unless the options say otherwise. */
export async function openMarket(options: Partial<SimulatorOptions> = {}): Promise<Market> {
  const market = await openLockedMarket(options);
  for (const client of [market.alice, market.bob, market.carol]) await client.logIn();
  return market;
}

/** The same, before anybody has logged in. */
export async function openLockedMarket(options: Partial<SimulatorOptions> = {}): Promise<Market> {
  const time = new VirtualTimers(MORNING);
  const simulator = await startSimulator({
    accounts: [ALICE, BOB, CAROL],
    market: { kind: 'empty', startPoints: 1_300 },
    clock: time,
    timers: time,
    ...options,
    rules: { gatewayDelay: milliseconds(0), ...options.rules },
  });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= simulator.close());
  afterFile(close);
  const [alice, bob, carol] = [ALICE, BOB, CAROL].map((who) => new BareClient(simulator.rest, who)) as [
    BareClient,
    BareClient,
    BareClient,
  ];
  const [front = '', next = ''] = simulator.contracts;
  return { simulator, time, alice, bob, carol, front, next, close };
}

/** The exchange's own day at a moment of it: `2026-03-04 09:00:00`, a Wednesday. */
export const openMarketAt = (moment: string, options: Partial<SimulatorOptions> = {}): Promise<Market> =>
  openMarket({
    ...options,
    calendar: MARKET_CALENDAR,
    time: {
      speed: 1,
      originRealUs: null,
      originMarketUs: tsUs(Date.parse(`${moment.replace(' ', 'T')}+07:00`) * 1_000),
      start: 'origin',
    },
  });

export const withAuth = (auth: Partial<AuthSettings>): Pick<SimulatorOptions, 'auth'> => ({
  auth: { ...DEFAULT_OPTIONS.auth, ...auth },
});

export const withStream = (stream: Partial<StreamSettings>): Pick<SimulatorOptions, 'stream'> => ({
  stream: { ...DEFAULT_OPTIONS.stream, ...stream },
});

export const withReadings = (
  readings: Partial<SimulatorOptions['readings']>,
): Pick<SimulatorOptions, 'readings'> => ({ readings: { ...DEFAULT_OPTIONS.readings, ...readings } });

let references = 0;

/** A normal order of one customer; every one has a reference of its own. */
export function order(
  client: BareClient,
  side: 'B' | 'S',
  symbol: string,
  price: unknown,
  volume: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  references += 1;
  return client.call('place', {
    side,
    symbol,
    price,
    volume,
    refId: `H.${references}`,
    ...more,
  });
}

/** The same, accepted: its number. */
export async function placed(...wish: Parameters<typeof order>): Promise<string> {
  const answer = await order(...wish);
  if (answer.json['rc'] !== '1') throw new Error(`not placed: ${answer.text}`);
  return String(firstRow(answer)['orderNo']);
}

/** Alice buys from Bob. */
export async function trade(
  { alice, bob }: Market,
  symbol: string,
  price: number,
  volume: number,
): Promise<void> {
  await placed(bob, 'S', symbol, price, volume);
  await placed(alice, 'B', symbol, price, volume);
}
