/** Runs a plan from its first day to its last. The same plan always gives the same result. */
import { assert } from '../../domain/assert.ts';
import { CLOSING_BARS, phaseAt } from '../../domain/calendar.ts';
import { addDays, type TradingDay } from '../../domain/civil-date.ts';
import { ASSUMPTIONS, type EngineSettings, type PollSettings } from '../../domain/settings.ts';
import { durationUs, money, seconds, tsUs, US_PER_DAY, US_PER_MINUTE } from '../../domain/units.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import {
  type BacktestDay,
  type BacktestNotice,
  type BacktestPlan,
  type DayMoments,
  dayMoments,
  DayOpening,
  describeMemory,
  guessesOf,
} from '../backtest-plan.ts';
import { tapeSettlement } from '../../venue/exchange/settlement-price.ts';
import { describeLatency, VirtualClock } from './virtual-time.ts';
import { RunAccount, settleExpired } from './run-account.ts';
import { RunInstrument } from './run-instrument.ts';
import { createStrategyHost } from '../../strategy/index.ts';
import { JournalDigest, RunJournal } from './journal-digest.ts';
import { Engine } from '../../engine/engine.ts';
import { RunPlots } from './sample-table.ts';
import { type PlayedTape, TapePlayer } from './tape-player.ts';
import { Timeline } from './timeline.ts';
import { RunBroker, type RunVenue } from './run-broker.ts';
import {
  type BarFillModel,
  PPM_PER_PERCENT,
  type Slippage,
  type TickFillModel,
} from '../../venue/exchange/fill-models.ts';
import { createExchange, playedRows } from '../../venue/exchange/bar-exchange.ts';

/** Finished rows of a run, or finished runs of a sweep. */
export interface RunProgress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
}

export interface RunOptions {
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Every fact of the canonical journal, as it is written. */
  readonly onEntry?: (entry: JournalEntry) => void;
  readonly onDay?: (day: BacktestDay) => void;
  /** Names the strategy whose code runs, for the watch of another thread. */
  readonly running?: Int32Array;
  /** Shows where the run is, also when it does not return. */
  readonly clock?: VirtualClock;
  /** Takes each row by itself: slower, with the same result. */
  readonly isRowByRow?: boolean;
}

/** A scan of the book proves that day orders are dead when it begins this much after the engine's own waiting time. */
const PROOF_MARGIN = seconds(1);
/** Reads after the close are answered by then. */
const AFTER_CLOSE = seconds(30);
/** Where trading never stops, the first day is begun this long before its first row. */
const LEAD = seconds(10);

export const runBacktest = (plan: BacktestPlan, options: RunOptions = {}) => new Run(plan, options).play();

/** The venue in process reports changes of orders and positions at once. Money changes with prices: it is read where a limit follows it. */
const pollsOf = ({ poll: { account }, risk: { drawdownMax } }: EngineSettings): PollSettings => ({
  bookFast: NEVER,
  bookSlow: NEVER,
  positions: NEVER,
  account: drawdownMax === undefined ? NEVER : account,
});
const NEVER = durationUs(400 * US_PER_DAY);

/** Rows of one day between two reports of progress. */
const PROGRESS_ROWS = 1 << 18;

class Run {
  readonly #plan: BacktestPlan;
  readonly #options: RunOptions;
  readonly #clock: VirtualClock;
  readonly #instruments: RunInstrument[] = [];
  readonly #notices: BacktestNotice[] = [];
  readonly #account: RunAccount;
  readonly #journal: RunJournal;
  readonly #digest: JournalDigest;
  readonly #plots: RunPlots;
  readonly #broker: RunBroker;
  readonly #venue: RunVenue;
  readonly #timeline: Timeline;
  readonly #settings: EngineSettings;
  /** By instrument, of bars that reached into the day that is opened next. */
  #volumes: TapePlayer['volumes'] = new Map();
  #rowsDone = 0;
  #reportedRows = 0;
  #reportedDay: TradingDay | null = null;
  #fromUs = 0;

