/**
 * Data that the daemon and its page exchange, as JSON. Times are milliseconds of the Unix epoch in market time unless a name says
 * `real`; prices are points, money is VND. The page imports this file, and `candles.ts`.
 */
import type { CommandName } from '../control-command.ts';

/** They take nothing back and put nothing at risk: a hurried hand may press them. All others repeat the code of the present state. */
export const AT_ONCE: ReadonlySet<string> = new Set<CommandName>([
  'halt',
  'seen',
  'otp',
  'token',
  'reconnect',
  'check-reload',
]);

/** `look` sees everything and commands nothing. */
export type CockpitRole = 'steer' | 'look';

/** Answer of `GET /session` and `POST /session`. */
export interface CockpitSession {
  readonly role: CockpitRole;
  /** Real time. */
  readonly untilRealMs: number;
}

/** Event `state` of `GET /events`, and answer of `GET /state`: whole, and only when something in it changed. */
export interface CockpitState {
  readonly mode: 'paper' | 'live' | 'dry-run';
  readonly version: string;
  /** Only its last characters. */
  readonly account: string;
  /** A dangerous command repeats it; it is replaced every minute, and the one before it counts for another. */
  readonly confirm: string;
  readonly session: CockpitDay;
  /** Entries of the account are off for this reason, or null. */
  readonly halted: string | null;
  /** How far the broker's books are swept after a halt. */
  readonly sweep: { readonly status: string; readonly text: string };
  /** Troubles of this moment, in words, the worst first; empty when all is well. */
  readonly problems: readonly string[];
  readonly engine: {
    /** `hung`: it has not answered for seconds; `none`: no session, or it was lost. */
    readonly state: 'running' | 'hung' | 'none';
  };
  readonly feed: {
    readonly state: 'stopped' | 'connecting' | 'live' | 'waiting' | 'paused' | 'awaiting_token';
    /** Prices stopped while heartbeats go on. */
    readonly isStale: boolean;
    /** The engine cannot follow the prices. */
    readonly isBehind: boolean;
    readonly connections: number;
  };
  readonly token: {
    /** Real time; null without a token. */
    readonly untilRealMs: number | null;
    /** A person has to bring a one-time password. */
    readonly isOtpAwaited: boolean;
    readonly exchangesUsed: number;
    readonly exchangesAllowed: number;
  };
  /** The next jobs of the day, and the last one with its trigger, in words. */
  readonly jobs: string;
  readonly money: {
    readonly dayPnl: number;
    readonly fee: number;
    readonly tax: number;
    /** Loss of the day that a resume accepts: its limit is measured from there. */
    readonly lossToAccept: number;
  };
  readonly strategies: readonly StrategyState[];
  readonly limits: readonly LimitState[];
  /** Working orders and triggers; those of unknown outcome among them. */
  readonly orders: readonly CockpitOrder[];
  readonly books: BooksState;
  readonly contracts: readonly CockpitContract[];
  /** The latest values that strategies publish. */
  readonly plots: readonly PlotState[];
  /** Procedures of the engine under way, such as a flatten; empty when there are none. */
  readonly procedure: string;
  readonly alerts: {
    readonly unseen: number;
  };
  /** Faults in force; absent where the broker is no simulator. */
  readonly faults?: readonly ArmedFaultState[];
}

export interface CockpitDay {
  /** Trading day, or null between two sessions. */
  readonly day: string | null;
  readonly phase: 'closed' | 'opening_auction' | 'continuous' | 'break' | 'closing_auction';
  /** When the phase ends and which comes next; null where the calendar does not say. */
  readonly endsMs: number | null;
  readonly next: string | null;
  readonly utcOffsetMinutes: number;
  /** Market time for each unit of real time. */
  readonly speed: number;
}

export interface StrategyState {
  readonly id: string;
  readonly stopped: string | null;
  readonly halted: string | null;
  /** Contracts. */
  readonly legs: readonly string[];
  readonly positions: readonly PositionState[];
  readonly fills: number;
  readonly fee: number;
  readonly tax: number;
  readonly dayPnl: number;
  readonly lossToAccept: number;
}

export interface PositionState {
  readonly orderCode: string;
  /** Negative when short. */
  readonly qty: number;
  readonly avgPoints: number | null;
  readonly open: number;
  /** Contracts that should have a stop at the broker and have none. */
  readonly uncoveredQty: number;
}

export interface LimitState {
  readonly limit: string;
  readonly strategy: string | null;
  readonly used: number;
  readonly max: number;
  readonly unit: 'contracts' | 'orders' | 'messages' | 'VND' | '%';
}

export interface CockpitOrder {
  readonly clientOrderId: string;
  readonly orderNo: string | null;
  readonly strategy: string;
  readonly orderCode: string;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly filledQty: number;
  readonly limitPoints: number | null;
  readonly triggerPoints: number | null;
  readonly status: string;
  /** Placed by others: another program, a person, the broker. */
  readonly isAdopted: boolean;
}

