/** A day of parity through a backtest: a strategy that asks what its script says, when it says so. */
import { z } from 'zod';
import { runBacktest } from '../../src/research/run/run-backtest.ts';
import type { ClientOrderId } from '../../src/domain/ids.ts';
import { type DurationUs, durationUs, money } from '../../src/domain/units.ts';
import type { CancelToSend } from '../../src/engine/ports/approved.ts';
import type { EntryOf, JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { defineStrategy, type StrategyDefinition, type Trader } from '../../src/strategy/index.ts';
import { DEFAULT_MARGIN_RULES } from '../../src/venue/account/margin.ts';
import { planOf, tapesOf } from '../support/backtest-plan.ts';
import { type DayOutcome, fillLine, type ParityDay, type SentCall, type Target } from './parity.ts';
import type { Step } from './script.ts';

export interface BacktestDayOutcome extends DayOutcome {
  /** What the engine let through, in order. */
  readonly calls: readonly SentCall[];
}

/** Orders of the opening auction come before the first trade of the day. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no whole number is long enough
const FOREVER = Infinity as DurationUs;

const ANY_PERCENT = 1e10;

type Params = Record<string, never>;

function scripted(steps: readonly Step[]): StrategyDefinition {
  return defineStrategy({
    name: 'scripted',
    summary: 'asks what its script says, at its times',
    params: z.object({}),
    legs: ['contract'],
    connect(_ticks, trader: Trader<Params, 'contract'>) {
      const ids = new Map<number, ClientOrderId>();
      const play = (place: number): void => {
        const step = steps[place];
        if (step === undefined) return;
        trader.after(durationUs(step.atUs - trader.time()), () => {
          const { ask } = step;
          if (ask.do === 'submit') ids.set(place, trader.submit(ask.request));
          else if (ask.do === 'modify') trader.modify(ids.get(ask.order)!, ask.change);
          else trader.cancel(ids.get(ask.order)!);
          play(place + 1);
        });
      };
      play(0);
    },
  });
}

export function backtestDay({ tape, steps, capital, latency, fill }: ParityDay): BacktestDayOutcome {
  const span = { kind: 'constant', span: latency } as const;
  const plan = planOf(tapesOf([tape]), [{ id: 'scripted', definition: scripted(steps), params: {} }], {
    capital: money(capital),
    latency: { order: span, report: span },
    margin: DEFAULT_MARGIN_RULES,
    ...(fill !== undefined && { fill }),
  });
  const { settings } = plan;
  const recorder = new CallRecorder();
  const orders = new Map<string, { qty: number; value: number }>();
  const result = runBacktest(
    {
      ...plan,
      settings: {
        ...settings,
        // The script and the broker decide: nothing is withdrawn before an auction, closed before an expiry or denied for its margin.
        risk: { ...settings.risk, auctionEntries: true, dataAgeMax: FOREVER, marginUsePercent: ANY_PERCENT },
        strategies: settings.strategies.map((each) => ({ ...each, onExpiry: 'hold' })),
      },
    },
    {
      onEntry: (entry) => {
        recorder.take(entry);
        if (entry.kind === 'fill')
          orders.set(entry.clientOrderId, { qty: entry.cumQty, value: entry.cumValue });
      },
    },
  );
  const fault = result.notices.find(({ code }) => code === 'strategy_fault');
  if (fault !== undefined) throw new Error(fault.text);
  const fills = [...result.strategies[0]!.fills];
  const { calls, refused } = recorder;
  const named = new Set<string>(calls.flatMap((call) => (call.call === 'place' ? [call.clientOrderId] : [])));
  return {
    calls,
    refused,

    fills: fills
      .filter(({ cause }) => cause !== 'settled')
      .map(({ priceTicks: price, cause, ...fill }) =>
        fillLine({ ...fill, price, isForced: cause === 'forced' }),
      ),
    cash: result.equity.values.at(-1)!,
    net: fills.at(-1)?.positionAfter ?? 0,
    orders: new Map(
      [...orders].filter(([id]) => named.has(id)).map(([id, { qty, value }]) => [id, `${qty} for ${value}`]),
    ),
  };
}

/** Takes down what leaves the engine, and learns from its journal what the broker's own orders belong to. */
class CallRecorder {
  readonly calls: SentCall[] = [];
  readonly refused: string[] = [];
  readonly #targets = new Map<ClientOrderId, Target>();
  readonly #children = new Map<ClientOrderId, number>();

  take(entry: JournalEntry): void {
    if (entry.kind === 'place') this.#place(entry);
    else if (entry.kind === 'modify') {
      const { tsUs: atUs, modify } = entry;
      const { clientOrderId, qty, limitPrice, triggerPrice } = modify;
      const target = this.#targetOf(modify);
      this.calls.push({ call: 'modify', atUs, clientOrderId, target, qty, limitPrice, triggerPrice });
    } else if (entry.kind === 'cancel') {
      const { tsUs: atUs, cancel } = entry;
      const { clientOrderId, orderKey } = cancel;
      const target = this.#targetOf(cancel);
      this.calls.push({ call: 'cancel', atUs, clientOrderId, target, isWaiting: orderKey !== null });
    } else if (entry.kind === 'outcome' && entry.outcome.status === 'rejected') {
      this.refused.push(`${entry.call} ${entry.clientOrderId} ${entry.outcome.code}`);
    } else if (entry.kind === 'order_status' && entry.orderNo !== null) {
      const { clientOrderId, orderNo } = entry;
      this.#targetOf({ clientOrderId, orderNo });
    } else if (entry.kind === 'order_adopted' && entry.parent !== undefined) {
      const { clientOrderId, parent } = entry;
      const place = this.#children.get(parent) ?? 0;
      this.#children.set(parent, place + 1);
      this.#targets.set(clientOrderId, { is: 'child', of: this.#target(parent), place });
    }
  }

  #place({ tsUs: atUs, order }: EntryOf<'place'>): void {
    const { clientOrderId, side, qty, limitPrice, trigger: condition } = order;
    this.#targets.set(clientOrderId, { is: 'ours', clientOrderId });
    this.calls.push({ call: 'place', atUs, clientOrderId, side, qty, limitPrice, condition });
  }

  /** An order without a name of ours and without a parent is an exit: it waits itself. */
  #targetOf({ clientOrderId: id, orderNo }: Pick<CancelToSend, 'clientOrderId' | 'orderNo'>): Target {
    const known = this.#targets.get(id);
    if (known !== undefined) return known;
    const exit: Target = { is: 'waiting', orderNo };
    this.#targets.set(id, exit);
    return exit;
  }

  #target(id: ClientOrderId): Target {
    const target = this.#targets.get(id);
    if (target === undefined) throw new Error(`order ${id} is known from the journal`);
    return target;
  }
}