  constructor(plan: BacktestPlan, options: RunOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#clock = options.clock ?? new VirtualClock();
    this.#clock.reset();
    // The venue in process fulfils all that a live run has to confirm.
    this.#settings = { ...plan.settings, poll: pollsOf(plan.settings), assumed: ASSUMPTIONS };
    this.#account = new RunAccount(plan.capital, plan.strategies.length, this.#instruments);
    this.#journal = new RunJournal(this.#account);
    this.#digest = new JournalDigest((entry) => {
      this.#journal.take(entry);
      options.onEntry?.(entry);
    });
    this.#plots = new RunPlots(plan.sampleEvery);
    this.#broker = new RunBroker(plan, this.#clock, this.#account, this.#digest);
    this.#venue = this.#broker.venue;
    this.#timeline = new Timeline(this.#clock, this.#broker, this.#account, plan.sampleEvery);
  }

  play() {
    const { days } = this.#plan.data;
    assert(days.length > 0, 'a run has a day');
    days.forEach((day, index) => this.#playDay(day, index));
    return this.#result();
  }

  #playDay(day: TradingDay, dayIndex: number): void {
    const data = this.#plan.data.open(day);
    this.#options.onDay?.(data);
    const moments = dayMoments(this.#plan.calendar, day);
    this.#notices.push(...data.notices);
    const opening = new DayOpening(data.tapes.filter(({ isGuessed }) => !isGuessed));
    const tapes = this.#openMarkets(data, moments, opening);
    const engine = this.#openEngine(data, dayIndex);
    const player = new TapePlayer(
      {
        engine,
        clock: this.#clock,
        timeline: this.#timeline,
        venue: this.#venue,
        isRowByRow: this.#options.isRowByRow ?? false,
        onRows: (rows) => this.#progress(rows, day),
      },
      tapes,
    );
    for (const { tape, atUs } of guessesOf(data)) {
      player.playTo(atUs);
      this.#timeline.runTo(atUs);
      this.#venue.setBand(tape.contract, opening.learn(tape));
      this.#timeline.post({ kind: 'reference', rows: opening.references });
    }
    player.playTo(moments.closeUs === null ? moments.endUs : Infinity);
    const isReaching = !player.isOver;
    for (let next = addDays(day, 1); !player.isOver; next = addDays(next, 1))
      this.#playOn(player, data, next);
    this.#volumes = isReaching ? player.volumes : new Map();
    this.#closeDay(data, moments);
  }

  /** A bar reaches into days without data of their own: sessions go on, as trading does. */
  #playOn(player: TapePlayer, data: BacktestDay, day: TradingDay): void {
    const { beginUs, endUs } = dayMoments(this.#plan.calendar, day);
    this.#timeline.runTo(beginUs);
    this.#venue.openDay(day, new DayOpening(data.tapes).bands);
    const carriedOver = this.#account.carriedOver();
    this.#timeline.post({ kind: 'session_started', tradingDay: day, carriedOver, halted: null });
    player.playTo(endUs);
  }

  #openMarkets(data: BacktestDay, { beginUs, boundaries }: DayMoments, opening: DayOpening) {
    const { calendar, costs, fill, sampleEvery } = this.#plan;
    const firstUs = Math.min(...data.tapes.map(({ rows }) => rows.tsUs[0] ?? Infinity));
    const isFirst = this.#fromUs === 0;
    // Prices from before the hours of the market begin the day: time never goes back.
    const openUs = Math.min(beginUs, isFirst ? firstUs - LEAD : firstUs);
    if (isFirst) {
      this.#fromUs = openUs;
      // The capital is the first peak: a loss before the first sample is a fall too.
      this.#account.drawdowns.add(this.#plan.capital, openUs);
    }
    this.#timeline.runTo(openUs);
    // A contract that is listed no more has no market.
    for (const instrument of this.#instruments) instrument.open(null);
    for (const contract of data.contracts) {
      assert(contract.index <= this.#instruments.length, 'contracts are listed in the order of their places');
      if (contract.index === this.#instruments.length)
        this.#instruments.push(new RunInstrument(contract, costs, this.#account.samples.prices()));
      this.#instruments[contract.index]?.open(null);
    }
    const tapes = data.tapes.map(({ contract, rows, reference, isGuessed }): PlayedTape => {
      const played = playedRows(rows, fill);
      const exchange = createExchange(played, fill, this.#venue.entry, () =>
        this.#account.netOf(contract.index),
      );
      this.#instruments[contract.index]?.open(exchange, isGuessed ? undefined : reference);
      const volumeBefore = this.#volumes.get(contract.index) ?? 0;
      const { index: instrument, orderCode } = contract;
      return { instrument, orderCode, rows: played, exchange, volumeBefore };
    });
    const { nowUs } = this.#clock;
    this.#venue.openDay(data.day, opening.bands);
    this.#broker.references = opening.references;
    this.#venue.setPhase(phaseAt(calendar, tsUs(nowUs)), nowUs);
    const left = boundaries.filter(({ atUs }) => atUs > nowUs);
    // Samples follow local wall time, so that a bar of a day or of hours is over at its sample.
    const wallUs = calendar.utcOffsetMinutes * US_PER_MINUTE;
    const firstSampleUs = Math.ceil((nowUs + 1 + wallUs) / sampleEvery) * sampleEvery - wallUs;
    this.#timeline.openDay(left, firstSampleUs);
    this.#venue.restoreResting();
    return tapes;
  }

  /** A fresh engine each morning, as the daemon has one; or the same one, that goes on with the next day. */
  #openEngine(data: BacktestDay, dayIndex: number): Engine {
    const { memory, warmUpDays } = this.#plan;
    if (memory === 'day') this.#timeline.leaveEngine();
    const isNew = this.#timeline.engine === null;
    const engine = this.#timeline.engine ?? this.#createEngine();
    this.#timeline.engine = engine;
    this.#journal.isWarmUp = dayIndex < warmUpDays;
    const carriedOver = this.#account.carriedOver();
    this.#timeline.post({ kind: 'contracts', contracts: data.contracts });
    this.#timeline.post({ kind: 'session_started', tradingDay: data.day, carriedOver, halted: null });
    if (isNew) {
      this.#timeline.post({ kind: 'booted', boot: dayIndex + 1, accountTail: 'BCKTST' });
      this.#timeline.post({ kind: 'stream', state: 'live', reason: 'recorded' });
    }
    if (dayIndex === 0 && warmUpDays > 0) this.#command('halt', 'warm-up');
    // Entries that a loss has halted a person resumes in the morning.
    const isResumed = !isNew && this.#journal.isHalted && dayIndex > warmUpDays;
    if ((dayIndex === warmUpDays && warmUpDays > 0) || isResumed) this.#command('resume', 'another day');
    return engine;
  }

  #command(name: 'halt' | 'resume', reason: string): void {
    this.#timeline.post({ kind: 'command', by: 'process', command: { name, reason } });
    if (name === 'resume') this.#journal.isHalted = false;
  }

  #createEngine(): Engine {
    const { calendar, costs, strategies: instances } = this.#plan;
    const { running } = this.#options;
    const host = createStrategyHost({
      instances,
      onFault: (strategy, error) => this.#journal.keepStack(strategy, error),
      ...(running === undefined ? {} : { currentStrategy: running }),
    });
    const outbound = {
      gateway: this.#broker,
      reports: this.#broker,
      journal: this.#digest,
      plots: this.#plots,
      alarm: this.#timeline,
    };
    return new Engine({ settings: this.#settings, calendar, costs, host, outbound });
  }

  /** After the last row: the last prints, the end of orders and contracts, and the reads that prove them. */
  #closeDay(data: BacktestDay, { closeUs, endUs }: DayMoments): void {
    // The last bar may end later than the day.
    this.#timeline.runTo(Math.max(endUs, this.#clock.nowUs + 1));
    if (closeUs !== null) {
      this.#venue.expire();
      this.#settle(data);
      settleExpired(this.#plan, this.#account, this.#clock.nowUs);
    }
    this.#account.sample(this.#clock.nowUs, this.#venue.margin.funds(), true);
    this.#account.settleDay(this.#clock.nowUs);
    this.#timeline.closeDay();
    if (closeUs === null) return;
    const proofUs = closeUs + this.#plan.settings.lookUp.spread;
    this.#broker.scanAt(proofUs + PROOF_MARGIN);
    this.#timeline.runTo(proofUs + AFTER_CLOSE / 2);
    this.#broker.read('positions');
    this.#timeline.runTo(proofUs + AFTER_CLOSE);
    this.#timeline.runTo(closeUs + CLOSING_BARS);
    // With a fresh engine each morning there is nothing to do at night.
    if (this.#plan.memory === 'day') this.#timeline.leaveEngine();
  }

  /** Positions are valued at the exchange's settlement prices. A bar hides its single trades: its market keeps the last price. */
  #settle({ day, tapes }: BacktestDay): void {
    const { calendar, fill } = this.#plan;
    if (fill.on !== 'ticks') return;
    for (const { contract, rows } of tapes) {
      const { index, spec } = contract;
      if (!this.#account.isHeld(index)) continue;
      const price = tapeSettlement(rows, day, calendar, spec.hundredthsPerTick);
      if (price !== undefined) this.#instruments[index]?.settle(price);
    }
  }

  #progress(rows: number, day: TradingDay): void {
    this.#rowsDone += rows;
    const all = this.#plan.data.rows;
    if (day === this.#reportedDay && this.#rowsDone < Math.min(this.#reportedRows + PROGRESS_ROWS, all))
      return;
    this.#reportedDay = day;
    this.#reportedRows = this.#rowsDone;
    this.#options.onProgress?.({ done: this.#rowsDone, all, what: day });
  }

  #result() {
    const [plan, account, facts] = [this.#plan, this.#account, this.#journal];
    const toUs = tsUs(this.#clock.nowUs);
    const { dropped } = facts;
    const more: BacktestNotice[] =
      dropped === 0 ? [] : [{ tsUs: null, code: 'notices_dropped', text: `${dropped} more are not shown` }];
    const { samples, drawdowns } = account;
    if (drawdowns.lostUs !== null)
      more.push({ tsUs: tsUs(drawdowns.lostUs), code: 'capital_lost', text: CAPITAL_LOST });
    const { configDigest, seed, currency, moneyScale, warmUpDays, statistics } = plan;
    const ofPlan = { configDigest, seed, currency, moneyScale, warmUpDays, statistics };
    return {
      ...ofPlan,
      /** SHA-256 over the data, and the canonical journal with its executions. */
      dataDigest: plan.data.digest,
      journalHash: this.#digest.digest(),
      timeZone: plan.calendar.timeZone,
      utcOffsetMinutes: plan.calendar.utcOffsetMinutes,
      days: plan.data.days,
      fromUs: tsUs(this.#fromUs),
      toUs,
      capital: money(plan.capital),
      /** Capital and profit, open and closed, net of costs. A long run keeps some samples of all (`SampleTable`). */
      equity: samples.equity,
      /** Drawdowns of all samples, also dropped ones. */
      drawdowns: drawdowns.end(),
      funds: account.funds(),
      dayEquity: Float64Array.from(account.dayEquity),
      /** When each of `days` ended; the last samples of the day are of this time. */
      dayEndUs: Float64Array.from(account.dayEndUs),
      instruments: this.#instruments.map(({ contract: { orderCode: symbol, spec }, prices }) => ({
        symbol,
        spec,
        /** Last traded price at each sample; 0 before the first. */
        prices: samples.samplesOf(prices.last),
        /** Trades since the sample before, as columns; 0 where nothing was traded. */
        ranges: prices.ranges(),
      })),
      strategies: account.ledgers.map((ledger, index) => {
        const instance = plan.strategies[index];
        return {
          ...ledger.outcome(this.#instruments, account.days, toUs),
          id: instance?.id ?? '',
          /** Name in the catalogue, or the file it came from. */
          strategy: instance?.definition.name ?? '',
          symbols: plan.settings.strategies[index]?.symbols ?? [],
          params: instance?.params ?? {},
          /** Profit so far, open and closed, net of costs; begins at zero. */
          profit: samples.samplesOf(ledger.profit),
          plots: this.#plots.of(index),
        };
      }),
      models: describeModels(plan),
      notices: [...this.#notices, ...facts.notices, ...more],
      counts: {
        rows: this.#rowsDone,
        events: this.#clock.seq,
        journalEntries: this.#digest.count,
        orders: this.#broker.orders,
        fills: this.#venue.fills,
      },
    };
  }
}

const CAPITAL_LOST =
  'equity fell to zero or below and the run went on: a broker would have ended it, and ratios of returns have no value';

function describeModels({ fill, latency, memory }: BacktestPlan): readonly (readonly [string, string])[] {
  return [
    ...(fill.on === 'ticks' ? tickModel(fill) : barModel(fill)),
    ['order latency', describeLatency(latency.order)],
    ['report latency', describeLatency(latency.report)],
    ['memory', describeMemory(memory)],
  ];
}

function tickModel(model: TickFillModel): [string, string][] {
  const { queue, cancels } = model;
  const places: Readonly<Record<TickFillModel['queue'], string>> = {
    queue: `behind the quantity that was there first; what is canceled counts as ${cancels}`,
    touch: 'a trade at the price fills, nobody was ahead',
    through: 'only a trade beyond the price fills',
  };
  return [['fills on ticks', `${queue}: ${places[queue]}`], ...slippage(model)];
}

function barModel(model: BarFillModel): [string, string][] {
  const { bar, path, exitsFrom, volumeBps, impactPpm = 0 } = model;
  const impact = `${impactPpm / PPM_PER_PERCENT} % of the price x the square of our share of the volume`;
  const exits = 'from the bar after the fill on';
  const rows: [string, string][] = [
    ['fills on bars', bar],
    ['path', path],
    ['exits of a bracket', exitsFrom === 'next_bar' ? exits : ''],
    ['volume', volumeBps === 0 ? '' : `at most ${volumeBps / 100} % of a bar's volume`],
    ...slippage(model),
    ['impact', impactPpm === 0 ? '' : impact],
  ];
  return rows.filter(([, text]) => text !== '');
}

function slippage({
  slippageTicks,
  slippagePpm = 0,
  slippageOn,
  slippageUpTo,
}: Slippage & Pick<BarFillModel, 'slippageOn' | 'slippageUpTo'>): [string, string][] {
  const part = slippagePpm === 0 ? '' : ` and ${slippagePpm / PPM_PER_PERCENT} % of the price`;
  const taker = slippageOn === 'entries' ? 'an order that takes opens or adds' : 'an order takes';
  const end = slippageUpTo === 'bar' ? ', never beyond the bar' : '';
  return [['slippage', `${slippageTicks} ticks${part} where ${taker}${end}`]];
}
