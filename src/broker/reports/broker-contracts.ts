/**
 * The session's contract table. A contract keeps its index for the whole session, also when it leaves the list: events,
 * orders and the journal name it by that number, and a replay must find the same one.
 */
import { assert } from '../../domain/assert.ts';
import type { Contract } from '../../domain/contract.ts';
import { instrumentIndex } from '../../domain/units.ts';
import type { ResolvedContract } from './resolve-contracts.ts';

export class BrokerContracts {
  #contracts: Contract[] = [];
  readonly #byStreamCode = new Map<string, Contract>();
  readonly #byOrderCode = new Map<string, Contract>();
  /** Contracts listed now, by expiry: those to subscribe. */
  listed: readonly Contract[] = [];

  get contracts(): readonly Contract[] {
    return this.#contracts;
  }

  byStreamCode(code: string): Contract | undefined {
    return this.#byStreamCode.get(code);
  }

  byOrderCode(code: string): Contract | undefined {
    return this.#byOrderCode.get(code);
  }

  /** Takes over the table of a session that goes on after a restart, or begins an empty one. */
  reset(contracts: readonly Contract[]): void {
    assert(
      contracts.every(({ index }, position) => index === position),
      'contracts are in the table in the order of their index',
    );
    this.#contracts = [...contracts];
    this.listed = this.#contracts;
    this.#reindex();
  }

  update(resolved: readonly ResolvedContract[]): void {
    const listed = resolved.map((row) => {
      const index = this.#byOrderCode.get(row.orderCode)?.index ?? instrumentIndex(this.#contracts.length);
      const contract: Contract = { index, ...row };
      this.#contracts[index] = contract;
      this.#byOrderCode.set(row.orderCode, contract);
      return contract;
    });
    this.listed = listed;
    this.#reindex();
  }

  #reindex(): void {
    this.#byStreamCode.clear();
    this.#byOrderCode.clear();
    for (const contract of this.#contracts) {
      this.#byStreamCode.set(contract.streamCode, contract);
      this.#byOrderCode.set(contract.orderCode, contract);
    }
    // A code that moved to another contract belongs to the one that is listed.
    for (const contract of this.listed) this.#byStreamCode.set(contract.streamCode, contract);
  }
}
