/** Candles with our orders and fills, and the depth next to them. */
import { computed, effect, signal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type {
  CockpitBar,
  CockpitBars,
  CockpitState,
  ContractPrices,
  CockpitContract,
  FillMark,
  Level,
  CockpitOrder,
  PlotLine,
  PlotState,
} from '../../operator/cockpit/cockpit-model.ts';
import {
  BAR_MINUTES,
  type BarMinutes,
  grown,
  joinedBars,
  joinedValues,
} from '../../operator/cockpit/candles.ts';
import { decimalsOf } from '../charts/axis-text.ts';
import type { ReportMark } from '../../research/report/report-model.ts';
import { type Candle, createPriceChart, type PriceChart } from '../charts/price-chart.ts';
import {
  clockTime,
  count,
  dayOf,
  moment,
  points,
  signedPoints,
  toneOf,
  Bar,
  Button,
  Empty,
  Facts,
  Panel,
  set,
} from './parts.tsx';
import { read, entries, prices, silentSeconds, state } from './store.ts';
import { Latest } from './now.tsx';
import { t } from './text.ts';

export function Market({ value }: { readonly value: CockpitState }) {
  const chosen = useSignal('');
  const held = value.contracts.find(({ contract }) => contract === chosen.value);
  const contract = held ?? mainContract(value);
  if (contract === undefined) return <Empty>{t.noContracts}</Empty>;
  return (
    <>
      <div class="picker" role="group" aria-label={t.contract}>
        {value.contracts.map(({ contract: code, name }) => (
          <Button key={code} aria-pressed={code === contract.contract} onClick={() => set(chosen, code)}>
            {name}
          </Button>
        ))}
      </div>
      <Quote contract={contract} />
      <Panel title={t.candles} area="chart-panel" aside={<BarLength />}>
        <Candles key={`${contract.contract}/${barMinutes.value}`} contract={contract} />
      </Panel>
      <Panel title={t.depth} area="depth-panel">
        <Depth contract={contract} />
      </Panel>
      <Latest title={t.kinds.strategy_note} isShown={({ kind }) => kind === 'strategy_note'} />
    </>
  );
}

const barMinutes = signal<BarMinutes>(1);

const BarLength = () => (
  <div class="picker" role="group" aria-label={t.barLength}>
    {BAR_MINUTES.map((minutes) => (
      <Button
        key={minutes}
        kind="small"
        aria-pressed={minutes === barMinutes.value}
        onClick={() => set(barMinutes, minutes)}
      >
        {minutes < 60 ? `${minutes}m` : `${minutes / 60}h`}
      </Button>
    ))}
  </div>
);

/** The one that the strategies trade. */
function mainContract({ contracts, strategies }: CockpitState): CockpitContract | undefined {
  const traded = strategies.flatMap((each) => each.legs);
  return contracts.find(({ contract }) => traded.includes(contract)) ?? contracts[0];
}

interface OfContract {
  readonly contract: CockpitContract;
}

/** While nothing is traded or no prices come, its prices are marked with their day; the page says when trading goes on. */
function Quote({ contract }: OfContract) {
  const { phase = '', endsMs = null } = state.value?.session ?? {};
  const isClosed = phase === 'closed' || phase === 'break';
  const isFed = state.value?.feed.state === 'live' && !state.value.feed.isStale;
  const { tickPoints: tick, referencePoints: reference } = contract;
  const now = prices.value.get(contract.contract);
  const last = now?.last?.[0] ?? null;
  const change = last === null || reference === null ? null : last - reference;
  return (
    <div class="quote">
      <p class={`last num ${isFed ? toneOf(change ?? 0) : 'quiet'}`}>
        {points(last, tick)}
        <small>
          {change !== null && signedPoints(change, tick)}
          {change !== null && !!reference && ` (${signedPoints((change / reference) * 100, 0.01)} %)`}
        </small>
      </p>
      <Facts
        facts={[
          [t.reference, points(reference, tick)],
          [t.floor, points(contract.floorPoints, tick)],
          [t.ceiling, points(contract.ceilingPoints, tick)],
          [t.volume, now === undefined ? '–' : count(now.volume)],
          [t.lastAt, now === undefined ? '–' : moment(now.atMs)],
        ]}
      />
      {(isClosed || !isFed) && (
        <p class="note">
          {now !== undefined && t.asOf(`${dayOf(now.atMs)} ${clockTime(now.atMs)}`)}{' '}
          {isClosed && endsMs !== null && t.goesOn(`${dayOf(endsMs)} ${clockTime(endsMs).slice(0, 5)}`)}
        </p>
      )}
    </div>
  );
}

const CHART_PX = 380;
const MINUTE_MS = 60_000;
/** Fills of one moment are read together. */
const READ_AGAIN_MS = 1_000;

const candleOf = ([atMs, open, high, low, close, volume]: CockpitBar): Candle => ({
  time: atMs / 1_000,
  open,
  high,
  low,
  close,
  volume,
});

function Candles({ contract: { contract, tickPoints } }: OfContract) {
  const box = useRef<HTMLDivElement>(null);
  const trouble = useSignal('');
  useEffect(() => {
    if (box.current === null) return undefined;
    const chart = createPriceChart(box.current, {
      height: CHART_PX,
      utcOffsetMinutes: state.value?.session.utcOffsetMinutes ?? 0,
      decimals: decimalsOf(tickPoints),
      tick: tickPoints,
    });
    const stop = feed(chart, contract, trouble);
    return () => {
      stop();
      chart.destroy();
    };
  }, []);
  return (
    <>
      <div ref={box} class="candles" role="group" aria-label={`${t.candles} ${contract}`} />
      {trouble.value !== '' && <p class="note bad">{trouble.value}</p>}
    </>
  );
}

const markOf = ({ atMs, points: price, side, qty }: FillMark): ReportMark => ({
  tsSeconds: atMs / 1_000,
  price,
  side,
  effect: 'entry',
  qty,
});

/** Bars of the past from the daemon, the present from the stream; read again after fills and when the stream was cut. */
function feed(chart: PriceChart, contract: string, trouble: Signal<string>): () => void {
  const minutes = barMinutes.peek();
  let newest: CockpitBar | undefined;
  /** Contracts traded in the session so far, as of the last price. */
  let total: number | undefined;
  let lines: readonly PlotLine[] = [];
  const draw = (next: readonly PlotLine[]): void => {
    lines = next;
    chart.setLines(lines.map((line) => lineOf(line, minutes)));
  };
  let wait: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let wasCut = false;
  let lastFill: string | undefined;
  const readBars = async (): Promise<void> => {
    const { value, trouble: problem } = await read<CockpitBars>('/bars', { contract });
    if (isOver) return;
    trouble.value = problem;
    if (value === null) return;
    const { fills } = value;
    const bars = joinedBars(value.bars, minutes);
    draw(value.lines);
    newest = bars.at(-1);
    chart.setCandles(bars.map(candleOf));
    chart.setMarks(fills.map(markOf));
  };
  const extend = (now: ContractPrices): void => {
    if (now.last === null) return;
    const [price] = now.last;
    // A chart of another day ends with the first trade.
    if (newest !== undefined && dayOf(now.atMs) > dayOf(newest[0])) {
      newest = undefined;
      total = undefined;
      void readBars();
    }
    const traded = Math.max(0, now.volume - (total ?? now.volume));
    total = now.volume;
    newest = grown(newest, [now.atMs, price, price, price, price, traded], minutes);
    chart.update(candleOf(newest));
  };
  const stops = [
    effect(() => {
      const now = prices.value.get(contract);
      if (now !== undefined) extend(now);
    }),
    effect(() => {
      const ours = plotted.value.filter((plot) => plot.contract === contract);
      if (ours.length > 0) draw(ours.reduce(withPlot, lines));
    }),
    effect(() => chart.setOrders(orderLines(state.value?.orders ?? [], contract))),
    effect(() => {
      const isCut = silentSeconds.value !== null;
      if (wasCut && !isCut) void readBars();
      wasCut = isCut;
    }),
    effect(() => {
      const fill = entries.value.findLast((each) => each.kind === 'fill' && each.contract === contract)?.id;
      if (fill === lastFill) return;
      lastFill = fill;
      clearTimeout(wait);
      wait = setTimeout(() => void readBars(), READ_AGAIN_MS);
    }),
  ];
  void readBars();
  return () => {
    isOver = true;
    clearTimeout(wait);
    for (const stop of stops) stop();
  };
}

/** The value of the minute replaces the one before it. */
function withPlot(lines: readonly PlotLine[], plot: PlotState): readonly PlotLine[] {
  const { strategy, name, atMs, points: value } = plot;
  const minute = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  const old = lines.find((line) => line.strategy === strategy && line.name === name);
  const before = old?.values.filter(([at]) => at < minute) ?? [];
  const line: PlotLine = { strategy, name, values: [...before, [minute, value]] };
  return old === undefined ? [...lines, line] : lines.map((each) => (each === old ? line : each));
}

const lineOf = (line: PlotLine, minutes: BarMinutes) => ({
  label: `${line.strategy} ${line.name}`,
  points: [...joinedValues(line, minutes)].map(([atMs, value]) => ({ time: atMs / 1_000, value })),
});

let plots: readonly PlotState[] = [];

/** Another state alone is no reason to draw them again. */
const plotted = computed(() => {
  const next = state.value?.plots ?? [];
  if (JSON.stringify(next) !== JSON.stringify(plots)) plots = next;
  return plots;
});

const orderLines = (orders: readonly CockpitOrder[], contract: string) =>
  orders
    .filter((order) => order.orderCode === contract)
    .flatMap(({ limitPoints, triggerPoints, side, qty, strategy }) => {
      const price = triggerPoints ?? limitPoints;
      const label = `${side === 'buy' ? t.buy : t.sell} ${qty} ${strategy}`;
      return price === null ? [] : [{ price, side, isTrigger: triggerPoints !== null, label }];
    });

const LEVELS = 5;

/** As many rows as ever, so that nothing moves. */
function Depth({ contract: { contract, tickPoints: tick } }: OfContract) {
  const now = prices.value.get(contract);
  const asks = now?.asks.slice(0, LEVELS) ?? [];
  const bids = now?.bids.slice(0, LEVELS) ?? [];
  const most = Math.max(1, ...[...asks, ...bids].map(([, qty]) => qty));
  const ours = new Map<number, number>();
  for (const { orderCode, limitPoints, qty, filledQty, triggerPoints } of state.value?.orders ?? [])
    if (orderCode === contract && limitPoints !== null && triggerPoints === null)
      ours.set(limitPoints, (ours.get(limitPoints) ?? 0) + qty - filledQty);
  const row = (level: Level | undefined, side: 'buy' | 'sell', index: number) => (
    <tr key={`${side}${index}`} class={side}>
      <td class="num right">{level === undefined ? '–' : points(level[0], tick)}</td>
      <td class="right">
        <Bar part={(level?.[1] ?? 0) / most} tone={side} label={t.quantity} />
        <span class="num">{level === undefined ? '' : count(level[1])}</span>
      </td>
      <td class="num mine">{(level !== undefined && ours.get(level[0])) || ''}</td>
    </tr>
  );
  const levels = Array.from({ length: LEVELS }, (_, index) => index);
  const [bestBid, bestAsk] = [bids[0]?.[0], asks[0]?.[0]];
  return (
    <table class="depth" aria-label={t.depth}>
      <thead>
        <tr>
          <th scope="col">{t.price}</th>
          <th scope="col">{t.quantity}</th>
          <th scope="col">{t.mine}</th>
        </tr>
      </thead>
      <tbody>
        {levels.toReversed().map((index) => row(asks[index], 'sell', index))}
        <tr class="spread">
          <td colSpan={3} class="num">
            {bestBid === undefined || bestAsk === undefined
              ? '–'
              : `${t.spread} ${points(bestAsk - bestBid, tick)}`}
          </td>
        </tr>
        {levels.map((index) => row(bids[index], 'buy', index))}
      </tbody>
    </table>
  );
}
