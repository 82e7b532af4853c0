/**
 * The broker watches margin: on each whole second while something is held it looks at what is required and what there is. From the
 * ratio of the plan on it withdraws the account's orders and closes its position at the edge of the band, in continuous
 * trading alone, where both can be done. The strategies that hold what is closed bear it.
 */
import type { SessionPhase } from '../../domain/calendar.ts';
import { strategyIndex, US_PER_SECOND } from '../../domain/units.ts';
import type { Account } from './account.ts';
import { MarginRoom } from './margin-room.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts } from './strategy-ledger.ts';
import type { VenueDesk } from './venue-desk.ts';

export interface MarginWatchParts {
  readonly account: Account;
  readonly instruments: readonly RunInstrument[];
  readonly desk: VenueDesk;
  /** Required margin by collateral, parts of 10,000; null where nobody closes anything. */
  readonly forceCloseBps: number | null;
}

export class MarginWatch {
  /** When it looks next; infinite while nothing is held. */
  nextUs = Infinity;
  readonly #parts: MarginWatchParts;
  readonly #room: MarginRoom;
  #costs: DayCosts | null = null;
  #phase: SessionPhase = 'closed';

  constructor(parts: MarginWatchParts) {
    this.#parts = parts;
    this.#room = new MarginRoom(parts.account, parts.instruments, parts.forceCloseBps ?? Infinity);
  }

  openDay(costs: DayCosts, nowUs: number): void {
    this.#costs = costs;
    this.#room.forget();
    this.notice(nowUs);
  }

  setPhase(phase: SessionPhase, nowUs: number): void {
    this.#phase = phase;
    this.notice(nowUs);
  }

  /** Something was executed, or another time has come. */
  notice(nowUs: number): void {
    if (this.#parts.forceCloseBps === null || this.nextUs !== Infinity) return;
    if (this.#phase === 'continuous' && this.#holdsAny())
      this.nextUs = (Math.floor(nowUs / US_PER_SECOND) + 1) * US_PER_SECOND;
  }

  look(nowUs: number): void {
    this.nextUs = Infinity;
    if (this.#costs === null || this.#phase !== 'continuous') return;
    if (!this.#room.isLeft() && this.#room.measure(this.#costs)) this.#close();
    this.notice(nowUs);
  }

  #holdsAny(): boolean {
    const { account, instruments } = this.#parts;
    return instruments.some(({ contract }) => account.netOf(contract.index) !== 0);
  }

  #close(): void {
    const { desk, instruments } = this.#parts;
    for (const { orderNo, source } of desk.openOrders) if (source !== 'forced') desk.cancel({ orderNo });
    for (const instrument of instruments) this.#closeOne(instrument);
    desk.tell();
  }

  /** The net position, from those whose own lies on its side. */
  #closeOne(instrument: RunInstrument): void {
    const { account, desk } = this.#parts;
    const { index } = instrument.contract;
    const net = account.netOf(index);
    const side = net > 0 ? 'sell' : 'buy';
    // What an earlier look has sent still works.
    let left = Math.abs(net);
    for (const order of desk.openOrders)
      if (order.source === 'forced' && order.instrument === index) left -= order.leavesQty;
    account.ledgers.forEach((ledger, place) => {
      const held = (ledger.holdingOf(index)?.position.qty ?? 0) * Math.sign(net);
      for (let own = Math.min(left, held); own > 0;) {
        const qty = Math.min(own, instrument.contract.spec.orderQtyMax);
        desk.placeForced({ strategy: strategyIndex(place), side, qty }, instrument);
        own -= qty;
        left -= qty;
      }
    });
  }
}
