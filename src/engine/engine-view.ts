/** The engine's state as plain data, for the status line, the summary and the control API. */
import type { SessionPhase } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { BrokerOrderNo, ClientOrderId } from '../domain/ids.ts';
import type { OrderStatus, Side } from '../domain/order.ts';
import type {
  InstrumentIndex,
  Money,
  PriceTicks,
  Qty,
  Seq,
  SignedQty,
  StrategyIndex,
  TsUs,
} from '../domain/units.ts';

export interface PositionEntry {
  readonly instrument: InstrumentIndex;
  readonly orderCode: string;
  readonly qty: SignedQty;
  readonly openValue: Money;
  readonly realised: Money;
  /** Open profit at the last known price. */
  readonly open: Money;
}

export interface StrategyEntry {
  /** `OPERATOR_INDEX` for what was adopted. */
  readonly strategy: StrategyIndex;
  readonly id: string;
  /** Null while it runs, else why it was stopped. */
  readonly stopped: string | null;
  /** Its own entries are off for this reason until a person resumes, or null. */
  readonly latched: string | null;
  readonly legs: readonly string[];
  readonly positions: readonly PositionEntry[];
  readonly openOrders: number;
  readonly fills: number;
  readonly fee: Money;
  readonly tax: Money;
  /** Profit or loss of the trading day after costs (rulings, 37). */
  readonly dayPnl: Money;
}

export interface OpenOrderEntry {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly orderNo: BrokerOrderNo | null;
  readonly orderCode: string;
  readonly side: Side;
  readonly qty: Qty;
  readonly filledQty: Qty;
  readonly limitPrice: PriceTicks;
  readonly status: OrderStatus;
  readonly isAdopted: boolean;
}

export interface EngineView {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly boot: number;
  readonly tradingDay: TradingDay | null;
  readonly phase: SessionPhase;
  readonly stream: 'live' | 'down';
  /** Entries are halted for this reason until a person resumes, or null. */
  readonly halted: string | null;
  /** Positions do not count as proven for this reason, or null. */
  readonly unproven: string | null;
  /** What the session keeper is doing, empty when nothing. */
  readonly procedure: string;
  readonly strategies: readonly StrategyEntry[];
  readonly orders: readonly OpenOrderEntry[];
  /** Over all strategies and the operator. */
  readonly dayPnl: Money;
  readonly fee: Money;
  readonly tax: Money;
  readonly counts: EngineCounts;
}

/** Counted since the session began. */
interface EngineCounts {
  readonly events: number;
  readonly orders: number;
  readonly denials: number;
  readonly rejections: number;
  readonly fills: number;
  readonly gaps: number;
  readonly duplicates: number;
  readonly disagreements: number;
}
