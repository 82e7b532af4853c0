/**
 * Margin of a run's one account, and how far prices may go before margin has to be measured again. What is required of the account changes with the price of what is
 * held, by no more than the value of the position and its margin together: what is left up to the ratio at which everything is
 * closed, shared among the contracts held, gives each a band around its price.
 */
import { rateOn } from '../../domain/costs.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { PriceBands } from '../../domain/price-bands.ts';
import type { Closing, MarginBooks } from '../../venue/margin-monitor.ts';
import type { RunAccount } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts } from './strategy-ledger.ts';
import type { VirtualClock } from './virtual-clock.ts';

const WHOLE_BPS = 10_000;
const NO_VERSION = -1;

export class MarginRoom {
  readonly #account: RunAccount;
  readonly #instruments: readonly RunInstrument[];
  readonly #forceCloseBps: number;
  readonly #bands = new PriceBands();
  #version = NO_VERSION;

  constructor(account: RunAccount, instruments: readonly RunInstrument[], forceCloseBps: number) {
    this.#account = account;
    this.#instruments = instruments;
    this.#forceCloseBps = forceCloseBps;
  }

  /** Nothing was executed since it was last measured, and no price has left its band. */
  isLeft(): boolean {
    if (this.#version !== this.#account.version) return false;
    return this.#instruments.every(({ contract, mark }) => this.#bands.has(contract.index, mark));
  }

  /** Whether the ratio is reached; where it is not, bands are drawn. */
  measure(costs: DayCosts): boolean {
    const { cash, requiredMargin, usageBps } = this.#account.figures(costs);
    this.forget();
    if (usageBps >= this.#forceCloseBps) return true;
    // Usage is rounded up: more than one part less reaches the ratio.
    this.#draw((cash * (this.#forceCloseBps - 1)) / WHOLE_BPS - requiredMargin, costs);
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
    this.#instruments.forEach(({ contract, unit, mark }, at) => {
      const qty = net[at] ?? 0;
      // Margin is rounded up by less than one for each contract.
      if (qty !== 0) this.#bands.narrow(contract.index, mark, (room - held) / held, qty * unit * share);
    });
  }
}

interface RunMarginParts {
  readonly id: AccountId;
  readonly account: RunAccount;
  readonly instruments: readonly RunInstrument[];
  readonly clock: VirtualClock;
  readonly forceCloseBps: number | null;
}

export class RunMargin implements MarginBooks {
  readonly #parts: RunMarginParts;
  readonly #room: MarginRoom;
  #costs: DayCosts | null = null;

  constructor(parts: RunMarginParts) {
    this.#parts = parts;
    this.#room = new MarginRoom(parts.account, parts.instruments, parts.forceCloseBps ?? Infinity);
  }

  openDay(costs: DayCosts): void {
    this.#costs = costs;
    this.#room.forget();
  }

  get isExposed(): boolean {
    const { account, instruments } = this.#parts;
    return instruments.some(({ contract }) => account.netOf(contract.index) !== 0);
  }

  measure(): readonly AccountId[] {
    if (this.#costs === null || this.#room.isLeft() || !this.#room.measure(this.#costs)) return [];
    return [this.#parts.id];
  }

  /** The whole net position, from those strategies whose own lies on its side. */
  closings(_id: AccountId, alreadyClosing: (code: OrderCode) => number): readonly Closing[] {
    const { account, instruments, clock } = this.#parts;
    const closings: Closing[] = [];
    for (const { contract, midTwice } of instruments) {
      const { index, orderCode: code } = contract;
      const net = account.netOf(index);
      const side = net > 0 ? 'sell' : 'buy';
      let left = Math.abs(net) - alreadyClosing(code);
      account.ledgers.forEach((ledger, owner) => {
        const held = (ledger.holdingOf(index)?.position.qty ?? 0) * Math.sign(net);
        const qty = Math.min(left, held);
        if (qty <= 0) return;
        left -= qty;
        const sender = { owner, triggerPrice: null, decidedUs: clock.nowUs, decidedMidTwice: midTwice };
        closings.push({ code, side, qty, sender });
      });
    }
    return closings;
  }
}
