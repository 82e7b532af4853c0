/** The market with Alice behind our own typed client, and a relay between them that writes everything down. */
import {
  createAuthCalls,
  createRestClient,
  type RestClient,
} from '../../../../src/broker/rest/rest-client.ts';
import type { TokenExchange } from '../../../../src/broker/auth/token-keeper.ts';
import type { SendOptions } from '../../../../src/broker/rest/rest-caller.ts';
import { Transport } from '../../../../src/broker/rest/transport.ts';
import { accountId, clientOrderId, orderCode, subAccountId } from '../../../../src/domain/ids.ts';
import { priceTicks, qty } from '../../../../src/domain/units.ts';
import type { SimulatorOptions } from '../../../../src/simulator/simulator-options.ts';
import { DriftLog } from '../../../../src/wire/drift.ts';
import { VN30_SPEC } from '../../../support/strategy-fixtures.ts';
import { RecordingSink } from '../../../broker/support/recording-sink.ts';
import { FakeTokens } from '../../../broker/support/tokens.ts';
import { afterFile } from '../../../support/after-file.ts';
import { type Market, openMarket } from './market.ts';
import { type Relay, startRelay } from './relay.ts';
import { USUAL_TIMEOUTS } from '../../../broker/support/usual-timeouts.ts';

export interface ClientMarket extends Market {
  readonly client: RestClient;
  readonly auth: TokenExchange;
  readonly tokens: FakeTokens;
  readonly relay: Relay;
  /** What the client had to forgive. */
  readonly drift: DriftLog;
}

const ignore = (): void => {};

export async function openClientMarket(options: Partial<SimulatorOptions> = {}): Promise<ClientMarket> {
  return behindClient(await openMarket(options));
}

/** Alice's client in a market that does not move; `rewrite` changes the form of the answers on their way. */
export async function behindClient(
  market: Market,
  rewrite?: (text: string) => string,
): Promise<ClientMarket> {
  const { alice, simulator, time } = market;
  const relay = await startRelay(simulator, rewrite);
  const tokens = new FakeTokens(alice.token);
  const drift = new DriftLog();
  const transport: Transport = new Transport({
    baseUrl: relay.rest,
    timeouts: USUAL_TIMEOUTS,
    pace: { callsPerSecond: 1_000, burst: 1_000 },
    clock: time,
    timers: time,
    sink: new RecordingSink(),
    onSignal: ignore,
  });
  afterFile(() => transport.close());
  afterFile(() => relay.close());
  const account = { accountId: accountId(alice.custodyCode), subAccountId: subAccountId(alice.subAccountId) };
  const shared = { transport, drift, timers: time, onSignal: ignore };
  const client = createRestClient({ ...shared, tokens, account, specOf: () => VN30_SPEC });
  return { ...market, client, auth: createAuthCalls(transport), tokens, relay, drift };
}

export const READ = { priority: 'background' } as const;
export const SEND: SendOptions = { priority: 'entry', refuse: () => null };
export const MOVE = { refuse: () => null };

const TICKS = 10;
export const ticksOf = (points: number) => priceTicks(Math.round(points * TICKS));

let calls = 0;
export const newCallId = () => {
  calls += 1;
  return clientOrderId(`H.call${calls}`);
};

/** An order in the trade's words, made of the document's. */
export const wishOf = (side: 'buy' | 'sell', symbol: string, points: number, volume: number) => ({
  clientOrderId: newCallId(),
  orderCode: orderCode(symbol),
  side,
  qty: qty(volume),
  limitPrice: ticksOf(points),
});
