/** The market with our stream client in it, and a relay between them that writes down what the client says. */
import { FRESH_STATE, type ReconnectState } from '../../../../src/broker/stream/reconnect-policy.ts';
import { StreamClient, type StreamSignal } from '../../../../src/broker/stream/stream-client.ts';
import type { Contract } from '../../../../src/domain/contract.ts';
import { seconds, seq, tsUs } from '../../../../src/domain/units.ts';
import type { DriftCounter } from '../../../../src/wire/drift.ts';
import { decodeServerFrame, type ServerFrame } from '../../../../src/wire/stream/server-frame.ts';
import { contract } from '../../../support/strategy-fixtures.ts';
import { RecordingSink } from '../../../broker/support/recording-sink.ts';
import { FakeTokens } from '../../../broker/support/tokens.ts';
import { afterFile } from '../../../support/after-file.ts';
import type { Market } from './market.ts';
import { type Relay, startRelay } from './relay.ts';

/** Until something that the sockets bring about has come about. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

export class ClientStreamMarket {
  readonly market: Market;
  readonly relay: Relay;
  readonly tokens: FakeTokens;
  readonly contracts: readonly Contract[];
  readonly client: StreamClient;
  readonly frames: string[] = [];
  readonly signals: StreamSignal[] = [];
  state: ReconnectState = FRESH_STATE;

  private constructor(market: Market, relay: Relay) {
    const { time, simulator, alice } = market;
    this.market = market;
    this.relay = relay;
    this.tokens = new FakeTokens(alice.token);
    this.contracts = simulator.contracts.map((code, index) => contract(index, code, '2026-01-15'));
    this.client = new StreamClient({
      url: relay.stream,
      tokens: this.tokens,
      clock: time,
      timers: time,
      store: { load: () => this.state, save: (next) => (this.state = next) },
      sink: new RecordingSink(),
      isContinuous: () => false,
      onSignal: (signal) => this.signals.push(signal),
    });
    this.client.frames$.subscribe((text) => this.frames.push(text));
  }

  static async start(market: Market): Promise<ClientStreamMarket> {
    const relay = await startRelay(market.simulator);
    const started = new ClientStreamMarket(market, relay);
    afterFile(() => started.#close());
    return started;
  }

  /** Dials for the first two contracts. */
  begin(): void {
    this.client.subscribe(this.contracts.slice(0, 2));
    this.client.start();
  }

  async goLive(): Promise<void> {
    this.begin();
    await this.signaled('live');
    await until(() => this.said().length >= 3);
  }

  /** What the client said on its latest connection. */
  said(): readonly string[] {
    return this.relay.said.at(-1) ?? [];
  }

  /** The `count`th signal of a kind. */
  async signaled<K extends StreamSignal['kind']>(
    kind: K,
    count = 1,
  ): Promise<Extract<StreamSignal, { readonly kind: K }>> {
    const ofKind = () =>
      this.signals.filter(
        (signal): signal is Extract<StreamSignal, { readonly kind: K }> => signal.kind === kind,
      );
    await until(() => ofKind().length >= count);
    const signal = ofKind()[count - 1];
    if (signal === undefined) throw new Error(`no ${kind}`);
    return signal;
  }

  /** As the daemon reads a frame. */
  understood(text: string, drift: DriftCounter): ServerFrame {
    const byStreamCode = (code: string) => this.contracts.find(({ streamCode }) => streamCode === code);
    return decodeServerFrame(text, { byStreamCode }, seq(1), tsUs(0), drift);
  }

  async #close(): Promise<void> {
    const stopped = this.client.stop();
    this.market.time.advance(seconds(10));
    await stopped;
    await this.relay.close();
  }
}