export interface BooksState {
  /** Positions do not count as proven for this reason, or null. */
  readonly unproven: string | null;
  readonly positions: readonly {
    readonly orderCode: string;
    readonly ours: number;
    /** Null before the first read. */
    readonly broker: number | null;
  }[];
  readonly money: 'off' | 'unread' | 'agreed' | 'differs';
  readonly figures: readonly { readonly what: string; readonly ours: number; readonly broker: number }[];
  /** When the broker's positions were read; null before the first time. */
  readonly positionsMs: number | null;
  /** When money was last compared; null before the first time. */
  readonly moneyMs: number | null;
  /** Comparisons before it are old; null without a fill in this session. */
  readonly lastFillMs: number | null;
}

export interface CockpitContract {
  readonly contract: string;
  /** For people: `VN30F1M (41I1GC000)`. */
  readonly name: string;
  readonly tickPoints: number;
  readonly floorPoints: number | null;
  readonly ceilingPoints: number | null;
  readonly referencePoints: number | null;
}

export interface PlotState {
  readonly strategy: string;
  readonly name: string;
  readonly contract: string;
  readonly atMs: number;
  readonly points: number;
}

export interface ArmedFaultState {
  readonly name: string;
  /** Its parameters, and how often it still strikes. */
  readonly text: string;
}

/** Answer of `GET /faults`: all that a simulator can do wrong. */
export type KnownFaults = readonly KnownFault[];

export interface KnownFault {
  readonly name: string;
  readonly effect: string;
  /** Strikes once, when it is set; others stay until they are cleared. */
  readonly isInstant: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly expected: string;
    readonly isRequired: boolean;
    /** Empty where any text of the right form will do. */
    readonly choices: readonly string[];
    readonly example: string;
  }[];
}

/** Event `beat`, every second: the connection lives. */
export interface CockpitBeat {
  readonly marketMs: number;
}

/** Event `price`: contracts whose prices changed since the last one; at most 30 a second. */
export type CockpitPrices = readonly ContractPrices[];

export type Level = readonly [points: number, qty: number];

export interface ContractPrices {
  readonly contract: string;
  readonly atMs: number;
  readonly last: Level | null;
  /** In the session so far. */
  readonly volume: number;
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Event `entry`; its id `<session day>-<journal sequence>` is that of `Last-Event-ID`. Rows of the journal in their order, none left out. */
export interface CockpitEntry {
  readonly id: string;
  readonly day: string;
  readonly seq: number;
  readonly atMs: number;
  readonly kind: string;
  /** Event of the engine that led to it. */
  readonly cause: number;
  readonly order: string | null;
  /** `system` for the daemon itself. */
  readonly strategy: string;
  readonly contract: string | null;
  /** A word to scan for, its tone, and the rest; an empty text is of no interest to a person. */
  readonly word: string;
  readonly tone: 'plain' | 'dim' | 'bold' | 'green' | 'yellow' | 'red' | 'cyan';
  readonly text: string;
}

/** Answer of `GET /journal?day=&search=&kind=&order=&before=`: newest first, `before` for the next page or null. */
export interface JournalPage {
  readonly entries: readonly CockpitEntry[];
  readonly before: number | null;
}

/** Answer of `GET /journal/days`: newest first. */
export type JournalDays = readonly { readonly day: string; readonly isArchived: boolean }[];

/** Answer of `GET /orders/:id/story?day=`: oldest first; the latest day where none is asked for. */
export interface OrderStory {
  readonly id: string;
  readonly summary: string;
  readonly steps: readonly OrderStep[];
}

export interface OrderStep extends CockpitEntry {
  readonly detail: string;
}

/** Answer of `GET /bars?contract=`: candles of a minute, oldest first. */
export interface CockpitBars {
  readonly contract: string;
  readonly bars: readonly CockpitBar[];
  readonly fills: readonly FillMark[];
  readonly lines: readonly PlotLine[];
}

/** Answer of `GET /results?day=`: realised money after costs; the latest day where none is asked for. */
export interface CockpitResults {
  readonly day: string;
  /** Oldest first. */
  readonly days: readonly { readonly day: string; readonly net: number }[];
  /** The result of `day` after each fill. */
  readonly curve: readonly (readonly [atMs: number, net: number])[];
  /** Closed on `day`, newest first. */
  readonly trades: readonly TradeState[];
}

export interface TradeState {
  readonly atMs: number;
  readonly strategy: string;
  /** For people. */
  readonly contract: string;
  readonly side: 'long' | 'short';
  readonly qty: number;
  readonly entryPoints: number | null;
  readonly exitPoints: number | null;
  readonly net: number;
}

/** Values that a strategy publishes over the candles, as of each minute. */
export interface PlotLine {
  readonly strategy: string;
  readonly name: string;
  readonly values: readonly (readonly [atMs: number, points: number])[];
}

/** Start of its minute; open, high, low, close in points; volume. */
export type CockpitBar = readonly [atMs: number, o: number, h: number, l: number, c: number, volume: number];

export interface FillMark {
  readonly atMs: number;
  readonly order: string;
  readonly strategy: string;
  readonly side: 'buy' | 'sell';
  readonly qty: number;
  readonly points: number;
}

/** Answer of a command and of each refusal. */
export interface CockpitAnswer {
  readonly ok: boolean;
  readonly message: string;
}
