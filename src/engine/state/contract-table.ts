import type { Contract } from '../../domain/contract.ts';
import type { InstrumentIndex } from '../../domain/units.ts';

/** The session's contracts by index, as everything inside names them, and by the code that orders carry. */
export class ContractTable {
  #all: readonly Contract[] = [];
  readonly #byIndex: Contract[] = [];
  readonly #byCode = new Map<string, Contract>();

  get all(): readonly Contract[] {
    return this.#all;
  }

  set(contracts: readonly Contract[]): void {
    this.#all = contracts;
    for (const contract of contracts) {
      this.#byIndex[contract.index] = contract;
      this.#byCode.set(contract.orderCode, contract);
    }
  }

  at(index: InstrumentIndex): Contract | undefined {
    return this.#byIndex[index];
  }

  byOrderCode(code: string): Contract | undefined {
    return this.#byCode.get(code);
  }
}
