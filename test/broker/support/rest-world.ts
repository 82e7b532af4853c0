/** The REST client against a scripted service on a real socket, in virtual time. */
import { createRestClient, type RestClient } from '../../../src/broker/rest/rest-client.ts';
import { type RestSignal, Transport } from '../../../src/broker/rest/transport.ts';
import { accountId, subAccountId } from '../../../src/domain/ids.ts';
import { IGNORE_DRIFT } from '../../../src/wire/drift.ts';
import { VN30_SPEC } from '../../support/strategy-fixtures.ts';
import { RecordingSink } from './recording-sink.ts';
import { type ScriptedHttp, startScriptedHttp } from './scripted-http.ts';
import { FakeTokens } from './tokens.ts';
import { VirtualTimers } from './virtual-timers.ts';
import { USUAL_TIMEOUTS } from './usual-timeouts.ts';

export const envelope = (data: unknown, rc = '1', rs = ''): object => ({ cmd: 'x', rc, rs, oID: '', data });
export const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';

export class RestWorld {
  readonly server: ScriptedHttp;
  readonly timers = new VirtualTimers();
  readonly tokens = new FakeTokens('token-1');
  readonly sink = new RecordingSink();
  readonly signals: RestSignal[] = [];
  readonly rest: RestClient;
  readonly #transports: Transport[] = [];
  #failed: (() => void)[] = [];

  private constructor(server: ScriptedHttp) {
    this.server = server;
    this.rest = this.create(server.baseUrl);
  }

  static async start(): Promise<RestWorld> {
    return new RestWorld(await startScriptedHttp());
  }

  create(baseUrl: string, callsPerSecond = 1000): RestClient {
    const onSignal = (signal: RestSignal): void => this.#onSignal(signal);
    const { timers, tokens, sink } = this;
    const transport = new Transport({
      baseUrl,
      timeouts: USUAL_TIMEOUTS,
      pace: { callsPerSecond, burst: 100 },
      clock: timers,
      timers,
      sink,
      onSignal,
    });
    this.#transports.push(transport);
    return createRestClient({
      transport,
      tokens,
      account: { accountId: accountId('105C000001'), subAccountId: subAccountId('105C000001A') },
      specOf: (code) => (code.startsWith('VN30') ? VN30_SPEC : undefined),
      drift: IGNORE_DRIFT,
      timers,
      onSignal,
    });
  }

  bodies(): unknown[] {
    return this.server.exchanges.map(({ body }) => JSON.parse(body) as unknown);
  }

  /** The next failed read: what follows it is a wait, which begins before this goes on. */
  async failedRead(): Promise<void> {
    await new Promise<void>((resolve) => this.#failed.push(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {
    await Promise.all(this.#transports.map((transport) => transport.close()));
    await this.server.close();
  }

  #onSignal(signal: RestSignal): void {
    this.signals.push(signal);
    if (signal.kind !== 'read_failed') return;
    const failed = this.#failed;
    this.#failed = [];
    for (const resolve of failed) resolve();
  }
}
