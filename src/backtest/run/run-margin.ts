/**
 * Margin of a run's one account, and how far prices may go before margin has to be measured again. What is required of the account changes with the price of what is
 * held, by no more than the value of the position and its margin together: what is left up to the ratio at which the broker
 * closes, shared among the contracts held, gives each a band around its price.
 */
import { assert } from '../../domain/assert.ts';
import type { BrokerAccount } from '../../domain/broker-order.ts';
import { rateOn } from '../../domain/costs.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { PriceBands } from '../../domain/price-bands.ts';
import { money } from '../../domain/units.ts';
import {
  buyingPower,
  contractsToClose,
  type MarginRules,
  type MarginView,
  NOTHING_WORKING,
  riskRefusal,
  type WorkingQty,
  workingMargin,
} from '../../venue/account/margin.ts';
import type { Closing, MarginBooks } from '../../venue/margin-monitor.ts';
import type { PlaceLimit, Refusal } from '../../venue/venue-command.ts';
import type { RunAccount, RunParts } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';

const WHOLE_BPS = 10_000;
/** As few contracts are closed as bring maintenance margin down to equity. */
const AT_MAINTENANCE = { warnBps: WHOLE_BPS + 1, forceBps: WHOLE_BPS + 1 };
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
  measure(): boolean {
    const { cash, requiredMargin, usageBps } = this.#account.figures();
    this.forget();
    if (usageBps >= this.#forceCloseBps) return true;
    // Usage is rounded up: more than one part less reaches the ratio.
    this.#draw((cash * (this.#forceCloseBps - 1)) / WHOLE_BPS - requiredMargin);
    return false;
  }

  forget(): void {
    this.#version = NO_VERSION;
  }

  #draw(room: number): void {
    this.#version = this.#account.version;
    this.#bands.clear(this.#instruments.length);
    const net = this.#instruments.map(({ contract }) => Math.abs(this.#account.netOf(contract.index)));
    const held = net.filter((qty) => qty !== 0).length;
    this.#instruments.forEach((instrument, at) => {
      const { contract, unit, mark } = instrument;
      const qty = net[at] ?? 0;
      // Margin is rounded up by less than one for each contract.
      if (qty === 0) return;
      const { contractMargin, marginBps } = this.#account.ratesOf(instrument);
      const share = contractMargin === undefined ? 1 + rateOn(marginBps, this.#account.day) / WHOLE_BPS : 1;
      this.#bands.narrow(contract.index, mark, (room - held) / held, qty * unit * share);
    });
  }
}

interface RunMarginParts extends RunParts {
  readonly id: AccountId;
  /** `cash`: the broker closes where equity falls below maintenance margin. Null where it takes any order and closes nothing. */
  readonly margin: MarginRules | 'cash' | null;
  readonly working: () => ReadonlyMap<OrderCode, WorkingQty>;
}

export class RunMargin implements MarginBooks {
  readonly #parts: RunMarginParts;
  /** The broker's ratios, where it has any. */
  readonly #rules: MarginRules | null;
  readonly #room: MarginRoom;
  #byCode: ReadonlyMap<OrderCode, RunInstrument> = new Map();

  constructor(parts: RunMarginParts) {
    this.#parts = parts;
    const { account, instruments, margin } = parts;
    this.#rules = margin === 'cash' ? null : margin;
    this.#room = new MarginRoom(account, instruments, this.#rules?.forceBps ?? Infinity);
  }

  openDay(): void {
    this.#byCode = new Map(this.#parts.instruments.map((each) => [each.contract.orderCode, each]));
    this.#room.forget();
  }

  get isExposed(): boolean {
    const { account, instruments } = this.#parts;
    return instruments.some(({ contract }) => account.netOf(contract.index) !== 0);
  }

  measure(): readonly AccountId[] {
    if (this.#parts.margin === 'cash') return this.#isMaintained() ? [] : [this.#parts.id];
    return this.#room.isLeft() || !this.#room.measure() ? [] : [this.#parts.id];
  }

  figures(): BrokerAccount {
    const figures = this.#parts.account.figures();
    const rules = this.#rules;
    return rules === null ? figures : this.#withBuyingPower(figures, this.#view(), rules);
  }

  refusal(command: PlaceLimit): Refusal | null {
    const rules = this.#rules;
    if (rules === null) return null;
    const view = this.#view();
    const { account } = this.#parts;
    return riskRefusal(command, view, rules, () => this.#withBuyingPower(account.figures(), view, rules));
  }

  /** From those strategies whose position lies on the side of the account's net. */
  closings(_id: AccountId, alreadyClosing: (code: OrderCode) => number): readonly Closing[] {
    const { account, instruments, clock, margin } = this.#parts;
    if (margin === null) return [];
    const isMaintained = margin === 'cash';
    const view = this.#view();
    const figures = account.figures();
    const asked = isMaintained ? account.maintenance() : figures.requiredMargin;
    const collateral = isMaintained ? account.equityNow() : figures.cash;
    const held = instruments.map((instrument) => {
      const { index, orderCode: code, expiry } = instrument.contract;
      const marginOfOne = isMaintained ? account.maintenanceOf(instrument, 1) : view.marginOf(code, 1);
      return { code, expiry, net: account.netOf(index), closing: alreadyClosing(code), marginOfOne };
    });
    const closings: Closing[] = [];
    const limits = isMaintained ? AT_MAINTENANCE : margin;
    for (const { code, side, qty: total } of contractsToClose(
      held.filter(({ marginOfOne }) => marginOfOne > 0),
      { requiredMargin: asked, collateral },
      limits,
    )) {
      const { contract, midTwice: decidedMidTwice } = this.#instrument(code);
      let left = total;
      account.ledgers.forEach((ledger, owner) => {
        const position = ledger.holdingOf(contract.index)?.position.qty ?? 0;
        const qty = Math.min(left, -signOf(side) * position);
        if (qty <= 0) return;
        left -= qty;
        const sender = { owner, triggerPrice: null, decidedUs: clock.nowUs, decidedMidTwice };
        closings.push({ code, side, qty, sender });
      });
    }
    return closings;
  }

  #isMaintained(): boolean {
    return this.#parts.account.equityNow() >= this.#parts.account.maintenance();
  }

  #withBuyingPower(figures: BrokerAccount, view: MarginView, { entryBps }: MarginRules): BrokerAccount {
    const { cash, requiredMargin } = figures;
    return {
      ...figures,
      buyingPower: money(buyingPower(entryBps, cash, requiredMargin, workingMargin(view))),
    };
  }

  #view(): MarginView {
    const { account, instruments } = this.#parts;
    const working = this.#parts.working();
    return {
      codes: () => instruments.map(({ contract }) => contract.orderCode),
      netOf: (code) => account.netOf(this.#instrument(code).contract.index),
      workingIn: (code) => working.get(code) ?? NOTHING_WORKING,
      marginOf: (code, contracts) => account.marginOf(this.#instrument(code), Math.abs(contracts)),
    };
  }

  #instrument(code: OrderCode): RunInstrument {
    const instrument = this.#byCode.get(code);
    assert(instrument !== undefined, 'a run trades its own contracts');
    return instrument;
  }
}
