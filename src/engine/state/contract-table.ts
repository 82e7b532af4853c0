import type { Contract } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { InstrumentIndex } from '../../domain/units.ts';

/** The session's contracts by index, as everything inside names them, and by the code that orders carry. */
export class ContractTable {
  #all: readonly Contract[] = [];
  #ended: ReadonlySet<InstrumentIndex> = new Set();
  readonly #byIndex: Contract[] = [];
  readonly #byCode = new Map<string, Contract>();

  get all(): readonly Contract[] {
    return this.#all;
  }

  /** `listed`: codes of those that still trade; all of them when it is absent. */
  set(contracts: readonly Contract[], listed?: readonly OrderCode[]): void {
    this.#all = contracts;
    this.#ended = new Set(
      listed === undefined
        ? []
        : contracts.filter(({ orderCode }) => !listed.includes(orderCode)).map(({ index }) => index),
    );
    for (const contract of contracts) {
      this.#byIndex[contract.index] = contract;
      this.#byCode.set(contract.orderCode, contract);
    }
  }

  /** The broker no longer lists it. */
  isEnded(index: InstrumentIndex): boolean {
    return this.#ended.has(index);
  }

  at(index: InstrumentIndex): Contract | undefined {
    return this.#byIndex[index];
  }

  /** For a person to read. */
  codeOf(index: InstrumentIndex): string {
    return this.at(index)?.orderCode ?? `contract ${index}`;
  }

  byOrderCode(code: string): Contract | undefined {
    return this.#byCode.get(code);
  }
}
