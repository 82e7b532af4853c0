/**
 * How far prices may go before margin has to be measured again. What is required of the account changes with the price of what is
 * held, by no more than the value of the position and its margin together: what is left up to the ratio at which everything is
 * closed, shared among the contracts held, gives each a band around its price.
 */
import { rateOn } from '../../domain/costs.ts';
import { PriceBands } from '../../domain/price-bands.ts';
import type { Account } from './account.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts } from './strategy-ledger.ts';

const WHOLE_BPS = 10_000;
const NO_VERSION = -1;

export class MarginRoom {
  readonly #account: Account;
  readonly #instruments: readonly RunInstrument[];
  readonly #forceCloseBps: number;
  readonly #bands = new PriceBands();
  #version = NO_VERSION;

  constructor(account: Account, instruments: readonly RunInstrument[], forceCloseBps: number) {
    this.#account = account;
    this.#instruments = instruments;
    this.#forceCloseBps = forceCloseBps;
  }

  /** Nothing was executed since it was last measured, and no price has left its band. */
  isLeft(): boolean {
    if (this.#version !== this.#account.version) return false;
    return this.#instruments.every(({ contract, last }) => this.#bands.has(contract.index, last));
  }

  /** Whether the ratio is reached; where it is not, bands are drawn. */
  measure(costs: DayCosts): boolean {
    const { cash, requiredMargin, usageBps } = this.#account.figures(costs);
    this.forget();
    if (usageBps >= this.#forceCloseBps) return true;
    // The ratio is rounded: half a part less reaches it.
    this.#draw((cash * (this.#forceCloseBps - 0.5)) / WHOLE_BPS - requiredMargin, costs);
    return false;
  }

  forget(): void {
    this.#version = NO_VERSION;
  }

  #draw(room: number, { schedule, day }: DayCosts): void {
    this.#version = this.#account.version;
    this.#bands.clear(this.#instruments.length);
    const net = this.#instruments.map(({ contract }) => Math.abs(this.#account.netOf(contract.index)));
    const held = net.filter((qty) => qty !== 0).length;
    const share = 1 + rateOn(schedule.marginBps, day) / WHOLE_BPS;
    this.#instruments.forEach(({ contract, unit, last }, at) => {
      const qty = net[at] ?? 0;
      // Margin is rounded up by less than one for each contract.
      if (qty !== 0) this.#bands.narrow(contract.index, last, (room - held) / held, qty * unit * share);
    });
  }
}
