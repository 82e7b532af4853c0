/** What is subscribed: one frame a contract, all channels, sent again on every new connection. */
import type { Contract } from '../../domain/contract.ts';
import { ALL_CHANNELS, encodeSubscribe, encodeUnsubscribe } from '../../wire/stream/client-frame.ts';
import type { Send } from './open-socket.ts';

export class Subscriptions {
  #contracts: readonly Contract[] = [];

  get contracts(): readonly Contract[] {
    return this.#contracts;
  }

  frameFor(contract: Contract): string {
    return encodeSubscribe(ALL_CHANNELS, [contract.streamCode]);
  }

  sendAll(send: Send): void {
    for (const contract of this.#contracts) send(this.frameFor(contract));
  }

  /** The frames that turn what was subscribed into this. */
  replace(contracts: readonly Contract[]): readonly string[] {
    const before = new Set(this.#contracts.map(({ streamCode }) => streamCode));
    const after = new Set(contracts.map(({ streamCode }) => streamCode));
    const gone = [...before].filter((code) => !after.has(code));
    const added = contracts.filter(({ streamCode }) => !before.has(streamCode));
    this.#contracts = contracts;
    return [
      ...gone.map((code) => encodeUnsubscribe(ALL_CHANNELS, [code])),
      ...added.map((contract) => this.frameFor(contract)),
    ];
  }
}
